//! A tokenizer from the metadata of a GGUF file: byte-level BPE (`tokenizer.ggml.model` = `gpt2`) with the
//! pre-tokenizer that `tokenizer.ggml.pre` names, or SentencePiece's BPE (`llama`, see `tokenize::sentencepiece`). Anything
//! else is refused, and a tokenizer.json is asked for.
//!
//! What the metadata cannot say (whether a special token swallows the spaces around it, say) is left at the plain
//! choice. Offsets are never trimmed: a token's text includes the space before a word.

use tokenizers::decoders::byte_level::ByteLevel as ByteLevelDecoder;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::{AddedToken, Tokenizer};

use super::guard::guarded;
use super::pretokenizer::{self, Pretokenizer};
use super::sentencepiece;
use super::specials::begin_with;
use crate::model::weights::{GgufFile, TensorSource};
use crate::{Error, Result};

/// Kinds of tokens, as `tokenizer.ggml.token_type` numbers them.
const UNKNOWN: u64 = 2;
const CONTROL: u64 = 3;
const USER_DEFINED: u64 = 4;

/// What the metadata say beyond the tokenizer itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GgufTokenizerInfo {
    /// The beginning-of-sequence token.
    pub bos_id: Option<u32>,
    /// The end-of-sequence token.
    pub eos_id: Option<u32>,
    /// Whether the tokenizer puts BOS before a text: `tokenizer.ggml.add_bos_token`; where it is absent, no for byte-level BPE
    /// and yes for SentencePiece.
    pub add_bos: bool,
    /// The pre-tokenizer's name.
    pub pre: String,
    /// The chat template.
    pub chat_template: Option<String>,
    /// The names of special tokens, such as `bos_token`, and their texts.
    pub named: Vec<(String, String)>,
    /// What the user should know: an assumption that the metadata forced.
    pub notes: Vec<String>,
}

/// Builds the tokenizer of a GGUF file. With [`GgufTokenizerInfo::add_bos`] its post-processor puts BOS first.
///
/// # Errors
/// If the file carries neither of the two, names a pre-tokenizer that is not known, or its vocabulary, merges or special
/// tokens contradict each other; each message names the key, and `--tokenizer` where that is the way out.
pub fn tokenizer_from_gguf(file: &GgufFile) -> Result<(Tokenizer, GgufTokenizerInfo)> {
    let bad = |message: String| Error::model(file.location(), message);
    let library = |e: tokenizers::Error| bad(format!("its tokenizer cannot be built ({e}); {GIVE_ONE}"));
    let tokens = file.require_strs("tokenizer.ggml.tokens")?;
    let mut notes = Vec::new();
    let Built { mut tokenizer, pre, bos } = match file.meta_str("tokenizer.ggml.model")? {
        Some("gpt2") => byte_level(file, tokens, &mut notes)?,
        Some("llama") => Built {
            tokenizer: sentencepiece::build(file, vocabulary(file, tokens)?, tokens)
                .map_err(|m| bad(format!("{m}; {GIVE_ONE}")))?,
            pre: "default".to_string(),
            bos: Bos::Yes,
        },
        Some(other) => {
            return Err(bad(format!(
                "its tokenizer is of the kind `{other}` (`tokenizer.ggml.model`), and only byte-level BPE (`gpt2`) and \
                 SentencePiece's BPE (`llama`) can be read from a GGUF file; {GIVE_ONE}"
            )));
        }
        None => return Err(bad(format!("holds no tokenizer (no `tokenizer.ggml.model`); {GIVE_ONE}"))),
    };
    let (special, defined): (Vec<_>, Vec<_>) = added_tokens(file, tokens)?.into_iter().partition(|token| token.special);
    tokenizer.add_special_tokens(special).map_err(library)?;
    tokenizer.add_tokens(defined).map_err(library)?;

    let bos_id = special_id(file, "tokenizer.ggml.bos_token_id", tokens)?;
    let eos_id = special_id(file, "tokenizer.ggml.eos_token_id", tokens)?;
    let said = file.meta_bool("tokenizer.ggml.add_bos_token")?;
    if said.is_none() && bos == Bos::NoButExpected && bos_id.is_some() {
        // The models behind these names were trained with BOS, but older converters left the key out.
        notes.push(format!(
            "the GGUF file does not say whether texts begin with BOS (`tokenizer.ggml.add_bos_token`), so none is put; \
             models with the pre-tokenizer `{pre}` often expect it: see `--bos always`"
        ));
    }
    let add_bos = said.unwrap_or(bos == Bos::Yes && bos_id.is_some());
    if add_bos {
        let (Some(id), Some(text)) = (bos_id, bos_id.and_then(|id| tokens.get(id as usize))) else {
            return Err(bad(format!(
                "`tokenizer.ggml.add_bos_token` is set but `tokenizer.ggml.bos_token_id` is missing; {GIVE_ONE}"
            )));
        };
        tokenizer.with_post_processor(Some(begin_with(text, id).map_err(library)?));
    }
    let named = named_tokens(file, tokens)?;
    let chat_template = chat_template(file)?;
    Ok((tokenizer, GgufTokenizerInfo { bos_id, eos_id, add_bos, pre, chat_template, named, notes }))
}

