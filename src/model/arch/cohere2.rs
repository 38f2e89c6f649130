//! Cohere2 (Command R7B, Command A): Cohere, with a window and rotary positions on most layers and neither on the others.

use super::gpt_shape::must_be;
use super::{cohere, windows};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    for key in ["use_parallel_block", "use_gated_activation"] {
        must_be(c, key, true)?;
    }
    must_be(c, "position_embedding_type", "rope_gptj")?;
    must_be(c, "rotary_pct", 1)?;
    must_be(c, "use_qk_norm", false)?;
    must_be(c, "order_of_interleaved_layers", "local_attn_first")?;
    let mut spec = cohere::decoder(c, "cohere2", 10_000.0, false)?;
    let every = c.usize_or("sliding_window_pattern", Some(4))?;
    if c.get("layer_types").is_none() {
        must_be(c, "layer_switch", every)?;
    }
    windows::set(c, &mut spec, windows::window(c, Some(4096))?, |i| (i + 1) % every != 0)?;
    for (_, attention) in spec.attentions_mut() {
        if attention.window.is_none() {
            attention.rope = None;
        }
    }
    Ok(spec)
}
