//! Qwen3: llama with heads of their own width and norms of queries and keys.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::qk_norms;
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormExtent};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape::from_config(c, &Defaults { kv_heads: Some(32), head_dim: Some(128), ..LLAMA })?;
    let (eps, shape) = (shape.eps, shape.attention_bias(c.bool_or("attention_bias", false)?));
    let mut spec = shape.decoder("qwen3");
    qk_norms::put(&mut spec, eps, NormExtent::Head);
    windows::set_from(c, &mut spec)?;
    Ok(spec)
}
