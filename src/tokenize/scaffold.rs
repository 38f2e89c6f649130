//! Special tokens of a chat template, in a text whose other special tokens are plain text.
//!
//! The tokenizer library reads the text of special tokens either everywhere or nowhere. Here it reads it nowhere; but for
//! each special token it is given a *sign*, a character of no meaning with the same rules about the space around it, and
//! where the template wrote the token, the sign is put. The whole is then encoded at once, so that all that depends on
//! what stands where (spaces put at the beginning of the text or behind a token, say) is the library's own doing.

use std::ops::Range;

use tokenizers::{AddedToken, Tokenizer};

use super::boundary::Span;

/// A context, and which parts of it a chat template wrote.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The text.
    pub text: &'a str,
    /// Where the text of a special token means the token: byte ranges in order, at character boundaries.
    pub scaffold: &'a [Range<usize>],
}

impl<'a> From<&'a str> for Context<'a> {
    fn from(text: &'a str) -> Self {
        Context { text, scaffold: &[] }
    }
}

impl<'a> From<&'a String> for Context<'a> {
    fn from(text: &'a String) -> Self {
        Context { text, scaffold: &[] }
    }
}

/// Where signs begin: a plane for private use.
const FIRST_SIGN: u32 = 0x10_0000;

/// A special token and its sign.
#[derive(Clone, Debug)]
struct Sign {
    token: AddedToken,
    id: u32,
    sign: char,
    /// The id that the tokenizer knows the sign by.
    stand_in: u32,
}

/// The signs of a tokenizer; the longest token first.
#[derive(Clone, Debug, Default)]
pub(super) struct Signs(Vec<Sign>);

impl Signs {
    /// Adds signs for all special tokens to a tokenizer.
    ///
    /// # Errors
    /// The library's message.
    pub(super) fn add_to(tokenizer: &mut Tokenizer, ids: impl IntoIterator<Item = u32>) -> tokenizers::Result<Self> {
        let known = tokenizer.get_added_vocabulary().get_added_tokens_decoder().clone();
        let mut ids: Vec<u32> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        let tokens = ids.into_iter().filter_map(|id| {
            let listed = known.get(&id).cloned();
            let token = listed.or_else(|| tokenizer.id_to_token(id).map(|content| AddedToken::from(content, true)))?;
            (!token.content.is_empty()).then_some((id, token))
        });
        let mut signs: Vec<Sign> = (FIRST_SIGN..=0x10_fffd)
            .filter_map(char::from_u32)
            .zip(tokens)
            .map(|(sign, (id, token))| Sign { token, id, sign, stand_in: 0 })
            .collect();
        let added: Vec<AddedToken> = signs
            .iter()
            .map(|s| AddedToken { content: s.sign.to_string(), special: false, single_word: false, ..s.token.clone() })
            .collect();
        tokenizer.add_tokens(added)?;
        for sign in &mut signs {
            sign.stand_in = tokenizer.token_to_id(&sign.sign.to_string()).unwrap_or(u32::MAX);
        }
        signs.sort_by_key(|s| std::cmp::Reverse(s.token.content.len()));
        Ok(Signs(signs))
    }

    /// The first special token whose text is in `text`.
    pub(super) fn token_in(&self, text: &str) -> Option<&str> {
        self.0.iter().map(|s| s.token.content.as_str()).find(|content| text.contains(content))
    }

    /// A sign that `text` holds of itself.
    pub(super) fn sign_in(&self, text: &str) -> Option<char> {
        text.chars().find(|c| self.is_sign(*c))
    }

    pub(super) fn is_sign(&self, c: char) -> bool {
        (c as u32).checked_sub(FIRST_SIGN).is_some_and(|at| (at as usize) < self.0.len())
    }

    /// The text with signs for the special tokens in the scaffold.
    pub(super) fn write(&self, context: Context<'_>) -> String {
        let text = context.text;
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for part in context.scaffold {
            out.push_str(&text[at..part.start]);
            at = part.start;
            while at < part.end {
                let rest = &text[at..part.end];
                match self.0.iter().find(|s| rest.starts_with(&s.token.content) && s.may_stand(text, at)) {
                    Some(sign) => {
                        out.push(sign.sign);
                        at += sign.token.content.len();
                    }
                    None => {
                        let c = rest.chars().next().unwrap_or_default();
                        out.push(c);
                        at += c.len_utf8().max(1);
                    }
                }
            }
        }
        out.push_str(&text[at..]);
        out
    }

    /// Makes the special tokens of their signs.
    ///
    /// # Errors
    /// Where the library did not take signs for tokens (it looks for some tokens in the normalised text only), the text to
    /// encode instead: it would not have taken the tokens themselves either.
    pub(super) fn read(&self, text: &str, ids: &mut [u32], spans: &[Span]) -> Result<(), String> {
        let mut taken = Vec::new();
        for (id, span) in ids.iter_mut().zip(spans) {
            if let Some(sign) = self.0.iter().find(|s| s.stand_in == *id) {
                *id = sign.id;
                taken.push(*span);
            }
        }
        let is_taken = |at: usize| taken.iter().any(|s| s.0 <= at && at < s.1);
        if text.char_indices().all(|(at, c)| !self.is_sign(c) || is_taken(at)) {
            return Ok(());
        }
        let mut plain = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            match self.0.iter().find(|s| s.sign == c && !is_taken(at)) {
                Some(sign) => plain.push_str(&sign.token.content),
                None => plain.push(c),
            }
        }
        Err(plain)
    }
}

impl Sign {
    /// Whether the token's own rule about words lets it stand at byte `at` of `text`.
    fn may_stand(&self, text: &str, at: usize) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !self.token.single_word
            || !(text[..at].ends_with(is_word) || text[at + self.token.content.len()..].starts_with(is_word))
    }
}
