//! Models: their folder, config.json, weights and tokenizer.

use std::fs;

use serde_json::{Value, json};

use super::refused;
use crate::bad_model::POINTER;
use crate::support::{ModelParts, Ran, Work, fixture, item};

/// A folder with data and a changed model `m`.
fn with_model(change: impl FnOnce(&mut ModelParts)) -> Work {
    let work = Work::new();
    work.items("d.jsonl", &[item("a", "The cat is", &["red", "left"], 0)]);
    work.model("m", change);
    work
}

fn sound() -> Work {
    with_model(|_| ())
}

#[track_caller]
fn config_refused(key: &str, value: Value, parts: &[&str]) {
    let work = with_model(|m| m.config[key] = value);
    refused(&work, "--model m", &[&["m/config.json"], parts].concat());
}

#[test]
fn what_is_no_model() {
    let work = sound();
    fs::create_dir(work.path("empty")).unwrap();
    for (model, parts) in [
        ("./none", &["./none: no such file or folder", "--model"][..]),
        ("none.gguf", &["none.gguf: no such file or folder"]),
        ("empty", &["empty: has no config.json"]),
        ("d.jsonl", &["d.jsonl: is not a model"]),
        ("m/model.safetensors", &["is not a model", "the folder that it is in"]),
        ("m/config.json", &["is not a model", "the folder that it is in"]),
    ] {
        refused(&work, &format!("--model {model}"), parts);
    }
    for (name, shown) in [("some-org/some-model", "some-org/some-model"), ("a b/c\nd", r"a b/c\nd")] {
        let mut command = work.command(["run", "--data", "d.jsonl", "--output", "o", "--offline", "--model", name]);
        Ran::of(command.env("HF_HOME", work.path("hub")).output().unwrap()).refused(&[shown]);
    }
}

