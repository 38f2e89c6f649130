//! What templates may use, one thing at a time.

use super::*;

#[test]
fn each_feature_renders_as_in_transformers() {
    let all = read(&fixture("chat/features.json"));
    let mut wrong = Vec::new();
    for case in all["features"].as_array().expect("a list") {
        let template = case["template"].as_str().expect("text");
        // The message's own text must be shown for a template to be accepted.
        let whole = format!("{{{{ messages[0].content }}}}|{template}");
        let tokens = [("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>")];
        let tokens = tokens.map(|(name, token)| (name.to_string(), token.to_string()));
        let date = all["date"].as_str().map(|d| d.parse().expect("a date"));
        let message = "Max is a <wumpus>.\nYes";
        let made = ChatTemplate::new(source(&whole), &tokens, date).and_then(|t| t.turn(message));
        let made = made.map(|turn| turn.text.strip_prefix(&format!("{message}|")).expect("shown").to_string());
        match (case["text"].as_str(), &made) {
            (Some(expected), Ok(text)) if expected == text => {}
            (None, Err(_)) => {}
            (expected, made) => wrong.push(format!("{template}\n  expected {expected:?}\n  made     {made:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} features differ:\n{}", wrong.len(), wrong.join("\n"));
}
