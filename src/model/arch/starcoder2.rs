//! StarCoder2: layer norms, biases everywhere, rotary positions, a plain MLP, and mostly a window on every layer.

use super::gpt_shape::{Ends, Heads, Names, QKVO, lm_head, must_be};
use super::rope::{self, LLAMA_ROPE};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, AttentionSpec, DecoderSpec, LayerSpec};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    must_be(c, "mlp_type", "default")?;
    must_be(c, "norm_type", "layer_norm")?;
    let shape = Heads { kv_heads: c.usize_or("num_key_value_heads", Some(2))?, ..Heads::usual(c)? };
    let (hidden, inner) = (shape.hidden, c.usize("intermediate_size")?);
    let context_length = c.opt_usize("max_position_embeddings")?;
    let eps = c.f64_or("norm_epsilon", 1e-5)?;
    let biased = c.bool_or("use_bias", true)?;
    let activation = c.activation("hidden_act", Activation::GeluTanh)?;
    let window = windows::window(c, None)?;
    let rotary = rope::from_config(c, shape.head_dim, context_length, LLAMA_ROPE)?;
    let names = Names::new(&["model.", ""]);
    let layer = |i: usize| {
        let at = names.layer("layers", i);
        let attention = AttentionSpec { rope: Some(rotary.clone()), window, ..shape.separate(&at, QKVO, [biased; 2]) };
        let norms = (at.norm("input_layernorm", eps), at.norm("post_attention_layernorm", eps));
        LayerSpec::new(
            norms.0,
            attention,
            norms.1,
            at.mlp(["mlp.c_fc", "mlp.c_proj"], biased, activation, [hidden, inner]),
        )
    };
    let ends = Ends {
        model_type: "starcoder2",
        hidden,
        context_length,
        tokens: names.weight("embed_tokens"),
        norm: names.norm("norm", eps),
        head: lm_head(),
        tied: true,
    };
    ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())
}
