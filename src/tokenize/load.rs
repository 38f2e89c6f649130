//! Tokenizer files: `tokenizer.json`, and beside it the files that name BOS and EOS.
//!
//! Whether a BOS is added is read from `tokenizer.json` alone (its post-processor), as transformers 5 does:
//! `add_bos_token` in `tokenizer_config.json` has no effect there. Where the two disagree the encoder carries a note.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokenizers::{AddedToken, Tokenizer};

use super::guard::guarded;
use super::specials::{EncodeOptions, SpecialIds, Template};
use super::{BosPolicy, TextEncoder};
use crate::{Error, Result};

impl TextEncoder {
    /// Reads the tokenizer of a model folder, or of an explicit `tokenizer.json` (any name), with the files beside it.
    ///
    /// BOS and EOS are named by `tokenizer_config.json`, else by `special_tokens_map.json`, else by the ids in
    /// `config.json`; where the first says `null` there is none.
    ///
    /// # Errors
    /// [`Error::Model`] naming the file: missing, broken, or of a kind that must be converted first; [`Error::Usage`]
    /// for `--bos always` without a BOS token.
    pub fn load(path: &Path, options: EncodeOptions) -> Result<Self> {
        let (folder, file) = if path.is_dir() {
            (path.to_path_buf(), path.join("tokenizer.json"))
        } else {
            (path.parent().map(Path::to_path_buf).unwrap_or_default(), path.to_path_buf())
        };
        if !file.exists() {
            return Err(missing(&folder, &file));
        }
        let bytes = std::fs::read(&file).map_err(|e| Error::model(&file, format!("cannot read: {e}")))?;
        if bytes.starts_with(b"version https://git-lfs") {
            return Err(Error::model(&file, "is a Git LFS pointer, not the tokenizer; run `git lfs pull`"));
        }
        let read = guarded(|| Tokenizer::from_bytes(&bytes).map_err(|e| e.to_string()));
        let mut tokenizer = read.and_then(|tokenizer| tokenizer).map_err(|e| {
            Error::model(&file, format!("not a tokenizer file: {e}; fetch it again or name another with `--tokenizer`"))
        })?;

        let named = Named::read(&folder)?;
        let mut notes = Vec::new();
        let bos = named.bos.id(&tokenizer, "bos_token", &mut notes);
        let eos = named.eos.id(&tokenizer, "eos_token", &mut notes);
        if options.parse_special {
            // As transformers does: what is named as special is recognised in text even if it is not listed as added.
            let listed: Vec<AddedToken> = [bos, eos]
                .into_iter()
                .flatten()
                .filter(|id| !tokenizer.get_added_vocabulary().get_added_tokens_decoder().contains_key(id))
                .filter_map(|id| tokenizer.id_to_token(id))
                .map(|content| AddedToken::from(content, true))
                .collect();
            tokenizer.add_special_tokens(listed).map_err(|e| Error::model(&file, format!("tokenizer: {e}")))?;
        }
        if let (Some(asked), BosPolicy::Auto, Ok(template)) = (named.add_bos, options.bos, Template::of(&tokenizer))
            && asked == template.before.is_empty()
        {
            notes.push(format!(
                "tokenizer_config.json says `add_bos_token: {asked}` but tokenizer.json {} a BOS token; tokenizer.json \
                 decides, and `--bos {}` overrules it",
                if asked { "does not add" } else { "adds" },
                if asked { "always" } else { "never" },
            ));
        }
        let digest = blake3::hash(&bytes).to_hex().to_string();
        let mut encoder = Self::build(tokenizer, SpecialIds { bos, eos, add_bos: None }, &file, digest, options)?;
        for note in notes {
            encoder.note(note);
        }
        Ok(encoder.with_named_tokens(named.tokens))
    }
}

/// How a special token is named.
#[derive(Clone, Debug, PartialEq)]
enum Name {
    /// No file says anything.
    Unsaid,
    /// A file says that there is none.
    Absent,
    Token(String),
    Id(u32),
}

