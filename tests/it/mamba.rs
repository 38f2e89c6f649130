//! State-space models: what the fixtures' parity does not show.

use std::fs;
use std::path::Path;

use candle_core::DType;
use llscore::engine::{EngineOptions, Request};
use serde_json::{Value, json};

use crate::support;

/// A copy of a fixture's configuration with some keys changed, opened without weights being read.
fn opened(fixture: &str, changes: &[(&str, Value)]) -> Result<llscore::engine::Model, String> {
    let folder = tempfile::tempdir().unwrap();
    copy(&support::fixture(fixture), folder.path());
    let file = folder.path().join("config.json");
    if !changes.is_empty() {
        let mut config: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        for (key, value) in changes {
            config[key] = value.clone();
        }
        fs::write(&file, config.to_string()).unwrap();
    }
    let model = support::open_model(folder.path(), DType::F32).map_err(|e| e.to_string())?;
    model.check().map_err(|e| e.to_string())?;
    Ok(model)
}

fn copy(from: &Path, to: &Path) {
    for file in ["config.json", "model.safetensors"] {
        fs::copy(from.join(file), to.join(file)).unwrap();
    }
}

#[test]
fn there_is_no_limit_on_the_length_and_every_tensor_is_named() {
    for name in ["mamba-untied-bias", "mamba2-groups"] {
        let model = opened(name, &[]).unwrap();
        assert_eq!(model.spec.context_length, None);
        assert_eq!(model.unused(), Vec::<String>::new(), "{name}");
    }
    // 264 ids and 24 wide, tied: embedding, final norm, and two blocks with 48 channels of 16 states and rank 2.
    let block = 24 + 24 * 96 + 48 * 4 + 48 + 48 * 34 + (48 * 2 + 48) + 48 * 16 + 48 + 48 * 24;
    assert_eq!(opened("mamba-tied", &[]).unwrap().spec.parameters(), 264 * 24 + 24 + 2 * block);
}

#[test]
fn what_the_reference_does_not_use_is_ignored() {
    let digest = |name, changes: &[(&str, Value)]| opened(name, changes).unwrap().spec.digest();
    let flags = [("rms_norm", json!(false)), ("norm_before_gate", json!(true)), ("chunk_size", json!(1))];
    assert_eq!(digest("mamba2-tied", &flags), digest("mamba2-tied", &[]));
    assert_eq!(digest("mamba2-tied-hub", &[]), digest("mamba2-tied", &[]), "Infinity in both spellings");
    let limits = [("time_step_limit", json!([0.0, 0.5]))];
    assert_ne!(digest("mamba2-tied", &limits), digest("mamba2-tied", &[]));
    assert_eq!(digest("mamba-tied", &[("time_step_rank", json!("auto"))]), digest("mamba-tied", &[]));
    assert_eq!(digest("mamba-tied", &[("residual_in_fp32", json!(false))]), digest("mamba-tied", &[]));
}

#[test]
fn impossible_shapes_are_refused_by_name() {
    for (name, key, value, says) in [
        ("mamba2-groups", "n_groups", json!(4), "10 heads do not divide into 4 groups"),
        ("mamba2-groups", "num_heads", json!(5), "5 heads of 4 channels are not the 40 channels"),
        ("mamba2-groups", "time_step_limit", json!([0.5, 0.1]), "the smaller one first"),
        ("mamba2-groups", "time_step_limit", json!([0.5]), "must be two numbers"),
        ("mamba2-groups", "state_size", json!(0), "`state_size`: must not be zero"),
        ("mamba2-groups", "state_size", json!(4_000_000_000u32), "more than any model has"),
        ("mamba2-groups", "conv_kernel", json!(4), "conv1d.weight"),
        ("mamba-tied", "time_step_rank", json!("some"), "`time_step_rank`"),
        ("mamba-tied", "time_step_rank", json!(3), "x_proj.weight"),
        ("mamba-tied", "hidden_act", json!("mish"), "activation `mish`"),
        ("mamba-tied", "intermediate_size", json!(50), "in_proj.weight"),
    ] {
        let error = opened(name, &[(key, value)]).err().unwrap_or_else(|| panic!("{key} is taken"));
        assert!(error.contains(says), "{key}: {error}");
    }
}

#[test]
fn the_original_name_of_the_embedding_is_known() {
    let folder = tempfile::tempdir().unwrap();
    copy(&support::fixture("mamba-tied"), folder.path());
    let file = folder.path().join("model.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    let (old, new) = (br#""backbone.embeddings.weight""#, br#""backbone.embedding.weight" "#);
    let at = bytes.windows(old.len()).position(|w| w == old).unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
    fs::write(&file, bytes).unwrap();
    let scores = |path: &Path| {
        let engine = support::engine(path, EngineOptions::default()).unwrap();
        let plan = engine.plan(&[Request::new(vec![5, 9, 200, 31], 1).unwrap()]);
        let layers = engine.model().spec.layers.len();
        let scores = engine.run(&plan, &[layers], &mut |_, _| Ok(())).unwrap();
        plan.slots[0].clone().map(|s| scores.slot(s)[0].logprob).collect::<Vec<_>>()
    };
    assert_eq!(scores(folder.path()), scores(&support::fixture("mamba-tied")));
}
