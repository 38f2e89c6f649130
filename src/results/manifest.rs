//! `manifest.json`: what decides a run's numbers, and what is only on record.
//!
//! `scores` is digested and compared: results under different `scores` are never mixed. `environment` says where and
//! how the numbers were made; two runs that differ only there must agree.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::norm::Norm;
use crate::{Error, Result};

/// A run's identity and circumstances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// All that decides the numbers.
    pub scores: ScoreSettings,
    /// Recorded, never compared.
    pub environment: Environment,
}

/// All that decides the numbers of a run. Digests are lower-case hexadecimal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreSettings {
    /// Version of llscore.
    pub version: String,
    /// Model as named by the user: Hub id, folder or file.
    pub model: String,
    /// Resolved revision (commit) where there is one.
    pub revision: Option<String>,
    /// Digest of the weights: headers, sizes and sampled blocks, or the Hub's etag.
    pub weights: String,
    /// Family, as config.json's `model_type` or GGUF's `general.architecture`.
    pub architecture: String,
    /// blake3 of the decoder as config.json, or a GGUF's metadata, describe it: sizes, norms, rope, activation, windows.
    pub decoder: String,
    /// Type of the numbers computed with: `f32`, `f16`, `bf16`.
    pub dtype: String,
    /// Kind of device: `cpu`, `cuda`, `metal`.
    pub device: String,
    /// Digest of the tokenizer.
    pub tokenizer: String,
    /// BOS policy: `auto`, `always`, `never`.
    pub bos: String,
    /// Ids put before every text.
    pub bos_ids: Vec<u32>,
    /// The id that an empty context is given to predict from; none if there is none.
    pub empty_context: Option<u32>,
    /// Whether the text of a special token inside an item is parsed as that token.
    pub parse_special: bool,
    /// Name or digest of the prompt template.
    pub template: String,
    /// blake3 of the chat template's text, if one is applied. What else decides its output is in `template`.
    pub chat_template: Option<String>,
    /// The date that the chat template is told, if any, as `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_date: Option<String>,
    /// What stands between context and ending.
    pub delimiter: String,
    /// What happens to an over-long item: `error`, `left`, `skip`.
    pub truncate: String,
    /// Longest request in tokens; none where the model has no limit.
    pub max_length: Option<usize>,
    /// The data files, in order.
    pub data: Vec<DataDigest>,
    /// Which of their items are scored.
    pub select: Selection,
    /// The examples before each item; none for zero-shot.
    pub shots: Option<Shots>,
    /// Whether unconditional scores are taken.
    pub pmi: bool,
    /// Whether samples carry token ids and their log-probabilities.
    pub log_tokens: bool,
}

/// A data file's content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DataDigest {
    /// File name without its folder; `-` for standard input. On record only: it is not compared.
    pub file: String,
    /// blake3 of the bytes.
    pub blake3: String,
    /// Number of items in the file.
    pub items: usize,
}

impl DataDigest {
    /// The digest of a file's `bytes`, which hold `items` items.
    pub fn of(path: &Path, bytes: &[u8], items: usize) -> Self {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        DataDigest { file, blake3: blake3::hash(bytes).to_hex().to_string(), items }
    }
}

/// Which items of the data are scored; a shard is a part of these and is no part of the identity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// Tasks asked for; empty for all.
    pub task: Vec<String>,
    /// Variants asked for; empty for all.
    pub variant: Vec<String>,
    /// The first so many items; none for all.
    pub limit: Option<usize>,
}

/// Where the examples before each item come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shots {
    /// Examples an item, ≥ 1.
    pub count: usize,
    /// Seed of the draw.
    pub seed: u64,
    /// The files they are drawn from.
    pub from: Vec<DataDigest>,
}

