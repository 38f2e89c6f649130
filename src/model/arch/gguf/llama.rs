//! Architectures like llama: norms before or after the branches, rotary positions, gated MLPs.

use serde_json::Value;

use super::keys::Keys;
use super::{mixtures, rope};
use crate::Result;
use crate::model::weights::TensorSource;

/// The sizes that all models have, under llama's names; returns the width of a head.
pub(super) fn sizes(k: &mut Keys<'_>) -> Result<usize> {
    let hidden = k.copy_size("embedding_length", "hidden_size")?;
    k.copy_size("block_count", "num_hidden_layers")?;
    let heads = k.copy_size("attention.head_count", "num_attention_heads")?;
    let kv_heads = k.integer("attention.head_count_kv")?.unwrap_or(heads);
    k.set_from("attention.head_count_kv", "num_key_value_heads", kv_heads);
    let head_dim = k.integer("attention.key_length")?.unwrap_or(hidden / heads);
    k.set_from("attention.key_length", "head_dim", head_dim);
    if k.integer("attention.value_length")?.is_some_and(|v| v != head_dim) {
        return Err(k.error("attention.value_length", format!("must equal the key length {head_dim}")));
    }
    let context = k.integer("context_length")?;
    k.set_from("context_length", "max_position_embeddings", context);
    ends(k)?;
    Ok(head_dim)
}

/// Vocabulary, and whether the head is the embedding.
pub(super) fn ends(k: &mut Keys<'_>) -> Result<()> {
    let vocab = k.file().shape("token_embd.weight")?.first().copied().unwrap_or_default();
    k.set_from("vocab_size", "vocab_size", vocab);
    let tied = !k.has("output.weight");
    k.set("tie_word_embeddings", tied);
    Ok(())
}

/// As [`sizes`], with what a llama has beside: MLP, RMS norms, rotary positions.
pub(super) fn body(k: &mut Keys<'_>, model_type: &str) -> Result<usize> {
    k.set("model_type", model_type);
    let head_dim = sizes(k)?;
    k.copy_size("feed_forward_length", "intermediate_size")?;
    k.copy_required("attention.layer_norm_rms_epsilon", "rms_norm_eps")?;
    rope::set(k, head_dim)?;
    Ok(head_dim)
}

/// Rows in rope pairs are of whole heads.
fn whole_heads(k: &Keys<'_>, head_dim: usize) -> Result<()> {
    match k.integer("rope.dimension_count")? {
        Some(dim) if dim != head_dim => Err(k.error(
            "rope.dimension_count",
            format!("{dim} rotary dimensions of {head_dim} are not supported here; all are expected"),
        )),
        _ => Ok(()),
    }
}

/// Llama; with experts Mixtral, with a window Mistral.
pub(super) fn llama(k: &mut Keys<'_>) -> Result<()> {
    let experts = k.integer("expert_count")?.is_some_and(|n| n > 0);
    let window = k.window()?;
    let model_type = match (experts, window) {
        (true, _) => "mixtral",
        (false, Some(_)) => "mistral",
        (false, None) => "llama",
    };
    let head_dim = body(k, model_type)?;
    whole_heads(k, head_dim)?;
    if model_type != "llama" {
        k.set_from("attention.sliding_window", "sliding_window", window);
    }
    if experts {
        mixtures::counts(k, "num_local_experts")?;
    }
    Ok(())
}

pub(super) fn qwen2(k: &mut Keys<'_>) -> Result<()> {
    body(k, "qwen2").map(drop)
}

pub(super) fn qwen3(k: &mut Keys<'_>) -> Result<()> {
    body(k, "qwen3").map(drop)
}

pub(super) fn smollm3(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body(k, "smollm3")?;
    // Every fourth layer is without positions, whatever the file says.
    whole_heads(k, head_dim)
}