#[test]
fn what_a_folder_lacks_or_holds_in_place_of_a_file() {
    for (file, parts) in [
        ("config.json", &["m: has no config.json"][..]),
        ("model.safetensors", &["m: has no weights", "model.safetensors"]),
        ("tokenizer.json", &["m: has no tokenizer.json", "--tokenizer"]),
    ] {
        let work = sound();
        fs::remove_file(work.path(&format!("m/{file}"))).unwrap();
        refused(&work, "--model m", parts);
        work.write(&format!("m/{file}"), POINTER);
        refused(&work, "--model m", &[&format!("m/{file}"), "Git LFS pointer", "git lfs pull"]);
        work.write(&format!("m/{file}"), "");
        refused(&work, "--model m", &[&format!("m/{file}")]);
        work.write(&format!("m/{file}"), b"\xff\xfe\x00");
        refused(&work, "--model m", &[&format!("m/{file}")]);
    }
    let work = sound();
    work.write("m/tokenizer_config.json", "{");
    refused(&work, "--model m", &["m/tokenizer_config.json", "broken JSON"]);
    let work = sound();
    work.write("m/tokenizer.json", r#"{"version":"1.0"}"#);
    refused(&work, "--model m", &["m/tokenizer.json", "not a tokenizer file", "--tokenizer"]);
    // The library panics where a piece is shorter than the prefix it should have.
    let work = sound();
    let mut tokenizer = work.json("m/tokenizer.json");
    tokenizer["model"]["continuing_subword_prefix"] = json!("much too long a prefix");
    work.write("m/tokenizer.json", tokenizer.to_string());
    refused(&work, "--model m", &["m/tokenizer.json", "not a tokenizer file", "--tokenizer"]);
    let work = sound();
    fs::rename(work.path("m/model.safetensors"), work.path("m/pytorch_model.bin")).unwrap();
    refused(&work, "--model m", &["pytorch_model.bin", "not supported", "save_pretrained"]);
}

/// What the metadata of a GGUF file leave open is said.
#[test]
fn a_gguf_tokenizer_that_does_not_say_how_it_cuts_is_noted() {
    let work = sound();
    let mut bytes = fs::read(fixture("gguf-llama-with-tokenizer").join("model.gguf")).unwrap();
    let key = b"tokenizer.ggml.pre";
    let at = bytes.windows(key.len()).position(|w| w == key).unwrap();
    bytes[at + key.len() - 1] = b'x';
    work.write("m.gguf", bytes);
    let ran = work.run("--model m.gguf --data d.jsonl --output o").code(0);
    assert!(ran.err.contains("note: the GGUF file does not say how its tokenizer cuts text"), "{}", ran.err);
    assert_eq!(work.run("--model m.gguf --data d.jsonl --output p --quiet").code(0).err, "");
}

#[test]
fn an_index_is_checked_before_its_shards_are() {
    for (shard, parts) in [
        ("model-2.safetensors", &["model-2.safetensors"][..]),
        ("../m/model-1.safetensors", &["outside the model's folder"]),
        ("/etc/passwd", &["outside the model's folder"]),
    ] {
        let work = sound();
        fs::rename(work.path("m/model.safetensors"), work.path("m/model-1.safetensors")).unwrap();
        let index = json!({"weight_map": {"model.norm.weight": "model-1.safetensors", "x": shard}});
        work.write("m/model.safetensors.index.json", index.to_string());
        refused(&work, "--model m", parts);
    }
}

#[test]
fn weights_that_are_cut_or_corrupt() {
    let work = sound();
    let whole = work.read("m/model.safetensors");
    for (bytes, parts) in [
        (whole[..whole.len() - 10].to_vec(), &["truncated"][..]),
        (whole[..300].to_vec(), &["truncated"]),
        (whole[..5].to_vec(), &["truncated"]),
        ([&whole[..], b"more"].concat(), &["4 bytes follow"]),
        ([&[0xff; 8], &whole[8..]].concat(), &["corrupt"]),
        ([&whole[..8], b"x", &whole[9..]].concat(), &["corrupt header"]),
    ] {
        work.write("m/model.safetensors", bytes);
        refused(&work, "--model m", &[&["m/model.safetensors"], parts].concat());
    }
    let gguf = fs::read(fixture("gguf-llama-with-tokenizer").join("model.gguf")).unwrap();
    for (bytes, parts) in [
        (gguf[..gguf.len() - 10].to_vec(), &["m.gguf", "truncated"][..]),
        (gguf[..100].to_vec(), &["m.gguf"]),
        (POINTER.as_bytes().to_vec(), &["m.gguf", "Git LFS pointer"]),
        (b"GGUF".to_vec(), &["m.gguf", "truncated"]),
        (Vec::new(), &["m.gguf", "empty"]),
    ] {
        work.write("m.gguf", bytes);
        refused(&work, "--model m.gguf", parts);
    }
}

/// Every tensor is looked for, and its shape compared, before a folder is made or anything is read.
#[test]
fn each_tensor_that_is_missing_or_of_another_shape_is_named() {
    let names: Vec<String> = {
        let mut names = Vec::new();
        with_model(|m| names.extend(m.tensors.keys().cloned()));
        names
    };
    assert_eq!(names.len(), 20);
    for name in &names {
        for more in ["", "--weights stream", "--dry-run"] {
            let work = with_model(|m| drop(m.tensors.remove(name)));
            refused(&work, &format!("--model m {more}"), &["m/model.safetensors", &format!("`{name}`"), "is missing"]);
        }
        let work = with_model(|m| {
            let tensor = m.tensors.get_mut(name).unwrap();
            tensor.shape[0] += 1;
            let row: usize = tensor.shape[1..].iter().product();
            tensor.values.extend(vec![0.0; row]);
        });
        refused(&work, "--model m", &["m/model.safetensors", &format!("`{name}`"), "shape", "do not belong together"]);
        let work = with_model(|m| m.tensors.get_mut(name).unwrap().shape.push(1));
        refused(&work, "--model m", &[&format!("`{name}`"), "shape"]);
    }
}

#[test]
fn what_config_json_says_and_llscore_does_not_compute() {
    config_refused(
        "model_type",
        json!("rwkv7"),
        &["`model_type`", "architecture `rwkv7` is not supported", "inspect --architectures"],
    );
    config_refused("model_type", json!("x\n\u{1b}[2J"), &["architecture `x", r"\n\u{1b}[2J` is not supported"]);
    config_refused("hidden_act", json!("snake"), &["`hidden_act`", "activation `snake`", "silu"]);
    let rope = |kind: &str| json!({"rope_type": kind, "rope_theta": 10000.0, "factor": 2.0});
    config_refused("rope_parameters", rope("su"), &["`rope_parameters.short_factor`", "is missing", "longrope"]);
    config_refused("rope_parameters", rope("proportional"), &["rope type `proportional`", "llama3"]);
    config_refused("rope_scaling", json!({"type": "ntk"}), &["`rope_scaling`", "rope type `ntk`"]);
    config_refused("quantization_config", json!({"quant_method": "gptq"}), &["`quantization_config`", "gptq", "GGUF"]);
    config_refused("is_encoder_decoder", json!(true), &["`is_encoder_decoder`"]);
}

#[test]
fn sizes_that_cannot_be() {
    for key in ["hidden_size", "num_attention_heads", "num_hidden_layers", "vocab_size", "intermediate_size"] {
        let named = format!("key `{key}`");
        let work = with_model(|m| drop(m.config.as_object_mut().unwrap().remove(key)));
        refused(&work, "--model m", &["m/config.json", &named, "is missing"]);
        config_refused(key, Value::Null, &[&named, "is missing"]);
        config_refused(key, json!(0), &[&named, "must not be zero"]);
        config_refused(key, json!(-3), &[&named, "must be an integer from 0 to 4294967296, is -3"]);
        config_refused(key, json!(2.5), &[&named, "must be an integer from 0 to 4294967296, is 2.5"]);
        config_refused(key, json!("32"), &[&named, "must be an integer from 0 to 4294967296, is \"32\""]);
        config_refused(key, json!({"a": null}), &[&named, "must be an integer from 0"]);
        config_refused(key, json!(1_u64 << 62), &[&named, "must be an integer from 0"]);
        config_refused(key, json!(1e300), &[&named, "must be an integer from 0"]);
    }
    config_refused("num_hidden_layers", json!(1_000_000_000), &["key `num_hidden_layers`", "more than any model has"]);
    for (key, value, parts) in [
        ("num_key_value_heads", json!(0), &["4 attention heads cannot share 0"][..]),
        ("num_key_value_heads", json!(3), &["4 attention heads cannot share 3"]),
        ("head_dim", json!(0), &["key `head_dim`", "width 0"]),
        ("head_dim", json!(7), &["7 rotary dimensions of 7"]),
        ("head_dim", json!((1_u64 << 62) + 8), &["key `head_dim`"]),
        ("partial_rotary_factor", json!(1e300), &["key `partial_rotary_factor`"]),
        ("partial_rotary_factor", json!(-1), &["key `partial_rotary_factor`"]),
        ("max_position_embeddings", json!(0), &["context length of 0"]),
        ("max_position_embeddings", json!("long"), &["key `max_position_embeddings`"]),
        ("rms_norm_eps", json!("1e-5"), &["key `rms_norm_eps`", "must be a number"]),
        ("rms_norm_eps", json!(-1), &["epsilon of -1"]),
        ("tie_word_embeddings", json!("yes"), &["key `tie_word_embeddings`", "true or false"]),
        ("rope_parameters", json!([]), &["key `rope_parameters`", "must be an object"]),
        ("rope_parameters", json!({"rope_theta": 0}), &["key `rope_theta`", "must be positive"]),
        ("rope_parameters", json!({"rope_type": 3}), &["key `rope_parameters.rope_type`", "must be a string"]),
        ("rope_parameters", json!({"rope_type": "linear"}), &["key `rope_parameters.factor`", "is missing"]),
        ("rope_parameters", json!({"rope_type": "linear", "factor": 0}), &["key `rope_parameters.factor`", "positive"]),
        (
            "rope_parameters",
            json!({"rope_type": "linear", "factor": -2}),
            &["key `rope_parameters.factor`", "positive"],
        ),
        ("rope_parameters", json!({"rope_type": "yarn", "factor": 0}), &["key `rope_parameters.factor`", "positive"]),
        (
            "rope_parameters",
            json!({"rope_type": "yarn", "factor": 2, "original_max_position_embeddings": 0}),
            &["original_max_position_embeddings", "positive"],
        ),
        ("rope_parameters", json!({"rope_type": "llama3", "factor": 2}), &["key `rope_parameters.low_freq_factor`"]),
    ] {
        config_refused(key, value, parts);
    }
    for text in ["", "[]", "null", "{", "{}", "\u{feff}{}", &"[".repeat(1000)] {
        let work = sound();
        work.write("m/config.json", text);
        refused(&work, "--model m", &["m/config.json"]);
    }
}

#[test]
fn folders_for_results_are_tried_before_weights_are_read() {
    // The weights are NaN: were they read first, items would fail.
    let work = with_model(|m| m.tensors.values_mut().for_each(|t| t.values.fill(f32::NAN)));
    work.write("file", "mine");
    for (output, parts) in [
        ("file", &["file: is a file, not a folder", "--output"][..]),
        ("file/run", &["file/run: the output folder cannot be created", "--output"]),
        ("/proc/llscore", &["/proc/llscore: the output folder cannot be created", "--output"]),
    ] {
        work.run(&format!("--model m --data d.jsonl --output {output}")).refused(parts);
    }
    fs::create_dir_all(work.path("o/samples.jsonl")).unwrap();
    work.run("--model m --data d.jsonl --output o").refused(&["o/samples.jsonl"]);
    work.write("manifest.json", "{}");
    work.run("--model m --data d.jsonl --output .").refused(&["manifest.json", "--overwrite"]);
    assert_eq!(work.read("file"), b"mine");
}

/// Numbers that would make a description of gigabytes, or products beyond 64 bits.
#[test]
fn sizes_that_no_model_has() {
    for (key, value, parts) in [
        ("hidden_size", json!(1_u64 << 40), &["hidden_size"][..]),
        ("vocab_size", json!((1_u64 << 24) + 1), &["vocab_size", "more than any model has"]),
        ("num_key_value_heads", json!(u64::MAX), &["num_key_value_heads", "4294967296"]),
        ("head_dim", json!(1 << 14), &["head_dim", "8192"]),
        ("num_hidden_layers", json!(10_001), &["num_hidden_layers", "more than any model has"]),
    ] {
        config_refused(key, value, parts);
    }
}

#[test]
fn more_experts_or_heads_than_any_model_has() {
    let work = sound();
    let experts = json!({
        "model_type": "mixtral", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 10_000,
        "num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": 8, "num_local_experts": 14,
    });
    let heads = json!({
        "model_type": "bloom", "hidden_size": 1 << 20, "n_layer": 10_000, "n_head": 1 << 19, "vocab_size": 8,
    });
    for (config, parts) in [
        (experts, ["num_local_experts", "14 experts in 10000 layers are more than any model has"]),
        (heads, ["n_head", "524288 heads are more than any model has"]),
    ] {
        work.write("m/config.json", config.to_string());
        refused(&work, "--model m", &parts);
    }
}
