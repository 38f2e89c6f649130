//! Qwen2-MoE: Qwen2 with mixtures of experts, and an expert for every token behind a gate.

use super::experts::{self, USUAL};
use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, ExpertsSpec, LinearSpec, Scoring, SharedExpert};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape::from_config(c, &Defaults { kv_heads: Some(16), ..LLAMA })?;
    let activation = shape.activation;
    let mut spec = LlamaShape { qkv_bias: c.bool_or("qkv_bias", true)?, ..shape }.decoder("qwen2_moe");
    let first = c.opt_usize("max_window_layers")?.unwrap_or(28);
    windows::set(c, &mut spec, windows::gated(c)?, |i| i % 2 == 0 && i < first)?;
    let hidden = spec.hidden;
    let shared_inner = c.usize_or("shared_expert_intermediate_size", Some(5632))?;
    let shared = |i: usize| SharedExpert {
        mlp: experts::mlp(i, "mlp.shared_expert", &USUAL, [hidden, shared_inner], activation),
        gate: Some(LinearSpec::plain(experts::name(i, "mlp.shared_expert_gate.weight"), None, hidden, 1)),
    };
    sparse(c, &mut spec, [60, 4, 1408], |i, mixture| mixture.shared = Some(shared(i)))?;
    Ok(spec)
}

/// Puts mixtures into the layers that Qwen's keys make sparse; `defaults` are the number of experts, how many a token goes
/// to, and their width.
pub(super) fn sparse(
    c: &Config,
    spec: &mut DecoderSpec,
    defaults: [usize; 3],
    finish: impl Fn(usize, &mut ExpertsSpec),
) -> Result<()> {
    let count = experts::count(c, &["num_experts", "num_local_experts"], defaults[0], spec.layers.len())?;
    let top_k = c.usize_or("num_experts_per_tok", Some(defaults[1]))?;
    let inner = c.usize_or("moe_intermediate_size", Some(defaults[2]))?;
    let step = c.usize_or("decoder_sparse_step", Some(1))?;
    let dense = c.opt_sizes("mlp_only_layers")?.unwrap_or_default();
    let renormalise = c.bool_or("norm_topk_prob", false)?.then_some(0.0);
    let activation = c.activation(LLAMA.activation_key, LLAMA.activation)?;
    for i in (0..spec.layers.len()).filter(|i| !dense.contains(i) && (i + 1) % step == 0) {
        let mut mixture = experts::mixture(&USUAL, i, count, [spec.hidden, inner], activation, top_k, Scoring::Softmax);
        mixture.router.renormalise = renormalise;
        finish(i, &mut mixture);
        experts::put(spec, i, mixture);
    }
    Ok(())
}
