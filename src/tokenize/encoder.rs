//! [`TextEncoder`]: a tokenizer made ready for scoring.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tokenizers::models::ModelWrapper;
use tokenizers::normalizer::NormalizedString;
use tokenizers::processors::PostProcessorWrapper;
use tokenizers::{Normalizer, Tokenizer};

use super::boundary::{Span, context_end, split};
use super::fit::{self, Fit, Truncate};
use super::scaffold::{Context, Signs};
use super::specials::{BosPolicy, EncodeOptions, SpecialIds, Template, prefix};
use super::vocabulary::{Drops, spread_bytes, unknown_id};
use crate::{Error, Result};

/// One request as ids: the context's, then the ending's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedPair {
    /// What the model is asked about, BOS included where there is one.
    pub ids: Vec<u32>,
    /// How many of them, at least one, are the context's (BOS included); the rest, at least one, are scored.
    pub context_len: usize,
    /// Whether the first scored token also holds text of the context.
    pub boundary_merge: bool,
}

/// A tokenizer without truncation, padding, dropout and post-processor, and the ids to put before each text.
pub struct TextEncoder {
    pub(super) tokenizer: Tokenizer,
    pub(super) origin: PathBuf,
    pub(super) digest: String,
    pub(super) options: EncodeOptions,
    pub(super) specials: SpecialIds,
    pub(super) prefix: Vec<u32>,
    pub(super) prefix_source: &'static str,
    /// Ids that text must not turn into unless special tokens are parsed.
    pub(super) guarded: HashSet<u32>,
    /// The id of text without a token of its own.
    pub(super) unknown: Option<u32>,
    pub(super) drops: Drops,
    /// Added tokens that take the white space behind them with them.
    pub(super) greedy: HashSet<u32>,
    pub(super) notes: Vec<String>,
    /// The names of special tokens (`bos_token`, say) and their texts.
    pub(super) named: Vec<(String, String)>,
    pub(super) vocab_size: usize,
    /// Signs for special tokens; none unless made ready for chat templates.
    pub(super) signs: Signs,
}

/// A text as ids, without what stands before it.
struct Encoded {
    ids: Vec<u32>,
    /// What each covers of the text.
    spans: Vec<Span>,
    /// The text that was encoded, signs for its special tokens.
    text: String,
}

impl TextEncoder {
    /// Makes an encoder of a tokenizer held in memory; `origin` stands for it in messages.
    ///
    /// The digest is that of the tokenizer's serialised form. `notes` collects what was changed or overruled.
    ///
    /// # Errors
    /// [`Error::Usage`] if a BOS is asked for and there is none; [`Error::Model`] if the post-processor cannot be
    /// understood.
    pub fn from_tokenizer(
        tokenizer: Tokenizer,
        specials: SpecialIds,
        origin: &Path,
        options: EncodeOptions,
    ) -> Result<Self> {
        let bytes = tokenizer.to_string(false).map_err(|e| Error::model(origin, format!("tokenizer: {e}")))?;
        Self::build(tokenizer, specials, origin, blake3::hash(bytes.as_bytes()).to_hex().to_string(), options)
    }

    pub(super) fn build(
        mut tokenizer: Tokenizer,
        mut specials: SpecialIds,
        origin: &Path,
        digest: String,
        options: EncodeOptions,
    ) -> Result<Self> {
        let wrong = |m: String| Error::model(origin, format!("tokenizer: {m}"));
        let mut notes = Vec::new();
        if tokenizer.get_truncation().is_some() {
            notes.push("the tokenizer file's truncation is not applied".to_string());
        }
        tokenizer.with_truncation(None).map_err(|e| wrong(e.to_string()))?.with_padding(None);
        if let ModelWrapper::BPE(bpe) = tokenizer.get_model()
            && bpe.dropout.is_some_and(|p| p > 0.0)
        {
            let mut bpe = bpe.clone();
            bpe.dropout = None;
            tokenizer.with_model(bpe);
            notes.push("the tokenizer file's BPE dropout is not applied: scores must not be random".to_string());
        }
        let template = Template::of(&tokenizer).map_err(wrong)?;
        tokenizer.with_post_processor(None::<PostProcessorWrapper>);
        specials.bos = specials.bos.or(template.before.first().copied());
        specials.eos = specials.eos.or(template.behind.last().copied());
        let (prefix, prefix_source) = prefix(&template, specials, options.bos)?;

        tokenizer.set_encode_special_tokens(!options.parse_special);
        let mut guarded: HashSet<u32> = tokenizer
            .get_added_vocabulary()
            .get_added_tokens_decoder()
            .iter()
            .filter(|(_, token)| token.special)
            .map(|(id, _)| *id)
            .collect();
        guarded.extend(specials.bos.iter().chain(&specials.eos));
        let unknown = unknown_id(&tokenizer);
        guarded.retain(|id| unknown != Some(*id));
        let drops = Drops::of(&tokenizer);
        let added = tokenizer.get_added_vocabulary().get_added_tokens_decoder();
        let greedy = added.iter().filter(|(_, token)| token.rstrip).map(|(id, _)| *id).collect();
        let vocab_size = tokenizer.get_vocab_size(true);
        Ok(TextEncoder {
            tokenizer,
            origin: origin.to_path_buf(),
            digest,
            options,
            specials,
            prefix,
            prefix_source,
            guarded,
            unknown,
            drops,
            greedy,
            notes,
            named: Vec::new(),
            vocab_size,
            signs: Signs::default(),
        })
    }