pub(super) fn granite(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body(k, "granite")?;
    whole_heads(k, head_dim)?;
    if k.flag("rope.scaling.finetuned")? == Some(false) {
        return Err(k.error("rope.scaling.finetuned", "false means no positions here, which is not supported"));
    }
    k.copy_required("logit_scale", "logits_scaling")?;
    k.copy_number("residual_scale", "residual_multiplier")?;
    k.copy_number("embedding_scale", "embedding_multiplier")?;
    if k.copy_number("attention.scale", "attention_multiplier")?.is_none_or(|v| v == 0.0) {
        k.set("attention_multiplier", (head_dim as f64).powf(-0.5));
    }
    Ok(())
}

pub(super) fn olmo(k: &mut Keys<'_>) -> Result<()> {
    const EPS: &str = "attention.layer_norm_epsilon";
    k.set("model_type", "olmo");
    let head_dim = sizes(k)?;
    k.copy_size("feed_forward_length", "intermediate_size")?;
    rope::set(k, head_dim)?;
    whole_heads(k, head_dim)?;
    if let Some(eps) = k.number(EPS)?.filter(|v| (v - 1e-5).abs() > 1e-9) {
        return Err(k.error(EPS, format!("{eps} is not supported; only 1e-5 is")));
    }
    k.copy_number("attention.clamp_kqv", "clip_qkv")?;
    Ok(())
}

/// OLMo 2; with a window OLMo 3.
pub(super) fn olmo2(k: &mut Keys<'_>) -> Result<()> {
    let window = k.window()?;
    if window.is_none() {
        return body(k, "olmo2").map(drop);
    }
    let head_dim = body(k, "olmo3")?;
    rope::set_by_kind(k, head_dim, None)?;
    k.sliding_layers(window, 4)
}

pub(super) fn exaone4(k: &mut Keys<'_>) -> Result<()> {
    body(k, "exaone4")?;
    let window = k.window()?;
    k.sliding_layers(window, 4)
}

pub(super) fn glm4(k: &mut Keys<'_>) -> Result<()> {
    body(k, "glm4")?;
    let biased = k.has("blk.0.attn_q.bias") || k.has("blk.0.attn_qkv.bias");
    k.set("attention_bias", biased);
    Ok(())
}

pub(super) fn phi3(k: &mut Keys<'_>) -> Result<()> {
    body(k, "phi3")?;
    let window = k.window()?;
    k.set_from("attention.sliding_window", "sliding_window", window);
    // In this family the top level's counts, and it has a default there.
    if let Some(original) = k.number("rope.scaling.original_context_length")? {
        k.set_from("rope.scaling.original_context_length", "original_max_position_embeddings", original);
    }
    Ok(())
}

pub(super) fn gemma(k: &mut Keys<'_>) -> Result<()> {
    body(k, "gemma").map(drop)
}

/// The factor on the scores: as the file says, else by the width of a head, but in the largest model of each generation by the
/// share of the hidden width. No key tells the two apart; llama.cpp goes by the number of layers too.
fn score_scale(k: &mut Keys<'_>, head_dim: usize, largest: usize) -> Result<()> {
    let scalar = match k.number("attention.scale")?.filter(|v| *v > 0.0) {
        Some(scale) => scale.powi(-2),
        None if k.get("num_hidden_layers") == largest => {
            (k.get("hidden_size") / k.get("num_attention_heads").max(1)) as f64
        }
        None => head_dim as f64,
    };
    k.set_from("attention.scale", "query_pre_attn_scalar", scalar);
    Ok(())
}

pub(super) fn gemma2(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body(k, "gemma2")?;
    score_scale(k, head_dim, 46)?;
    k.copy_number("attn_logit_softcapping", "attn_logit_softcapping")?;
    k.copy_number("final_logit_softcapping", "final_logit_softcapping")?;
    let window = k.integer("attention.sliding_window")?.unwrap_or(4096);
    k.sliding_layers(Some(window).filter(|n| *n > 0), 2)
}

pub(super) fn gemma3(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body(k, "gemma3_text")?;
    rope::set_by_kind(k, head_dim, Some(10_000.0))?;
    score_scale(k, head_dim, 62)?;
    if k.copy_number("final_logit_softcapping", "final_logit_softcapping")? == Some(0.0) {
        k.set("final_logit_softcapping", Value::Null);
    }
    let window = k.window()?;
    k.sliding_layers(window, 6)
}
