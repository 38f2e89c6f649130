//! OLMoE: norms before the branches, over all heads of queries and keys, and a mixture of experts in every layer.

use super::experts::{self, USUAL};
use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::{olmo, qk_norms};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormExtent, Scoring};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape::from_config(c, &Defaults { eps: 1e-5, ..LLAMA })?;
    let (eps, inner, activation) = (shape.eps, shape.inner, shape.activation);
    let mut spec = shape.attention_bias(c.bool_or("attention_bias", false)?).decoder("olmoe");
    qk_norms::put(&mut spec, eps, NormExtent::All);
    olmo::clip(c, &mut spec)?;
    let count = experts::count(c, &["num_experts", "num_local_experts"], 64, spec.layers.len())?;
    let top_k = c.usize_or("num_experts_per_tok", Some(8))?;
    let renormalise = c.bool_or("norm_topk_prob", false)?.then_some(0.0);
    for i in 0..spec.layers.len() {
        let mut mixture = experts::mixture(&USUAL, i, count, [spec.hidden, inner], activation, top_k, Scoring::Softmax);
        mixture.router.renormalise = renormalise;
        experts::put(&mut spec, i, mixture);
    }
    Ok(spec)
}
