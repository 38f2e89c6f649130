//! Mixtral: mistral with a mixture of experts in every layer.

use super::experts::{self, ExpertNames};
use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::rope::{LLAMA_ROPE, RopeDefaults};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, Scoring};

const DEFAULTS: Defaults =
    Defaults { eps: 1e-5, kv_heads: Some(8), rope: RopeDefaults { theta: 1e6, ..LLAMA_ROPE }, ..LLAMA };

const NAMES: ExpertNames = ExpertNames {
    router: &["block_sparse_moe.gate", "mlp.gate"],
    expert: "block_sparse_moe.experts.{j}",
    gate: "w1",
    up: "w3",
    down: "w2",
};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape::from_config(c, &DEFAULTS)?;
    let (inner, activation) = (shape.inner, shape.activation);
    let mut spec = shape.decoder("mixtral");
    let window = windows::window(c, None)?;
    spec.attentions_mut().for_each(|(_, a)| a.window = window);
    let count = experts::count(c, &["num_local_experts", "num_experts"], 8, spec.layers.len())?;
    let top_k = c.usize_or("num_experts_per_tok", Some(2))?;
    for i in 0..spec.layers.len() {
        let mut mixture = experts::mixture(&NAMES, i, count, [spec.hidden, inner], activation, top_k, Scoring::Softmax);
        mixture.router.renormalise = Some(0.0);
        experts::put(&mut spec, i, mixture);
    }
    Ok(spec)
}
