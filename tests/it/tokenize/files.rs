//! Tokenizer files on disk.

use std::fs;
use std::path::Path;

use llscore::Error;
use llscore::tokenize::{BosPolicy, EncodeOptions, TextEncoder};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::kinds::*;

fn folder(files: &[(&str, Value)]) -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, value) in files {
        fs::write(dir.path().join(name), value.to_string()).expect("written");
    }
    dir
}

fn load(path: &Path) -> Result<TextEncoder, Error> {
    TextEncoder::load(path, EncodeOptions::default())
}

#[track_caller]
fn refused(path: &Path, words: &[&str]) {
    let error = load(path).err().expect("refused");
    assert_eq!(error.exit_code(), 2);
    let text = error.to_string();
    assert!(words.iter().all(|w| text.contains(w)), "{text}");
}

#[test]
fn pain_43_a_missing_tokenizer_says_what_is_missing_and_what_to_do() {
    refused(folder(&[]).path(), &["no tokenizer.json", "--tokenizer"]);
    refused(folder(&[("tokenizer.model", json!(1))]).path(), &["tokenizer.model", "save_pretrained", "--tokenizer"]);
    refused(folder(&[("vocab.json", json!({}))]).path(), &["vocab.json without merges.txt", "--tokenizer"]);
    refused(folder(&[("merges.txt", json!(1))]).path(), &["merges.txt without vocab.json", "--tokenizer"]);
    refused(&folder(&[]).path().join("mine.json"), &["mine.json", "no such tokenizer file"]);
}

#[test]
fn broken_files_are_named() {
    let dir = folder(&[("tokenizer.json", llama(true))]);
    fs::write(dir.path().join("tokenizer.json"), "{\"version\":").expect("written");
    refused(dir.path(), &["tokenizer.json", "not a tokenizer file", "--tokenizer"]);
    fs::write(dir.path().join("tokenizer.json"), "version https://git-lfs.github.com/spec/v1\n").expect("written");
    refused(dir.path(), &["tokenizer.json", "Git LFS pointer"]);
    let dir = folder(&[("tokenizer.json", llama(true))]);
    fs::write(dir.path().join("tokenizer_config.json"), "{").expect("written");
    refused(dir.path(), &["tokenizer_config.json", "broken JSON"]);
}

