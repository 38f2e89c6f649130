//! Where the ending's tokens begin.
//!
//! A token belongs to the ending if the text it covers reaches past the end of the context. Ends are compared, not
//! starts: a start may lie behind a leading space or, for a prepended `▁`, on a character that is not its own. A token
//! that covers text on both sides of the join makes a *merge*.
//!
//! Offsets are those of the tokenizer before any post-processing, in bytes of the original text. A token that holds
//! only some bytes of a character covers the whole character. Offsets have one blind spot: where a normaliser composes
//! characters across the join (`e` + U+0301 under NFC), the composed character is credited to one of its parts only.
//! It shows as text beside the join that no token covers, and is then settled by normalising the context alone.

/// A token's text as a byte range of the original.
pub type Span = (usize, usize);

/// The outcome of a split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// Index of the ending's first token; the number of tokens if it has none.
    pub first: usize,
    /// Whether a token covers text on both sides of the join.
    pub merge: bool,
}

/// Length in bytes of `context` without trailing whitespace, which counts as the ending's.
///
/// Whitespace is what Python's `str.rstrip` takes for it (the common harness's rule): Unicode's White_Space and the
/// separators U+001C to U+001F.
pub fn context_end(context: &str) -> usize {
    context.trim_end_matches(is_space).len()
}

fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Splits tokens at byte `end` of `text`.
///
/// `spans` are the tokens' ranges in order. `composes` tells whether normalising `text[..end]` alone gives something
/// else than the beginning of the normalised `text`; it is asked only where the spans leave a doubt.
///
/// # Errors
/// Whatever `composes` reports.
pub fn split<E>(
    text: &str,
    end: usize,
    spans: &[Span],
    composes: impl FnOnce() -> Result<bool, E>,
) -> Result<Split, E> {
    let first = spans.iter().position(|s| s.1 > end).unwrap_or(spans.len());
    let merge = spans.get(first).is_some_and(|s| s.0 < end);
    if merge || end == 0 || end == text.len() {
        return Ok(Split { first, merge });
    }
    let covered_to = spans[..first].last().map_or(0, |s| s.1);
    let covered_from = spans.get(first).map_or(text.len(), |s| s.0);
    // Whitespace composes with nothing, and tokenizers may well leave it uncovered.
    let gap_behind = covered_from > end && !text[end..].starts_with(is_space);
    let gap_before = covered_to < end;
    if !(gap_behind || gap_before) || !composes()? {
        return Ok(Split { first, merge: false });
    }
    // The character composed across the join is credited either to its part in the ending (a gap before the join:
    // the split stands) or to its part in the context, whose tokens then become the ending's.
    let first = if gap_before { first } else { spans[..first].iter().position(|s| s.1 >= covered_to).unwrap_or(first) };
    Ok(Split { first, merge: true })
}
