//! Chat templates: text and ids against transformers, what templates may use, BOS, and runs with them.

mod features;
mod flags;
mod reference;

use std::path::{Path, PathBuf};

use llscore::item::Item;
use llscore::prompt::chat::{ChatTemplate, TemplateSource};
use llscore::prompt::{Prompt, Prompter};
use llscore::tokenize::{Context, EncodeOptions, EncodedPair, TextEncoder};
use serde_json::Value;

use crate::support::fixture;

fn read(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).expect("reads")).expect("JSON")
}

/// The fixtures of whole templates.
fn styles() -> Vec<PathBuf> {
    let files = std::fs::read_dir(fixture("chat")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.filter(|f| f.file_stem().is_some_and(|name| name != "features")).collect();
    files.sort();
    assert!(files.len() >= 12);
    files
}

fn source(text: &str) -> TemplateSource {
    TemplateSource { text: text.to_string(), origin: "here".to_string() }
}

fn item(context: &str, endings: &[&str]) -> Item {
    let json = serde_json::json!({"id": "i", "task": "t", "context": context, "endings": endings, "label": 0});
    serde_json::from_value(json).expect("an item")
}

/// A fixture's tokenizer and template.
struct Style {
    encoder: TextEncoder,
    prompter: Prompter,
    cases: Vec<Value>,
}

impl Style {
    fn open(file: &Path, options: EncodeOptions) -> Self {
        let all = read(file);
        let dir = tempfile::tempdir().expect("a folder");
        for (name, key) in [("tokenizer.json", "tokenizer"), ("tokenizer_config.json", "config")] {
            std::fs::write(dir.path().join(name), all[key].to_string()).expect("writes");
        }
        let mut encoder = TextEncoder::load(dir.path(), options).expect("loads");
        encoder.read_scaffold().expect("takes signs");
        let date = all["date"].as_str().map(|d| d.parse().expect("a date"));
        let text = all["config"]["chat_template"].as_str().expect("a template");
        let template = ChatTemplate::new(source(text), encoder.named_tokens(), date).expect("compiles");
        let cases = all["cases"].as_array().expect("a list").clone();
        Style { encoder, prompter: Prompter::new(None).with_chat(template), cases }
    }

    fn prompt(&self, message: &str, ending: &str) -> Prompt {
        self.prompter.prompt(&item(message, &[ending])).expect("renders")
    }

    fn encode(&self, prompt: &Prompt) -> llscore::Result<EncodedPair> {
        let context = Context { text: &prompt.context, scaffold: &prompt.scaffold };
        self.encoder.encode_pair(context, &prompt.delimiter, &prompt.endings[0])
    }
}
