//! What holds for any text.

use llscore::tokenize::EncodeOptions;
use llscore::tokenize::boundary::context_end;
use proptest::collection::vec;
use proptest::prelude::*;

use super::kinds::*;

/// Text from parts that tokenizers stumble over.
fn tricky(parts: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => prop::sample::select(vec![
            "Ans", "wer", "hello", " wor", "ld", " Paris", "Par", "is", "A", " ", "  ", "\n", ".\n", ".", "é", "ü", "e\u{301}",
            "\u{a0}", "\u{3000}", "中", "文", "\u{1f469}\u{200d}\u{1f4bb}", "\u{1f600}", "ſ", "ﬁ", "▁", "Ġ", "<s>", "</s>",
            "'s", "123", "\t", "\u{0}", "\u{85}", "\u{feff}", "\u{1c}",
        ]).prop_map(str::to_string),
        1 => any::<char>().prop_map(|c| c.to_string()),
    ];
    vec(part, parts).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// The ids are the whole text's, both sides together give the text, and no byte changes sides but by a merge.
    #[test]
    fn byte_level_requests(context in tricky(0..6), delimiter in prop::sample::select(vec!["", " ", "\n"]),
                           ending in tricky(1..5), trim in any::<bool>(), prefix_space in any::<bool>(), regex in any::<bool>()) {
        let mut file = byte_level(MERGES, prefix_space, trim, serde_json::Value::Null);
        file["pre_tokenizer"]["use_regex"] = regex.into();
        let e = encoder_with(&file, Some(0), Some(1), EncodeOptions::default());
        let text = format!("{context}{delimiter}{ending}");
        let pair = e.encode_pair(&context, delimiter, &ending).expect("encodes");
        let mut reference = tokenizer(&file);
        reference.set_encode_special_tokens(true);
        let whole = reference.encode(text.as_str(), true).expect("encodes");
        let ids: &[u32] = if pair.ids[0] == 0 { &pair.ids[1..] } else { &pair.ids };
        prop_assert_eq!(ids, whole.get_ids());
        let spaced = if prefix_space && !text.starts_with(' ') { format!(" {text}") } else { text.clone() };
        prop_assert_eq!(e.decode(ids).expect("decodes"), spaced.clone());

        // An independent count: each piece has one character a byte.
        let bytes = |ids: &[u32]| -> usize {
            ids.iter().filter(|id| **id != 0).map(|id| e.tokenizer().id_to_token(*id).expect("known").chars().count()).sum()
        };
        let end = context_end(&context) + if context_end(&context) > 0 { spaced.len() - text.len() } else { 0 };
        let before = bytes(&pair.ids[..pair.context_len]);
        let first = bytes(&pair.ids[pair.context_len..=pair.context_len]);
        prop_assert!(before <= end, "no token of the context reaches past it");
        prop_assert!(before + first > end, "the ending's first token does");
        prop_assert_eq!(pair.boundary_merge, before < end);
        let scored = e.decode(&pair.ids[pair.context_len..]).expect("decodes");
        prop_assert!(scored.ends_with(&ending), "{:?}", scored);
        prop_assert!(pair.context_len >= 1 && pair.context_len < pair.ids.len());
    }

    /// As the join moves to the right, the context does not lose tokens.
    #[test]
    fn the_context_grows_with_the_join(text in tricky(2..8), nfc in any::<bool>()) {
        let mut file = byte_level(MERGES, false, true, serde_json::Value::Null);
        if nfc {
            file["normalizer"] = serde_json::json!({"type": "NFC"});
        }
        for file in [file, llama(true), llama(false)] {
            let e = encoder_with(&file, Some(0), None, EncodeOptions::default());
            let mut last = 0;
            for (at, _) in text.char_indices() {
                let Ok(pair) = e.encode_pair(&text[..at], "", &text[at..]) else { continue };
                prop_assert!(pair.context_len >= last, "{:?} at {at}", &text);
                last = pair.context_len;
            }
        }
    }

    /// Llama's two forms and its bytes: ids are the whole text's, and the ending's tokens hold the ending.
    #[test]
    fn sentencepiece_requests(context in tricky(0..6), ending in tricky(1..5), metaspace in any::<bool>()) {
        let e = encoder_with(&llama(metaspace), Some(1), Some(2), EncodeOptions::default());
        let pair = e.encode_pair(&context, " ", &ending).expect("encodes");
        let mut reference = tokenizer(&llama(metaspace));
        reference.set_encode_special_tokens(true);
        let whole = reference.encode(format!("{context} {ending}"), true).expect("encodes");
        prop_assert_eq!(pair.ids.as_slice(), whole.get_ids());
        let scored = e.decode(&pair.ids[pair.context_len..]).expect("decodes");
        // `▁` in the text is a space to this kind, and the decoder takes one leading space away.
        let ending = ending.replace('▁', " ");
        prop_assert!(format!(" {scored}").ends_with(&ending), "{:?} {:?}", scored, ending);
    }
}
