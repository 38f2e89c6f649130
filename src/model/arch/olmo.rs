//! OLMo: llama with layer norms that have no weights, and clamped projections.

use super::llama_shape::{LLAMA, LlamaShape};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormKind, NormSpec};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let mut spec =
        LlamaShape::from_config(c, &LLAMA)?.attention_bias(c.bool_or("attention_bias", false)?).decoder("olmo");
    let norm = NormSpec { kind: NormKind::Layer, eps: 1e-5, weight: None, bias: None, plus_one: false };
    for layer in &mut spec.layers {
        (layer.mixer_norm, layer.mlp_norm) = (Some(norm.clone()), Some(norm.clone()));
    }
    spec.output.norm = Some(norm);
    clip(c, &mut spec)?;
    Ok(spec)
}

/// `clip_qkv` on every layer.
pub(super) fn clip(c: &Config, spec: &mut DecoderSpec) -> Result<()> {
    let clip = c.opt_f64("clip_qkv")?.map(|v| v as f32);
    if clip.is_some_and(|v| v <= 0.0 || v.is_nan()) {
        return Err(c.error("clip_qkv", "must be positive"));
    }
    spec.attentions_mut().for_each(|(_, a)| a.clip = clip);
    Ok(())
}
