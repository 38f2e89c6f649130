//! `llscore inspect`: what is said of models that are whole, in part, unsupported or broken.

mod architectures;
mod files;
mod refusals;

use serde_json::{Value, json};

use crate::support::{Ran, Work};

/// `llscore inspect … --json`: the exit code and the object.
#[track_caller]
fn inspect(work: &Work, args: &[&str]) -> (i32, Value) {
    let ran = run(work, &[args, &["--json"]].concat());
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {}{}", ran.out, ran.err)))
}

#[track_caller]
fn run(work: &Work, args: &[&str]) -> Ran {
    work.llscore([&["inspect"], args].concat())
}

/// GPT-2's configuration with the keys that its file on the Hub has, most of which change nothing.
fn gpt2() -> Value {
    json!({
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.1,
        "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-5, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12,
        "n_layer": 12, "n_positions": 1024, "resid_pdrop": 0.1, "summary_activation": null,
        "summary_first_dropout": 0.1, "summary_proj_to_labels": true, "summary_type": "cls_index",
        "summary_use_proj": true, "task_specific_params": {"text-generation": {"do_sample": true}},
        "vocab_size": 50257,
    })
}

/// A llama of four layers in the Hub's dialect, with rope for long contexts.
fn llama() -> Value {
    json!({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 96,
        "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 100,
        "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": 500000.0, "torch_dtype": "bfloat16",
        "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                         "original_max_position_embeddings": 512},
        "tie_word_embeddings": false, "pretraining_tp": 1, "use_cache": true, "transformers_version": "4.43.0",
    })
}

#[test]
fn a_configuration_alone_is_described_and_what_is_missing_is_listed() {
    let work = Work::new();
    work.write("config.json", gpt2().to_string());
    let (code, found) = inspect(&work, &["config.json"]);
    assert_eq!(code, 0);
    assert_eq!(found["model_type"], "gpt2");
    assert_eq!(found["architecture"], "GPT2LMHeadModel");
    // The published count.
    assert_eq!(found["parameters"], 124_439_808);
    assert_eq!([&found["layers"], &found["hidden_size"], &found["vocab_rows"]], [12, 768, 50257]);
    assert_eq!([&found["heads"], &found["kv_heads"], &found["head_dim"]], [12, 12, 64]);
    assert_eq!(found["context_length"], 1024);
    assert_eq!(found["rope"], Value::Null);
    assert_eq!(found["positions"], "learned");
    assert_eq!(found["tied"], true);
    assert_eq!(found["windows"], json!([null, null, null, null, null, null, null, null, null, null, null, null]));
    assert_eq!(found["missing"], json!(["model.safetensors", "tokenizer.json"]));
    assert_eq!([&found["tokenizer"], &found["bos"], &found["dtype"]], [&Value::Null; 3]);
    assert_eq!(found["unsupported"], json!([]));
}

#[test]
fn rope_is_told_with_its_rule_and_numbers() {
    let work = Work::new();
    work.write("a.json", llama().to_string());
    let (code, found) = inspect(&work, &["a.json"]);
    assert_eq!(code, 0);
    let rope = &found["rope"];
    assert_eq!(rope["rule"], "llama3");
    assert_eq!(rope["theta"], 500_000.0);
    assert_eq!(rope["dims"], 8);
    assert_eq!(rope["layout"], "half-split");
    assert_eq!(rope["scaling"]["factor"], 8.0);
    assert_eq!(rope["scaling"]["original_max_position_embeddings"], 512.0);
    assert_eq!(rope["layers"], json!([0, 1, 2, 3]));
    assert_eq!(found["dtype"], "bf16");
    let text = run(&work, &["a.json"]).code(0).out;
    assert!(
        text.contains("llama3, θ 500000, 8 dimensions half-split, factor 8, low 1, high 4, original length 512"),
        "{text}"
    );
    assert!(text.contains("8 heads of width 8, 2 key/value heads"), "{text}");
}

#[test]
fn a_rule_by_length_says_from_where_on() {
    let work = Work::new();
    let mut config = llama();
    config["rope_scaling"] = json!({"type": "dynamic", "factor": 2.0});
    work.write("a.json", config.to_string());
    let (_, found) = inspect(&work, &["a.json"]);
    assert_eq!(found["rope"]["by_length"], json!({"above": 4096, "how": "theta grows"}));
    assert!(run(&work, &["a.json"]).out.contains("theta grows above 4,096 tokens"));
}

#[test]
fn parameters_are_those_of_the_layers_and_tied_weights_count_once() {
    let (d, inner, vocab, kv) = (64, 96, 100, 2 * 8);
    let block = d * d + 2 * kv * d + d * d + 3 * inner * d + 2 * d;
    let work = Work::new();
    let mut config = llama();
    work.write("untied.json", config.to_string());
    config["tie_word_embeddings"] = json!(true);
    work.write("tied.json", config.to_string());
    assert_eq!(inspect(&work, &["untied.json"]).1["parameters"], 4 * block + d + 2 * vocab * d);
    assert_eq!(inspect(&work, &["tied.json"]).1["parameters"], 4 * block + d + vocab * d);
}

#[test]
fn windows_are_told_layer_by_layer_in_json_and_in_short_for_people() {
    let work = Work::new();
    let config = json!({
        "model_type": "qwen2", "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 8,
        "num_attention_heads": 8, "num_key_value_heads": 8, "vocab_size": 100, "max_position_embeddings": 512,
        "use_sliding_window": true, "sliding_window": 128, "max_window_layers": 3,
    });
    work.write("a.json", config.to_string());
    let (_, found) = inspect(&work, &["a.json"]);
    assert_eq!(found["windows"], json!([null, null, null, 128, 128, 128, 128, 128]));
    // Without `architectures` the family's name stands for it.
    assert_eq!(found["architecture"], "qwen2");
    let text = run(&work, &["a.json"]).out;
    assert!(text.contains("128 on layers 3, 4, 5 … (5 of 8)"), "{text}");
}

#[test]
fn memory_follows_from_parameters_type_and_budget() {
    let work = Work::new();
    work.write("a.json", llama().to_string());
    let resident = |more: &[&str]| {
        let (_, found) = inspect(&work, &[&["a.json"], more].concat());
        (found["memory"]["resident"].as_u64().unwrap(), found["parameters"].as_u64().unwrap())
    };
    // A token's buffers: two residual rows and a fused row of q, k and v, in f32.
    let token = 4 * (2 * 64 + 64 + 2 * 16);
    let (small, parameters) = resident(&["--token-budget", "1"]);
    assert_eq!(small, 4 * parameters + token);
    assert_eq!(resident(&["--token-budget", "1001"]).0, small + 1000 * token);
    assert_eq!(resident(&["--token-budget", "1", "--dtype", "f16"]).0, small / 2);
}
