//! GGUF files: which architectures are read, as what family, under which names and in which order of rows.
//!
//! The metadata become the keys of a config.json ([`keys`]), the family's own reader makes the spec of them, and the spec's
//! tensors get llama.cpp's names ([`names`]). What llama.cpp's converter does to the values is undone here: rows in rope
//! pairs, q, k and v put in order, norms' weights with the one added, experts stacked.

mod gpt;
mod keys;
mod latent;
mod llama;
mod mixtures;
mod names;
mod rope;

use super::FAMILIES;
use crate::model::spec::{DecoderSpec, Projection, RowLayout, RowOrder};
use crate::model::weights::{GgufFile, TensorSource};
use crate::{Error, Result};
use keys::Keys;
use names::POST_NORM;

/// An architecture of GGUF files.
#[derive(Clone, Copy)]
pub struct Architecture {
    /// `general.architecture`.
    pub name: &'static str,
    /// The families that such files may hold.
    pub families: &'static [&'static str],
    /// The metadata as the keys of one of these families' config.json.
    config: fn(&mut Keys<'_>) -> Result<()>,
    /// Names of its own, transformers' and llama.cpp's.
    names: &'static [(&'static str, &'static str)],
    /// What else a file of llama.cpp's has otherwise than transformers'.
    adapt: fn(&mut DecoderSpec, &GgufFile),
}

/// Every architecture that is read.
pub const ARCHITECTURES: &[Architecture] = &[
    entry("bloom", &["bloom"], gpt::bloom, &[], in_order),
    entry("cohere2", &["cohere2"], gpt::cohere2, &[], as_it_is),
    entry("command-r", &["cohere"], gpt::cohere, &[], as_it_is),
    entry("deepseek2", &["deepseek_v2", "deepseek_v3"], latent::deepseek, &[], latent::adapt),
    entry("exaone4", &["exaone4"], llama::exaone4, POST_NORM, as_it_is),
    entry("falcon", &["falcon"], gpt::falcon, &[], in_order),
    entry("gemma", &["gemma"], llama::gemma, &[], whole_norms),
    entry("gemma2", &["gemma2"], llama::gemma2, POST_NORM, whole_norms),
    entry("gemma3", &["gemma3_text"], llama::gemma3, POST_NORM, whole_norms),
    entry("glm4", &["glm4"], llama::glm4, &[], as_it_is),
    entry("gpt-oss", &["gpt_oss"], mixtures::gpt_oss, POST_NORM, mixtures::apart),
    entry("gpt2", &["gpt2"], gpt::gpt2, &[], in_order),
    entry("gptneox", &["gpt_neox"], gpt::gpt_neox, &[], in_order),
    entry("granite", &["granite"], llama::granite, &[], rope_pairs),
    entry("llama", &["llama", "mistral", "mixtral"], llama::llama, &[], rope_pairs),
    entry("mpt", &["mpt"], gpt::mpt, &[], as_it_is),
    entry("nemotron", &["nemotron"], gpt::nemotron, &[], whole_norms),
    entry("olmo", &["olmo"], llama::olmo, &[], rope_pairs),
    entry("olmo2", &["olmo2", "olmo3"], llama::olmo2, POST_NORM, as_it_is),
    entry("olmoe", &["olmoe"], mixtures::olmoe, &[], as_it_is),
    entry("phi2", &["phi"], gpt::phi2, &[], as_it_is),
    entry("phi3", &["phi3"], llama::phi3, &[], as_it_is),
    entry("qwen2", &["qwen2"], llama::qwen2, &[], as_it_is),
    entry("qwen2moe", &["qwen2_moe"], mixtures::qwen2, &[], as_it_is),
    entry("qwen3", &["qwen3"], llama::qwen3, &[], as_it_is),
    entry("qwen3moe", &["qwen3_moe"], mixtures::qwen3, &[], as_it_is),
    entry("smollm3", &["smollm3"], llama::smollm3, &[], rope_pairs),
    entry("stablelm", &["stablelm"], gpt::stablelm, &[], gpt::stacked_norms),
    entry("starcoder", &["gpt_bigcode"], gpt::gpt_bigcode, &[], as_it_is),
    entry("starcoder2", &["starcoder2"], gpt::starcoder2, &[], as_it_is),
];

