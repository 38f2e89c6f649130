//! Folders with `vocab.json` and `merges.txt` but no `tokenizer.json`, against transformers.

use std::collections::BTreeMap;
use std::fs;

use llscore::tokenize::{EncodeOptions, TextEncoder};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Work, fixture, item};

fn all() -> Value {
    serde_json::from_slice(&fs::read(fixture("vocab.json")).expect("reads")).expect("JSON")
}

/// A folder with the shared files and these.
fn folder(all: &Value, files: &Value) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("vocab.json"), all["vocab"].to_string()).expect("writes");
    fs::write(dir.path().join("merges.txt"), all["merges"].as_str().expect("text")).expect("writes");
    for (name, content) in files.as_object().expect("files") {
        fs::write(dir.path().join(name), content.to_string()).expect("writes");
    }
    dir
}

fn ids(value: &Value) -> Vec<u32> {
    value.as_array().expect("a list").iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

#[test]
fn ids_and_special_tokens_are_those_of_transformers() {
    let all = all();
    let mut compared = 0;
    for made in all["folders"].as_array().expect("a list") {
        let name = made["name"].as_str().expect("text");
        let dir = folder(&all, &made["files"]);
        for (parse_special, key) in [(true, "ids"), (false, "plain")] {
            let options = EncodeOptions { parse_special, ..Default::default() };
            let e = TextEncoder::load(dir.path(), options).expect("loads");
            let named: BTreeMap<&str, &str> = e.named_tokens().iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
            assert_eq!(json!(named), made["named"], "{name}");
            assert_eq!((json!(e.bos_id()), json!(e.eos_id())), (made["bos"].clone(), made["eos"].clone()), "{name}");
            for case in made["cases"].as_array().expect("a list") {
                let text = case["text"].as_str().expect("text");
                assert_eq!(e.encode_text(text).expect("encodes"), ids(&case[key]), "{name}: {text:?}, {key}");
                compared += 1;
            }
            let notes = e.notes().join("\n");
            assert_eq!(notes.contains("one of GPT-2's kind"), name == "unknown-class", "{name}: {notes}");
            assert!(notes.is_empty() || notes.contains("`NoSuchTokenizer`"), "{name}: {notes}");
        }
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn a_broken_pair_of_files_is_named() {
    let all = all();
    for (file, content, word) in [
        ("merges.txt", "#version: 0.2\nxq zz\n", "make no tokenizer"),
        ("merges.txt", "a b c\n", "make no tokenizer"),
        ("merges.txt", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        ("vocab.json", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        ("vocab.json", "[1]", "make no tokenizer"),
        ("vocab.json", "", "make no tokenizer"),
    ] {
        let dir = folder(&all, &json!({}));
        fs::write(dir.path().join(file), content).expect("writes");
        let error = TextEncoder::load(dir.path(), EncodeOptions::default()).err().expect("refused");
        let text = error.to_string();
        assert!(error.exit_code() == 2 && text.contains(word) && text.contains(file), "{file} {content:?}: {text}");
    }
}

#[test]
fn a_run_takes_such_a_folder_as_the_model_s_tokenizer_and_as_another_one() {
    let all = all();
    let work = Work::new();
    work.items("d.jsonl", &[item("a", "Max is a", &["wumpus", "tumpus."], 0)]);
    let given = folder(&all, &json!({"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer"}}));
    let run = |flags: &str| work.run(&format!("--data d.jsonl --log-tokens {flags}"));
    run(&format!("--output given --tokenizer {}", given.path().display())).code(0);
    work.model("own", |_| ());
    for file in ["tokenizer.json", "tokenizer_config.json"] {
        fs::remove_file(work.path("own").join(file)).expect("removes");
    }
    for file in ["vocab.json", "merges.txt", "tokenizer_config.json"] {
        fs::copy(given.path().join(file), work.path("own").join(file)).expect("copies");
    }
    run("--output own-run --model own").code(0);
    assert_eq!(work.samples("given")[0]["context_ids"], work.samples("own-run")[0]["context_ids"]);
    let digest = |run: &str| work.json(&format!("{run}/manifest.json"))["scores"]["tokenizer"].clone();
    assert_eq!(digest("given"), digest("own-run"));
    // Another class is another tokenizer.
    fs::write(given.path().join("tokenizer_config.json"), r#"{"tokenizer_class":"Qwen2Tokenizer"}"#).expect("writes");
    run(&format!("--output other --tokenizer {}", given.path().display())).code(0);
    assert_ne!(digest("given"), digest("other"));
    fs::remove_file(work.path("own/merges.txt")).expect("removes");
    run("--output o --model own").refused(&["own", "vocab.json without merges.txt", "--tokenizer"]);
    fs::remove_file(work.path("own/vocab.json")).expect("removes");
    for file in ["spiece.model", "tekken.json", "vocab.txt", "tokenizer.model"] {
        work.write(&format!("own/{file}"), "x");
        run("--output o --model own").refused(&["own", &format!("only {file}"), "save_pretrained", "--tokenizer"]);
        fs::remove_file(work.path("own").join(file)).expect("removes");
    }
}

/// The model has fewer rows than the tokenizer has tokens: that is an error of the items that need the others alone.
#[test]
fn ids_beyond_the_embedding_are_an_item_s_error() {
    let all = all();
    let work = Work::new();
    let plain = [item("a", "Max is a", &["wumpus", "tumpus."], 0), item("b", "Max <far>", &["x"], 0)];
    work.items("d.jsonl", &plain);
    let far = json!({"900": {"content": "<far>", "special": false, "normalized": false}});
    let files = json!({"tokenizer_config.json": {"tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": far}});
    let given = folder(&all, &files);
    let ran = work.run(&format!("--data d.jsonl --output o --tokenizer {}", given.path().display())).code(1);
    assert!(ran.err.contains("1 of 2 items failed: `b`: ") && ran.err.contains("beyond the embedding"), "{}", ran.err);
}
