//! Architectures like GPT: layer norms, fused projections, plain MLPs, learned positions or linear biases.

use serde_json::json;

use super::keys::Keys;
use super::llama::sizes;
use super::rope;
use crate::Result;
use crate::model::spec::{DecoderSpec, TensorName, VectorSpec};
use crate::model::weights::{GgufFile, TensorSource};

/// The sizes, and the epsilon of the norms under the family's key; heads share the width evenly.
fn body(k: &mut Keys<'_>, model_type: &str, eps: &str) -> Result<usize> {
    let head_dim = body_of_any_width(k, model_type, eps)?;
    let (hidden, heads) = (k.get("hidden_size"), k.get("num_attention_heads"));
    if head_dim.checked_mul(heads) != Some(hidden) {
        return Err(k.error("attention.head_count", format!("a width of {hidden} is not {heads} heads of {head_dim}")));
    }
    Ok(head_dim)
}

/// As [`body`], heads of any width.
fn body_of_any_width(k: &mut Keys<'_>, model_type: &str, eps: &str) -> Result<usize> {
    k.set("model_type", model_type);
    k.copy_required("attention.layer_norm_epsilon", eps)?;
    sizes(k)
}

/// The width of the MLP under the family's key.
fn inner(k: &mut Keys<'_>, to: &str) -> Result<()> {
    k.copy_size("feed_forward_length", to).map(drop)
}

/// Refuses a file with key heads beside those that the family has.
fn key_heads(k: &Keys<'_>, expected: usize) -> Result<()> {
    match k.get("num_key_value_heads") {
        n if n == expected => Ok(()),
        n => Err(k.error("attention.head_count_kv", format!("{n} is not supported here; only {expected} is"))),
    }
}

/// The number of learned positions.
fn positions(k: &mut Keys<'_>) -> Result<()> {
    let rows = k.file().shape("position_embd.weight")?.first().copied().unwrap_or_default();
    k.set_from("context_length", "n_positions", rows);
    Ok(())
}

pub(super) fn gpt2(k: &mut Keys<'_>) -> Result<()> {
    body(k, "gpt2", "layer_norm_epsilon")?;
    key_heads(k, k.get("num_attention_heads"))?;
    positions(k)?;
    inner(k, "n_inner")
}

/// StarCoder: one key head, and q, k and v fused in that order in the original too.
pub(super) fn gpt_bigcode(k: &mut Keys<'_>) -> Result<()> {
    body(k, "gpt_bigcode", "layer_norm_epsilon")?;
    key_heads(k, 1)?;
    positions(k)?;
    inner(k, "n_inner")
}

pub(super) fn gpt_neox(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body(k, "gpt_neox", "layer_norm_eps")?;
    key_heads(k, k.get("num_attention_heads"))?;
    inner(k, "intermediate_size")?;
    rope::set(k, head_dim)?;
    let parallel = k.flag("use_parallel_residual")?.unwrap_or(true);
    k.set("use_parallel_residual", parallel);
    let biased = k.has("blk.0.attn_qkv.bias");
    k.set("attention_bias", biased);
    Ok(())
}

pub(super) fn bloom(k: &mut Keys<'_>) -> Result<()> {
    body(k, "bloom", "layer_norm_epsilon")?;
    key_heads(k, k.get("num_attention_heads"))?;
    inner(k, "n_inner")
}

pub(super) fn mpt(k: &mut Keys<'_>) -> Result<()> {
    body(k, "mpt", "layer_norm_epsilon")?;
    if k.has("position_embd.weight") {
        return Err(k.error("attention.max_alibi_bias", "learned positions are not supported, only linear biases are"));
    }
    let hidden = k.get("hidden_size");
    if k.size("feed_forward_length")? != 4 * hidden {
        return Err(k.error("feed_forward_length", format!("must be {}, four times the width", 4 * hidden)));
    }
    let context = k.integer("context_length")?;
    k.set_from("context_length", "max_seq_len", context);
    let most = k.number("attention.max_alibi_bias")?.unwrap_or(0.0);
    let clip = k.number("attention.clamp_kqv")?;
    k.origin("attention.max_alibi_bias", "attn_config.alibi");
    k.origin("attention.max_alibi_bias", "attn_config.alibi_bias_max");
    k.origin("attention.head_count_kv", "attn_config.kv_n_heads");
    k.set(
        "attn_config",
        json!({
            "alibi": most > 0.0, "alibi_bias_max": most, "clip_qkv": clip, "kv_n_heads": k.get("num_key_value_heads"),
        }),
    );
    Ok(())
}

