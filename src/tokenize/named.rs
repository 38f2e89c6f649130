//! The files beside a tokenizer, and the names that they give to special tokens.
//!
//! As transformers 5 reads them: `tokenizer_config.json`; over it `special_tokens_map.json`, unless the former lists its
//! `added_tokens_decoder`; then what the tokenizer's class has by default; and, which is llscore's own, the ids that
//! `config.json` gives.

use std::path::Path;

use serde_json::{Map, Value};

use crate::{Error, Result};

/// The names that every tokenizer may have, in the order in which transformers goes through them.
const NAMES: [&str; 7] = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/// How a special token is named.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Name {
    /// No file says anything.
    Unsaid,
    /// A file says that there is none, or the tokenizer's class has none.
    Absent,
    /// A file gives this: text, or an object with `content`.
    Token(Value),
    /// The tokenizer's class has it so; or, if the tokenizer lacks that token, `config.json` gives this id.
    Default(&'static str, Option<u32>),
    /// `config.json` gives its id.
    Id(u32),
}

/// The kinds of byte-level BPE that transformers' classes make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// GPT-2's cut (`GPT2Tokenizer`, `CodeGenTokenizer`, `WhisperTokenizer`).
    Gpt2,
    /// GPT-2's cut of NFC text.
    GptNeoX,
    /// Qwen 2's cut of NFC text.
    Qwen2,
    /// Digits one by one, then GPT-2's cut, of NFC text.
    Cohere,
}

impl Class {
    /// The class of that name.
    fn by_name(name: &str) -> Option<Self> {
        match name.strip_suffix("Fast").unwrap_or(name) {
            "GPT2Tokenizer" | "CodeGenTokenizer" | "WhisperTokenizer" => Some(Class::Gpt2),
            "GPTNeoXTokenizer" => Some(Class::GptNeoX),
            "Qwen2Tokenizer" => Some(Class::Qwen2),
            "CohereTokenizer" => Some(Class::Cohere),
            _ => None,
        }
    }

    /// The class that a family of models has where no file names one.
    fn by_family(model_type: &str) -> Option<Self> {
        match model_type {
            "gpt2" | "gpt_neo" | "gptj" | "codegen" | "opt" | "phi" | "starcoder2" | "jais2" | "dbrx" => {
                Some(Class::Gpt2)
            }
            "gpt_neox" | "mpt" | "olmo" | "olmoe" | "mamba" | "mamba2" | "falcon_mamba" | "rwkv" => {
                Some(Class::GptNeoX)
            }
            "qwen2" | "qwen2_moe" | "qwen3" | "qwen3_moe" | "qwen3_next" => Some(Class::Qwen2),
            "cohere" | "cohere2" => Some(Class::Cohere),
            _ => None,
        }
    }

    /// A special token that it has by default.
    fn default(self, name: &str) -> Option<&'static str> {
        let end = "<|endoftext|>";
        match (self, name) {
            (Class::Gpt2 | Class::GptNeoX, "bos_token" | "eos_token" | "unk_token") => Some(end),
            (Class::GptNeoX, "pad_token") => Some("<|padding|>"),
            (Class::Qwen2, "eos_token" | "unk_token" | "pad_token") => Some(end),
            (Class::Cohere, "bos_token") => Some("<BOS_TOKEN>"),
            (Class::Cohere, "eos_token") => Some("<|END_OF_TURN_TOKEN|>"),
            (Class::Cohere, "unk_token") => Some("<UNK>"),
            (Class::Cohere, "pad_token") => Some("<PAD>"),
            (Class::Cohere, "cls_token") => Some("<CLS>"),
            (Class::Cohere, "sep_token") => Some("<SEP>"),
            (Class::Cohere, "mask_token") => Some("<MASK_TOKEN>"),
            _ => None,
        }
    }
}

/// The files beside a tokenizer, as far as they are there.
#[derive(Clone, Debug, Default)]
pub(super) struct SideFiles {
    config: Map<String, Value>,
    map: Map<String, Value>,
    model: Map<String, Value>,
    /// `added_tokens.json`: token to id.
    pub(super) added: Map<String, Value>,
    /// The class that is taken where the files name none that is known.
    assumed: Option<Class>,
}

