//! What a vocabulary can and cannot express.
//!
//! A BPE without an unknown token passes in silence over what it has no token for. Published byte-level vocabularies do
//! lack tokens for some bytes (control characters, the lead bytes of rare planes), and the library then encodes the
//! rest as if the character had not been there. That is found here, so that it can be reported.

use tokenizers::models::ModelWrapper;
use tokenizers::{Model, Tokenizer};

/// What the model of a tokenizer passes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Drops {
    /// Nothing: unknown text has a token, or is an error of the library's own.
    Nothing,
    /// Text with one of these bytes (byte-level BPE).
    Bytes(Vec<u8>),
    /// Characters that the vocabulary lacks (other BPE without unknown token); they show as text without tokens.
    Characters,
}

impl Drops {
    pub(super) fn of(tokenizer: &Tokenizer) -> Self {
        let ModelWrapper::BPE(model) = tokenizer.get_model() else { return Drops::Nothing };
        if model.unk_token.is_some() || model.byte_fallback {
            return Drops::Nothing;
        }
        if !is_byte_level(tokenizer) {
            return Drops::Characters;
        }
        let missing: Vec<u8> =
            (0..=255).filter(|b| model.token_to_id(byte_character(*b).encode_utf8(&mut [0; 4])).is_none()).collect();
        if missing.is_empty() { Drops::Nothing } else { Drops::Bytes(missing) }
    }

    /// The first character of `text` that is dropped, wholly or in part; `spans` are the tokens' byte ranges, and characters
    /// that `stand` for a token are not text.
    pub(super) fn dropped(
        &self,
        tokenizer: &Tokenizer,
        text: &str,
        spans: &[(usize, usize)],
        stand: impl Fn(char) -> bool,
    ) -> Option<char> {
        match self {
            Drops::Nothing => None,
            Drops::Bytes(missing) => {
                text.chars().find(|c| !stand(*c) && c.encode_utf8(&mut [0; 4]).bytes().any(|b| missing.contains(&b)))
            }
            // Behind a dropped character the library's offsets are off within the word: they tell that, not which.
            Drops::Characters => uncovered(text, spans).filter(|c| !stand(*c)).map(|found| {
                let unknown = |c: &char| {
                    !stand(*c) && !c.is_whitespace() && tokenizer.token_to_id(c.encode_utf8(&mut [0; 4])).is_none()
                };
                text.chars().find(unknown).unwrap_or(found)
            }),
        }
    }
}

/// Whether the tokenizer works on bytes, each spelt as one character.
pub(super) fn is_byte_level(tokenizer: &Tokenizer) -> bool {
    let says = |part: serde_json::Result<String>| part.is_ok_and(|json| json.contains("\"ByteLevel\""));
    says(serde_json::to_string(&tokenizer.get_pre_tokenizer()))
        || says(serde_json::to_string(&tokenizer.get_normalizer()))
}

/// The id for what the vocabulary lacks.
pub(super) fn unknown_id(tokenizer: &Tokenizer) -> Option<u32> {
    let token = match tokenizer.get_model() {
        ModelWrapper::BPE(m) => m.unk_token.clone(),
        ModelWrapper::WordLevel(m) => Some(m.unk_token.clone()),
        ModelWrapper::WordPiece(m) => Some(m.unk_token.clone()),
        // A Unigram keeps its unknown id to itself; a character that nothing is trained on shows it.
        ModelWrapper::Unigram(m) => match m.tokenize("\u{10ffff}").as_deref() {
            Ok([unknown]) => return Some(unknown.id),
            _ => None,
        },
    }?;
    tokenizer.token_to_id(&token)
}

/// Gives bytes of unknown characters back to their characters.
///
/// A Unigram takes neighbouring unknown characters for one and then spells it as bytes (`<0xC3>`), each with the span of
/// the whole. Where these bytes are the span's text, each is given the span of its own character instead.
pub(super) fn spread_bytes(text: &str, pieces: &[String], spans: &mut [(usize, usize)]) {
    let byte = |piece: &String| u8::from_str_radix(piece.strip_prefix("<0x")?.strip_suffix('>')?, 16).ok();
    let mut at = 0;
    while at < spans.len() {
        let span = spans[at];
        let count = spans[at..].iter().take_while(|s| **s == span).count();
        let bytes: Vec<u8> = pieces[at..at + count].iter().map_while(byte).collect();
        if let Some(part) = text.get(span.0..span.1).filter(|part| part.as_bytes() == bytes) {
            let characters =
                part.char_indices().flat_map(|(i, c)| std::iter::repeat_n((i, c.len_utf8()), c.len_utf8()));
            for (own, (start, length)) in spans[at..at + count].iter_mut().zip(characters) {
                *own = (span.0 + start, span.0 + start + length);
            }
        }
        at += count;
    }
}

/// The character that stands for a byte in byte-level vocabularies: printable Latin-1 for itself, the others in order
/// from U+0100.
fn byte_character(byte: u8) -> char {
    let printable = |b: u8| matches!(b, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if printable(byte) {
        return char::from(byte);
    }
    let rank = (0..byte).filter(|b| !printable(*b)).count() as u32;
    char::from_u32(0x100 + rank).unwrap_or('\u{fffd}')
}

/// The first visible character that no token covers.
fn uncovered(text: &str, spans: &[(usize, usize)]) -> Option<char> {
    let mut spans = spans.iter().peekable();
    text.char_indices().filter(|(_, c)| !c.is_whitespace()).find_map(|(at, c)| {
        while spans.peek().is_some_and(|s| s.1 <= at) {
            spans.next();
        }
        spans.peek().is_none_or(|s| s.0 > at).then_some(c)
    })
}

#[cfg(test)]
mod tests {
    use super::byte_character;

    #[test]
    fn bytes_are_spelt_as_the_library_spells_them() {
        let mut all: Vec<char> = (0..=255).map(byte_character).collect();
        assert_eq!((all[0], all[0x20], all[0x0a], all[0x7f], all[0xad], all[0xc3]), ('Ā', 'Ġ', 'Ċ', 'ġ', 'Ń', 'Ã'));
        let mut library: Vec<char> =
            tokenizers::pre_tokenizers::byte_level::ByteLevel::alphabet().into_iter().collect();
        all.sort_unstable();
        library.sort_unstable();
        assert_eq!(all, library);
    }
}
