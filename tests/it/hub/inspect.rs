//! A look at a Hub model fetches its small files only, and says what the repository lacks.

use candle_core::DType;
use llscore::inspect::{Assume, Inspection, inspect};
use llscore::model::source::SourceOptions;
use llscore::tokenize::EncodeOptions;

use super::server::Hub;
use super::{COMMIT, Home, message};
use crate::support::{COMPLETE, fixture};

/// A hub with the fixture that a whole run can use.
fn hub() -> Hub {
    let hub = Hub::start();
    for file in ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"] {
        hub.put("org/whole", file, &std::fs::read(fixture(COMPLETE).join(file)).unwrap());
    }
    hub
}

fn look(home: &Home, id: &str, offline: bool) -> llscore::Result<Inspection> {
    let options = SourceOptions { offline, ..home.options() };
    let assume = Assume { encode: EncodeOptions::default(), dtype: DType::F32, token_budget: None };
    inspect(id, &options, assume, &())
}

#[test]
fn weights_are_not_fetched_and_not_missing() {
    let hub = hub();
    let home = Home::new(&hub.endpoint());
    let found = look(&home, "org/whole", false).unwrap();
    assert_eq!(found.revision.as_deref(), Some(COMMIT));
    assert!(found.is_supported() && found.missing.is_empty(), "{:?} {:?}", found.unsupported, found.missing);
    assert_eq!((found.layers, found.dtype.as_deref(), found.bytes_on_disk), (Some(2), Some("bf16"), None));
    assert!(found.tokenizer.is_some() && found.memory.is_some());
    let asked = hub.requests().join("\n");
    assert!(asked.contains("config.json") && !asked.contains("safetensors"), "{asked}");
    // What was fetched serves without the network.
    drop(hub);
    assert_eq!(look(&home, "org/whole", true).unwrap().parameters, found.parameters);
}

#[test]
fn weights_that_are_in_the_cache_are_looked_at() {
    let hub = hub();
    let home = Home::new(&hub.endpoint());
    home.resolve("org/whole").unwrap();
    let found = look(&home, "org/whole", false).unwrap();
    let bytes = std::fs::metadata(fixture(COMPLETE).join("model.safetensors")).unwrap().len();
    assert_eq!(found.bytes_on_disk, Some(bytes));
}

#[test]
fn what_the_repository_lacks_is_listed() {
    let hub = hub();
    hub.remove("org/whole", "model.safetensors");
    hub.remove("org/whole", "tokenizer.json");
    hub.put("org/whole", "pytorch_model.bin", &[7; 100]);
    let found = look(&Home::new(&hub.endpoint()), "org/whole", false).unwrap();
    assert!(found.is_supported());
    assert_eq!(found.missing, ["model.safetensors", "tokenizer.json"]);
    assert!(found.remedies[0].contains("pytorch_model.bin"), "{:?}", found.remedies);
    assert!(message(look(&Home::new(&hub.endpoint()), "org/none", false)).contains("no such repository"));
}
