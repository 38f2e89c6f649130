//! A config.json to a description of the decoder, and all that is worked out from the description alone.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use llscore::engine::memory;
use llscore::model::arch::spec_from_config;
use llscore::model::config::Config;

fuzz_target!(|text: &str| {
    let Ok(config) = Config::parse(Path::new("config.json"), text) else { return };
    match spec_from_config(&config) {
        Ok(spec) => {
            let _ = memory::need(&spec, 4, memory::budget(&spec, 4, true, 0));
            let _ = (spec.tensors().len(), spec.parameters(), spec.digest());
            let _ = [1, 2, 1000, 1_000_000].map(|n| spec.length_class(n));
        }
        Err(e) => assert!(e.exit_code() == 2 && e.to_string().contains("config.json"), "{e}"),
    }
});
