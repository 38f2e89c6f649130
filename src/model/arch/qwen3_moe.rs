//! Qwen3-MoE: Qwen3 with mixtures of experts and a window on all layers or none.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::qwen2_moe::sparse;
use super::{qk_norms, windows};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormExtent};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape::from_config(c, &Defaults { kv_heads: Some(4), ..LLAMA })?;
    let (eps, shape) = (shape.eps, shape.attention_bias(c.bool_or("attention_bias", false)?));
    let mut spec = shape.decoder("qwen3_moe");
    qk_norms::put(&mut spec, eps, NormExtent::Head);
    let window = windows::gated(c)?;
    spec.attentions_mut().for_each(|(_, a)| a.window = window);
    sparse(c, &mut spec, [128, 8, 768], |_, _| ())?;
    Ok(spec)
}
