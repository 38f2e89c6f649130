//! EXAONE 4: norms on the branches' outputs and on each head of queries and keys; where the model has windows, the layers
//! without one have no positions.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::{olmo2, qk_norms, windows};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormExtent};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape::from_config(c, &Defaults { eps: 1e-5, kv_heads: Some(32), ..LLAMA })?;
    let eps = shape.eps;
    let mut spec = shape.decoder("exaone4");
    olmo2::post_norms(&mut spec, eps);
    qk_norms::put(&mut spec, eps, NormExtent::Head);
    let window = windows::window(c, Some(4096))?;
    let pattern = match c.get("layer_types") {
        Some(_) => 1,
        None if window.is_none() => return Err(c.error("layer_types", "is missing, and the model has no window")),
        None => c.usize_or("sliding_window_pattern", Some(4))?,
    };
    windows::set(c, &mut spec, window, |i| (i + 1) % pattern != 0)?;
    for (_, attention) in spec.attentions_mut() {
        if window.is_some() && attention.window.is_none() {
            attention.rope = None;
        }
    }
    Ok(spec)
}
