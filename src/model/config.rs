//! Reading config.json: typed values by key, with errors that name file and key.
//!
//! Absent, null and false are three different things in these files; the getters keep them apart, and a family states its
//! own defaults.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::spec::Activation;
use crate::{Error, Result};

/// Larger than any dimension of any model: products of two do not overflow.
pub const MAX_SIZE: usize = 1 << 24;
/// Larger than any number of tokens: its product with a dimension does not overflow.
pub const MAX_COUNT: usize = 1 << 32;
/// More layers than any model has.
pub const MAX_LAYERS: usize = 10_000;

/// A size, if a model can have it.
///
/// # Errors
/// The end of a sentence that begins with the key.
pub fn possible(n: usize, most: usize) -> std::result::Result<usize, String> {
    match n {
        0 => Err("must not be zero".to_string()),
        n if n > most => Err(format!("{n} is more than any model has; the file is damaged")),
        n => Ok(n),
    }
}

/// A parsed config.json (or an object inside one).
#[derive(Clone, Debug)]
pub struct Config {
    file: PathBuf,
    at: String,
    map: Map<String, Value>,
    /// Keys and what they are called in the file, where they were made from something else.
    origins: Vec<(String, String)>,
}

impl Config {
    /// Reads a config.json.
    ///
    /// # Errors
    /// [`Error::Model`] for a missing file, broken JSON, or JSON that is no object.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| Error::model(file, format!("cannot read: {e}")))?;
        Self::parse(file, &text)
    }

    /// Parses the text of a config.json; `file` is for messages.
    ///
    /// # Errors
    /// As [`Config::read`].
    pub fn parse(file: &Path, text: &str) -> Result<Self> {
        match serde_json::from_str(text).or_else(|e| serde_json::from_str(&quote_non_finite(text)).map_err(|_| e)) {
            Ok(Value::Object(map)) => {
                Ok(Self { file: file.to_path_buf(), at: String::new(), map, origins: Vec::new() })
            }
            Ok(_) => Err(Error::model(file, "must hold a JSON object")),
            Err(e) => Err(Error::model(file, format!("broken JSON: {e}"))),
        }
    }

    /// A configuration that was made from a file of another kind; `origins` are keys (those of objects within after a point)
    /// and what they are called in that file, for messages.
    pub fn from_map(file: &Path, map: Map<String, Value>, origins: Vec<(String, String)>) -> Self {
        Self { file: file.to_path_buf(), at: String::new(), map, origins }
    }

    /// An error about a key of this object.
    pub fn error(&self, key: &str, message: impl std::fmt::Display) -> Error {
        let key = format!("{}{key}", self.at);
        let shown = self.origins.iter().find(|(to, _)| *to == key).map_or(key.as_str(), |(_, from)| from);
        Error::model(&self.file, format!("key `{shown}`: {message}"))
    }

    /// An error about values that do not go together.
    pub fn contradiction(&self, message: impl Into<String>) -> Error {
        Error::model(&self.file, message)
    }

    /// The value of a key; `None` where it is absent or null.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|v| !v.is_null())
    }

    /// Whether the key is there, be it null.
    pub fn has(&self, key: &str) -> bool {
        self.map.contains_key(key)
    }

    /// The first of several keys that is set.
    pub fn first<'k>(&self, keys: &[&'k str]) -> Option<&'k str> {
        keys.iter().copied().find(|k| self.get(k).is_some())
    }

    /// A nested object.
    ///
    /// # Errors
    /// If the value is no object.
    pub fn object(&self, key: &str) -> Result<Option<Config>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Config {
                file: self.file.clone(),
                at: format!("{}{key}.", self.at),
                map: map.clone(),
                origins: self.origins.clone(),
            })),
            Some(_) => Err(self.error(key, "must be an object")),
        }
    }

    /// A non-negative integer of no more than [`MAX_COUNT`], if set.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn opt_usize(&self, key: &str) -> Result<Option<usize>> {
        self.get(key)
            .map(|v| {
                let whole = v.as_f64().filter(|f| f.fract() == 0.0 && (0.0..9e15).contains(f)).map(|f| f as u64);
                v.as_u64()
                    .or(whole)
                    .and_then(|n| usize::try_from(n).ok())
                    .filter(|n| *n <= MAX_COUNT)
                    .ok_or_else(|| self.error(key, format!("must be an integer from 0 to {MAX_COUNT}, is {v}")))
            })
            .transpose()
    }

    /// A positive size that must be there.
    ///
    /// # Errors
    /// If it is absent, null, zero, larger than any model has, or something else.
    pub fn usize(&self, key: &str) -> Result<usize> {
        match self.opt_usize(key)? {
            Some(n) => self.size(key, n),
            None => Err(self.error(key, "is missing")),
        }
    }

    /// A positive size, or the family's default where the key is absent or null; without a default it must be there.
    ///
    /// # Errors
    /// As [`Config::usize`].
    pub fn usize_or(&self, key: &str, default: impl Into<Option<usize>>) -> Result<usize> {
        match default.into() {
            Some(n) if self.get(key).is_none() => Ok(n),
            _ => self.usize(key),
        }
    }

    /// A size that follows from a key's, if a model can have it.
    ///
    /// # Errors
    /// If it is zero or larger than any model has.
    pub fn size(&self, key: &str, n: usize) -> Result<usize> {
        possible(n, MAX_SIZE).map_err(|m| self.error(key, m))
    }

    /// The number of layers, which must be there.
    ///
    /// # Errors
    /// As [`Config::usize`].
    pub fn layers(&self, key: &str) -> Result<usize> {
        possible(self.usize(key)?, MAX_LAYERS).map_err(|m| self.error(key, m))
    }

    /// A number, if set.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn opt_f64(&self, key: &str) -> Result<Option<f64>> {
        self.get(key)
            .map(|v| v.as_f64().ok_or_else(|| self.error(key, format!("must be a number, is {v}"))))
            .transpose()
    }

    /// A number, or the family's default.
    ///
    /// # Errors
    /// As [`Config::opt_f64`].
    pub fn f64_or(&self, key: &str, default: f64) -> Result<f64> {
        Ok(self.opt_f64(key)?.unwrap_or(default))
    }

    /// A boolean, or the family's default.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn bool_or(&self, key: &str, default: bool) -> Result<bool> {
        match self.get(key) {
            None => Ok(default),
            Some(v) => v.as_bool().ok_or_else(|| self.error(key, format!("must be true or false, is {v}"))),
        }
    }

    /// A string, if set.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn opt_str(&self, key: &str) -> Result<Option<&str>> {
        self.get(key)
            .map(|v| v.as_str().ok_or_else(|| self.error(key, format!("must be a string, is {v}"))))
            .transpose()
    }

    /// A list of strings, if set.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn opt_strings(&self, key: &str) -> Result<Option<Vec<String>>> {
        let Some(v) = self.get(key) else { return Ok(None) };
        let list: Option<Vec<String>> =
            v.as_array().and_then(|a| a.iter().map(|s| s.as_str().map(str::to_string)).collect());
        list.map(Some).ok_or_else(|| self.error(key, format!("must be a list of strings, is {v}")))
    }

    /// A list of numbers, if set; infinities as transformers 5 writes them.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn opt_numbers(&self, key: &str) -> Result<Option<Vec<f64>>> {
        let Some(v) = self.get(key) else { return Ok(None) };
        let list: Option<Vec<f64>> = v.as_array().and_then(|a| a.iter().map(extended).collect());
        list.map(Some).ok_or_else(|| self.error(key, "must be a list of numbers"))
    }

    /// A list of non-negative integers, if set.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn opt_sizes(&self, key: &str) -> Result<Option<Vec<usize>>> {
        let Some(v) = self.get(key) else { return Ok(None) };
        let size = |v: &Value| v.as_u64().and_then(|n| usize::try_from(n).ok());
        let list: Option<Vec<usize>> = v.as_array().and_then(|a| a.iter().map(size).collect());
        list.map(Some).ok_or_else(|| self.error(key, "must be a list of non-negative integers"))
    }

    /// Refuses a key whose value is not the one that is computed.
    ///
    /// # Errors
    /// If the key is set to something else than `computed`; `why` says what is not supported.
    pub fn only(&self, key: &str, computed: bool, why: &str) -> Result<()> {
        if self.bool_or(key, computed)? == computed { Ok(()) } else { Err(self.error(key, why)) }
    }

    /// The activation under a key, or the family's default.
    ///
    /// # Errors
    /// If the name is not one that llscore has.
    pub fn activation(&self, key: &str, default: Activation) -> Result<Activation> {
        let Some(name) = self.opt_str(key)? else { return Ok(default) };
        match name {
            "silu" | "swish" => Ok(Activation::Silu),
            "gelu" | "gelu_python" => Ok(Activation::GeluErf),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" | "gelu_accurate" | "gelu_python_tanh" => {
                Ok(Activation::GeluTanh)
            }
            "quick_gelu" => Ok(Activation::QuickGelu),
            "relu" => Ok(Activation::Relu),
            "relu2" => Ok(Activation::Relu2),
            other => Err(self.error(
                key,
                format!(
                    "activation `{other}` is not supported (silu, gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, \
                     quick_gelu, relu and relu2 are)"
                ),
            )),
        }
    }

    /// Refuses settings that change the result and that no family here computes.
    ///
    /// # Errors
    /// Naming the key.
    pub fn refuse_unsupported(&self) -> Result<()> {
        if let Some(quantization) = self.object("quantization_config")? {
            let method = quantization.opt_str("quant_method")?.unwrap_or("unknown");
            return Err(self.error(
                "quantization_config",
                format!(
                    "weights quantised by `{method}` are not supported; use the unquantised checkpoint or a GGUF file"
                ),
            ));
        }
        if self.bool_or("add_cross_attention", false)? {
            return Err(self.error("add_cross_attention", "cross-attention is not supported"));
        }
        if self.bool_or("is_encoder_decoder", false)? {
            return Err(self.error("is_encoder_decoder", "encoder-decoder models are not supported"));
        }
        Ok(())
    }
}

