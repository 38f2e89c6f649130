//! Where the ending begins, for every kind of tokenizer. Numbers in names are those of the known pains.

use llscore::tokenize::boundary::{Split, context_end, split};
use llscore::tokenize::{EncodeOptions, TextEncoder};
use serde_json::{Value, json};

use super::kinds::*;

/// Checks the pieces of both sides and the flag.
#[track_caller]
fn check(encoder: &TextEncoder, text: (&str, &str, &str), context: &[&str], ending: &[&str], merge: bool) {
    let pair = encoder.encode_pair(text.0, text.1, text.2).expect("encodes");
    let (before, after) = pieces(encoder, &pair);
    assert_eq!((before, after, pair.boundary_merge), (owned(context), owned(ending), merge), "{text:?}");
}

fn owned(pieces: &[&str]) -> Vec<String> {
    pieces.iter().map(|p| p.to_string()).collect()
}

#[test]
fn pain_1_a_token_across_the_join_is_the_endings() {
    let e = encoder_with(&plain_bytes(), Some(0), Some(1), EncodeOptions::default());
    check(&e, ("hello wor", "", "ld"), &["hello"], &["Ġworld"], true);
    // The whole context merges: BOS stands in for it, so that the token can be predicted.
    check(&e, ("Ans", "", "wer"), &["<s>"], &["Answer"], true);
    check(&e, ("hello", "", " world"), &["hello"], &["Ġworld"], false);
}

#[test]
fn pain_2_the_ids_are_those_of_the_whole_text() {
    for file in [plain_bytes(), llama(true), llama(false), unigram(), words(false)] {
        let e = encoder(&file);
        let pair = e.encode_pair("Every wumpus is a", " ", "tumpus.").expect("encodes");
        let whole = tokenizer(&file).encode("Every wumpus is a tumpus.", true).expect("encodes");
        assert_eq!(pair.ids, whole.get_ids(), "{}", e.kind());
        assert_eq!(pair.ids, e.encode_text("Every wumpus is a tumpus.").expect("encodes"));
    }
}

#[test]
fn pain_3_sentencepiece_adds_no_lone_space() {
    for metaspace in [true, false] {
        let e = encoder(&llama(metaspace));
        check(&e, ("Q:", " ", "Paris"), &["<s>", "▁", "Q:"], &["▁Paris"], false);
        check(&e, ("Q:", "", " Paris"), &["<s>", "▁", "Q:"], &["▁Paris"], false);
        check(&e, ("", " ", "Paris"), &["<s>"], if metaspace { &["▁Paris"] } else { &["▁", "▁Paris"] }, false);
        check(&e, ("", "", "Paris"), &["<s>"], &["▁Paris"], false);
        check(&e, ("Answ", "", "er"), &["<s>"], &["▁Answer"], true);
    }
    check(
        &encoder_with(&unigram(), Some(1), None, EncodeOptions::default()),
        ("", " ", "Paris"),
        &["<s>"],
        &["▁Paris"],
        false,
    );
}

#[test]
fn pain_4_a_letter_is_scored_with_its_space() {
    let e = encoder(&llama(true));
    check(&e, ("Answer:", " ", "A"), &["<s>", "▁Answer", ":"], &["▁A"], false);
    let e = encoder(&plain_bytes());
    check(&e, ("Answer:", " ", "A"), &["Answer", ":"], &["ĠA"], false);
}

#[test]
fn pain_5_the_delimiter_is_scored_and_trailing_space_of_the_context_too() {
    let e = encoder(&plain_bytes());
    check(&e, ("hello", "", "Paris"), &["hello"], &["P", "ar", "is"], false);
    check(&e, ("hello", " ", "Paris"), &["hello"], &["ĠParis"], false);
    check(&e, ("hello ", "", "Paris"), &["hello"], &["ĠParis"], false);
    check(&e, ("hello ", " ", "Paris"), &["hello"], &["Ġ", "ĠParis"], false);
    check(&e, ("hello\n", "", "Paris"), &["hello"], &["Ċ", "P", "ar", "is"], false);
}

/// A token of visible text and white space across the join: its trimmed end would be the end of the context.
#[test]
fn trimmed_offsets_do_not_hide_a_merge() {
    for trim in [false, true] {
        // Without a pre-tokenizer's cut a full stop and a line feed are one token, as in many vocabularies.
        let mut file = byte_level(MERGES, false, trim, Value::Null);
        file["pre_tokenizer"]["use_regex"] = json!(false);
        let e = encoder(&file);
        check(&e, ("hello.", "\n", "is"), &["hello"], &[".Ċ", "is"], true);
        check(&e, ("hello", "\n", "is"), &["hello"], &["Ċ", "is"], false);
        check(&e, ("hello.\n", "", "is"), &["hello"], &[".Ċ", "is"], true);
    }
}

