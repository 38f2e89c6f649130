//! Llama: the shape itself, with optional biases.

use super::gguf;
use super::llama_shape::{LLAMA, LlamaShape};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, RowOrder};
use crate::model::weights::GgufFile;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape {
        mlp_bias: c.bool_or("mlp_bias", false)?,
        ..LlamaShape::from_config(c, &LLAMA)?.attention_bias(c.bool_or("attention_bias", false)?)
    };
    Ok(shape.decoder("llama"))
}

/// A GGUF's metadata to a spec. llama.cpp stores llama's q and k rows in rope pairs.
pub(super) fn from_gguf(file: &GgufFile) -> Result<DecoderSpec> {
    let shape = gguf::shape(file, "llama")?;
    let orders =
        [RowOrder::RopePairs { heads: shape.heads }, RowOrder::RopePairs { heads: shape.kv_heads }, RowOrder::AsUsed];
    Ok(shape.spec("llama", &gguf::NAMES, orders))
}
