//! Qwen2: llama with biases on q, k and v, and windows behind three gates.

use super::gguf;
use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, RowOrder};
use crate::model::weights::GgufFile;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape { qkv_bias: true, ..LlamaShape::from_config(c, &Defaults { kv_heads: Some(32), ..LLAMA })? };
    let mut spec = shape.decoder("qwen2");
    windows::set_from(c, &mut spec)?;
    Ok(spec)
}

/// A GGUF's metadata to a spec; rows are stored in the order of use.
pub(super) fn from_gguf(file: &GgufFile) -> Result<DecoderSpec> {
    let shape = LlamaShape { qkv_bias: true, ..gguf::shape(file, "qwen2")? };
    Ok(shape.spec("qwen2", &gguf::NAMES, [RowOrder::AsUsed; 3]))
}
