//! The metadata of a GGUF file as the keys of a config.json, so that a family is read by the code that reads its
//! configuration. Errors name the metadata key; keys that change the result and that nobody asked for are refused.

use std::cell::RefCell;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::model::config::{Config, MAX_LAYERS, MAX_SIZE, possible};
use crate::model::weights::TensorSource;
use crate::model::weights::gguf::{GgufFile, GgufValue};
use crate::{Error, Result};

/// Keys under the architecture's name that change the result, where they are set to something else than nothing: these, and
/// all that begin with one of [`SIGNIFICANT_PARTS`].
const SIGNIFICANT: &[&str] = &[
    "activation_sparsity_scale",
    "attn_logit_softcapping",
    "embedding_length_per_layer_input",
    "embedding_scale",
    "final_logit_softcapping",
    "full_attention_interval",
    "interleave_moe_layer_step",
    "leading_dense_block_count",
    "logit_scale",
    "moe_every_n_layers",
    "nextn_predict_layers",
    "rescale_every_n_layers",
    "residual_scale",
    "router_logit_softcapping",
    "swin_norm",
    "token_shift_count",
    "use_parallel_residual",
];
const SIGNIFICANT_PARTS: &[&str] = &["altup.", "attention.", "expert", "rope.", "ssm.", "swiglu_", "wkv."];

/// Significant by their names, but only said of a model, not computed with (or said twice).
const HARMLESS: &[&str] = &[
    "attention.key_length",
    "attention.layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon",
    "attention.value_length",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.scaling.finetuned",
    "rope.scaling.original_context_length",
];

