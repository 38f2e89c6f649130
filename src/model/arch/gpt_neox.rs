//! GPT-NeoX (Pythia): q, k and v fused head by head, partial rotary positions, both branches from the same residual.

use super::gpt_shape::{Ends, Heads, Names};
use super::rope::{self, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, LayerSpec, Residual, RowLayout, RowOrder, TensorName,
};

const ROPE: RopeDefaults = RopeDefaults {
    theta_key: "rotary_emb_base",
    theta: 10_000.0,
    partial_key: "rotary_pct",
    partial: 0.25,
    long: None,
};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Heads::even(c, &["hidden_size"], &["num_attention_heads"])?;
    let Heads { hidden, heads, head_dim, .. } = shape;
    let inner = c.usize("intermediate_size")?;
    let context_length = c.opt_usize("max_position_embeddings")?;
    let eps = c.f64_or("layer_norm_eps", 1e-5)?;
    let biased = c.bool_or("attention_bias", true)?;
    let activation = c.activation("hidden_act", Activation::GeluErf)?;
    let residual = if c.bool_or("use_parallel_residual", true)? { Residual::Parallel } else { Residual::Sequential };
    let rotary = rope::from_config(c, head_dim, context_length, ROPE)?;
    let order = RowLayout::ordered(RowOrder::per_head_qkv(heads, head_dim));
    let names = Names::new(&["gpt_neox.", ""]);
    let layer = |i: usize| {
        let at = names.layer("layers", i);
        let modules = ["attention.query_key_value", "attention.dense"];
        let attention = AttentionSpec { rope: Some(rotary.clone()), ..shape.fused(&at, modules, biased, order) };
        let mlp = at.mlp(["mlp.dense_h_to_4h", "mlp.dense_4h_to_h"], true, activation, [hidden, inner]);
        let norms = (at.norm("input_layernorm", eps), at.norm("post_attention_layernorm", eps));
        LayerSpec { residual, ..LayerSpec::new(norms.0, attention, norms.1, mlp) }
    };
    let ends = Ends {
        model_type: "gpt_neox",
        hidden,
        context_length,
        tokens: names.weight("embed_in"),
        norm: names.norm("final_layer_norm", eps),
        // Files say `embed_out`; in memory, and in some files, it is `lm_head`.
        head: TensorName(vec!["embed_out.weight".to_string(), "lm_head.weight".to_string()]),
        tied: false,
    };
    ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())
}
