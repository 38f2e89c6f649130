//! Gemma 3: Gemma 2 without caps, with norms of queries and keys, mostly windowed layers, and rotary positions of their own
//! for these. A multimodal checkpoint is read as the text model that it holds.

use super::gemma::{adapt, refuse_bidirectional};
use super::gemma2::{GEMMA2, sandwich, scale};
use super::llama_shape::{Defaults, LlamaNames, LlamaShape, TRANSFORMERS};
use super::rope::{self, LLAMA_ROPE, RopeDefaults};
use super::{qk_norms, windows};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormExtent, RowOrder};

const DEFAULTS: Defaults = Defaults {
    vocab: Some(262_208),
    heads: Some(8),
    context: Some(131_072),
    rope: RopeDefaults { theta: 1e6, ..LLAMA_ROPE },
    ..GEMMA2
};
const LOCAL: RopeDefaults = RopeDefaults { theta_key: "rope_local_base_freq", ..LLAMA_ROPE };

const NAMES: LlamaNames = LlamaNames {
    prefixes: &["model.", "", "language_model.model.", "model.language_model."],
    head: &["lm_head", "language_model.lm_head"],
    ..TRANSFORMERS
};

/// config.json of a multimodal checkpoint to the spec of its text model.
pub(super) fn from_multimodal_config(c: &Config) -> Result<DecoderSpec> {
    let text = c.object("text_config")?.ok_or_else(|| c.error("text_config", "is missing"))?;
    // As in the reference, the outer file decides on the head, and the final cap is never applied.
    let mut spec = read(&text, c.bool_or("tie_word_embeddings", true)?)?;
    spec.output.softcap = None;
    spec.model_type = "gemma3".to_string();
    Ok(spec)
}

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    read(c, c.bool_or("tie_word_embeddings", true)?)
}

fn read(c: &Config, tied: bool) -> Result<DecoderSpec> {
    refuse_bidirectional(c)?;
    // `rope_scaling` concerns the full layers only. `rope_parameters` holds an object for each kind; a flat one is ignored,
    // as in the reference.
    let (full, local) = rope::by_kind(c)?;
    let mut shape = LlamaShape::from_config(c, &DEFAULTS)?.attention_bias(c.bool_or("attention_bias", false)?);
    let of = |object: Option<&Config>, defaults| {
        rope::from_object(c, "rope_parameters", object, shape.head_dim, shape.context_length, defaults)
    };
    let (full, local) = (of(full.as_ref(), DEFAULTS.rope)?, of(local.as_ref(), LOCAL)?);
    shape.rope = full;
    shape.tied = tied;
    let eps = shape.eps;
    let mut spec = shape.spec("gemma3_text", &NAMES, [RowOrder::AsUsed; 3]);
    sandwich(
        &mut spec,
        eps,
        &["model.layers.", "layers.", "language_model.model.layers.", "model.language_model.layers."],
    );
    qk_norms::put(&mut spec, eps, NormExtent::Head);
    let pattern = c.usize_or("sliding_window_pattern", Some(6))?;
    let layers = spec.layers.len();
    let sliding = windows::sliding(c, layers, |i| (i + 1) % pattern != 0)?;
    let (window, scale) = (windows::window(c, Some(4096))?, scale(c)?);
    for (i, attention) in spec.attentions_mut() {
        attention.scale = scale;
        if sliding[i] {
            (attention.window, attention.rope) = (window, Some(local.clone()));
        }
    }
    spec.output.softcap = c.opt_f64("final_logit_softcapping")?.map(|v| v as f32);
    adapt(&mut spec);
    Ok(spec)
}
