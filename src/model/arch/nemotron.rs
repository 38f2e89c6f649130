//! Nemotron: layer norms whose files hold the weight less one, partial rotation, a plain MLP with squared relu.

use super::gpt_shape::{Ends, Heads, Names, QKVO, lm_head};
use super::rope::{self, LLAMA_ROPE, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, AttentionSpec, DecoderSpec, LayerSpec, NormSpec};

const ROPE: RopeDefaults = RopeDefaults { partial: 0.5, ..LLAMA_ROPE };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    // The reference cannot do without the number of key heads.
    let shape = Heads { kv_heads: c.usize("num_key_value_heads")?, ..Heads::usual(c)? };
    let (hidden, inner) = (shape.hidden, c.usize("intermediate_size")?);
    let context_length = c.opt_usize("max_position_embeddings")?;
    let eps = c.f64_or("norm_eps", 1e-5)?;
    let (attention_bias, mlp_bias) = (c.bool_or("attention_bias", false)?, c.bool_or("mlp_bias", false)?);
    let activation = c.activation("hidden_act", Activation::Relu2)?;
    let rotary = rope::from_config(c, shape.head_dim, context_length, ROPE)?;
    let names = Names::new(&["model.", ""]);
    let norm = |at: &Names, module: &str| NormSpec { plus_one: true, ..at.norm(module, eps) };
    let layer = |i: usize| {
        let at = names.layer("layers", i);
        let attention = AttentionSpec { rope: Some(rotary.clone()), ..shape.separate(&at, QKVO, [attention_bias; 2]) };
        let mlp = at.mlp(["mlp.up_proj", "mlp.down_proj"], mlp_bias, activation, [hidden, inner]);
        LayerSpec::new(norm(&at, "input_layernorm"), attention, norm(&at, "post_attention_layernorm"), mlp)
    };
    let ends = Ends {
        model_type: "nemotron",
        hidden,
        context_length,
        tokens: names.weight("embed_tokens"),
        norm: norm(&names, "norm"),
        head: lm_head(),
        tied: false,
    };
    ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())
}
