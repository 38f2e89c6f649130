//! GLM-4: llama with norms on both sides of each branch, interleaved partial rotary positions and a fused gate.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::phi3::fuse_gate_up;
use super::rope::{LLAMA_ROPE, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::rope::RopeLayout;
use crate::model::spec::{DecoderSpec, NormSpec, TensorName};

const DEFAULTS: Defaults = Defaults {
    eps: 1.5625e-7,
    kv_heads: Some(2),
    head_dim: Some(128),
    rope: RopeDefaults { partial: 0.5, ..LLAMA_ROPE },
    ..LLAMA
};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    // Null is not absent: it leaves the class's default and means the whole head.
    let whole = c.has("partial_rotary_factor") && c.get("partial_rotary_factor").is_none();
    let partial = if whole { 1.0 } else { DEFAULTS.rope.partial };
    let defaults = Defaults { rope: RopeDefaults { partial, ..DEFAULTS.rope }, ..DEFAULTS };
    let mut shape = LlamaShape::from_config(c, &defaults)?;
    shape.qkv_bias = c.bool_or("attention_bias", true)?;
    shape.rope.layout = RopeLayout::Interleaved;
    let eps = shape.eps;
    let mut spec = shape.decoder("glm4");
    for (i, layer) in spec.layers.iter_mut().enumerate() {
        let norm = |name: &str| {
            let name = TensorName::under(&["model.layers.", "layers."], &format!("{i}.{name}.weight"));
            Some(NormSpec::rms(name, eps))
        };
        layer.mixer_post_norm = norm("post_self_attn_layernorm");
        layer.mlp_post_norm = norm("post_mlp_layernorm");
        fuse_gate_up(&mut layer.mlp, i);
    }
    Ok(spec)
}
