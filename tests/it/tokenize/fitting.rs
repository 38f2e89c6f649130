//! Requests that are too long.

use llscore::tokenize::{EncodeOptions, EncodedPair, Fit, TextEncoder, Truncate};

use super::kinds::*;

fn item(e: &TextEncoder, context: &str, endings: &[&str]) -> Vec<EncodedPair> {
    endings.iter().map(|ending| e.encode_pair(context, " ", ending).expect("encodes")).collect()
}

#[test]
fn a_request_of_n_ids_needs_n_less_one_inputs() {
    let e = encoder(&words(false));
    let whole = item(&e, "Every wumpus is", &["a tumpus"]); // BOS + 5
    assert_eq!(whole[0].ids.len(), 6);
    for (limit, mode, result) in [
        (None, Truncate::Error, Some(Fit::Kept)),
        (Some(5), Truncate::Error, Some(Fit::Kept)),
        (Some(5), Truncate::Left, Some(Fit::Kept)),
        (Some(4), Truncate::Error, None),
        (Some(4), Truncate::Skip, Some(Fit::Skipped)),
        (Some(4), Truncate::Left, Some(Fit::Truncated { cut: 1 })),
    ] {
        let mut pairs = whole.clone();
        assert_eq!(e.fit(&mut pairs, limit, mode).ok(), result, "{limit:?} {mode:?}");
        assert_eq!(pairs == whole, !matches!(result, Some(Fit::Truncated { .. })));
    }
    let error = e.fit(&mut whole.clone(), Some(4), Truncate::Error).expect_err("too long").to_string();
    assert!(error.contains("5 input tokens") && error.contains("4") && error.contains("--truncate left"), "{error}");
}

#[test]
fn pain_27_every_ending_of_an_item_keeps_the_same_context() {
    let e = encoder(&words(false));
    let mut pairs = item(&e, "Every wumpus is a tumpus . Every tumpus is", &["a", "a a a a a a", "tumpus"]);
    let context = pairs[0].ids[..pairs[0].context_len].to_vec();
    let longest = pairs[1].ids.len();
    assert_eq!(e.fit(&mut pairs, Some(longest - 1 - 4), Truncate::Left).expect("fits"), Fit::Truncated { cut: 4 });
    for pair in &pairs {
        assert_eq!(pair.ids[0], 1, "BOS stays");
        assert_eq!(pair.ids[1..pair.context_len], context[5..], "the same four tokens behind BOS are gone");
    }
    assert_eq!(pairs[1].ids.len(), longest - 4);
}

#[test]
fn an_ending_that_alone_does_not_fit_is_an_error() {
    let e = encoder(&words(false));
    let whole = item(&e, "Every wumpus", &["is", "a a a a"]);
    let mut pairs = whole.clone();
    // BOS and four: the context can go, BOS cannot.
    assert_eq!(e.fit(&mut pairs, Some(4), Truncate::Left).expect("fits"), Fit::Truncated { cut: 2 });
    assert_eq!(pairs[0].ids, [1, 5]);
    let mut pairs = whole.clone();
    let error = e.fit(&mut pairs, Some(3), Truncate::Left).expect_err("does not fit").to_string();
    assert!(error.contains("--max-length"), "{error}");
    assert_eq!(pairs, whole);
    // Without BOS one token of the context must stay to predict from.
    let e = encoder_with(&words(false), Some(1), None, bos(llscore::tokenize::BosPolicy::Never));
    let mut pairs = item(&e, "Every wumpus", &["a a a a"]);
    assert_eq!(e.fit(&mut pairs, Some(4), Truncate::Left).expect("fits"), Fit::Truncated { cut: 1 });
    assert_eq!((pairs[0].ids[0], pairs[0].context_len), (4, 1));
    assert!(e.fit(&mut pairs, Some(3), Truncate::Left).is_err());
}

#[test]
fn a_bos_that_the_text_brings_is_kept() {
    let e = encoder_with(&plain_bytes(), Some(0), None, EncodeOptions { parse_special: true, ..Default::default() });
    let mut pairs = item(&e, "<s>a b c d", &["e"]);
    let n = pairs[0].ids.len();
    assert_eq!(e.fit(&mut pairs, Some(n - 3), Truncate::Left).expect("fits"), Fit::Truncated { cut: 2 });
    assert_eq!(e.decode(&pairs[0].ids).expect("decodes"), "<s>b c d e"); // `a` and the space are gone
}
