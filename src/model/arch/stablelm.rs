//! StableLM: layer norms around llama's branches, partial rotation; some models norm every head of queries and keys with
//! weights of its own, some give both branches one norm.

use super::gpt_shape::{Ends, Heads, Names, QKVO, lm_head, must_be};
use super::rope::{self, LLAMA_ROPE, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, LayerSpec, NormExtent, NormKind, QkNormSpec, Residual, VectorSpec,
};

const ROPE: RopeDefaults = RopeDefaults { partial: 0.25, ..LLAMA_ROPE };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let even = Heads::even(c, &["hidden_size"], &["num_attention_heads"])?;
    let shape = Heads { kv_heads: c.usize_or("num_key_value_heads", Some(32))?, ..even };
    let Heads { hidden, heads, kv_heads, head_dim } = shape;
    must_be(c, "head_dim", head_dim)?;
    let inner = c.usize("intermediate_size")?;
    let context_length = c.opt_usize("max_position_embeddings")?;
    let eps = c.f64_or("layer_norm_eps", 1e-5)?;
    let biased = c.bool_or("use_qkv_bias", false)?;
    let normed = c.bool_or("qk_layernorm", false)?;
    let parallel = c.bool_or("use_parallel_residual", false)?;
    let activation = c.activation("hidden_act", Activation::Silu)?;
    let rotary = rope::from_config(c, head_dim, context_length, ROPE)?;
    let names = Names::new(&["model.", ""]);
    let qk_norm = |at: &Names| {
        let vector = |side: &str, heads: usize| {
            let weight = |h: usize| (at.weight(&format!("self_attn.{side}_layernorm.norms.{h}")), vec![head_dim]);
            VectorSpec((0..heads).map(weight).collect())
        };
        QkNormSpec {
            kind: NormKind::Layer,
            eps,
            extent: NormExtent::EachHead,
            query: vector("q", heads),
            key: vector("k", kv_heads),
            biases: None,
            plus_one: false,
        }
    };
    let layer = |i: usize| {
        let at = names.layer("layers", i);
        let attention = AttentionSpec {
            rope: Some(rotary.clone()),
            qk_norm: normed.then(|| qk_norm(&at)),
            ..shape.separate(&at, QKVO, [biased, false])
        };
        let norms = (at.norm("input_layernorm", eps), at.norm("post_attention_layernorm", eps));
        let mut layer = LayerSpec::new(norms.0, attention, norms.1, at.gated_mlp(activation, [hidden, inner]));
        if parallel {
            (layer.residual, layer.mlp_norm) = (Residual::Parallel, None);
        }
        layer
    };
    let ends = Ends {
        model_type: "stablelm",
        hidden,
        context_length,
        tokens: names.weight("embed_tokens"),
        norm: names.norm("norm", eps),
        head: lm_head(),
        tied: false,
    };
    ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())
}
