//! DeepSeek-V3 (and R1): DeepSeek-V2 with sigmoid routing and a bias on the choice.

use super::deepseek::{self, Routing};
use super::experts;
use super::gpt_shape::flag;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, ExpertGroups, Scoring};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let (count, keep) = (c.usize_or("n_group", Some(8))?, c.usize_or("topk_group", Some(4))?);
    let routing = Routing {
        scoring: Scoring::Sigmoid,
        choice_bias: true,
        groups: Some(ExpertGroups { count, keep, best: 2 }),
        renormalise: flag(c, "norm_topk_prob", true)?.then_some(1e-20),
        scale: c.f64_or("routed_scaling_factor", 2.5)? as f32,
        experts: experts::count(c, &["n_routed_experts"], 256, c.layers("num_hidden_layers")?)?,
        top_k: c.usize_or("num_experts_per_tok", Some(8))?,
        inner: c.usize_or("moe_intermediate_size", Some(2048))?,
        shared: c.usize_or("n_shared_experts", Some(1))?,
        dense: if c.has("first_k_dense_replace") { c.opt_usize("first_k_dense_replace")?.unwrap_or(0) } else { 3 },
        mlp_bias: false,
    };
    deepseek::read(c, "deepseek_v3", flag(c, "rope_interleave", true)?, routing)
}
