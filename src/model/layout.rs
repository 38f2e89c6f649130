//! What the files of a HuggingFace model are called, and what to say when one is not there. The same judgement serves
//! a folder on disk and the list of files of a Hub repository, before anything is downloaded.

use crate::tokenize::{load, merges};

/// The model's description.
pub const CONFIG: &str = "config.json";
/// The tokenizer, in the `tokenizers` library's own format; what is missing is called by this name.
pub const TOKENIZER: &str = load::TOKENIZER;
/// Unsharded weights.
pub const WEIGHTS: &str = "model.safetensors";
/// The index of sharded weights.
pub const WEIGHTS_INDEX: &str = "model.safetensors.index.json";
/// Small files that are used where they exist: special tokens and the chat template.
pub const OPTIONAL: [&str; 3] = ["tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja"];
/// The files of a tokenizer that is not a [`TOKENIZER`]; the last may be absent.
pub const TOKENIZER_PARTS: [&str; 3] = [merges::VOCABULARY, merges::MERGES, merges::ADDED];

/// A file that a model needs and lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub file: &'static str,
    /// The end of the sentence that begins with the folder's or repository's name.
    pub message: String,
}

/// What a list of file names amounts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The file that leads to the weights: [`WEIGHTS`] or [`WEIGHTS_INDEX`].
    pub weights: Option<&'static str>,
    /// The file that leads to the tokenizer: [`TOKENIZER`], or the first of [`TOKENIZER_PARTS`].
    pub tokenizer: Option<&'static str>,
    /// What is missing, in the order in which it matters.
    pub missing: Vec<Missing>,
}

/// Judges the names of a folder's (or repository's) files. With `tokenizer_given` no tokenizer is asked for.
pub fn survey(names: &[String], tokenizer_given: bool) -> Survey {
    let has = |name: &str| names.iter().any(|n| n == name);
    let weights = [WEIGHTS, WEIGHTS_INDEX].into_iter().find(|name| has(name));
    let mut missing = Vec::new();
    if !has(CONFIG) {
        missing.push(Missing { file: CONFIG, message: no_config(names) });
    }
    if weights.is_none() {
        missing.push(Missing { file: WEIGHTS, message: no_weights(names) });
    }
    let tokenizer = load::tokenizer_in(has);
    if tokenizer.is_none() && !tokenizer_given {
        missing.push(Missing { file: TOKENIZER, message: load::missing_tokenizer(has) });
    }
    Survey { weights, tokenizer, missing }
}

fn with_ending<'a>(names: &'a [String], endings: &[&str]) -> Vec<&'a str> {
    let mut found: Vec<&str> =
        names.iter().map(String::as_str).filter(|n| endings.iter().any(|e| n.ends_with(e))).collect();
    found.sort_unstable();
    found
}

fn no_config(names: &[String]) -> String {
    match with_ending(names, &[".gguf"]).first() {
        Some(file) => format!("has no config.json but GGUF files; give the path of one on disk, `--model …/{file}`"),
        None => "has no config.json, so it is not a HuggingFace model folder; check the path".into(),
    }
}

fn no_weights(names: &[String]) -> String {
    if let Some(file) = with_ending(names, &[".gguf"]).first() {
        return format!("has no model.safetensors but GGUF files; give the path of one on disk, `--model …/{file}`");
    }
    if let Some(file) = with_ending(names, &[".safetensors"]).first() {
        return format!(
            "has neither model.safetensors nor model.safetensors.index.json, only {file}; if that is a shard, fetch \
             the index file too, and if it is an adapter, merge it into its base model first"
        );
    }
    if let Some(file) = with_ending(names, &[".bin", ".pt", ".pth", ".h5", ".msgpack", ".ckpt"]).first() {
        return format!(
            "has no safetensors, only {file}, a format that is not supported; convert it in Python: \
             `transformers.AutoModelForCausalLM.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)`"
        );
    }
    "has no weights (model.safetensors, or model.safetensors.index.json and its shards); download them".into()
}
