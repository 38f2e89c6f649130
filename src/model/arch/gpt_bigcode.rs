//! GPTBigCode: GPT-2 with matrices stored `[out, in]`, and one key head for all heads.

use super::gpt_shape::{Ends, Heads, Names, layers, lm_head, must_be};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, DecoderSpec, LayerSpec, PositionsSpec, RowLayout, RowOrder};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let even = Heads::even(c, &["n_embd", "hidden_size"], &["n_head", "num_attention_heads"])?;
    let Heads { hidden, heads, head_dim, .. } = even;
    let (shape, order) = if c.bool_or("multi_query", true)? {
        (Heads { kv_heads: 1, ..even }, RowOrder::AsUsed)
    } else {
        (even, RowOrder::per_head_qkv(heads, head_dim))
    };
    must_be(c, "num_key_value_heads", shape.kv_heads)?;
    let positions = c.usize("n_positions")?;
    let inner = c.opt_usize("n_inner")?.unwrap_or(4 * hidden);
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let scaled = c.bool_or("scale_attn_weights", true)?;
    let activation = c.activation("activation_function", Activation::GeluTanh)?;
    let names = Names::new(&["transformer.", ""]);
    let layer = |i: usize| {
        let at = names.layer("h", i);
        let mut attention = shape.fused(&at, ["attn.c_attn", "attn.c_proj"], true, RowLayout::ordered(order));
        if !scaled {
            attention.scale = 1.0;
        }
        let mlp = at.mlp(["mlp.c_fc", "mlp.c_proj"], true, activation, [hidden, inner]);
        LayerSpec::new(at.norm("ln_1", eps), attention, at.norm("ln_2", eps), mlp)
    };
    let ends = Ends {
        model_type: "gpt_bigcode",
        hidden,
        context_length: Some(positions),
        tokens: names.weight("wte"),
        norm: names.norm("ln_f", eps),
        head: lm_head(),
        tied: true,
    };
    let mut spec = ends.around(c, (0..layers(c, &["n_layer", "num_hidden_layers"])?).map(layer).collect())?;
    spec.embedding.positions = Some(PositionsSpec { table: names.weight("wpe"), rows: positions, offset: 0 });
    Ok(spec)
}
