//! Gemma: llama with norms that hold their weight less one, gelu, and a scaled embedding.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, DecoderSpec};

/// What all Gemmas take where their configuration is silent.
pub(super) const GEMMA: Defaults =
    Defaults { head_dim: Some(256), kv_heads: Some(16), tied: true, activation: Activation::GeluTanh, ..LLAMA };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    refuse_bidirectional(c)?;
    let mut shape = LlamaShape::from_config(c, &GEMMA)?.attention_bias(c.bool_or("attention_bias", false)?);
    if c.opt_str("hidden_act")? == Some("gelu") {
        // The first releases say so and mean the approximation, as in the reference.
        shape.activation = Activation::GeluTanh;
    }
    let mut spec = shape.decoder("gemma");
    adapt(&mut spec);
    Ok(spec)
}

/// What all Gemmas share: norm weights less one, and embeddings times the root of their width.
pub(super) fn adapt(spec: &mut DecoderSpec) {
    spec.embedding.scale = (spec.hidden as f32).sqrt();
    for layer in &mut spec.layers {
        let norms = [&mut layer.mixer_norm, &mut layer.mixer_post_norm, &mut layer.mlp_norm, &mut layer.mlp_post_norm];
        norms.into_iter().flatten().for_each(|n| n.plus_one = true);
        if let Some(norm) = layer.attention_mut().and_then(|a| a.qk_norm.as_mut()) {
            norm.plus_one = true;
        }
    }
    spec.output.norm.iter_mut().for_each(|n| n.plus_one = true);
}

/// Embedding models attend to both sides; they are no causal language models.
pub(super) fn refuse_bidirectional(c: &Config) -> Result<()> {
    c.only("use_bidirectional_attention", false, "attention to later tokens is not supported")
}
