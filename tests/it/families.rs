//! Configurations that describe a model which is not computed are refused, and the message names the key; what makes no
//! difference is let through.

use std::fs;

use llscore::Result;
use llscore::model::arch::spec_from_config;
use llscore::model::config::Config;
use llscore::model::spec::DecoderSpec;
use serde_json::{Value, json};

use crate::support::fixture;

/// The spec of a fixture's configuration with one key changed; `path` has the nested keys, parted by dots.
fn changed(name: &str, path: &str, value: Value) -> Result<DecoderSpec> {
    let file = fixture(name).join("config.json");
    let mut document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let place = path.split('.').fold(&mut document, |at, key| &mut at[key]);
    *place = value;
    spec_from_config(&Config::parse(&file, &document.to_string())?)
}

#[test]
fn settings_that_are_not_computed_are_refused_by_key() {
    let mut faults = Vec::new();
    for (name, key, value) in [
        ("bloom-tied", "n_inner", json!(90)),
        ("bloom-tied", "n_embed", json!(48)),
        ("bloom-tied", "num_hidden_layers", json!(7)),
        ("bloom-tied", "n_head", json!(5)),
        ("cohere2-tied", "use_parallel_block", json!(false)),
        ("cohere2-tied", "use_gated_activation", json!(false)),
        ("cohere2-tied", "position_embedding_type", json!("alibi")),
        ("cohere2-tied", "rotary_pct", json!(0.5)),
        ("cohere2-tied", "use_qk_norm", json!(true)),
        ("cohere2-tied", "layer_types", json!(["full_attention"])),
        ("cohere2-tied-hub", "order_of_interleaved_layers", json!("global_attn_first")),
        ("cohere2-tied-hub", "layer_switch", json!(3)),
        ("cohere2-tied-hub", "sliding_window_pattern", json!(0)),
        ("falcon-7b", "apply_residual_connection_post_layernorm", json!(true)),
        ("falcon-7b", "num_ln_in_parallel_attn", json!(2)),
        ("falcon-40b", "num_ln_in_parallel_attn", json!(3)),
        ("falcon-40b", "num_kv_heads", json!(4)),
        ("falcon-40b", "parallel_attn", json!(false)),
        ("falcon-rw", "num_kv_heads", json!(2)),
        ("falcon-rw", "activation", json!("mish")),
        ("gpt-bigcode-mqa", "num_key_value_heads", json!(3)),
        ("gpt-neo-tied", "attention_layers", json!(["global", "local"])),
        ("gpt-neo-tied", "attention_layers", json!(["global", "local", "sparse"])),
        ("gpt-neo-untied-hub", "attention_types", json!([[["local"], 3]])),
        ("gpt-neo-untied-hub", "attention_types", json!([["local", 2]])),
        ("gpt-neo-untied-hub", "attention_types", json!([[["local"], 99_999_999_999_u64]])),
        ("gptj-partial", "rotary", json!(false)),
        ("gptj-partial", "scale_attn_weights", json!(false)),
        ("gptj-partial", "rotary_dim", json!(null)),
        ("gptj-partial", "rotary_dim", json!(5)),
        ("gptj-partial", "rotary_dim", json!(12)),
        ("mpt-tied", "no_bias", json!(false)),
        ("mpt-tied", "expansion_ratio", json!(2)),
        ("mpt-tied", "logit_scale", json!("inv_sqrt_d_model")),
        ("mpt-tied", "norm_type", json!("rmsnorm")),
        ("mpt-tied", "ffn_config.ffn_type", json!("mptglu")),
        ("mpt-tied", "attn_config.alibi", json!(false)),
        ("mpt-tied", "attn_config.alibi_bias_max", json!(16)),
        ("mpt-tied", "attn_config.qk_ln", json!(true)),
        ("mpt-tied", "attn_config.rope", json!(true)),
        ("mpt-tied", "attn_config.prefix_lm", json!(true)),
        ("mpt-tied", "attn_config.attn_uses_sequence_id", json!(true)),
        ("mpt-tied", "attn_config.attn_type", json!("multiquery_attention")),
        ("mpt-tied", "attn_config.kv_n_heads", json!(2)),
        ("mpt-tied", "attn_config.clip_qkv", json!("none")),
        ("nemotron-untied", "num_key_value_heads", json!(null)),
        ("opt-tied", "activation_function", json!("mish")),
        ("opt-tied", "num_attention_heads", json!(5)),
        ("phi-untied", "rope_parameters", json!({"rope_type": "spiral"})),
        ("phi-untied", "hidden_act", json!("mish")),
        ("stablelm-sequential", "head_dim", json!(10)),
        ("starcoder2-window", "mlp_type", json!("gated")),
        ("starcoder2-window", "norm_type", json!("rms_norm")),
    ] {
        match changed(name, key, value.clone()).map_err(|e| e.to_string()) {
            Err(message) if message.contains(&format!("`{key}`")) && message.contains("config.json") => {}
            Err(message) => faults.push(format!("{name} with `{key}`: {value}: {message}")),
            Ok(_) => faults.push(format!("{name} with `{key}`: {value} is let through")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn settings_that_make_no_difference_are_let_through() {
    for (name, key, value) in [
        ("bloom-tied", "slow_but_exact", json!(true)),
        ("bloom-tied", "pretraining_tp", json!(4)),
        ("bloom-tied", "n_inner", json!(96)),
        ("bloom-tied", "num_hidden_layers", json!(3)),
        ("falcon-7b", "num_kv_heads", json!(null)),
        ("gpt-bigcode-mqa", "attention_softmax_in_fp32", json!(false)),
        ("gpt2-prefix", "reorder_and_upcast_attn", json!(true)),
        ("gptj-partial", "rotary", json!(true)),
        ("mpt-tied", "expansion_ratio", json!(4.0)),
        ("mpt-tied", "attn_config.attn_impl", json!("triton")),
        ("mpt-tied", "attn_config", json!(null)),
        ("mpt-tied", "embedding_fraction", json!(0.5)),
        ("nemotron-untied", "rope_percent", json!(0.25)),
        ("opt-tied", "layerdrop", json!(0.1)),
        ("stablelm-sequential", "rope_pct", json!(0.75)),
        ("starcoder2-window", "layer_norm_epsilon", json!(0.1)),
    ] {
        let original = fs::read_to_string(fixture(name).join("config.json")).unwrap();
        let original = spec_from_config(&Config::parse(&fixture(name), &original).unwrap()).unwrap();
        let spec = changed(name, key, value.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(spec.digest(), original.digest(), "{name} with `{key}`: {value}");
    }
}

/// Where a switch is absent the class's default holds, and null is false.
#[test]
fn null_is_not_absent() {
    let without = |name: &str, key: &str| {
        let file = fixture(name).join("config.json");
        let mut document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        document.as_object_mut().unwrap().remove(key);
        spec_from_config(&Config::parse(&file, &document.to_string()).unwrap()).unwrap().digest()
    };
    let with = |name: &str, key: &str, value: Value| changed(name, key, value).unwrap().digest();
    for (name, key) in [("falcon-7b", "multi_query"), ("falcon-alibi-parallel", "parallel_attn")] {
        assert_eq!(without(name, key), with(name, key, json!(true)), "{name}, {key} absent");
        assert_eq!(with(name, key, json!(null)), with(name, key, json!(false)), "{name}, {key} null");
        assert_ne!(with(name, key, json!(true)), with(name, key, json!(false)), "{name}, {key}");
    }
    for (name, key, default) in [
        ("cohere-tied", "logit_scale", json!(0.0625)),
        ("cohere-tied", "use_qk_norm", json!(false)),
        ("cohere2-tied", "sliding_window", json!(4096)),
        ("gpt-neo-tied", "window_size", json!(256)),
        ("opt-350m", "enable_bias", json!(true)),
        ("starcoder2-no-bias-untied", "use_bias", json!(true)),
        ("starcoder2-window", "sliding_window", json!(null)),
    ] {
        assert_eq!(without(name, key), with(name, key, default), "{name}, {key} absent");
    }
}

/// Whatever family reads them: bounds that bound nothing, and factors that are no numbers.
#[test]
fn impossible_bounds_and_factors_are_refused() {
    let refused = |name: &str, key: &str, value: Value| {
        let text = fs::read_to_string(fixture(name).join("config.json")).unwrap();
        let mut config: Value = serde_json::from_str(&text).unwrap();
        let at = if key == "clip_qkv" && name.starts_with("mpt") { &mut config["attn_config"] } else { &mut config };
        at[key] = value.clone();
        let parsed = Config::parse(std::path::Path::new("c.json"), &config.to_string()).unwrap();
        let error = spec_from_config(&parsed).err().map(|e| e.to_string());
        let error = error.unwrap_or_else(|| panic!("{name}: {key} = {value} is taken"));
        assert!(error.contains("must be"), "{error}");
    };
    for bad in [json!(-1.0), json!(-1e300)] {
        refused("mpt-clip", "clip_qkv", bad.clone());
        refused("olmo-clip", "clip_qkv", bad.clone());
        refused("gemma2-window", "attn_logit_softcapping", bad.clone());
        refused("gemma2-window", "final_logit_softcapping", bad.clone());
        refused("gpt-oss-window", "swiglu_limit", bad);
    }
    refused("granite-tied", "embedding_multiplier", json!(1e300));
    refused("cohere-tied", "logit_scale", json!(1e300));
    refused("deepseek-v2-lite", "routed_scaling_factor", json!(1e300));
}

/// The vision part of a multimodal checkpoint is no sign that weights and configuration do not belong together.
#[test]
fn the_vision_part_of_a_multimodal_file_is_passed_over() {
    let model = crate::support::open_model(&fixture("gemma3-multimodal"), candle_core::DType::F32).unwrap();
    assert!(model.source.names().iter().any(|n| n.starts_with("vision_tower.")));
    assert_eq!(model.unused(), Vec::<String>::new());
}