/// A tokenizer without its added tokens, and what the file's silence about BOS means for it.
struct Built {
    tokenizer: Tokenizer,
    pre: String,
    bos: Bos,
}

/// Whether texts begin with BOS where the file does not say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bos {
    Yes,
    No,
    /// None is put, but the user should know that the model may want one.
    NoButExpected,
}

/// Byte-level BPE.
fn byte_level(file: &GgufFile, tokens: &[String], notes: &mut Vec<String>) -> Result<Built> {
    let bad = |message: String| Error::model(file.location(), message);
    let library = |e: tokenizers::Error| bad(format!("its tokenizer cannot be built ({e}); {GIVE_ONE}"));
    if file.meta_bool("tokenizer.ggml.add_space_prefix")? == Some(true) {
        return Err(bad(format!(
            "`tokenizer.ggml.add_space_prefix` is set, which byte-level BPE is not read with; {GIVE_ONE}"
        )));
    }
    let pre = match file.meta_str("tokenizer.ggml.pre")?.filter(|pre| !pre.is_empty()) {
        Some(pre) => pre.to_string(),
        None => "default".to_string(),
    };
    if pre == "default" {
        notes.push(
            "the GGUF file does not say how its tokenizer cuts text (`tokenizer.ggml.pre`); GPT-2's way is assumed, \
             give `--tokenizer FILE` if the model has another"
                .to_string(),
        );
    }
    let Pretokenizer { normalizer, splitter, ignore_merges } =
        pretokenizer::by_name(&pre).map_err(library)?.ok_or_else(|| {
            bad(format!(
                "its pre-tokenizer `{pre}` (`tokenizer.ggml.pre`) is not known; {GIVE_ONE} (known: {})",
                pretokenizer::KNOWN.join(", ")
            ))
        })?;
    let builder =
        BPE::builder().vocab_and_merges(vocabulary(file, tokens)?, merges(file)?).ignore_merges(ignore_merges);
    let model = guarded(|| builder.build()).map_err(|panic| library(panic.into()))?.map_err(library)?;

    let mut tokenizer = Tokenizer::new(model);
    if let Some(normalizer) = normalizer {
        tokenizer.with_normalizer(Some(normalizer)).map_err(library)?;
    }
    tokenizer.with_pre_tokenizer(Some(splitter));
    tokenizer.with_decoder(Some(ByteLevelDecoder::default()));
    Ok(Built { tokenizer, pre, bos: if ignore_merges { Bos::NoButExpected } else { Bos::No } })
}

/// The chat template that the metadata hold.
///
/// # Errors
/// If it is not text.
pub fn chat_template(file: &GgufFile) -> Result<Option<String>> {
    Ok(file.meta_str("tokenizer.chat_template")?.map(str::to_string))
}

