//! The families: each a small file that turns a configuration into a [`DecoderSpec`] and names its tensors.
//!
//! Adding a family is one file here, one entry in [`FAMILIES`] and a fixture. A `model_type` that is not in the table is
//! refused by name.

mod alibi;
mod bloom;
mod cohere;
mod cohere2;
mod deepseek;
mod deepseek_v2;
mod deepseek_v3;
mod exaone4;
mod experts;
mod falcon;
mod families;
mod gemma;
mod gemma2;
mod gemma3;
mod gguf;
mod glm4;
mod gpt2;
mod gpt_bigcode;
mod gpt_neo;
mod gpt_neox;
mod gpt_oss;
mod gpt_shape;
mod gptj;
mod granite;
mod llama;
mod llama_shape;
mod mamba;
mod mamba2;
mod mistral;
mod mixtral;
mod mpt;
mod nemotron;
mod olmo;
mod olmo2;
mod olmo3;
mod olmoe;
mod opt;
mod phi;
mod phi3;
mod qk_norms;
mod qwen2;
mod qwen2_moe;
mod qwen3;
mod qwen3_moe;
mod rope;
mod smollm3;
mod stablelm;
mod starcoder2;
mod windows;

pub use families::{FAMILIES, Family, REFUSED};
pub use gguf::{ARCHITECTURES, Architecture};

use super::config::Config;
use super::spec::{Activation, DecoderSpec, ExpertsSpec, FeedForward, Projection};
use super::weights::GgufFile;
use crate::{Error, Result};

/// The spec of a config.json.
///
/// # Errors
/// For an unknown `model_type`, a missing or impossible value, or a setting that changes the result and is not
/// supported; the message names the key.
pub fn spec_from_config(config: &Config) -> Result<DecoderSpec> {
    let model_type = config.opt_str("model_type")?.ok_or_else(|| config.error("model_type", "is missing"))?;
    let family = FAMILIES.iter().find(|f| f.model_type == model_type).ok_or_else(|| {
        let why = REFUSED.iter().find(|(name, _)| *name == model_type).map(|(_, why)| format!(" ({why})"));
        config.error(
            "model_type",
            format!(
                "architecture `{model_type}` is not supported{}; `llscore inspect --architectures` lists those that are",
                why.unwrap_or_default()
            ),
        )
    })?;
    config.refuse_unsupported()?;
    let spec = (family.from_config)(config)?;
    check(&spec).map_err(|m| config.contradiction(m))?;
    Ok(spec)
}

/// The spec of a GGUF file.
///
/// # Errors
/// As [`spec_from_config`], about `general.architecture` and the metadata.
pub fn spec_from_gguf(file: &GgufFile) -> Result<DecoderSpec> {
    let spec = gguf::spec(file)?;
    check(&spec).map_err(|m| Error::model(file.path(), m))?;
    Ok(spec)
}

/// Relations between the numbers of a mixture of experts.
fn check_experts(spec: &ExpertsSpec) -> Result<(), String> {
    let (n, k) = (spec.experts.len(), spec.router.top_k);
    if k == 0 || k > n {
        return Err(format!("{k} of {n} experts cannot be chosen"));
    }
    if let Some(g) = spec.router.groups
        && (g.count == 0 || n % g.count != 0 || g.keep == 0 || g.keep > g.count || g.keep * (n / g.count) < k)
    {
        return Err(format!("{k} of {n} experts cannot be chosen from {} of {} groups", g.keep, g.count));
    }
    Ok(())
}

/// Bounds and factors that every spec must keep, whatever family reads them.
fn check_numbers(spec: &DecoderSpec) -> Result<(), String> {
    let bound = |what: &str, v: Option<f32>| match v {
        Some(v) if v.is_nan() || v <= 0.0 => Err(format!("{what} of {v} is impossible; it must be positive")),
        _ => Ok(()),
    };
    let factor = |what: &str, v: f32| {
        if v.is_finite() { Ok(()) } else { Err(format!("{what} of {v} is impossible; it must be a number")) }
    };
    bound("a cap on the logits", spec.output.softcap)?;
    factor("a factor on the logits", spec.output.scale)?;
    factor("a factor on the embedding", spec.embedding.scale)?;
    let limit = |activation: Activation| match activation {
        Activation::ClampedSwiGlu { alpha, limit } => {
            bound("a limit of the activation", Some(limit)).and_then(|()| factor("a factor in the activation", alpha))
        }
        _ => Ok(()),
    };
    for layer in &spec.layers {
        match &layer.mlp {
            Some(FeedForward::Dense(mlp)) => limit(mlp.activation)?,
            Some(FeedForward::Experts(e)) => {
                e.experts.iter().try_for_each(|m| limit(m.activation))?;
                factor("a factor on the experts", e.router.scale)?;
            }
            None => {}
        }
        if let Some(a) = layer.attention() {
            bound("a clip of queries, keys and values", a.clip)?;
            bound("a cap on the attention scores", a.softcap)?;
            factor("a factor on the attention scores", a.scale)?;
        }
    }
    Ok(())
}

/// Relations between sizes that every spec must keep.
fn check(spec: &DecoderSpec) -> Result<(), String> {
    check_numbers(spec)?;
    for (i, layer) in spec.layers.iter().enumerate() {
        let norms = [&layer.mixer_norm, &layer.mixer_post_norm, &layer.mlp_norm, &layer.mlp_post_norm];
        if let Some(eps) = norms.into_iter().flatten().map(|n| n.eps).find(|e| *e < 0.0 || e.is_nan()) {
            return Err(format!("layer {i}: a norm's epsilon of {eps} is impossible"));
        }
        if let Some(FeedForward::Experts(e)) = &layer.mlp
            && let Err(m) = check_experts(e)
        {
            return Err(format!("layer {i}: {m}"));
        }
        let Some(a) = layer.attention() else { continue };
        if a.heads == 0 || a.kv_heads == 0 || a.heads % a.kv_heads != 0 {
            return Err(format!(
                "layer {i}: {} attention heads cannot share {} key/value heads; the first must be a multiple of the second",
                a.heads, a.kv_heads
            ));
        }
        if a.head_dim == 0 || (a.rope.is_some() && (a.head_dim < 4 || a.head_dim % 2 != 0)) {
            return Err(format!(
                "layer {i}: head width {} is not supported with rotary positions; an even number of at least 4 is needed",
                a.head_dim
            ));
        }
        if let Projection::Joint(qkv) = &a.qkv
            && qkv.outputs() != a.qkv_width()
        {
            return Err(format!("layer {i}: a width of {} does not divide into {} heads", spec.hidden, a.heads));
        }
        if a.rope.iter().flat_map(|r| &r.frequencies).any(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(format!("layer {i}: its rope settings give frequencies that are no positive numbers"));
        }
        if a.window == Some(0) {
            return Err(format!("layer {i}: a window of 0 keys is impossible"));
        }
    }
    if spec.vocab == 0 {
        return Err("the vocabulary has no rows".to_string());
    }
    if spec.context_length == Some(0) {
        return Err("a context length of 0 tokens is impossible".to_string());
    }
    if spec.layers.is_empty() {
        return Err("the model has no layers".to_string());
    }
    Ok(())
}
