//! What a model's tokenizer is, how its ids fit the embedding, and whether a chat template comes with it.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::Inspection;
use crate::Result;
use crate::model::source::{ModelFiles, WeightFiles};
use crate::model::spec::DecoderSpec;
use crate::model::weights::GgufFile;
use crate::tokenize::gguf::tokenizer_from_gguf;
use crate::tokenize::{EncodeOptions, SpecialIds, TextEncoder};

/// A token with a meaning of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpecialToken {
    /// Its id.
    pub id: u32,
    /// Its text.
    pub token: String,
}

/// The special tokens of a tokenizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpecialTokens {
    /// Beginning of sequence.
    pub bos: Option<SpecialToken>,
    /// End of sequence.
    pub eos: Option<SpecialToken>,
    /// Stands for text without a token of its own.
    pub unknown: Option<SpecialToken>,
    /// All that the tokenizer marks as special, by id.
    pub all: Vec<SpecialToken>,
}

/// A tokenizer's ids against the rows of the embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Vocabulary {
    /// Entries of the tokenizer, added tokens included.
    pub entries: usize,
    /// Its largest id.
    pub largest_id: u32,
    /// Rows of the embedding.
    pub rows: usize,
    /// Entries whose ids have no row: text that needs one is an error of its item.
    pub without_row: usize,
}

/// A chat template that comes with a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChatTemplate {
    /// The file, or the metadata key of a GGUF.
    pub from: &'static str,
    /// Names, where there are several.
    pub names: Vec<String>,
}

impl Inspection {
    /// Takes what the tokenizer's files say.
    pub(super) fn text(&mut self, files: &ModelFiles, spec: Option<&DecoderSpec>, options: EncodeOptions) {
        self.chat_template = chat_template(files);
        let encoder = match (&files.tokenizer, &files.weights) {
            (Some(path), _) => TextEncoder::load(path, options),
            // A GGUF file that cannot be opened has been reported.
            (None, Some(WeightFiles::Gguf(path))) => match GgufFile::open(path) {
                Ok(file) => self.gguf_encoder(&file, path, options),
                Err(_) => return,
            },
            (None, _) => return,
        };
        let Some(encoder) = self.keep(encoder) else { return };
        self.notes.extend(encoder.notes().iter().cloned());
        self.tokenizer = Some(encoder.info());
        self.bos = Some(encoder.bos_info());
        self.special_tokens = Some(special_tokens(&encoder));
        self.vocabulary = spec.map(|spec| vocabulary(&encoder, spec.vocab));
    }

    fn gguf_encoder(&mut self, file: &GgufFile, path: &Path, options: EncodeOptions) -> Result<TextEncoder> {
        let (tokenizer, info) = tokenizer_from_gguf(file)?;
        self.notes.extend(info.notes);
        let specials = SpecialIds { bos: info.bos_id, eos: info.eos_id, add_bos: Some(info.add_bos) };
        TextEncoder::from_tokenizer(tokenizer, specials, path, options)
    }
}

fn special_tokens(encoder: &TextEncoder) -> SpecialTokens {
    let named = |id: Option<u32>| {
        id.map(|id| SpecialToken { id, token: encoder.tokenizer().id_to_token(id).unwrap_or_default() })
    };
    let added = encoder.tokenizer().get_added_vocabulary().get_added_tokens_decoder();
    let mut all: Vec<SpecialToken> = (added.iter())
        .filter(|(_, token)| token.special)
        .map(|(id, token)| SpecialToken { id: *id, token: token.content.clone() })
        .collect();
    all.sort_unstable_by_key(|t| t.id);
    SpecialTokens {
        bos: named(encoder.bos_id()),
        eos: named(encoder.eos_id()),
        unknown: named(encoder.unknown_id()),
        all,
    }
}

fn vocabulary(encoder: &TextEncoder, rows: usize) -> Vocabulary {
    let ids = encoder.tokenizer().get_vocab(true);
    Vocabulary {
        entries: ids.len(),
        largest_id: ids.values().copied().max().unwrap_or(0),
        rows,
        without_row: ids.values().filter(|id| **id as usize >= rows).count(),
    }
}

/// The template that a model brings: a file of its own goes before the tokenizer's settings.
fn chat_template(files: &ModelFiles) -> Option<ChatTemplate> {
    const FILE: &str = "chat_template.jinja";
    const SETTINGS: &str = "tokenizer_config.json";
    if let Some(WeightFiles::Gguf(path)) = &files.weights {
        const KEY: &str = "tokenizer.chat_template";
        GgufFile::open(path).ok()?.meta_str(KEY).ok()??;
        return Some(ChatTemplate { from: KEY, names: Vec::new() });
    }
    // A configuration alone has nothing beside it.
    let folder = files.root.is_dir().then_some(&files.root)?;
    if folder.join(FILE).is_file() {
        return Some(ChatTemplate { from: FILE, names: Vec::new() });
    }
    let settings: Value = serde_json::from_slice(&std::fs::read(folder.join(SETTINGS)).ok()?).ok()?;
    match settings.get("chat_template")? {
        Value::String(_) => Some(ChatTemplate { from: SETTINGS, names: Vec::new() }),
        Value::Array(list) => {
            let name = |entry: &Value| entry.get("name").and_then(Value::as_str).map(str::to_string);
            Some(ChatTemplate { from: SETTINGS, names: list.iter().filter_map(name).collect() })
        }
        _ => None,
    }
}
