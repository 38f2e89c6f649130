//! Models that llscore could not run: exit code 2, and what is known all the same.

use std::fs;

use serde_json::{Value, json};

use super::{inspect, llama, run};
use crate::support::{Tensor, Work};

/// The reasons, as one text.
fn reasons(found: &Value) -> String {
    found["unsupported"].to_string()
}

#[test]
fn an_unknown_architecture_is_named_and_the_rest_is_null() {
    let work = Work::new();
    work.write("a.json", r#"{"model_type": "transformer9", "hidden_size": 8}"#);
    let (code, found) = inspect(&work, &["a.json"]);
    assert_eq!(code, 2);
    assert_eq!(found["model_type"], "transformer9");
    for field in ["parameters", "layers", "hidden_size", "heads", "rope", "windows", "tied", "memory", "tokenizer"] {
        assert_eq!(found[field], Value::Null, "{field}");
    }
    assert!(reasons(&found).contains("architecture `transformer9` is not supported"), "{found}");
    let ran = run(&work, &["a.json"]).code(2);
    assert!(ran.err.starts_with("error: a.json: key `model_type`"), "{}", ran.err);
}

#[test]
fn a_setting_that_changes_the_result_is_named() {
    let work = Work::new();
    let mut config = llama();
    config["rope_scaling"]["rope_type"] = json!("spiral");
    config["quantization_config"] = Value::Null;
    work.write("a.json", config.to_string());
    let (code, found) = inspect(&work, &["a.json"]);
    assert_eq!(code, 2);
    assert!(reasons(&found).contains("rope type `spiral` is not supported"), "{found}");
    config["quantization_config"] = json!({"quant_method": "gptq"});
    work.write("a.json", config.to_string());
    assert!(reasons(&inspect(&work, &["a.json"]).1).contains("quantised by `gptq`"));
}

#[test]
fn a_tensor_that_is_missing_or_of_another_shape_is_named_and_the_rest_is_told() {
    let work = Work::new();
    work.model("m", |parts| {
        parts.tensors.remove("model.layers.1.mlp.up_proj.weight").expect("is there");
        let narrow = Tensor { shape: vec![3], values: vec![0.0; 3] };
        parts.tensors.insert("model.norm.weight".to_string(), narrow).expect("is there");
    });
    let (code, found) = inspect(&work, &["m"]);
    assert_eq!(code, 2);
    let first = found["unsupported"][0].as_str().unwrap();
    assert!(first.contains("`model.layers.1.mlp.up_proj.weight`") && first.contains("is missing"), "{first}");
    assert!(reasons(&found).contains("`model.norm.weight` has shape [3]"), "{found}");
    assert_eq!([&found["layers"], &found["tokenizer"]["vocab_size"]], [2, 481]);
}

#[test]
fn many_faults_are_counted() {
    let work = Work::new();
    work.model("m", |parts| {
        parts.tensors.retain(|name, _| name.contains("embed") || name.contains("norm"));
    });
    let (code, found) = inspect(&work, &["m"]);
    assert_eq!(code, 2);
    assert_eq!(found["unsupported"].as_array().unwrap().len(), 6);
    assert!(reasons(&found).contains("and 9 more tensors"), "{found}");
}

#[test]
fn broken_files_are_named_and_what_else_is_there_is_told() {
    let work = Work::new();
    work.model("m", |_| ());
    work.write("m/tokenizer.json", "{");
    let (code, found) = inspect(&work, &["m"]);
    assert_eq!(code, 2);
    assert!(reasons(&found).contains("tokenizer.json"), "{found}");
    assert_eq!([&found["layers"], &found["tokenizer"]], [&json!(2), &Value::Null]);

    let whole = work.read("m/model.safetensors");
    work.write("m/model.safetensors", &whole[..whole.len() - 1]);
    work.write("m/config.json", "[1]");
    let (code, found) = inspect(&work, &["m"]);
    assert_eq!(code, 2);
    for part in ["model.safetensors: is truncated", "config.json: must hold a JSON object"] {
        assert!(reasons(&found).contains(part), "{found}");
    }
}

#[test]
fn what_is_no_model_is_refused_in_one_line() {
    let work = Work::new();
    run(&work, &["nowhere/at/all"]).refused(&["nowhere/at/all", "no such file"]);
    fs::create_dir(work.path("empty")).unwrap();
    run(&work, &["empty", "--json"]).refused(&["empty", "config.json"]);
    work.write("empty/model.gguf", "GGUF");
    run(&work, &["empty"]).refused(&["GGUF files; give the path of one"]);
    run(&work, &["empty/model.gguf"]).code(2);
    work.write("a.txt", "hello");
    run(&work, &["a.txt"]).refused(&["is not a model"]);
}
