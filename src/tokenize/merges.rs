//! A byte-level BPE from `vocab.json` and `merges.txt`, the files of GPT-2's kind, where no `tokenizer.json` was made of them.
//!
//! How text is cut before the merges is not in these files: transformers' tokenizer classes know it, and so does
//! `super::named::Class`. Special and added tokens are put in the order in which transformers 5 puts them, which decides the ids of
//! those that the vocabulary lacks. Here, where no post-processor is written down, `add_bos_token` decides about BOS.

use std::path::Path;

use serde_json::Value;
use tokenizers::decoders::byte_level::ByteLevel as ByteLevelDecoder;
use tokenizers::models::bpe::BPE;
use tokenizers::{AddedToken, Tokenizer};

use super::guard::guarded;
use super::named::{Class, SideFiles, token_text};
use super::pretokenizer::{self, Pretokenizer};
use super::specials::begin_with;
use crate::{Error, Result};

/// Tokens to ids.
pub const VOCABULARY: &str = "vocab.json";
/// Pairs of tokens that are merged, the strongest first.
pub const MERGES: &str = "merges.txt";
/// Tokens added later, to ids.
pub const ADDED: &str = "added_tokens.json";

/// Builds the tokenizer of a folder; with the digest of its serialised form.
///
/// # Errors
/// [`Error::Model`] naming the file that is missing or broken.
pub(super) fn build(folder: &Path, side: &mut SideFiles, notes: &mut Vec<String>) -> Result<(Tokenizer, String)> {
    let (vocabulary, merges) = (folder.join(VOCABULARY), folder.join(MERGES));
    for file in [&vocabulary, &merges] {
        let bytes = std::fs::read(file).map_err(|e| Error::model(file, format!("cannot read: {e}")))?;
        if bytes.starts_with(b"version https://git-lfs") {
            return Err(Error::model(file, "is a Git LFS pointer, not the tokenizer; run `git lfs pull`"));
        }
    }
    let library = |e: tokenizers::Error| Error::model(folder, format!("its tokenizer cannot be built: {e}"));
    let paths = [&vocabulary, &merges].map(|path| path.to_string_lossy().into_owned());
    let read = guarded(|| BPE::from_file(&paths[0], &paths[1]).build().map_err(|e| e.to_string()));
    let model = read.and_then(|model| model).map_err(|e| {
        Error::model(folder, format!("{VOCABULARY} and {MERGES} make no tokenizer: {e}; fetch both again"))
    })?;

    let class = side.class().unwrap_or_else(|| {
        let said = match side.class_name() {
            Some(name) => format!("its class `{name}` is not known for such files"),
            None => "no file names its class (`tokenizer_class`)".to_string(),
        };
        notes.push(format!(
            "the tokenizer is {VOCABULARY} and {MERGES}, and {said}; it is taken for one of GPT-2's kind, give \
             `--tokenizer` a tokenizer.json if that is wrong"
        ));
        side.assume(Class::Gpt2);
        Class::Gpt2
    });
    let add_space = side.get("add_prefix_space").and_then(Value::as_bool).unwrap_or(false);
    let Pretokenizer { normalizer, splitter, .. } = pretokenizer::of_class(class, add_space).map_err(library)?;
    let mut tokenizer = Tokenizer::new(model);
    tokenizer.with_normalizer(normalizer).map_err(library)?;
    tokenizer.with_pre_tokenizer(Some(splitter));
    tokenizer.with_decoder(Some(ByteLevelDecoder::default()));
    tokenizer.add_tokens(added_tokens(side)).map_err(library)?;

    let named = side.named();
    let bos = named.iter().find(|(name, _)| name == "bos_token").map(|(_, text)| text);
    if side.add_bos() == Some(true)
        && let Some((text, id)) = bos.and_then(|text| Some((text, tokenizer.token_to_id(text)?)))
    {
        tokenizer.with_post_processor(Some(begin_with(text, id).map_err(library)?));
    }
    let bytes = tokenizer.to_string(false).map_err(library)?;
    Ok((tokenizer, blake3::hash(bytes.as_bytes()).to_hex().to_string()))
}

/// The tokens that are found in text as they stand: those listed, by id; named ones; further special ones.
fn added_tokens(side: &SideFiles) -> Vec<AddedToken> {
    let specials = side.specials();
    let further = ["extra_special_tokens", "additional_special_tokens"].into_iter().find_map(|key| side.get(key));
    let further: Vec<Value> = match further {
        Some(Value::Array(tokens)) => tokens.clone(),
        Some(Value::Object(tokens)) => tokens.values().cloned().collect(),
        _ => Vec::new(),
    };
    let is_special =
        |text: &str| specials.iter().map(|(_, value)| value).chain(&further).any(|v| token_text(v) == Some(text));
    let mut listed: Vec<(u64, AddedToken)> = Vec::new();
    if let Some(Value::Object(tokens)) = side.get("added_tokens_decoder") {
        let read = |(id, token): (&String, &Value)| Some((id.parse().ok()?, added(token, false, is_special)?));
        listed.extend(tokens.iter().filter_map(read));
    }
    for (text, id) in &side.added {
        let special = is_special(text);
        listed.extend(id.as_u64().map(|id| (id, AddedToken::from(text.as_str(), special).normalized(!special))));
    }
    listed.sort_by_key(|(id, _)| *id);
    let mut all: Vec<AddedToken> = listed.into_iter().map(|(_, token)| token).collect();
    for value in specials.iter().map(|(_, value)| value).chain(&further) {
        if let Some(token) = added(value, true, is_special)
            && all.iter().all(|known| known.content != token.content)
        {
            all.push(token);
        }
    }
    all
}

/// A token with its rules. What is given as text alone is special; `named` ones always are.
fn added(value: &Value, named: bool, is_special: impl Fn(&str) -> bool) -> Option<AddedToken> {
    let text = token_text(value)?;
    let rule = |key: &str| value.get(key).and_then(Value::as_bool);
    let special = named || rule("special").unwrap_or(false) || is_special(text);
    let token = AddedToken::from(text, special)
        .lstrip(rule("lstrip").unwrap_or(false))
        .rstrip(rule("rstrip").unwrap_or(false))
        .single_word(rule("single_word").unwrap_or(false));
    Some(token.normalized(rule("normalized").unwrap_or(!special)))
}
