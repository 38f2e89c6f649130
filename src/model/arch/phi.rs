//! Phi (1, 1.5 and 2): biases everywhere, the head's too, partial rotation, one norm for both branches.

use super::gpt_shape::{Ends, Heads, Names, lm_head};
use super::rope::{self, LLAMA_ROPE, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, LayerSpec, NormExtent, NormKind, QkNormSpec, Residual, TensorName,
    VectorSpec,
};

const ROPE: RopeDefaults = RopeDefaults { partial: 0.5, ..LLAMA_ROPE };
const QKVO: [&str; 4] = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.dense"];

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Heads::usual(c)?;
    let (hidden, inner) = (shape.hidden, c.usize("intermediate_size")?);
    let context_length = c.opt_usize("max_position_embeddings")?;
    let eps = c.f64_or("layer_norm_eps", 1e-5)?;
    let normed = c.bool_or("qk_layernorm", false)?;
    let activation = c.activation("hidden_act", Activation::GeluTanh)?;
    let rotary = rope::from_config(c, shape.head_dim, context_length, ROPE)?;
    let names = Names::new(&["model.", ""]);
    let qk_norm = |at: &Names| {
        let vector = |name: &str| VectorSpec::new(at.tensor(name), shape.head_dim);
        QkNormSpec {
            kind: NormKind::Layer,
            eps,
            extent: NormExtent::Head,
            query: vector("self_attn.q_layernorm.weight"),
            key: vector("self_attn.k_layernorm.weight"),
            biases: Some((vector("self_attn.q_layernorm.bias"), vector("self_attn.k_layernorm.bias"))),
            plus_one: false,
        }
    };
    let layer = |i: usize| {
        let at = names.layer("layers", i);
        let attention = AttentionSpec {
            rope: Some(rotary.clone()),
            qk_norm: normed.then(|| qk_norm(&at)),
            ..shape.separate(&at, QKVO, [true; 2])
        };
        let mlp = at.mlp(["mlp.fc1", "mlp.fc2"], true, activation, [hidden, inner]);
        LayerSpec {
            residual: Residual::Parallel,
            mlp_norm: None,
            ..LayerSpec::new(at.norm("input_layernorm", eps), attention, at.norm("input_layernorm", eps), mlp)
        }
    };
    let ends = Ends {
        model_type: "phi",
        hidden,
        context_length,
        tokens: names.weight("embed_tokens"),
        norm: names.norm("final_layernorm", eps),
        head: lm_head(),
        tied: false,
    };
    let mut spec = ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())?;
    spec.output.head.parts.iter_mut().for_each(|p| p.bias = Some(TensorName::new("lm_head.bias")));
    Ok(spec)
}
