//! Llama: the shape itself, with optional biases.

use super::llama_shape::{LLAMA, LlamaShape};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape {
        mlp_bias: c.bool_or("mlp_bias", false)?,
        ..LlamaShape::from_config(c, &LLAMA)?.attention_bias(c.bool_or("attention_bias", false)?)
    };
    Ok(shape.decoder("llama"))
}
