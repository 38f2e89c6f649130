//! BOS: never missing, never doubled, and overruled only by the flag.

use std::path::Path;

use llscore::tokenize::{BosPolicy, EncodeOptions, SpecialIds, TextEncoder};
use serde_json::Value;

use super::kinds::*;

fn ids(e: &TextEncoder) -> Vec<u32> {
    e.encode_pair("is", " ", "is").expect("encodes").ids
}

#[test]
fn pain_8_the_tokenizer_decides_and_the_flag_overrules() {
    for file in [llama(true), llama(false), words(false), words(true)] {
        for (policy, first) in [(BosPolicy::Auto, true), (BosPolicy::Always, true), (BosPolicy::Never, false)] {
            let e = encoder_with(&file, Some(1), Some(2), bos(policy));
            let ids = ids(&e);
            assert_eq!(ids.iter().filter(|id| **id == 1).count(), usize::from(first), "{policy:?}");
            assert_eq!(ids[0] == 1, first);
            assert_eq!(e.bos_info().ids, if first { vec![1] } else { vec![] });
        }
    }
    for (policy, first) in [(BosPolicy::Auto, false), (BosPolicy::Always, true), (BosPolicy::Never, false)] {
        let e = encoder_with(&plain_bytes(), Some(0), Some(1), bos(policy));
        assert_eq!(ids(&e)[0] == 0, first, "{policy:?}");
    }
}

#[test]
fn a_closing_token_is_never_scored() {
    let e = encoder_with(&words(true), Some(1), Some(2), EncodeOptions::default());
    let pair = e.encode_pair("Every", " ", "wumpus").expect("encodes");
    assert_eq!((pair.ids, pair.context_len), (vec![1, 3, 4], 2));
    let roberta = serde_json::json!({"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0],
                                     "trim_offsets": true, "add_prefix_space": false});
    let e = encoder(&byte_level(MERGES, false, true, roberta));
    let pair = e.encode_pair("hello", " ", "Paris").expect("encodes");
    assert_eq!(pieces(&e, &pair), (vec!["<s>".into(), "hello".into()], vec!["ĠParis".into()]));
    assert_eq!((e.bos_id(), e.eos_id()), (Some(0), Some(1)));
}

#[test]
fn bos_is_not_doubled_by_the_text() {
    let parse = |policy| EncodeOptions { bos: policy, parse_special: true };
    for policy in [BosPolicy::Auto, BosPolicy::Always] {
        let e = encoder_with(&llama(true), Some(1), Some(2), parse(policy));
        assert_eq!(e.encode_text("<s>Q:").expect("encodes").iter().filter(|id| **id == 1).count(), 1);
        let pair = e.encode_pair("<s>Q:", " ", "Paris").expect("encodes");
        assert_eq!(pieces(&e, &pair).0[0], "<s>");
        assert_ne!(pair.ids[1], 1);
        // The text's own BOS is what an ending without context is predicted from.
        let pair = e.encode_pair("", "", "<s>Paris").expect("encodes");
        assert_eq!((pair.ids[0], pair.context_len), (1, 1));
        assert_eq!(pair.ids.iter().filter(|id| **id == 1).count(), 1);
    }
    // Two BOS that the text spells out are the text's business.
    let e = encoder_with(&llama(true), Some(1), Some(2), parse(BosPolicy::Auto));
    assert_eq!(e.encode_text("<s><s>Q:").expect("encodes").iter().filter(|id| **id == 1).count(), 2);
}

#[test]
fn pains_11_and_12_an_empty_context_gets_bos_else_eos_else_an_error() {
    let first = |bos_id, eos_id, policy| {
        let e = encoder_with(&plain_bytes(), bos_id, eos_id, bos(policy));
        ["", " ", "\n"].map(|context| e.encode_pair(context, " ", "is").map(|p| (p.ids[0], p.context_len)))
    };
    for policy in [BosPolicy::Auto, BosPolicy::Never] {
        assert!(first(Some(0), Some(1), policy).iter().all(|p| p.as_ref().is_ok_and(|p| *p == (0, 1))));
        assert!(first(None, Some(1), policy).iter().all(|p| p.as_ref().is_ok_and(|p| *p == (1, 1))));
        for result in first(None, None, policy) {
            let error = result.expect_err("no token before the ending").to_string();
            assert!(error.contains("--bos") && error.contains("--tokenizer") && error.contains("empty"), "{error}");
        }
    }
    let e = encoder_with(&llama(true), Some(1), Some(2), bos(BosPolicy::Auto));
    let pair = e.encode_pair("", " ", "Paris").expect("encodes");
    assert_eq!((pair.ids[0], pair.context_len, pair.ids[1] != 1), (1, 1, true));
    assert!(encoder(&plain_bytes()).encode_pair("is", " ", "is").is_ok(), "a context with tokens needs no BOS");
}

#[test]
fn always_without_a_bos_token_is_refused() {
    let ids = SpecialIds { eos: Some(1), ..Default::default() };
    let made = TextEncoder::from_tokenizer(tokenizer(&plain_bytes()), ids, Path::new("t"), bos(BosPolicy::Always));
    let error = made.err().expect("refused").to_string();
    assert!(error.contains("--bos always") && error.contains("no BOS"), "{error}");
}

#[test]
fn a_gguf_file_s_add_bos_decides_before_the_template() {
    let first = |file: &Value, add_bos, policy, bos_id| {
        let ids = SpecialIds { bos: Some(bos_id), eos: None, add_bos };
        let e =
            TextEncoder::from_tokenizer(tokenizer(file), ids, Path::new("m.gguf"), bos(policy)).expect("an encoder");
        (self::ids(&e)[0] == bos_id, e.bos_info().source)
    };
    assert_eq!(first(&plain_bytes(), Some(true), BosPolicy::Auto, 0), (true, "metadata"));
    assert_eq!(first(&plain_bytes(), Some(false), BosPolicy::Auto, 0), (false, "metadata"));
    assert_eq!(first(&plain_bytes(), None, BosPolicy::Auto, 0), (false, "post-processor"));
    assert_eq!(first(&llama(true), Some(false), BosPolicy::Auto, 1), (false, "metadata"));
    assert_eq!(first(&llama(true), Some(true), BosPolicy::Never, 1), (false, "flag"));
    assert_eq!(first(&llama(true), Some(false), BosPolicy::Always, 1), (true, "flag"));
    let ids = SpecialIds { bos: None, eos: None, add_bos: Some(true) };
    let made =
        TextEncoder::from_tokenizer(tokenizer(&plain_bytes()), ids, Path::new("m.gguf"), EncodeOptions::default());
    assert!(made.is_err_and(|e| e.to_string().contains("--bos never")));
}

#[test]
fn pain_10_the_policy_is_on_record() {
    let info = |policy| {
        serde_json::to_value(encoder_with(&llama(true), Some(1), Some(2), bos(policy)).bos_info()).expect("serialises")
    };
    assert_eq!(
        info(BosPolicy::Auto),
        serde_json::json!({"policy": "auto", "ids": [1], "tokens": ["<s>"], "source": "post-processor",
                           "empty_context": 1})
    );
    assert_ne!(info(BosPolicy::Auto), info(BosPolicy::Never));
}