    /// Makes the encoder ready for contexts with scaffold: special tokens are then known there, and plain text elsewhere.
    ///
    /// # Errors
    /// [`Error::Model`] if the tokenizer does not take the signs that stand for them.
    pub fn read_scaffold(&mut self) -> Result<()> {
        if !self.options.parse_special {
            let named = self.named.iter().filter_map(|(_, token)| self.tokenizer.token_to_id(token));
            let listed = self.tokenizer.get_added_vocabulary().get_added_tokens_decoder().iter();
            let listed = listed.filter(|(_, token)| token.special).map(|(id, _)| *id);
            let ids: Vec<u32> = named.chain(listed).chain(self.specials.bos).chain(self.specials.eos).collect();
            let signs = Signs::add_to(&mut self.tokenizer, ids);
            self.signs = signs.map_err(|e| Error::model(&self.origin, format!("tokenizer: {e}")))?;
        }
        Ok(())
    }

    /// The first special token whose text is in `text`, unless it means the token anyway.
    pub fn special_in(&self, text: &str) -> Option<&str> {
        self.signs.token_in(text)
    }

    /// Encodes context + delimiter + ending jointly and splits the ids at the end of the context.
    ///
    /// The ending's ids are those whose text reaches past the end of the context; trailing whitespace of the context,
    /// and the delimiter, count as the ending's. Where no token stands before the ending (an empty context, or one that
    /// merged into the ending's first token, without BOS), BOS is put there, else EOS.
    ///
    /// # Errors
    /// Meant as one item's error: an empty ending, an ending without tokens, no token to predict the ending from, text
    /// that the tokenizer cannot encode, or, unless special tokens are parsed, text that turns into one.
    pub fn encode_pair<'a>(
        &self,
        context: impl Into<Context<'a>>,
        delimiter: &str,
        ending: &str,
    ) -> Result<EncodedPair> {
        if ending.is_empty() {
            return Err(Error::usage("the ending is empty; there is nothing to score"));
        }
        let context = context.into();
        let after = [delimiter, ending].concat();
        let Encoded { ids: raw, spans, text } = self.encode_raw(context, &after)?;
        let end = context_end(&text[..text.len() - after.len()]);
        let at = split(&text, end, &spans, || self.composes(&text, end))?;
        if at.first == raw.len() {
            return Err(Error::usage(format!(
                "the ending {ending:?} has no tokens: the tokenizer drops all of its text"
            )));
        }
        let mut ids = self.prefix_for(&raw).to_vec();
        let mut context_len = ids.len() + at.first;
        if context_len == 0 {
            if self.is_bos(raw[0]) && raw.len() > 1 {
                context_len = 1; // the text brings its own BOS
            } else {
                ids.push(self.empty_context()?);
                context_len = 1;
            }
        }
        ids.extend_from_slice(&raw);
        Ok(EncodedPair { ids, context_len, boundary_merge: at.merge })
    }

    /// Encodes a text under the same BOS policy, without anything behind it.
    ///
    /// # Errors
    /// As [`Self::encode_pair`], for text that cannot be encoded.
    pub fn encode_text<'a>(&self, text: impl Into<Context<'a>>) -> Result<Vec<u32>> {
        let raw = self.encode_raw(text.into(), "")?.ids;
        Ok([self.prefix_for(&raw), &raw].concat())
    }

    /// Makes the requests of one item fit into `max_inputs` inputs each; a request of n ids needs n − 1.
    ///
    /// # Errors
    /// Meant as that item's error: over-long in mode [`Truncate::Error`]; or, cutting, an ending that alone does not fit.
    pub fn fit(&self, pairs: &mut [EncodedPair], max_inputs: Option<usize>, mode: Truncate) -> Result<Fit> {
        fit::fit(pairs, max_inputs, mode, |ids| {
            if !self.prefix.is_empty() && ids.starts_with(&self.prefix) {
                self.prefix.len()
            } else {
                usize::from(self.specials.bos.is_some_and(|bos| ids.first() == Some(&bos)))
            }
        })
    }

    pub(super) fn wrong(&self, message: String) -> Error {
        Error::model(&self.origin, message)
    }

    /// Encodes a context and what comes after it as one text.
    fn encode_raw(&self, context: Context<'_>, after: &str) -> Result<Encoded> {
        if let Some(c) = self.signs.sign_in(context.text).or_else(|| self.signs.sign_in(after)) {
            return Err(Error::usage(format!(
                "the text holds the private character {c:?}, which stands for a special token here; give \
                 `--parse-special`, or leave the character out"
            )));
        }
        let mut text = self.signs.write(context) + after;
        let (mut ids, mut spans) = self.encode_plain(&text)?;
        if let Err(plain) = self.signs.read(&text, &mut ids, &spans) {
            text = plain;
            (ids, spans) = self.encode_plain(&text)?;
            if self.signs.read(&text, &mut ids, &spans).is_err() {
                return Err(
                    self.wrong("the tokenizer does not find its special tokens in the chat template".to_string())
                );
            }
        }
        // White space that an added token takes with it is not its text: the token is where its own text is.
        for (_, span) in ids.iter().zip(&mut spans).filter(|(id, _)| self.greedy.contains(id)) {
            span.1 = text.get(span.0..span.1).map_or(span.1, |part| span.0 + context_end(part));
        }
        let by_template = context.scaffold.first().is_some_and(|part| part.start == 0);
        if by_template && self.options.bos == BosPolicy::Never && ids.len() > 1 && self.is_bos(ids[0]) {
            ids.remove(0);
            spans.remove(0);
        }
        Ok(Encoded { ids, spans, text })
    }

    fn encode_plain(&self, text: &str) -> Result<(Vec<u32>, Vec<Span>)> {
        let encoding =
            self.tokenizer.encode(text, false).map_err(|e| self.wrong(format!("cannot encode the text: {e}")))?;
        if !self.options.parse_special
            && let Some(at) = encoding.get_ids().iter().position(|id| self.guarded.contains(id))
        {
            let token = &encoding.get_tokens()[at];
            return Err(Error::usage(format!(
                "the text holds `{token}`, which this tokenizer cannot encode as plain text; give `--parse-special` if the \
                 token itself is meant"
            )));
        }
        let is_sign = |c| self.signs.is_sign(c);
        if let Some(c) = self.drops.dropped(&self.tokenizer, text, encoding.get_offsets(), is_sign) {
            return Err(self.wrong(format!(
                "the tokenizer has no token for {c:?} and would drop it; name another with `--tokenizer`"
            )));
        }
        let mut spans = encoding.get_offsets().to_vec();
        if matches!(self.tokenizer.get_model(), ModelWrapper::Unigram(_)) {
            spread_bytes(text, encoding.get_tokens(), &mut spans);
        }
        Ok((encoding.get_ids().to_vec(), spans))
    }

    fn is_bos(&self, id: u32) -> bool {
        self.specials.bos == Some(id)
    }

    /// The prefix, less what the text brings itself.
    fn prefix_for(&self, raw: &[u32]) -> &[u32] {
        let own_bos = raw.first().is_some_and(|first| Some(*first) == self.specials.bos && self.prefix.contains(first));
        if own_bos || (!self.prefix.is_empty() && raw.starts_with(&self.prefix)) { &[] } else { &self.prefix }
    }

    fn empty_context(&self) -> Result<u32> {
        self.specials.bos.or(self.specials.eos).ok_or_else(|| {
            Error::usage(
                "no token stands before the ending: the context is empty and the tokenizer has neither a BOS nor an EOS \
                 token for `--bos` to put there; give the item a context, or name a tokenizer that has one with \
                 `--tokenizer`",
            )
        })
    }

    fn composes(&self, text: &str, end: usize) -> Result<bool> {
        let Some(normalizer) = self.tokenizer.get_normalizer() else { return Ok(false) };
        let normal = |part: &str| {
            let mut string = NormalizedString::from(part);
            normalizer
                .normalize(&mut string)
                .map_err(|e| self.wrong(format!("the normaliser fails: {e}")))
                .map(|()| string.get().to_string())
        };
        Ok(!normal(text)?.starts_with(&normal(&text[..end])?))
    }
}
