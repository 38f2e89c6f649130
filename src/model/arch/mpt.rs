//! MPT: linear biases by position with slopes of their own order, [q; k; v] fused and sometimes clamped, no biases.

use super::alibi::mpt_slopes;
use super::gpt_shape::{Ends, Heads, Names, any, layers, lm_head, must_be, unset};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, Alibi, AttentionSpec, DecoderSpec, LayerSpec, RowLayout};

/// Refuses what the original code had and the reference leaves out: it would compute something else without a word.
fn refuse(c: &Config, attention: Option<&Config>, heads: usize) -> Result<()> {
    must_be(c, "no_bias", true)?;
    must_be(c, "expansion_ratio", 4)?;
    unset(c, "logit_scale")?;
    if let Some(norm) = c.opt_str("norm_type")?
        && !norm.ends_with("layernorm")
    {
        return Err(c.error("norm_type", format!("`{norm}` is not supported, only layer norms are")));
    }
    if let Some(ffn) = c.object("ffn_config")? {
        must_be(&ffn, "ffn_type", "mptmlp")?;
        must_be(&ffn, "ffn_hidden_size", 4 * any(c, &["d_model", "hidden_size"])?)?;
    }
    let Some(a) = attention else { return Ok(()) };
    must_be(a, "alibi", true)?;
    must_be(a, "alibi_bias_max", 8)?;
    must_be(a, "attn_type", "multihead_attention")?;
    must_be(a, "kv_n_heads", heads)?;
    must_be(a, "sliding_window_size", -1)?;
    for key in ["qk_ln", "qk_gn", "rope", "prefix_lm", "attn_uses_sequence_id"] {
        must_be(a, key, false)?;
    }
    Ok(())
}

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Heads::even(c, &["d_model", "hidden_size"], &["n_heads", "num_attention_heads"])?;
    let Heads { hidden, heads, .. } = shape;
    let settings = c.object("attn_config")?;
    refuse(c, settings.as_ref(), heads)?;
    let number = |key: &str| settings.as_ref().map_or(Ok(None), |a| a.opt_f64(key));
    let (clip, scale) = (number("clip_qkv")?, number("softmax_scale")?);
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let alibi = Alibi { slopes: mpt_slopes(heads), scale: 1.0, rounded: false, from_query: true };
    let names = Names::new(&["transformer.", ""]);
    let layer = |i: usize| {
        let at = names.layer("blocks", i);
        let mut attention = AttentionSpec {
            alibi: Some(alibi.clone()),
            // Zero means none, as in the reference.
            clip: clip.filter(|v| *v != 0.0).map(|v| v as f32),
            ..shape.fused(&at, ["attn.Wqkv", "attn.out_proj"], false, RowLayout::OUT_IN)
        };
        if let Some(scale) = scale {
            attention.scale = scale as f32;
        }
        LayerSpec::new(
            at.norm_without_bias("norm_1", eps),
            attention,
            at.norm_without_bias("norm_2", eps),
            at.mlp(["ffn.up_proj", "ffn.down_proj"], false, Activation::GeluErf, [hidden, 4 * hidden]),
        )
    };
    let ends = Ends {
        model_type: "mpt",
        hidden,
        context_length: c.opt_usize("max_seq_len")?,
        tokens: names.weight("wte"),
        norm: names.norm_without_bias("norm_f", eps),
        head: lm_head(),
        tied: true,
    };
    ends.around(c, (0..layers(c, &["n_layers", "num_hidden_layers"])?).map(layer).collect())
}
