//! Qwen2: llama with biases on q, k and v, and windows behind three gates.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape { qkv_bias: true, ..LlamaShape::from_config(c, &Defaults { kv_heads: Some(32), ..LLAMA })? };
    let mut spec = shape.decoder("qwen2");
    windows::set_from(c, &mut spec)?;
    Ok(spec)
}
