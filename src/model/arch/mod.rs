//! The families: each a small file that turns a configuration into a [`DecoderSpec`] and names its tensors.
//!
//! Adding a family is one file here, one entry in [`FAMILIES`], a line of words in `about`, and a fixture. A `model_type`
//! that is not in the table is refused by name.

mod about;
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

pub use about::{About, REFUSED};
pub use gguf::{ARCHITECTURES, Architecture};

use super::config::Config;
use super::spec::{DecoderSpec, ExpertsSpec, FeedForward, Projection};
use super::weights::GgufFile;
use crate::{Error, Result};

/// A family of decoders.
#[derive(Clone, Copy)]
pub struct Family {
    /// `model_type` in config.json.
    pub model_type: &'static str,
    /// config.json to a spec, for safetensors.
    pub from_config: fn(&Config) -> Result<DecoderSpec>,
}

/// Every family that llscore computes.
pub const FAMILIES: &[Family] = &[
    Family { model_type: "bloom", from_config: bloom::from_config },
    Family { model_type: "cohere", from_config: cohere::from_config },
    Family { model_type: "cohere2", from_config: cohere2::from_config },
    Family { model_type: "deepseek_v2", from_config: deepseek_v2::from_config },
    Family { model_type: "deepseek_v3", from_config: deepseek_v3::from_config },
    Family { model_type: "exaone4", from_config: exaone4::from_config },
    Family { model_type: "falcon", from_config: falcon::from_config },
    Family { model_type: "gemma", from_config: gemma::from_config },
    Family { model_type: "gemma2", from_config: gemma2::from_config },
    Family { model_type: "gemma3", from_config: gemma3::from_multimodal_config },
    Family { model_type: "gemma3_text", from_config: gemma3::from_config },
    Family { model_type: "glm4", from_config: glm4::from_config },
    Family { model_type: "gpt2", from_config: gpt2::from_config },
    Family { model_type: "gpt_bigcode", from_config: gpt_bigcode::from_config },
    Family { model_type: "gpt_neo", from_config: gpt_neo::from_config },
    Family { model_type: "gpt_neox", from_config: gpt_neox::from_config },
    Family { model_type: "gpt_oss", from_config: gpt_oss::from_config },
    Family { model_type: "gptj", from_config: gptj::from_config },
    Family { model_type: "granite", from_config: granite::from_config },
    Family { model_type: "llama", from_config: llama::from_config },
    Family { model_type: "mamba", from_config: mamba::from_config },
    Family { model_type: "mamba2", from_config: mamba2::from_config },
    Family { model_type: "mistral", from_config: mistral::from_config },
    Family { model_type: "mixtral", from_config: mixtral::from_config },
    Family { model_type: "mpt", from_config: mpt::from_config },
    Family { model_type: "nemotron", from_config: nemotron::from_config },
    Family { model_type: "olmo", from_config: olmo::from_config },
    Family { model_type: "olmo2", from_config: olmo2::from_config },
    Family { model_type: "olmo3", from_config: olmo3::from_config },
    Family { model_type: "olmoe", from_config: olmoe::from_config },
    Family { model_type: "opt", from_config: opt::from_config },
    Family { model_type: "phi", from_config: phi::from_config },
    Family { model_type: "phi3", from_config: phi3::from_config },
    Family { model_type: "qwen2", from_config: qwen2::from_config },
    Family { model_type: "qwen2_moe", from_config: qwen2_moe::from_config },
    Family { model_type: "qwen3", from_config: qwen3::from_config },
    Family { model_type: "qwen3_moe", from_config: qwen3_moe::from_config },
    Family { model_type: "smollm3", from_config: smollm3::from_config },
    Family { model_type: "stablelm", from_config: stablelm::from_config },
    Family { model_type: "starcoder2", from_config: starcoder2::from_config },
];

impl Family {
    /// The family in words, where it has them.
    pub fn about(&self) -> Option<&'static About> {
        about::ABOUT.iter().find(|a| a.model_type == self.model_type)
    }
    /// `general.architecture` of GGUF files of the family, where they are read.
    pub fn gguf(&self) -> Option<&'static str> {
        ARCHITECTURES.iter().find(|a| a.families.contains(&self.model_type)).map(|a| a.name)
    }
}

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

/// Relations between sizes that every spec must keep.
fn check(spec: &DecoderSpec) -> Result<(), String> {
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