/// What Python writes for numbers that JSON lacks.
const NON_FINITE: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// The text with such numbers, outside strings, as transformers 5 writes them: `{"__float__": "Infinity"}`.
fn quote_non_finite(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut inside) = (text, false);
    while let Some(c) = rest.chars().next() {
        if let Some(word) = NON_FINITE.iter().find(|w| !inside && rest.starts_with(**w)) {
            out.push_str(&format!("{{\"__float__\": \"{word}\"}}"));
            rest = &rest[word.len()..];
            continue;
        }
        // An escaped character is passed over together with its backslash.
        let n = c.len_utf8() + if inside && c == '\\' { rest[1..].chars().next().map_or(0, char::len_utf8) } else { 0 };
        inside ^= c == '"';
        out.push_str(&rest[..n]);
        rest = &rest[n..];
    }
    out
}

/// A number, be it one of those.
fn extended(value: &Value) -> Option<f64> {
    match value.get("__float__").and_then(Value::as_str) {
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        Some("NaN") => Some(f64::NAN),
        _ => value.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_lacks_are_read_as_python_writes_them() {
        let read = |text| Config::parse(Path::new("config.json"), text);
        for text in [
            r#"{"s": "a\\\"Infinity", "l": [0, Infinity]}"#,
            r#"{"s": "a\\\"Infinity", "l": [0.0, {"__float__": "Infinity"}]}"#,
        ] {
            let config = read(text).unwrap();
            assert_eq!(config.opt_numbers("l").unwrap(), Some(vec![0.0, f64::INFINITY]));
            assert_eq!(config.opt_str("s").unwrap(), Some("a\\\"Infinity"));
        }
        assert!(read(r#"{"x": Infinite}"#).unwrap_err().to_string().contains("broken JSON"));
        // The place is that of the text as it is.
        assert!(read(r#"{"x": [Infinity}"#).unwrap_err().to_string().contains("column 8"));
    }
}
