//! Gemma 2: Gemma with norms on both sides of each branch, capped scores and logits, and windows on every other layer.

use super::gemma::{GEMMA, adapt, refuse_bidirectional};
use super::llama_shape::{Defaults, LlamaShape};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormSpec, TensorName};

/// What Gemma 2 and 3 take where their configuration is silent.
pub(super) const GEMMA2: Defaults = Defaults { kv_heads: Some(4), activation_key: "hidden_activation", ..GEMMA };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    refuse_bidirectional(c)?;
    let shape = LlamaShape::from_config(c, &GEMMA2)?.attention_bias(c.bool_or("attention_bias", false)?);
    let eps = shape.eps;
    let mut spec = shape.decoder("gemma2");
    sandwich(&mut spec, eps, &["model.layers.", "layers."]);
    let cap = |key: &str, default: f32| -> Result<Option<f32>> {
        Ok(if c.has(key) { c.opt_f64(key)?.map(|v| v as f32) } else { Some(default) })
    };
    let (scale, softcap) = (scale(c)?, cap("attn_logit_softcapping", 50.0)?);
    for (_, attention) in spec.attentions_mut() {
        (attention.scale, attention.softcap) = (scale, softcap);
    }
    spec.output.softcap = cap("final_logit_softcapping", 30.0)?;
    windows::set(c, &mut spec, windows::window(c, Some(4096))?, |i| i % 2 == 0)?;
    adapt(&mut spec);
    Ok(spec)
}

/// Norms before and after each branch.
pub(super) fn sandwich(spec: &mut DecoderSpec, eps: f64, prefixes: &[&str]) {
    for (i, layer) in spec.layers.iter_mut().enumerate() {
        let norm = |name: &str| Some(NormSpec::rms(TensorName::under(prefixes, &format!("{i}.{name}.weight")), eps));
        layer.mixer_post_norm = norm("post_attention_layernorm");
        layer.mlp_norm = norm("pre_feedforward_layernorm");
        layer.mlp_post_norm = norm("post_feedforward_layernorm");
    }
}

/// Factor on the scores.
pub(super) fn scale(c: &Config) -> Result<f32> {
    let scalar = c.f64_or("query_pre_attn_scalar", 256.0)?;
    if scalar > 0.0 {
        return Ok(scalar.powf(-0.5) as f32);
    }
    Err(c.error("query_pre_attn_scalar", format!("must be positive, is {scalar}")))
}