/// Names of special tokens as transformers has them, and the keys of their ids.
const NAMED: [(&str, &str); 7] = [
    ("bos_token", "tokenizer.ggml.bos_token_id"),
    ("eos_token", "tokenizer.ggml.eos_token_id"),
    ("unk_token", "tokenizer.ggml.unknown_token_id"),
    ("sep_token", "tokenizer.ggml.seperator_token_id"),
    ("pad_token", "tokenizer.ggml.padding_token_id"),
    ("cls_token", "tokenizer.ggml.cls_token_id"),
    ("mask_token", "tokenizer.ggml.mask_token_id"),
];

fn named_tokens(file: &GgufFile, tokens: &[String]) -> Result<Vec<(String, String)>> {
    let mut named = Vec::new();
    for (name, key) in NAMED {
        if let Some(token) = special_id(file, key, tokens)?.and_then(|id| tokens.get(id as usize)) {
            named.push((name.to_string(), token.clone()));
        }
    }
    Ok(named)
}

/// The way out of most errors here.
const GIVE_ONE: &str = "give the model's tokenizer.json with `--tokenizer FILE`";

/// Token to id.
fn vocabulary(file: &GgufFile, tokens: &[String]) -> Result<Vocab> {
    let mut vocabulary = Vocab::with_capacity(tokens.len());
    for (id, token) in tokens.iter().enumerate() {
        if let Some(first) = vocabulary.insert(token.clone(), id as u32) {
            return Err(Error::model(
                file.location(),
                format!("`tokenizer.ggml.tokens` has {token:?} twice, as {first} and as {id}; {GIVE_ONE}"),
            ));
        }
    }
    Ok(vocabulary)
}

/// Pairs of tokens, the strongest first.
fn merges(file: &GgufFile) -> Result<Vec<(String, String)>> {
    let merges = file.require_strs("tokenizer.ggml.merges")?;
    let pair = |(at, merge): (usize, &String)| {
        // A space can be a token's first character, so the one that parts the two is looked for after it.
        let start = merge.chars().next().map_or(0, char::len_utf8);
        match merge[start..].find(' ') {
            Some(gap) => Ok((merge[..start + gap].to_string(), merge[start + gap + 1..].to_string())),
            None => Err(Error::model(
                file.location(),
                format!("`tokenizer.ggml.merges` entry {at} is {merge:?}, not two tokens; the file is corrupt"),
            )),
        }
    };
    merges.iter().enumerate().map(pair).collect()
}

/// The tokens that are found in the text as they stand, before anything else: control tokens (special) and those that
/// the model's makers defined.
fn added_tokens(file: &GgufFile, tokens: &[String]) -> Result<Vec<AddedToken>> {
    let Some(kinds) = file.meta_u64s("tokenizer.ggml.token_type")? else { return Ok(Vec::new()) };
    if kinds.len() != tokens.len() {
        return Err(Error::model(
            file.location(),
            format!(
                "`tokenizer.ggml.token_type` has {} entries for {} tokens; the file is corrupt",
                kinds.len(),
                tokens.len()
            ),
        ));
    }
    let added = |(token, kind): (&String, &u64)| match *kind {
        UNKNOWN | CONTROL => Some(AddedToken::from(token.clone(), true)),
        // Runs of SentencePiece's space are pieces of the text, not words of the model's makers.
        USER_DEFINED if token.contains('\u{2581}') => None,
        USER_DEFINED => Some(AddedToken::from(token.clone(), false).normalized(false)),
        _ => None,
    };
    Ok(tokens.iter().zip(&kinds).filter(|(token, _)| !token.is_empty()).filter_map(added).collect())
}

fn special_id(file: &GgufFile, key: &str, tokens: &[String]) -> Result<Option<u32>> {
    match file.meta_u64(key)? {
        None => Ok(None),
        Some(id) if (id as usize) < tokens.len() => Ok(Some(id as u32)),
        Some(id) => Err(Error::model(
            file.location(),
            format!("`{key}` is {id}, but there are {} tokens; the file is corrupt", tokens.len()),
        )),
    }
}