#[test]
fn the_split_does_not_depend_on_the_post_processor() {
    let roberta = json!({"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0], "trim_offsets": true,
                         "add_prefix_space": true});
    let llama3 = json!({"type": "Sequence", "processors": [
        {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
        template((0, "<s>"), None)]});
    for (post, prefix) in [(Value::Null, 0), (roberta, 1), (llama3, 1)] {
        for prefix_space in [false, true] {
            let e = encoder(&byte_level(MERGES, prefix_space, true, post.clone()));
            for (context, delimiter, ending) in [
                ("hello", " ", "Paris"),
                ("hello ", "", "Paris"),
                ("hello", "  ", "A\n"),
                ("  hello.", "\n", " \n "),
                ("a", "", " "),
            ] {
                let pair = e.encode_pair(context, delimiter, ending).expect("encodes");
                let reference = encoder(&byte_level(MERGES, prefix_space, false, Value::Null));
                let plain = reference.encode_pair(context, delimiter, ending).expect("encodes");
                assert_eq!(pair.ids[prefix..], plain.ids);
                assert_eq!(pair.context_len, plain.context_len + prefix, "{context:?}");
                assert!(!pair.boundary_merge);
            }
        }
    }
}

#[test]
fn a_prepended_space_is_the_contexts() {
    let e = encoder(&byte_level(MERGES, true, true, Value::Null));
    check(&e, ("A", " ", "A"), &["ĠA"], &["ĠA"], false);
    check(&e, ("n", "", "A"), &["Ġ", "n"], &["A"], false);
    check(&e, ("é", "", "A"), &["Ġ", "Ã©"], &["A"], false);
    let e = encoder(&unigram());
    check(&e, ("z", "", "b"), &["▁", "z"], &["b"], false);
}

#[test]
fn characters_of_several_tokens_stay_on_their_side() {
    let e = encoder(&plain_bytes());
    check(&e, ("ü", "", "ö"), &["Ã", "¼"], &["Ã", "¶"], false);
    check(&e, ("a", " ", "\u{1f600}"), &["a"], &["Ġ", "ð", "Ł", "ĺ", "Ģ"], false);
    check(&e, ("\u{1f600}", " ", "a"), &["ð", "Ł", "ĺ", "Ģ"], &["Ġ", "a"], false);
    for metaspace in [true, false] {
        let e = encoder(&llama(metaspace));
        check(&e, ("é", "", "ü"), &["<s>", "▁", "<0xC3>", "<0xA9>"], &["<0xC3>", "<0xBC>"], false);
        check(&e, ("Q:", " ", "\n"), &["<s>", "▁", "Q:"], &["▁", "<0x0A>"], false);
    }
}

/// `©Ã` is the second byte of `é` and the first of `ü`: one token across the join, and neither side is a character.
#[test]
fn a_token_of_half_a_character_on_each_side_is_a_merge() {
    let merges: Vec<&str> = MERGES.iter().copied().filter(|m| *m != "Ã ©").collect();
    let e = encoder(&byte_level(&merges, false, true, Value::Null));
    check(&e, ("é", "", "ü"), &["Ã"], &["©Ã", "¼"], true);
}

#[test]
fn unknown_words_and_dropped_spaces() {
    let e = encoder(&words(false));
    check(&e, ("Every wumpus", " ", "zumpus ."), &["<s>", "Every", "wumpus"], &["<unk>", "."], false);
    check(&e, ("Every wumpus \n", "", "is"), &["<s>", "Every", "wumpus"], &["is"], false);
    check(&e, ("Every wum", "", "pus"), &["<s>", "Every"], &["wumpus"], true);
    let error = e.encode_pair("Every", " ", "\n").expect_err("no tokens").to_string();
    assert!(error.contains("has no tokens"), "{error}");
}

#[test]
fn characters_composed_across_the_join_are_a_merge() {
    for form in ["NFC", "NFKC"] {
        let mut file = plain_bytes();
        file["normalizer"] = json!({"type": form});
        let e = encoder(&file);
        check(&e, ("a e", "", "\u{301}."), &["a", "Ġ"], &["Ã©", "."], true);
        check(&e, ("a e", "", "\u{301}"), &["a", "Ġ"], &["Ã©"], true);
        check(&e, ("a", "", "e\u{301}"), &["a"], &["e\u{301}"].map(|_| "Ã©"), false);
        // U+0308 on u gives ü, two tokens here: both are the ending's.
        check(&e, ("a u", "", "\u{308}."), &["a", "Ġ"], &["Ã", "¼", "."], true);
    }
    let mut file = plain_bytes();
    file["normalizer"] = json!({"type": "Replace", "pattern": {"String": "..."}, "content": "A"});
    check(&encoder(&file), ("is..", "", ".A"), &["is"], &["A", "A"], true);
    file["normalizer"] = json!({"type": "StripAccents"});
    let e = encoder(&file);
    check(&e, ("a e", "", "\u{301}."), &["a", "Ġ", "e"], &["."], false);
    assert!(e.encode_pair("a e", "", "\u{301}").is_err(), "the ending is dropped whole");
}

#[test]
fn pain_6_every_byte_of_an_ending_is_scored() {
    for file in [plain_bytes(), llama(true), llama(false)] {
        let e = encoder(&file);
        for ending in [
            "\u{e9}",
            "e\u{301}",
            "a\u{a0}b",
            "\n",
            "is ",
            "\u{a0}",
            "\u{1f469}\u{200d}\u{1f4bb}",
            "\u{4e2d}\u{6587}",
            "\u{0}",
            "\t\t",
        ] {
            let pair = e.encode_pair("Answer:", " ", ending).expect("encodes");
            let text = e.decode(&pair.ids[pair.context_len - 1..]).expect("decodes");
            assert_eq!(text, format!(": {ending}"), "{} {ending:?}", e.kind());
        }
    }
}

#[test]
fn pain_7_special_tokens_in_text_are_plain_unless_asked_for() {
    let parsed = EncodeOptions { parse_special: true, ..Default::default() };
    let (plain, special) = (encoder(&plain_bytes()), encoder_with(&plain_bytes(), None, None, parsed));
    check(&plain, ("hello", " ", "</s>"), &["hello"], &["Ġ", "<", "/", "s", ">"], false);
    check(&special, ("hello", " ", "</s>"), &["hello"], &["Ġ", "</s>"], false);
    let (plain, special) = (encoder(&llama(true)), encoder_with(&llama(true), None, None, parsed));
    check(&plain, ("Q:", " ", "</s>"), &["<s>", "▁", "Q:"], &["▁", "<", "/", "s", ">"], false);
    check(&special, ("Q:", "", "</s>"), &["<s>", "▁", "Q:"], &["</s>"], false);
    // These kinds have the special tokens in the model itself, so that there is no plain form.
    for file in [unigram(), words(true)] {
        let error = encoder(&file).encode_pair("a", " ", "</s>").expect_err("no plain form").to_string();
        assert!(error.contains("`</s>`") && error.contains("--parse-special"), "{error}");
        assert!(encoder_with(&file, Some(1), None, parsed).encode_pair("a", " ", "</s>").is_ok());
    }
}

#[test]
fn an_empty_ending_is_an_error() {
    let error = encoder(&plain_bytes()).encode_pair("hello", " ", "").expect_err("empty").to_string();
    assert!(error.contains("ending is empty"), "{error}");
}

/// A vocabulary like SmolLM2's: no token for some control characters and for the lead byte of some planes.
#[test]
fn characters_that_a_tokenizer_would_drop_are_an_error() {
    let mut file = plain_bytes();
    let vocab = file["model"]["vocab"].as_object_mut().expect("a vocabulary");
    for byte in ["Ā", "ñ", "z"] {
        vocab.remove(byte); // 0x00, 0xF1, z
    }
    let e = encoder(&file);
    assert!(e.encode_pair("hello", " ", "Paris\u{1f600}").is_ok());
    for dropped in ["z", "\u{0}", "\u{50000}"] {
        for (context, ending) in [(format!("a{dropped}b"), "Paris".to_string()), ("a".into(), format!("{dropped}b"))] {
            let error = e.encode_pair(&context, " ", &ending).expect_err("dropped").to_string();
            assert!(error.contains("would drop it") && error.contains("--tokenizer"), "{error}");
        }
    }
    // Without bytes: characters that the vocabulary lacks, and no token for the unknown.
    let mut file = llama(true);
    file["model"]["byte_fallback"] = json!(false);
    file["model"]["unk_token"] = Value::Null;
    let e = encoder(&file);
    assert!(e.encode_pair("Q:", " ", "Paris").is_ok());
    assert!(e.encode_pair("Q:", " ", "aéb").is_err_and(|e| e.to_string().contains("'é'")));
}

#[test]
fn python_s_white_space_ends_the_context() {
    for (context, end) in
        [("a", 1), ("a \t\r\n", 1), ("a\u{a0}\u{3000}", 1), ("a\u{1f}", 1), ("a\u{200b}", 4), (" ", 0), ("", 0)]
    {
        assert_eq!(context_end(context), end, "{context:?}");
    }
}

#[test]
fn splits_worked_out_by_hand() {
    let at = |text: &str, end, spans: &[(usize, usize)], composes| {
        split::<()>(text, end, spans, || Ok(composes)).expect("no error")
    };
    assert_eq!(at("ab cd", 2, &[(0, 2), (2, 5)], false), Split { first: 1, merge: false });
    assert_eq!(at("ab cd", 2, &[(0, 2), (3, 5)], true), Split { first: 1, merge: false }); // a dropped space
    assert_eq!(at("abcd", 2, &[(0, 3), (3, 4)], false), Split { first: 0, merge: true });
    assert_eq!(at("abcd", 2, &[(0, 1), (1, 2), (3, 4)], true), Split { first: 1, merge: true });
    assert_eq!(at("abcd", 2, &[(0, 1), (1, 2), (3, 4)], false), Split { first: 2, merge: false });
    assert_eq!(at("abcd", 4, &[(0, 4)], false), Split { first: 1, merge: false });
}