#[test]
fn truncation_padding_and_dropout_of_the_file_are_not_applied() {
    let mut file = llama(true);
    let plain = load(folder(&[("tokenizer.json", file.clone())]).path()).expect("loads");
    file["truncation"] = json!({"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0});
    file["padding"] = json!({"strategy": {"Fixed": 64}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
                             "pad_type_id": 0, "pad_token": "<unk>"});
    file["model"]["dropout"] = json!(0.9);
    let e = load(folder(&[("tokenizer.json", file)]).path()).expect("loads");
    for _ in 0..5 {
        assert_eq!(
            e.encode_pair("Answer: Paris is", " ", "Paris").expect("encodes"),
            plain.encode_pair("Answer: Paris is", " ", "Paris").expect("encodes")
        );
    }
    assert!(e.notes().iter().any(|n| n.contains("truncation")) && e.notes().iter().any(|n| n.contains("dropout")));
    assert!(plain.notes().is_empty());
    assert_ne!(e.digest(), plain.digest());
}

#[test]
fn bos_and_eos_are_named_by_the_files_beside_it() {
    let ids = |files: &[(&str, Value)]| {
        let mut all = vec![("tokenizer.json", plain_bytes())];
        all.extend_from_slice(files);
        let e = load(folder(&all).path()).expect("loads");
        (e.bos_id(), e.eos_id(), e.notes().len())
    };
    assert_eq!(ids(&[]), (None, None, 0));
    let config = json!({"bos_token": "<s>", "eos_token": {"content": "</s>", "lstrip": false}});
    let model = json!({"bos_token_id": 7, "eos_token_id": [8, 9]});
    let map = json!({"bos_token": {"content": "</s>"}});
    assert_eq!(
        ids(&[("tokenizer_config.json", config.clone()), ("config.json", model.clone())]),
        (Some(0), Some(1), 0)
    );
    assert_eq!(ids(&[("config.json", model.clone())]), (Some(7), Some(8), 0));
    assert_eq!(ids(&[("config.json", json!({"text_config": model}))]), (Some(7), Some(8), 0));
    assert_eq!(ids(&[("special_tokens_map.json", map), ("config.json", model.clone())]), (Some(1), Some(8), 0));
    // Qwen2's way: there is none, whatever config.json says.
    assert_eq!(
        ids(&[("tokenizer_config.json", json!({"bos_token": null, "eos_token": "</s>"})), ("config.json", model)]),
        (None, Some(1), 0)
    );
    assert_eq!(ids(&[("tokenizer_config.json", json!({"bos_token": "<nowhere>"}))]), (None, None, 1));
    assert_eq!(ids(&[("config.json", json!({"bos_token_id": 99999}))]), (None, None, 0));
}

/// As transformers 5 does with a tokenizer.json at hand.
#[test]
fn add_bos_token_in_the_config_is_noted_and_overruled_by_the_tokenizer() {
    for (file, adds, bos_token) in [(plain_bytes(), false, "<s>"), (llama(true), true, "<s>")] {
        for says in [None, Some(true), Some(false)] {
            let mut config = json!({"bos_token": bos_token});
            if let Some(says) = says {
                config["add_bos_token"] = json!(says);
            }
            let dir = folder(&[("tokenizer.json", file.clone()), ("tokenizer_config.json", config)]);
            let e = load(dir.path()).expect("loads");
            assert_eq!(e.encode_text("is").expect("encodes").first() == e.bos_id().as_ref(), adds);
            assert_eq!(e.notes().len(), usize::from(says.is_some_and(|s| s != adds)), "{:?}", e.notes());
            let overruled = TextEncoder::load(dir.path(), bos(BosPolicy::Always)).expect("loads");
            assert_eq!(overruled.encode_text("is").expect("encodes").first(), overruled.bos_id().as_ref());
            assert!(overruled.notes().is_empty());
        }
    }
}

#[test]
fn an_explicit_file_is_read_with_its_neighbours() {
    let dir = folder(&[("mine.json", plain_bytes()), ("tokenizer_config.json", json!({"bos_token": "<s>"}))]);
    let e = load(&dir.path().join("mine.json")).expect("loads");
    assert_eq!(e.bos_id(), Some(0));
    let bytes = fs::read(dir.path().join("mine.json")).expect("read");
    assert_eq!(e.digest(), blake3::hash(&bytes).to_hex().to_string());
}

#[test]
fn a_token_named_special_but_not_listed_is_recognised_when_special_tokens_are_parsed() {
    let mut file = plain_bytes();
    file["added_tokens"] = json!([]);
    let dir = folder(&[("tokenizer.json", file), ("tokenizer_config.json", json!({"eos_token": "</s>"}))]);
    let parsed = EncodeOptions { parse_special: true, ..Default::default() };
    assert_eq!(TextEncoder::load(dir.path(), parsed).expect("loads").encode_text("</s>").expect("encodes"), [1]);
    assert_eq!(load(dir.path()).expect("loads").encode_text("</s>").expect("encodes").len(), 4);
}

#[test]
fn a_template_that_repeats_the_text_is_refused() {
    let mut file = words(false);
    let text = file["post_processor"]["single"][1].clone();
    file["post_processor"]["single"].as_array_mut().expect("a list").push(text);
    refused(folder(&[("tokenizer.json", file)]).path(), &["tokenizer.json", "exactly once"]);
}

#[test]
fn what_a_tokenizer_is() {
    let kinds = [plain_bytes(), llama(true), unigram(), words(true)].map(|file| encoder(&file).info());
    assert_eq!(kinds.clone().map(|k| k.kind), ["byte-level BPE", "BPE", "Unigram", "WordLevel"]);
    assert_eq!(kinds[3].vocab_size, 9);
    let e = encoder(&llama(true));
    let ids = e.encode_text("Q: Paris\n").expect("encodes");
    let texts: Vec<String> = ids.iter().map(|id| e.token_text(*id)).collect();
    assert_eq!(texts, ["<s>", " ", "Q:", " Paris", "\n"]);
    let e = encoder(&plain_bytes());
    let ids = e.encode_text("hello Paris é").expect("encodes");
    assert_eq!(ids.iter().map(|id| e.token_text(*id)).collect::<Vec<_>>(), ["hello", " Paris", " ", "é"]);
    assert_eq!(e.token_text(u32::MAX), "<id 4294967295>");
}
