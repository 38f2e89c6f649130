//! What an encoder is: for the manifest, for `inspect`, and for chat templates.

use serde::Serialize;
use tokenizers::Tokenizer;
use tokenizers::models::ModelWrapper;

use super::TextEncoder;
use super::specials::BosInfo;
use super::vocabulary::is_byte_level;
use crate::Result;

/// What a tokenizer is, for the manifest and for `inspect`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenizerInfo {
    /// `BPE`, `byte-level BPE`, `Unigram`, `WordLevel` or `WordPiece`.
    pub kind: &'static str,
    /// Number of entries, added tokens included.
    pub vocab_size: usize,
    /// BLAKE3 of the tokenizer's bytes, in hexadecimal.
    pub digest: String,
    /// BOS id.
    pub bos: Option<u32>,
    /// EOS id.
    pub eos: Option<u32>,
    /// Whether the text of special tokens means the tokens.
    pub parse_special: bool,
}

impl TextEncoder {
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Gives the names of special tokens, such as `bos_token`, and their texts.
    #[must_use]
    pub fn with_named_tokens(mut self, named: Vec<(String, String)>) -> Self {
        self.named = named;
        self
    }

    /// The names of special tokens and their texts, as chat templates know them.
    pub fn named_tokens(&self) -> &[(String, String)] {
        &self.named
    }

    /// The text of ids, special tokens included.
    ///
    /// # Errors
    /// [`crate::Error::Model`] if the tokenizer's decoder fails.
    pub fn decode(&self, ids: &[u32]) -> Result<String> {
        self.tokenizer.decode(ids, false).map_err(|e| self.wrong(format!("cannot decode ids: {e}")))
    }

    /// One token as text, its leading space included; bytes that are no character of their own show as U+FFFD.
    pub fn token_text(&self, id: u32) -> String {
        match self.tokenizer.id_to_token(id) {
            None => format!("<id {id}>"),
            Some(piece) if piece.contains('▁') => piece.replace('▁', " "),
            Some(piece) => self.tokenizer.decode(&[id], false).unwrap_or(piece),
        }
    }

    /// Number of entries, added tokens included.
    pub fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    /// `BPE`, `byte-level BPE`, `Unigram`, `WordLevel` or `WordPiece`.
    pub fn kind(&self) -> &'static str {
        match self.tokenizer.get_model() {
            ModelWrapper::BPE(_) if is_byte_level(&self.tokenizer) => "byte-level BPE",
            ModelWrapper::BPE(_) => "BPE",
            ModelWrapper::Unigram(_) => "Unigram",
            ModelWrapper::WordLevel(_) => "WordLevel",
            ModelWrapper::WordPiece(_) => "WordPiece",
        }
    }

    /// The BOS id, if the tokenizer has one.
    pub fn bos_id(&self) -> Option<u32> {
        self.specials.bos
    }

    /// The id that stands for text without a token of its own, if the tokenizer has one.
    pub fn unknown_id(&self) -> Option<u32> {
        self.unknown
    }

    /// The EOS id, if the tokenizer has one.
    pub fn eos_id(&self) -> Option<u32> {
        self.specials.eos
    }

    /// What stands before every text, for the manifest.
    pub fn bos_info(&self) -> BosInfo {
        BosInfo {
            policy: self.options.bos,
            ids: self.prefix.clone(),
            tokens: self.prefix.iter().map(|id| self.tokenizer.id_to_token(*id).unwrap_or_default()).collect(),
            source: self.prefix_source,
            empty_context: self.specials.bos.or(self.specials.eos),
        }
    }

    /// What the tokenizer is, for the manifest and for `inspect`.
    pub fn info(&self) -> TokenizerInfo {
        TokenizerInfo {
            kind: self.kind(),
            vocab_size: self.vocab_size(),
            digest: self.digest.clone(),
            bos: self.specials.bos,
            eos: self.specials.eos,
            parse_special: self.options.parse_special,
        }
    }

    /// BLAKE3 of the tokenizer's bytes, in hexadecimal.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What in the tokenizer's files was not applied, or contradicts itself; to be shown once.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The tokenizer as it is used: without post-processor, truncation and padding.
    pub fn tokenizer(&self) -> &Tokenizer {
        &self.tokenizer
    }
}
