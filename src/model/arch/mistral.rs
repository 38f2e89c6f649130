//! Mistral: llama with a window on all layers, which later releases switch off.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let mut spec = LlamaShape::from_config(c, &Defaults { kv_heads: Some(8), ..LLAMA })?.decoder("mistral");
    // An absent key means the class's default; null means no window.
    let window = windows::window(c, Some(4096))?;
    spec.attentions_mut().for_each(|(_, a)| a.window = window);
    Ok(spec)
}
