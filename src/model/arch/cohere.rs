//! Cohere (Command R): interleaved rotation, one norm without a bias for both branches, logits times a factor.

use super::gpt_shape::{Ends, Heads, Names, QKVO, lm_head};
use super::rope::{self, LLAMA_ROPE, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::rope::RopeLayout;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, LayerSpec, NormExtent, NormKind, QkNormSpec, Residual, VectorSpec,
};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    decoder(c, "cohere", 500_000.0, c.bool_or("use_qk_norm", false)?)
}

/// What Cohere and Cohere2 have in common; `theta` holds where the configuration is silent.
pub(super) fn decoder(c: &Config, model_type: &'static str, theta: f64, normed: bool) -> Result<DecoderSpec> {
    let shape = Heads::usual(c)?;
    let Heads { hidden, heads, kv_heads, head_dim } = shape;
    let inner = c.usize("intermediate_size")?;
    let context_length = c.opt_usize("max_position_embeddings")?;
    let eps = c.f64_or("layer_norm_eps", 1e-5)?;
    let biased = c.bool_or("attention_bias", false)?;
    let activation = c.activation("hidden_act", Activation::Silu)?;
    let mut rotary = rope::from_config(c, head_dim, context_length, RopeDefaults { theta, ..LLAMA_ROPE })?;
    rotary.layout = RopeLayout::Interleaved;
    let names = Names::new(&["model.", ""]);
    let qk_norm = |at: &Names| {
        let vector = |name: &str, heads: usize| VectorSpec(vec![(at.weight(name), vec![heads, head_dim])]);
        QkNormSpec {
            kind: NormKind::Layer,
            eps,
            extent: NormExtent::EachHead,
            query: vector("self_attn.q_norm", heads),
            key: vector("self_attn.k_norm", kv_heads),
            biases: None,
            plus_one: false,
        }
    };
    let layer = |i: usize| {
        let at = names.layer("layers", i);
        let attention = AttentionSpec {
            rope: Some(rotary.clone()),
            qk_norm: normed.then(|| qk_norm(&at)),
            ..shape.separate(&at, QKVO, [biased; 2])
        };
        let norm = at.norm_without_bias("input_layernorm", eps);
        LayerSpec {
            residual: Residual::Parallel,
            mlp_norm: None,
            ..LayerSpec::new(norm.clone(), attention, norm, at.gated_mlp(activation, [hidden, inner]))
        }
    };
    let ends = Ends {
        model_type,
        hidden,
        context_length,
        tokens: names.weight("embed_tokens"),
        norm: names.norm_without_bias("norm", eps),
        head: lm_head(),
        tied: true,
    };
    let mut spec = ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())?;
    spec.output.scale = c.f64_or("logit_scale", 0.0625)? as f32;
    Ok(spec)
}