/// Metadata on their way to a configuration.
pub(super) struct Keys<'a> {
    file: &'a GgufFile,
    architecture: &'a str,
    config: Map<String, Value>,
    /// Keys of the configuration, and those of the file that they came from.
    origins: Vec<(String, String)>,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Keys<'a> {
    pub(super) fn new(file: &'a GgufFile, architecture: &'a str) -> Self {
        Self { file, architecture, config: Map::new(), origins: Vec::new(), used: RefCell::default() }
    }
    /// The file.
    pub(super) fn file(&self) -> &'a GgufFile {
        self.file
    }
    /// Whether the file has a tensor.
    pub(super) fn has(&self, tensor: &str) -> bool {
        self.file.contains(tensor)
    }
    /// A key in full.
    fn full(&self, key: &str) -> String {
        self.used.borrow_mut().insert(key.to_string());
        format!("{}.{key}", self.architecture)
    }
    /// An error about a key.
    pub(super) fn error(&self, key: &str, message: impl std::fmt::Display) -> Error {
        Error::model(self.file.path(), format!("key `{}.{key}`: {message}", self.architecture))
    }

    /// A number, if set.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>> {
        match self.file.meta_f64(&self.full(key))? {
            Some(v) if !v.is_finite() => Err(self.error(key, format!("must be finite, is {v}"))),
            number => Ok(number),
        }
    }
    /// A non-negative integer, if set.
    pub(super) fn integer(&self, key: &str) -> Result<Option<usize>> {
        Ok(self.file.meta_u64(&self.full(key))?.map(|n| usize::try_from(n).unwrap_or(usize::MAX)))
    }
    /// A size that must be there.
    pub(super) fn size(&self, key: &str) -> Result<usize> {
        let most = if key == "block_count" { MAX_LAYERS } else { MAX_SIZE };
        let n = usize::try_from(self.file.require_u64(&self.full(key))?).unwrap_or(usize::MAX);
        possible(n, most).map_err(|m| self.error(key, m))
    }
    /// A truth value, if set.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>> {
        self.file.meta_bool(&self.full(key))
    }
    /// Text, if set.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>> {
        self.file.meta_str(&self.full(key))
    }
    /// Says that a key needs no attention.
    pub(super) fn ignore(&self, key: &str) {
        self.full(key);
    }

    /// Sets a key of the configuration.
    pub(super) fn set(&mut self, to: &str, value: impl Into<Value>) {
        self.config.insert(to.to_string(), value.into());
    }
    /// Sets a key of an object in the configuration.
    pub(super) fn set_in(&mut self, object: &str, key: &str, value: impl Into<Value>) {
        if let Some(Value::Object(map)) = self.config.get_mut(object) {
            map.insert(key.to_string(), value.into());
        }
    }
    /// A size that has been set.
    pub(super) fn get(&self, to: &str) -> usize {
        self.config.get(to).and_then(Value::as_u64).unwrap_or_default() as usize
    }
    /// Sets a key of the configuration and says where it came from, for errors.
    pub(super) fn set_from(&mut self, from: &str, to: &str, value: impl Into<Value>) {
        self.origin(from, to);
        self.set(to, value);
    }
    /// Says where a key of the configuration came from; objects are parted by points.
    pub(super) fn origin(&mut self, from: &str, to: &str) {
        self.origins.push((to.to_string(), format!("{}.{from}", self.architecture)));
    }
    /// A size that must be there, under another name.
    pub(super) fn copy_size(&mut self, from: &str, to: &str) -> Result<usize> {
        let n = self.size(from)?;
        self.set_from(from, to, n);
        Ok(n)
    }
    /// A number, if set, under another name.
    pub(super) fn copy_number(&mut self, from: &str, to: &str) -> Result<Option<f64>> {
        let number = self.number(from)?;
        if let Some(v) = number {
            self.set_from(from, to, v);
        }
        Ok(number)
    }
    /// A number that must be there, under another name.
    pub(super) fn copy_required(&mut self, from: &str, to: &str) -> Result<f64> {
        self.copy_number(from, to)?
            .ok_or_else(|| self.error(from, "is missing; the file is incomplete, convert the model again"))
    }

    /// The window, where the file has one.
    pub(super) fn window(&self) -> Result<Option<usize>> {
        Ok(self.integer("attention.sliding_window")?.filter(|n| *n > 0))
    }
    /// Which layers see a window only: as the file says (a truth value for each layer, or every how many layers one does not),
    /// else all but every `period`-th; written as `layer_types`. Without a window, none.
    pub(super) fn sliding_layers(&mut self, window: Option<usize>, period: usize) -> Result<()> {
        const KEY: &str = "attention.sliding_window_pattern";
        let layers = self.get("num_hidden_layers");
        let every = |period: usize| (0..layers).map(|i| period == 0 || i % period < period - 1).collect::<Vec<_>>();
        let value = self.file.metadata().get(&self.full(KEY));
        let sliding = match value {
            _ if window.is_none() => vec![false; layers],
            None => every(period),
            Some(GgufValue::List(list)) => {
                let entry = |v: &GgufValue| match v {
                    GgufValue::Bool(b) => Some(*b),
                    other => other.as_u64().map(|n| n != 0),
                };
                let list: Option<Vec<bool>> = list.iter().map(entry).collect();
                let list = list.ok_or_else(|| self.error(KEY, "must be a list of truth values"))?;
                if list.len() != layers {
                    return Err(self.error(KEY, format!("has {} entries for {layers} layers", list.len())));
                }
                list
            }
            Some(other) => every(
                other
                    .as_u64()
                    .ok_or_else(|| self.error(KEY, format!("is {}, not an integer or a list", other.kind())))?
                    as usize,
            ),
        };
        let kind = |sliding: bool| if sliding { "sliding_attention" } else { "full_attention" };
        self.set_from(KEY, "layer_types", json!(sliding.into_iter().map(kind).collect::<Vec<_>>()));
        self.set_from("attention.sliding_window", "sliding_window", window);
        Ok(())
    }

    /// Refuses what was not asked for and changes the result; then the configuration.
    pub(super) fn finish(self) -> Result<Config> {
        let prefix = format!("{}.", self.architecture);
        for (key, value) in self.file.metadata() {
            let Some(key) = key.strip_prefix(&prefix) else { continue };
            let significant = SIGNIFICANT.contains(&key) || SIGNIFICANT_PARTS.iter().any(|p| key.starts_with(p));
            if significant && !HARMLESS.contains(&key) && !self.used.borrow().contains(key) && !neutral(key, value) {
                return Err(self.error(
                    key,
                    format!("{} is not supported in GGUF files of `{}`", shown(value), self.architecture),
                ));
            }
        }
        Ok(Config::from_map(self.file.path(), self.config, self.origins))
    }
}

/// Whether a value says that the feature is off.
fn neutral(key: &str, value: &GgufValue) -> bool {
    match value {
        GgufValue::Bool(b) => *b == (key == "attention.causal"),
        GgufValue::Text(text) => text.is_empty() || text == "none",
        GgufValue::Texts(list) => list.is_empty(),
        GgufValue::List(list) => list.iter().all(|v| neutral(key, v)),
        number => number.as_f64().is_some_and(|v| v == 0.0 || (v == 1.0 && key.ends_with("_scale"))),
    }
}

/// A value in a message.
fn shown(value: &GgufValue) -> String {
    match value {
        GgufValue::Bool(b) => b.to_string(),
        GgufValue::Text(text) => format!("`{text}`"),
        GgufValue::Texts(_) | GgufValue::List(_) => value.kind().to_string(),
        number => number.as_f64().unwrap_or(f64::NAN).to_string(),
    }
}
