//! Whole templates against transformers' `apply_chat_template`.

use super::*;

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().expect("a list").iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

#[test]
fn text_and_ids_are_those_of_transformers() {
    let mut compared = 0;
    for file in styles() {
        let plain = Style::open(&file, EncodeOptions::default());
        let parsed = Style::open(&file, EncodeOptions { parse_special: true, ..Default::default() });
        for case in &plain.cases {
            let message = case["message"].as_str().expect("text");
            let place = format!("{}: {message:?}", file.display());
            let prompt = plain.prompt(message, "Max");
            assert_eq!(prompt.context, case["text"].as_str().expect("text"), "{place}");
            assert!(prompt.unlocated.is_none() && prompt.delimiter.is_empty(), "{place}");
            for (style, expected) in [(&parsed, &case["ids"]), (&plain, &case["plain"])] {
                if expected.is_null() {
                    continue;
                }
                // Only the prompt's own ids: those of the ending and of what merges with it stand behind.
                let pair = style.encode(&prompt).expect("encodes");
                let alone = style
                    .encoder
                    .encode_text(Context { text: &prompt.context, scaffold: &prompt.scaffold })
                    .expect("encodes");
                let mut expected = ids(expected);
                let bos = style.encoder.bos_info().ids;
                if !bos.is_empty() && !expected.starts_with(&bos) {
                    expected = [bos, expected].concat();
                }
                assert_eq!(alone, expected, "{place}");
                assert_eq!(pair.ids[..pair.context_len], alone[..pair.context_len], "{place}");
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

/// In the style of Phi 3 the token that opens the answer takes the line end behind it with it; it is no less the context's.
#[test]
fn a_token_that_takes_white_space_with_it_stays_in_the_context() {
    let style = Style::open(&fixture("chat/role-tokens.json"), EncodeOptions::default());
    let prompt = style.prompt("Max is a", "wumpus");
    assert!(prompt.context.ends_with("<|assistant|>\n"));
    let pair = style.encode(&prompt).expect("encodes");
    let alone = Context { text: &prompt.context, scaffold: &prompt.scaffold };
    assert_eq!(pair.ids[..pair.context_len], style.encoder.encode_text(alone).expect("encodes"));
    assert!(!pair.boundary_merge);
    let texts: Vec<String> = pair.ids.iter().map(|id| style.encoder.token_text(*id)).collect();
    assert_eq!(texts[pair.context_len - 1], "<|assistant|>");
}