impl Name {
    fn id(&self, tokenizer: &Tokenizer, key: &str, notes: &mut Vec<String>) -> Option<u32> {
        match self {
            Name::Unsaid | Name::Absent => None,
            Name::Token(token) => {
                let id = tokenizer.token_to_id(token);
                if id.is_none() {
                    notes.push(format!("`{key}` is `{token}`, which tokenizer.json does not have; taken as none"));
                }
                id
            }
            Name::Id(id) => tokenizer.id_to_token(*id).is_some().then_some(*id),
        }
    }
}

struct Named {
    bos: Name,
    eos: Name,
    add_bos: Option<bool>,
    /// Names such as `bos_token`, with the tokens' texts.
    tokens: Vec<(String, String)>,
}

impl Named {
    fn read(folder: &Path) -> Result<Self> {
        let config = object(&folder.join("tokenizer_config.json"))?;
        let map = object(&folder.join("special_tokens_map.json"))?;
        let model = object(&folder.join("config.json"))?;
        let named = |token: &str, id: &str| {
            for file in [&config, &map].into_iter().flatten() {
                match file.get(token) {
                    Some(Value::Null) => return Name::Absent,
                    Some(value) => {
                        if let Some(text) = token_text(value) {
                            return Name::Token(text.to_string());
                        }
                    }
                    None => {}
                }
            }
            let of = |file: &Value| match file.get(id) {
                Some(Value::Array(ids)) => ids.first().and_then(Value::as_u64),
                Some(value) => value.as_u64(),
                None => None,
            };
            let id = model.as_ref().and_then(|m| of(m).or_else(|| m.get("text_config").and_then(of)));
            id.and_then(|id| u32::try_from(id).ok()).map_or(Name::Unsaid, Name::Id)
        };
        let mut tokens: Vec<(String, String)> = Vec::new();
        let mut silent = Vec::new();
        for (key, value) in [&config, &map].into_iter().flatten().filter_map(Value::as_object).flatten() {
            if !key.ends_with("_token") || silent.contains(&key) || tokens.iter().any(|(name, _)| name == key) {
                continue;
            }
            match token_text(value) {
                Some(text) => tokens.push((key.clone(), text.to_string())),
                None => silent.push(key),
            }
        }
        Ok(Named {
            bos: named("bos_token", "bos_token_id"),
            eos: named("eos_token", "eos_token_id"),
            add_bos: config.as_ref().and_then(|c| c.get("add_bos_token")).and_then(Value::as_bool),
            tokens,
        })
    }
}

/// The text of a token given as text, or as an object with its `content`.
fn token_text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("content")?.as_str())
}

fn object(file: &Path) -> Result<Option<Value>> {
    if !file.exists() {
        return Ok(None);
    }
    let bytes = std::fs::read(file).map_err(|e| Error::model(file, format!("cannot read: {e}")))?;
    serde_json::from_slice(&bytes).map(Some).map_err(|e| Error::model(file, format!("broken JSON: {e}")))
}

fn missing(folder: &Path, file: &Path) -> Error {
    let here = |name: &str| folder.join(name).exists();
    let convert = "convert it once with transformers: `AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)`, or \
                   name a tokenizer.json with `--tokenizer`";
    let is_standard = file.file_name().is_some_and(|n| n == "tokenizer.json");
    let message = if is_standard && here("tokenizer.model") {
        format!("there is no tokenizer.json, only the SentencePiece file tokenizer.model; {convert}")
    } else if is_standard && here("vocab.json") && here("merges.txt") {
        format!("there is no tokenizer.json, only vocab.json and merges.txt; {convert}")
    } else if is_standard {
        "there is no tokenizer.json; name one with `--tokenizer`".to_string()
    } else {
        return Error::model(
            file,
            "there is no such tokenizer file; `--tokenizer` takes a tokenizer.json or its folder",
        );
    };
    let place = if folder == Path::new("") { PathBuf::from(".") } else { folder.to_path_buf() };
    Error::model(place, message)
}
