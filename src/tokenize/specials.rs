//! What stands before a text: the BOS policy.
//!
//! A tokenizer's post-processor is a template around the text. It is asked once, with a stand-in for the text, what it
//! puts before and behind; the text itself is then encoded without it. So its other effect, shifting the offsets of
//! tokens past their leading space (`trim_offsets`), cannot disturb the split of context and ending.

use serde::Serialize;
use tokenizers::processors::template::{SpecialToken, Template as Piece, TemplateProcessing};
use tokenizers::{Encoding, Token, Tokenizer};

use crate::{Error, Result};

/// Whether a BOS token is put before each text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum BosPolicy {
    /// What the tokenizer's own post-processor (or a GGUF file's `add_bos_token`) does.
    #[default]
    Auto,
    /// A BOS, even if the tokenizer adds none; an error if it has none.
    Always,
    /// Nothing before the text; an empty context still gets a token to predict from.
    Never,
}

/// How text is turned into ids, besides what the tokenizer itself decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Whether a BOS token is put before each text.
    pub bos: BosPolicy,
    /// Whether the text of a special token (`</s>`, say) inside an item means that token. If not it is plain text.
    pub parse_special: bool,
}

/// The special tokens of a tokenizer that comes without files of its own (from a GGUF file).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpecialIds {
    /// Beginning of sequence.
    pub bos: Option<u32>,
    /// End of sequence.
    pub eos: Option<u32>,
    /// Whether texts begin with BOS; `None` leaves it to the tokenizer's post-processor.
    pub add_bos: Option<bool>,
}

/// What stands before every text, for the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BosInfo {
    /// The policy asked for.
    pub policy: BosPolicy,
    /// The ids put before every text; empty for none.
    pub ids: Vec<u32>,
    /// The same as tokens.
    pub tokens: Vec<String>,
    /// Who decided: `post-processor`, `metadata` (a GGUF file's `add_bos_token`) or `flag`.
    pub source: &'static str,
    /// The id that an empty context is given to predict from; `null` if there is none.
    pub empty_context: Option<u32>,
}

/// What a post-processor puts around a single text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// Before the text.
    pub before: Vec<u32>,
    /// Behind the text; never scored.
    pub behind: Vec<u32>,
}

impl Template {
    /// Asks the tokenizer's post-processor, with one impossible id in place of the text.
    ///
    /// # Errors
    /// A message if the post-processor fails, or does not keep the text in one piece.
    pub fn of(tokenizer: &Tokenizer) -> std::result::Result<Self, String> {
        const TEXT: u32 = u32::MAX;
        let stand_in = Encoding::from_tokens(vec![Token::new(TEXT, "x".to_string(), (0, 1))], 0);
        let around =
            tokenizer.post_process(stand_in, None, true).map_err(|e| format!("the post-processor fails: {e}"))?;
        let ids = around.get_ids();
        let mut places = ids.iter().enumerate().filter(|(_, id)| **id == TEXT).map(|(at, _)| at);
        match (places.next(), places.next()) {
            (Some(at), None) => Ok(Template { before: ids[..at].to_vec(), behind: ids[at + 1..].to_vec() }),
            _ => Err("the post-processor's template for a single text does not hold the text exactly once".to_string()),
        }
    }
}

/// The ids to put before every text, and who decided it.
///
/// # Errors
/// [`Error::Usage`] if a BOS is asked for and the tokenizer has none.
pub fn prefix(template: &Template, ids: SpecialIds, policy: BosPolicy) -> Result<(Vec<u32>, &'static str)> {
    let with_bos = |base: &[u32]| match ids.bos {
        Some(bos) if base.contains(&bos) => Some(base.to_vec()),
        Some(bos) => Some(std::iter::once(bos).chain(base.iter().copied()).collect()),
        None => None,
    };
    match (policy, ids.add_bos) {
        (BosPolicy::Never, _) => Ok((Vec::new(), "flag")),
        (BosPolicy::Auto, None) => Ok((template.before.clone(), "post-processor")),
        (BosPolicy::Auto, Some(false)) => Ok((Vec::new(), "metadata")),
        (BosPolicy::Auto, Some(true)) => with_bos(&template.before).map(|p| (p, "metadata")).ok_or_else(|| {
            Error::usage(
                "the tokenizer's metadata asks for a BOS token but names none; give `--bos never`, or another \
                 tokenizer with `--tokenizer`",
            )
        }),
        (BosPolicy::Always, _) => with_bos(&template.before).map(|p| (p, "flag")).ok_or_else(|| {
            Error::usage(
                "`--bos always`: the tokenizer has no BOS token; use `--bos auto` or `--bos never`, or name a \
                 tokenizer that has one with `--tokenizer`",
            )
        }),
    }
}

/// A post-processor that puts one token before a text.
pub(super) fn begin_with(text: &str, id: u32) -> tokenizers::Result<TemplateProcessing> {
    // A name of its own, since a token's text may hold the template's signs.
    let token = SpecialToken::new("bos".into(), vec![id], vec![text.to_string()])?;
    Ok(TemplateProcessing::builder()
        .try_single(Piece::try_from("bos $A:0".to_string())?)?
        .try_pair(Piece::try_from("bos $A:0 bos $B:1".to_string())?)?
        .special_tokens(vec![token])
        .build()?)
}