/// Where and how a run was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The norm of the headline accuracy: every sample is ranked by all norms.
    pub norm: Norm,
    /// Type of the numbers asked for, before the device had its say.
    pub dtype: String,
    /// `resident` or `stream`.
    pub weights: String,
    /// Tokens a pack.
    pub token_budget: usize,
    /// Threads used.
    pub threads: usize,
    /// `I/N`, where the run is one shard of several.
    pub shard: Option<String>,
    /// Where the chat template was found, if one is applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_template: Option<String>,
    /// The device's name.
    pub device: String,
    /// git hash of the source, with `-dirty` where it was changed; none outside a checkout.
    pub git: Option<String>,
    /// Cargo features that change what is computed with.
    pub features: Vec<String>,
    /// The machine.
    pub host: Host,
}

/// Facts about the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Operating system.
    pub os: String,
    /// Instruction set.
    pub arch: String,
    /// Processor, where known.
    pub cpu: Option<String>,
    /// Logical cores.
    pub cores: usize,
    /// Memory in bytes.
    pub memory: u64,
}

impl Manifest {
    /// blake3 of `scores` (without the names of data files) as JSON with sorted keys and no spaces, in lower-case
    /// hexadecimal.
    ///
    /// # Errors
    /// [`Error::Usage`] where the settings cannot be serialised; none in practice.
    pub fn digest(&self) -> Result<String> {
        let canonical = sorted(to_value(&self.scores)?).to_string();
        Ok(blake3::hash(canonical.as_bytes()).to_hex().to_string())
    }

    /// The settings in `scores` that differ from an earlier run's, as `name: old → new`, names dotted; empty where the
    /// runs may share a folder.
    ///
    /// # Errors
    /// As [`Manifest::digest`].
    pub fn differences(&self, earlier: &Manifest) -> Result<Vec<String>> {
        let mut found = Vec::new();
        compare("", &to_value(&earlier.scores)?, &to_value(&self.scores)?, &mut found);
        Ok(found)
    }

    /// The folder of a run without `--output`: `runs/<model>/<first 8 digits of the digest>`, with `-IofN` for a shard,
    /// so that shards of one run do not meet.
    ///
    /// # Errors
    /// As [`Manifest::digest`].
    pub fn default_folder(&self) -> Result<PathBuf> {
        let mut name = self.digest()?[..8].to_string();
        if let Some(shard) = &self.environment.shard {
            name.push('-');
            name.push_str(&shard.replace('/', "of"));
        }
        Ok(Path::new("runs").join(path_name(&self.scores.model)).join(name))
    }
}

/// A model's name as one path component: what is neither ASCII letter, digit, `.`, `_` nor `-` becomes `_`, path separators
/// become `__`, leading separators and dots go, and 100 characters stay. `org/name` becomes `org__name`.
pub fn path_name(model: &str) -> String {
    let mut name = String::new();
    for part in model.split(['/', '\\']).filter(|p| !p.is_empty() && *p != "." && *p != "..") {
        if !name.is_empty() {
            name.push_str("__");
        }
        name.extend(
            part.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '_' }),
        );
    }
    let name: String = name.trim_start_matches('.').chars().take(100).collect();
    if name.is_empty() { "model".to_string() } else { name }
}

/// The settings as JSON, without the names of data files: the same bytes under another name give the same numbers.
fn to_value(settings: &ScoreSettings) -> Result<Value> {
    let mut value = serde_json::to_value(settings)
        .map_err(|e| Error::usage(format!("the run's settings cannot be written: {e}")))?;
    for files in ["/data", "/shots/from"] {
        let files = value.pointer_mut(files).and_then(Value::as_array_mut).into_iter().flatten();
        files.filter_map(Value::as_object_mut).for_each(|file| drop(file.remove("file")));
    }
    Ok(value)
}

/// The same value with the keys of every object in byte order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.into_iter().map(|(k, v)| (k, sorted(v))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}

/// Collects `path: old → new` for every leaf that differs.
fn compare(path: &str, old: &Value, new: &Value, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|k| !a.contains_key(*k)));
            for key in keys {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(&inner, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() && a.iter().chain(b).all(Value::is_object) => {
            for (index, (x, y)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}[{index}]"), x, y, found);
            }
        }
        _ if old == new => {}
        _ => found.push(format!("{path}: {old} → {new}")),
    }
}