/// Falcon 7b, 40b and 11b. The RefinedWeb shape has a norm before its MLP, which is how it is told apart; llama.cpp does not
/// compute it.
pub(super) fn falcon(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body(k, "falcon", "layer_norm_epsilon")?;
    if k.has("blk.0.ffn_norm.weight") {
        return Err(k.error("attention.head_count_kv", "blocks with one branch after the other are not supported"));
    }
    inner(k, "ffn_hidden_size")?;
    rope::set(k, head_dim)?;
    let (kv_heads, two_norms) = (k.get("num_key_value_heads"), k.has("blk.0.attn_norm_2.weight"));
    k.set_from("attention.head_count_kv", "num_kv_heads", kv_heads);
    let new = two_norms || kv_heads > 1;
    k.set("new_decoder_architecture", new);
    k.set("num_ln_in_parallel_attn", if two_norms { 2 } else { 1 });
    Ok(())
}

pub(super) fn phi2(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body_of_any_width(k, "phi", "layer_norm_eps")?;
    inner(k, "intermediate_size")?;
    rope::set(k, head_dim)
}

pub(super) fn stablelm(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body(k, "stablelm", "layer_norm_eps")?;
    inner(k, "intermediate_size")?;
    rope::set(k, head_dim)?;
    // Files say true throughout; whether the branches are parallel shows in the second norm.
    k.ignore("use_parallel_residual");
    let (parallel, normed) = (!k.has("blk.0.ffn_norm.weight"), k.has("blk.0.attn_q_norm.weight"));
    k.set("use_parallel_residual", parallel);
    k.set("qk_layernorm", normed);
    Ok(())
}

/// The norms of all heads are in one tensor.
pub(super) fn stacked_norms(spec: &mut DecoderSpec, _: &GgufFile) {
    for (i, attention) in spec.attentions_mut() {
        let Some(norm) = &mut attention.qk_norm else { continue };
        for (vector, side, heads) in [(&mut norm.query, "q", attention.heads), (&mut norm.key, "k", attention.kv_heads)]
        {
            let name = TensorName::new(format!("blk.{i}.attn_{side}_norm.weight"));
            *vector = VectorSpec(vec![(name, vec![heads, attention.head_dim])]);
        }
    }
}

pub(super) fn starcoder2(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body_of_any_width(k, "starcoder2", "norm_epsilon")?;
    inner(k, "intermediate_size")?;
    rope::set(k, head_dim)?;
    let biased = k.has("blk.0.attn_q.bias");
    k.set("use_bias", biased);
    let window = k.window()?;
    k.set_from("attention.sliding_window", "sliding_window", window);
    Ok(())
}

pub(super) fn nemotron(k: &mut Keys<'_>) -> Result<()> {
    let head_dim = body_of_any_width(k, "nemotron", "norm_eps")?;
    inner(k, "intermediate_size")?;
    rope::set(k, head_dim)
}

/// What Command R and Command R7B share.
fn command(k: &mut Keys<'_>, model_type: &str) -> Result<()> {
    let head_dim = body_of_any_width(k, model_type, "layer_norm_eps")?;
    inner(k, "intermediate_size")?;
    rope::set(k, head_dim)?;
    k.copy_required("logit_scale", "logit_scale").map(drop)
}

pub(super) fn cohere(k: &mut Keys<'_>) -> Result<()> {
    command(k, "cohere")?;
    let normed = k.has("blk.0.attn_q_norm.weight");
    k.set("use_qk_norm", normed);
    Ok(())
}

pub(super) fn cohere2(k: &mut Keys<'_>) -> Result<()> {
    command(k, "cohere2")?;
    let window = k.size("attention.sliding_window")?;
    k.sliding_layers(Some(window), 4)
}