const fn entry(
    name: &'static str,
    families: &'static [&'static str],
    config: fn(&mut Keys<'_>) -> Result<()>,
    names: &'static [(&'static str, &'static str)],
    adapt: fn(&mut DecoderSpec, &GgufFile),
) -> Architecture {
    Architecture { name, families, config, names, adapt }
}

/// The spec of a GGUF file.
///
/// # Errors
/// For an unknown architecture, a missing or impossible value, a tensor that llama.cpp has no name for, or a setting that
/// changes the result and is not supported; the message names the key.
pub(super) fn spec(file: &GgufFile) -> Result<DecoderSpec> {
    let name = file.architecture()?;
    let architecture = ARCHITECTURES.iter().find(|a| a.name == name).ok_or_else(|| {
        let known: Vec<&str> = ARCHITECTURES.iter().map(|a| a.name).collect();
        let why = format!("GGUF files of architecture `{name}` are not supported (supported: {})", known.join(", "));
        Error::model(file.path(), format!("key `general.architecture`: {why}"))
    })?;
    let mut keys = Keys::new(file, name);
    (architecture.config)(&mut keys)?;
    let config = keys.finish()?;
    let model_type = config.opt_str("model_type")?.unwrap_or(name);
    let family = FAMILIES
        .iter()
        .find(|f| f.model_type == model_type)
        .ok_or_else(|| Error::model(file.path(), format!("family `{model_type}` is not in this build")))?;
    let mut spec = (family.from_config)(&config)?;
    (architecture.adapt)(&mut spec, file);
    names::apply(&mut spec, architecture.names, |tensor| file.contains(tensor)).map_err(|tensor| {
        Error::model(file.path(), format!("tensor `{tensor}` of family `{model_type}` has no name in GGUF files"))
    })?;
    join(&mut spec, file);
    rope::divide(file, &mut spec)?;
    Ok(spec)
}

/// Reads q, k and v from one tensor where the file has them so.
fn join(spec: &mut DecoderSpec, file: &GgufFile) {
    for (i, attention) in spec.attentions_mut() {
        let [whole, query] = ["attn_qkv", "attn_q"].map(|n| format!("blk.{i}.{n}.weight"));
        let Projection::Joint(qkv) = &mut attention.qkv else { continue };
        let plain = qkv.parts.iter().all(|p| p.layout == RowLayout::OUT_IN);
        if qkv.parts.len() == 3 && plain && file.contains(&whole) && !file.contains(&query) {
            let rows = qkv.outputs();
            let part = &mut qkv.parts[0];
            part.outputs = rows;
            for name in part.weight.0.iter_mut().chain(part.bias.iter_mut().flat_map(|b| &mut b.0)) {
                *name = name.replace("attn_q.", "attn_qkv.");
            }
            qkv.parts.truncate(1);
        }
    }
}

/// Nothing is otherwise.
fn as_it_is(_: &mut DecoderSpec, _: &GgufFile) {}

/// The rows of q and k are stored in rope pairs.
fn rope_pairs(spec: &mut DecoderSpec, _: &GgufFile) {
    for (_, attention) in spec.attentions_mut() {
        if let Projection::Joint(qkv) = &mut attention.qkv {
            for (part, heads) in qkv.parts.iter_mut().zip([attention.heads, attention.kv_heads]) {
                part.layout = RowLayout::ordered(RowOrder::RopePairs { heads });
            }
        }
    }
}

/// All matrices are `[out, in]`, their rows in the order of use.
fn in_order(spec: &mut DecoderSpec, _: &GgufFile) {
    spec.for_each_part(&mut |part| part.layout = RowLayout::OUT_IN);
}

/// Norms are stored with the one added.
fn whole_norms(spec: &mut DecoderSpec, _: &GgufFile) {
    spec.norms_mut().for_each(|n| n.plus_one = false);
    for (_, attention) in spec.attentions_mut() {
        attention.qk_norm.iter_mut().for_each(|n| n.plus_one = false);
    }
}
