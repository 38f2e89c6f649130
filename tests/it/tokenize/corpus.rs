//! Tokenizers of each published kind against what the Python library makes of the same texts
//! (`scripts/make_tokenizer_fixtures.py` says what the fixtures hold).

use std::path::Path;

use llscore::tokenize::{EncodeOptions, SpecialIds, TextEncoder};
use serde::Deserialize;
use serde_json::Value;

use super::kinds;

#[derive(Deserialize)]
struct Fixture {
    tokenizer: Value,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    context: String,
    delimiter: String,
    ending: String,
    ids: Vec<u32>,
    harness: Option<usize>,
    split: Option<(usize, bool)>,
}

const BOS: u32 = 1;
const EOS: u32 = 2;

/// Checks one kind; returns how many cases had their split checked, and how many merges were among them.
#[track_caller]
fn check(kind: &str) -> (usize, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tokenize").join(format!("{kind}.json"));
    let text = std::fs::read_to_string(&path).expect("the fixture");
    let fixture: Fixture = serde_json::from_str(&text).expect("the fixture's form");
    let ids = SpecialIds { bos: Some(BOS), eos: Some(EOS), add_bos: None };
    let tokenizer = kinds::tokenizer(&fixture.tokenizer);
    let e = TextEncoder::from_tokenizer(tokenizer, ids, &path, EncodeOptions::default()).expect("an encoder");
    let (mut told, mut merges) = (0, 0);
    for case in &fixture.cases {
        let place = format!("{kind}: {:?} {:?} {:?}", case.context, case.delimiter, case.ending);
        let own_bos = usize::from(case.ids.first() == Some(&BOS));
        let made = e.encode_pair(&case.context, &case.delimiter, &case.ending);
        if case.ids[own_bos..].iter().any(|id| [BOS, EOS].contains(id)) {
            assert!(made.is_err_and(|e| e.to_string().contains("--parse-special")), "{place}");
            continue;
        }
        // The whole ending is white space, or a mark without width, which these kinds drop.
        let is_void = |c: char| c.is_whitespace() || ['\u{200b}', '\u{301}'].contains(&c) && kind == "wordpiece";
        if ["words", "wordpiece"].contains(&kind) && case.ending.chars().all(is_void) {
            assert!(made.is_err_and(|e| e.to_string().contains("has no tokens")), "{place}");
            continue;
        }
        let pair = made.unwrap_or_else(|e| panic!("{place}: {e}"));
        // Where nothing stands before the ending, BOS is put there.
        let put = usize::from(own_bos == 0 && pair.ids[0] == BOS);
        assert_eq!(pair.ids[put..], case.ids, "{place}");
        assert!(put == 0 || pair.context_len == 1, "{place}");
        // Unknown characters that are also normalised cannot be parted again: all are the ending's, and flagged.
        if kind == "unigram-bytes" && case.context == "e\u{301}" {
            assert!(pair.boundary_merge, "{place}");
            continue;
        }
        for (len, merge) in case.split.into_iter().chain(case.harness.map(|len| (len, false))) {
            assert_eq!((pair.context_len - put, pair.boundary_merge), (len, merge), "{place}");
        }
        told += usize::from(case.split.is_some() || case.harness.is_some());
        merges += usize::from(pair.boundary_merge);
    }
    (told, merges)
}

#[test]
fn byte_level_kinds_agree() {
    assert_eq!(check("gpt2"), (61, 11));
    assert_eq!(check("roberta"), (61, 11));
    assert_eq!(check("llama3"), (61, 13));
    // Three texts are not in normal form; one composes across the join.
    let (told, merges) = check("qwen2");
    assert!(told >= 58 && merges >= 12, "{told} {merges}");
}

#[test]
fn sentencepiece_kinds_agree() {
    for (kind, merges) in [("llama2-prepend", 9), ("llama2-metaspace", 9), ("gemma", 8)] {
        let (told, found) = check(kind);
        assert!(told >= 60 && found == merges, "{kind}: {told} {found}");
    }
}

#[test]
fn unigram_and_word_kinds_agree() {
    for (kind, told, merges) in [("unigram", 31, 10), ("unigram-bytes", 40, 5), ("words", 17, 10), ("wordpiece", 17, 5)]
    {
        let found = check(kind);
        assert!(found.0 >= told && found.1 >= merges, "{kind}: {found:?}");
    }
}

#[test]
fn added_tokens_with_rules_of_their_own_agree() {
    let (told, merges) = check("added");
    assert!(told >= 60 && merges >= 11, "{told} {merges}");
}
