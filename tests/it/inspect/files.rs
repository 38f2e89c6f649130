//! Whole models and parts of models on disk.

use std::fs;

use serde_json::{Value, json};

use super::{inspect, llama, run};
use crate::support::{COMPLETE, Work, fixture};

#[test]
fn a_whole_model_is_described_with_its_tokenizer() {
    let work = Work::new();
    let model = fixture(COMPLETE);
    let (code, found) = inspect(&work, &[&model.to_string_lossy()]);
    assert_eq!(code, 0);
    assert_eq!([&found["missing"], &found["unsupported"], &found["notes"]], [&json!([]); 3]);
    assert_eq!(found["dtype"], "bf16");
    assert_eq!(found["tokenizer"]["kind"], "byte-level BPE");
    assert_eq!(found["tokenizer"]["vocab_size"], 481);
    assert_eq!(found["vocabulary"], json!({"entries": 481, "largest_id": 480, "rows": 481, "without_row": 0}));
    assert_eq!(found["special_tokens"]["eos"], json!({"id": 0, "token": "<|endoftext|>"}));
    assert_eq!(found["bos"]["policy"], "auto");
    let bytes = fs::metadata(model.join("model.safetensors")).unwrap().len();
    assert_eq!(found["bytes_on_disk"], bytes);
}

/// The weights' files list the same parameters, the ones that are no buffers: an independent count.
#[test]
fn parameters_are_those_that_the_weights_hold() {
    let work = Work::new();
    let mut compared = 0;
    for entry in fs::read_dir(fixture("")).unwrap() {
        let folder = entry.unwrap().path();
        let (Ok(bytes), true) = (fs::read(folder.join("model.safetensors")), folder.join("config.json").exists())
        else {
            continue;
        };
        let (code, found) = inspect(&work, &[&folder.to_string_lossy()]);
        let unknown = found["unsupported"].to_string().contains("is not supported");
        if unknown {
            continue;
        }
        assert_eq!(code, 0, "{}: {}", folder.display(), found["unsupported"]);
        let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
        let buffers = [".attn.bias", ".attn.masked_bias", ".attention.bias", ".attention.masked_bias", "inv_freq"];
        // The vision part of multimodal files is no part of the text model.
        let vision = |name: &str| name.contains("vision_tower.") || name.contains("multi_modal_projector.");
        let buffer = |name: &str| buffers.iter().any(|b| name.ends_with(b)) || vision(name);
        let stored: usize = (file.tensors().iter())
            .filter(|(name, _)| !buffer(name))
            .map(|(_, view)| view.shape().iter().product::<usize>())
            .sum();
        if found["notes"] == json!([]) {
            assert_eq!(found["parameters"], stored, "{}", folder.display());
            compared += 1;
        }
    }
    assert!(compared > 40, "only {compared} compared");
}

#[test]
fn a_gguf_file_is_described() {
    let work = Work::new();
    let model = fixture("gguf-llama-with-tokenizer").join("model.gguf");
    let (code, found) = inspect(&work, &[&model.to_string_lossy()]);
    assert_eq!(code, 0);
    assert_eq!([&found["model_type"], &found["architecture"]], ["llama"; 2]);
    assert_eq!(found["tokenizer"]["vocab_size"], 481);
    assert_eq!(found["missing"], json!([]));
    let quantised = fixture("gguf-qwen2-q4_0").join("model.gguf");
    let (_, found) = inspect(&work, &[&quantised.to_string_lossy()]);
    assert_eq!(found["dtype"], "q4_0");
}

#[test]
fn files_that_are_missing_are_listed_with_what_to_do() {
    let work = Work::new();
    fs::create_dir(work.path("m")).unwrap();
    work.write("m/config.json", llama().to_string());
    let (code, found) = inspect(&work, &["m"]);
    assert_eq!(code, 0);
    assert_eq!(found["missing"], json!(["model.safetensors", "tokenizer.json"]));
    assert!(found["remedies"][1].as_str().unwrap().contains("`--tokenizer`"), "{}", found["remedies"]);
    let text = run(&work, &["m"]).code(0).out;
    assert!(text.contains("missing     tokenizer.json: "), "{text}");

    // A tokenizer alone says nothing of the model, but is one.
    fs::remove_file(work.path("m/config.json")).unwrap();
    fs::copy(fixture(COMPLETE).join("tokenizer.json"), work.path("m/tokenizer.json")).unwrap();
    let (code, found) = inspect(&work, &["m"]);
    assert_eq!((code, &found["missing"]), (0, &json!(["config.json", "model.safetensors"])));
    assert_eq!(found["tokenizer"]["vocab_size"], 481);
    assert_eq!([&found["model_type"], &found["parameters"], &found["memory"]], [&Value::Null; 3]);
}

#[test]
fn a_tokenizer_from_elsewhere_is_compared_with_the_embedding() {
    let work = Work::new();
    work.write("a.json", llama().to_string());
    let tokenizer = fixture(COMPLETE);
    let tokenizer = tokenizer.to_string_lossy();
    let (code, found) = inspect(&work, &["a.json", "--tokenizer", &tokenizer]);
    assert_eq!((code, &found["missing"]), (0, &json!(["model.safetensors"])));
    assert_eq!(found["vocabulary"], json!({"entries": 481, "largest_id": 480, "rows": 100, "without_row": 381}));
    let text = run(&work, &["a.json", "--tokenizer", &tokenizer]).out;
    assert!(text.contains("100 rows; 381 entries of the tokenizer have none"), "{text}");
    let mut config = llama();
    config["vocab_size"] = json!(512);
    work.write("b.json", config.to_string());
    let text = run(&work, &["b.json", "--tokenizer", &tokenizer]).out;
    assert!(text.contains("512 rows, 31 beyond the tokenizer's ids"), "{text}");
}

#[test]
fn the_bos_policy_is_that_of_a_run() {
    let work = Work::new();
    let model = fixture(COMPLETE);
    let model = model.to_string_lossy();
    let (_, found) = inspect(&work, &[&model, "--bos", "always"]);
    assert_eq!([&found["bos"]["policy"], &found["bos"]["source"]], ["always", "flag"]);
    assert_eq!(found["bos"]["ids"], json!([0]));
    let text = run(&work, &[&model, "--bos", "never"]).out;
    assert!(text.contains("nothing before a text (flag decides)"), "{text}");
}

#[test]
fn a_chat_template_is_noticed_wherever_it_is() {
    let work = Work::new();
    work.model("m", |_| ());
    let from = |work: &Work| inspect(work, &["m"]).1["chat_template"].clone();
    assert_eq!(from(&work), Value::Null);
    let mut settings: Value = work.json("m/tokenizer_config.json");
    settings["chat_template"] = json!([{"name": "default", "template": "x"}, {"name": "tools", "template": "y"}]);
    work.write("m/tokenizer_config.json", settings.to_string());
    assert_eq!(from(&work), json!({"from": "tokenizer_config.json", "names": ["default", "tools"]}));
    settings["chat_template"] = json!("x");
    work.write("m/tokenizer_config.json", settings.to_string());
    assert_eq!(from(&work), json!({"from": "tokenizer_config.json", "names": []}));
    work.write("m/chat_template.jinja", "x");
    assert_eq!(from(&work), json!({"from": "chat_template.jinja", "names": []}));
}
