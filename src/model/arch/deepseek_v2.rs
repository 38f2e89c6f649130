//! DeepSeek-V2: latent attention, and a mixture of experts beside shared ones.

use super::deepseek::{self, Routing};
use super::experts;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, ExpertGroups, Scoring};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let groups = match c.opt_str("topk_method")?.unwrap_or("greedy") {
        "greedy" => None,
        "group_limited_greedy" => {
            Some(ExpertGroups { count: c.usize("n_group")?, keep: c.usize("topk_group")?, best: 1 })
        }
        other => {
            return Err(
                c.error("topk_method", format!("`{other}` is not supported (greedy and group_limited_greedy are)"))
            );
        }
    };
    let routing = Routing {
        scoring: Scoring::Softmax,
        choice_bias: false,
        groups,
        // `norm_topk_prob` changes nothing in the reference.
        renormalise: None,
        scale: c.f64_or("routed_scaling_factor", 1.0)? as f32,
        experts: experts::count(c, &["n_routed_experts"], 64, c.layers("num_hidden_layers")?)?,
        top_k: c.usize("num_experts_per_tok")?,
        inner: c.usize_or("moe_intermediate_size", Some(1407))?,
        shared: c.usize_or("n_shared_experts", Some(2))?,
        dense: c.opt_usize("first_k_dense_replace")?.unwrap_or(0),
        mlp_bias: c.bool_or("mlp_bias", false)?,
    };
    deepseek::read(c, "deepseek_v2", true, routing)
}
