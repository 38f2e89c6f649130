//! Phi-3: llama with fused projections and longrope.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::rope::{LLAMA_ROPE, RopeDefaults};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, FeedForward, LinearPart, LinearSpec, Projection, TensorName};

const DEFAULTS: Defaults =
    Defaults { eps: 1e-5, context: Some(4096), rope: RopeDefaults { long: Some(4096.0), ..LLAMA_ROPE }, ..LLAMA };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let mut spec = LlamaShape::from_config(c, &DEFAULTS)?.decoder("phi3");
    let window = windows::window(c, None)?;
    for (i, layer) in spec.layers.iter_mut().enumerate() {
        if let Some(attention) = layer.attention_mut() {
            attention.window = window;
            if let Projection::Joint(qkv) = &mut attention.qkv {
                fuse(qkv, i, "self_attn.qkv_proj");
            }
        }
        fuse_gate_up(&mut layer.mlp, i);
    }
    Ok(spec)
}

/// Reads a whole stack from one tensor of layer `i`.
fn fuse(linear: &mut LinearSpec, i: usize, name: &str) {
    let name = TensorName::under(&["model.layers.", "layers."], &format!("{i}.{name}.weight"));
    linear.parts = vec![LinearPart::new(name, None, linear.outputs())];
}

/// Reads [gate; up] of layer `i` from one tensor.
pub(super) fn fuse_gate_up(mlp: &mut Option<FeedForward>, i: usize) {
    if let Some(FeedForward::Dense(mlp)) = mlp {
        fuse(&mut mlp.input, i, "mlp.gate_up_proj");
    }
}
