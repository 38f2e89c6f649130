//! GPT-J: interleaved rotation of the first dimensions of a head, one norm for both branches, a head with a bias.

use super::gpt_shape::{Ends, Heads, Names, layers, lm_head, must_be};
use crate::Result;
use crate::model::config::Config;
use crate::model::rope::{RopeLayout, RopeSpec, Scaling};
use crate::model::spec::{Activation, AttentionSpec, DecoderSpec, LayerSpec, Residual, TensorName};

const QKVO: [&str; 4] = ["attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.out_proj"];
/// No key of the configuration changes it.
const THETA: f64 = 10_000.0;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    must_be(c, "rotary", true)?;
    must_be(c, "scale_attn_weights", true)?;
    let shape = Heads::even(c, &["n_embd", "hidden_size"], &["n_head", "num_attention_heads"])?;
    let Heads { hidden, head_dim, .. } = shape;
    let inner = c.opt_usize("n_inner")?.unwrap_or(4 * hidden);
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let activation = c.activation("activation_function", Activation::GeluTanh)?;
    let rotary = rotary(c, head_dim)?;
    let names = Names::new(&["transformer.", ""]);
    let layer = |i: usize| {
        let at = names.layer("h", i);
        let attention = AttentionSpec { rope: Some(rotary.clone()), ..shape.separate(&at, QKVO, [false; 2]) };
        let mlp = at.mlp(["mlp.fc_in", "mlp.fc_out"], true, activation, [hidden, inner]);
        let norm = at.norm("ln_1", eps);
        LayerSpec { residual: Residual::Parallel, mlp_norm: None, ..LayerSpec::new(norm.clone(), attention, norm, mlp) }
    };
    let ends = Ends {
        model_type: "gptj",
        hidden,
        context_length: c.opt_usize("n_positions")?,
        tokens: names.weight("wte"),
        norm: names.norm("ln_f", eps),
        head: lm_head(),
        tied: false,
    };
    let mut spec = ends.around(c, (0..layers(c, &["n_layer", "num_hidden_layers"])?).map(layer).collect())?;
    spec.output.head.parts.iter_mut().for_each(|p| p.bias = Some(TensorName::new("lm_head.bias")));
    Ok(spec)
}

/// The rotation of the first `rotary_dim` dimensions.
fn rotary(c: &Config, head_dim: usize) -> Result<RopeSpec> {
    if c.has("rotary_dim") && c.get("rotary_dim").is_none() {
        return Err(c.error("rotary_dim", "null is not supported; a number of dimensions is needed"));
    }
    let dim = c.opt_usize("rotary_dim")?.unwrap_or(64);
    if dim < 2 || dim % 2 != 0 || dim > head_dim {
        return Err(c.error("rotary_dim", format!("{dim} dimensions of {head_dim} cannot rotate in pairs")));
    }
    Ok(RopeSpec::new(dim, THETA, RopeLayout::Interleaved, Scaling::Default))
}
