//! SmolLM3: llama in which every fourth layer has no positions.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::rope::{LLAMA_ROPE, RopeDefaults};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

const DEFAULTS: Defaults =
    Defaults { kv_heads: Some(4), tied: true, rope: RopeDefaults { theta: 2e6, ..LLAMA_ROPE }, ..LLAMA };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape {
        mlp_bias: c.bool_or("mlp_bias", false)?,
        ..LlamaShape::from_config(c, &DEFAULTS)?.attention_bias(c.bool_or("attention_bias", false)?)
    };
    let mut spec = shape.decoder("smollm3");
    let layers = spec.layers.len();
    let interval = c.usize_or("no_rope_layer_interval", Some(4))?;
    // The list holds 1 where a layer does have positions.
    let has_rope = match c.opt_sizes("no_rope_layers")? {
        None => (0..layers).map(|i| (i + 1) % interval != 0).collect::<Vec<_>>(),
        Some(list) if list.len() == layers => list.into_iter().map(|v| v != 0).collect(),
        Some(list) => {
            return Err(c.error("no_rope_layers", format!("has {} entries for {layers} layers", list.len())));
        }
    };
    // The gate is for the rule; `layer_types` passes it by, as in the reference.
    let gate = c.bool_or("use_sliding_window", false)?;
    windows::set(c, &mut spec, windows::window(c, None)?, |i| gate && !has_rope[i])?;
    for (_, attention) in spec.attentions_mut().filter(|(i, _)| !has_rope[*i]) {
        attention.rope = None;
    }
    Ok(spec)
}
