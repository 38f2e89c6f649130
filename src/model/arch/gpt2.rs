//! GPT-2: learned positions, Conv1D weights stored `[in, out]`, a plain MLP.

use super::gpt_shape::{Ends, Heads, Names, layers, lm_head};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, DecoderSpec, LayerSpec, PositionsSpec, RowLayout};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Heads::even(c, &["n_embd", "hidden_size"], &["n_head", "num_attention_heads"])?;
    let (hidden, positions) = (shape.hidden, c.usize("n_positions")?);
    let inner = c.opt_usize("n_inner")?.unwrap_or(4 * hidden);
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let scaled = c.bool_or("scale_attn_weights", true)?;
    let by_layer = c.bool_or("scale_attn_by_inverse_layer_idx", false)?;
    let activation = c.activation("activation_function", Activation::GeluTanh)?;
    let names = Names::new(&["transformer.", ""]);
    let layer = |i: usize| {
        let at = names.layer("h", i);
        let mut attention = shape.fused(&at, ["attn.c_attn", "attn.c_proj"], true, RowLayout::IN_OUT);
        attention.output = attention.output.with_layout(RowLayout::IN_OUT);
        if !scaled {
            attention.scale = 1.0;
        }
        if by_layer {
            attention.scale /= (i + 1) as f32;
        }
        let mut mlp = at.mlp(["mlp.c_fc", "mlp.c_proj"], true, activation, [hidden, inner]);
        mlp.input = mlp.input.with_layout(RowLayout::IN_OUT);
        mlp.output = mlp.output.with_layout(RowLayout::IN_OUT);
        LayerSpec::new(at.norm("ln_1", eps), attention, at.norm("ln_2", eps), mlp)
    };
    let ends = Ends {
        model_type: "gpt2",
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