impl SideFiles {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let config = object(&folder.join("tokenizer_config.json"))?;
        let legacy = !config.contains_key("added_tokens_decoder");
        let if_legacy = |name: &str| if legacy { object(&folder.join(name)) } else { Ok(Map::new()) };
        let (map, added) = (if_legacy("special_tokens_map.json")?, if_legacy("added_tokens.json")?);
        Ok(SideFiles { config, map, model: object(&folder.join("config.json"))?, added, assumed: None })
    }

    /// What the tokenizer's own files say of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key).or_else(|| self.config.get(key))
    }

    /// `add_bos_token` of `tokenizer_config.json`.
    pub(super) fn add_bos(&self) -> Option<bool> {
        self.config.get("add_bos_token").and_then(Value::as_bool)
    }

    /// The name of the tokenizer's class, if a file gives one.
    pub(super) fn class_name(&self) -> Option<&str> {
        [&self.config, &self.model].into_iter().find_map(|file| file.get("tokenizer_class")?.as_str())
    }

    /// The tokenizer's class, by its name, else by the model's family.
    pub(super) fn class(&self) -> Option<Class> {
        let said = match self.class_name() {
            Some(name) => Class::by_name(name),
            None => self.model.get("model_type").and_then(Value::as_str).and_then(Class::by_family),
        };
        said.or(self.assumed)
    }

    /// Takes the tokenizer for one of this class if the files name none that is known.
    pub(super) fn assume(&mut self, class: Class) {
        self.assumed = Some(class);
    }

    /// How the token called `name` is given; `id` is what `config.json` calls its id.
    pub(super) fn special(&self, name: &str, id: &str) -> Name {
        match self.get(name) {
            Some(Value::Null) => return Name::Absent,
            Some(value) if token_text(value).is_some() => return Name::Token(value.clone()),
            _ => {}
        }
        let of = |file: &Map<String, Value>| match file.get(id) {
            Some(Value::Array(ids)) => ids.first().and_then(Value::as_u64),
            Some(value) => value.as_u64(),
            None => None,
        };
        let inner = || self.model.get("text_config").and_then(Value::as_object).and_then(of);
        let id = of(&self.model).or_else(inner).and_then(|id| u32::try_from(id).ok());
        match (self.class().map(|class| class.default(name)), id) {
            (Some(Some(token)), id) => Name::Default(token, id),
            (Some(None), _) => Name::Absent,
            (None, Some(id)) => Name::Id(id),
            (None, None) => Name::Unsaid,
        }
    }

    /// The names of special tokens and their texts, the common names first.
    pub(super) fn named(&self) -> Vec<(String, String)> {
        self.specials().into_iter().filter_map(|(name, value)| Some((name, token_text(&value)?.to_string()))).collect()
    }

    /// The same as they are given: text, or an object with `content`.
    pub(super) fn specials(&self) -> Vec<(String, Value)> {
        let class = self.class();
        let others = self.config.keys().chain(self.map.keys()).filter(|name| name.ends_with("_token"));
        let mut found: Vec<(String, Value)> = Vec::new();
        for name in NAMES.into_iter().chain(others.map(String::as_str)) {
            if found.iter().any(|(known, _)| known == name) {
                continue;
            }
            match self.get(name) {
                Some(value) if token_text(value).is_some() => found.push((name.to_string(), value.clone())),
                Some(_) => {}
                None => {
                    let default = class.and_then(|class| class.default(name));
                    found.extend(default.map(|token| (name.to_string(), Value::from(token))));
                }
            }
        }
        found
    }
}

/// The text of a token given as text, or as an object with its `content`.
pub(super) fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("content")?.as_str())
}

/// A file's object; empty where there is no such file.
fn object(file: &Path) -> Result<Map<String, Value>> {
    if !file.exists() {
        return Ok(Map::new());
    }
    let bytes = std::fs::read(file).map_err(|e| Error::model(file, format!("cannot read: {e}")))?;
    serde_json::from_slice(&bytes).map_err(|e| Error::model(file, format!("broken JSON: {e}")))
}
