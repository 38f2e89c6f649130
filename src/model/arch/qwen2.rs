//! Qwen2: llama with biases on q, k and v, and windows behind three gates.

use super::gguf;
use super::llama_shape::{LlamaShape, TRANSFORMERS};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, RowOrder};
use crate::model::weights::GgufFile;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape { qkv_bias: true, ..LlamaShape::from_config(c, 1e-6)? };
    let mut spec = shape.spec("qwen2", &TRANSFORMERS, [RowOrder::AsUsed; 3]);
    let windowed = windowed_layers(c, spec.layers.len())?;
    for (layer, window) in spec.layers.iter_mut().zip(windowed) {
        if let Some(attention) = layer.attention_mut() {
            attention.window = window;
        }
    }
    Ok(spec)
}

/// The window of each layer: only with `use_sliding_window`, then on the layers that `layer_types` names, or, where that
/// is absent, from `max_window_layers` on.
fn windowed_layers(c: &Config, layers: usize) -> Result<Vec<Option<usize>>> {
    // An absent key means the class's default; null means no window.
    let window = if c.has("sliding_window") { c.opt_usize("sliding_window")? } else { Some(4096) };
    let window = if c.bool_or("use_sliding_window", false)? { window } else { None };
    if let Some(types) = c.opt_strings("layer_types")? {
        if types.len() != layers {
            return Err(c.error("layer_types", format!("has {} entries for {layers} layers", types.len())));
        }
        return types
            .iter()
            .map(|kind| match kind.as_str() {
                "full_attention" => Ok(None),
                "sliding_attention" if window.is_none() => Err(c.error(
                    "layer_types",
                    "names sliding layers, but `use_sliding_window` or `sliding_window` says that there is no window",
                )),
                "sliding_attention" => Ok(window),
                other => Err(c.error(
                    "layer_types",
                    format!("`{other}` is not supported (full_attention and sliding_attention are)"),
                )),
            })
            .collect();
    }
    let first = c.opt_usize("max_window_layers")?.unwrap_or(28);
    Ok((0..layers).map(|i| if i >= first { window } else { None }).collect())
}

/// A GGUF's metadata to a spec; rows are stored in the order of use.
pub(super) fn from_gguf(file: &GgufFile) -> Result<DecoderSpec> {
    let shape = LlamaShape { qkv_bias: true, ..gguf::shape(file, "qwen2")? };
    Ok(shape.spec("qwen2", &gguf::NAMES, [RowOrder::AsUsed; 3]))
}
