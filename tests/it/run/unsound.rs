//! Models whose numbers are no numbers, or tell nothing: each is an error of the items it touches, or a remark.

use serde_json::{Value, json};
use tokenizers::Tokenizer;

use super::{data, with_data};
use crate::support::{COMPLETE, ModelParts, Work, fixture, item};

/// Gives the model a head of its own, so that a fault in an embedding row is one of that token alone.
fn untie(parts: &mut ModelParts) {
    let head = parts.tensors["model.embed_tokens.weight"].clone();
    parts.tensors.insert("lm_head.weight".into(), head);
}

fn id(token: &str) -> usize {
    let tokenizer = Tokenizer::from_file(fixture(COMPLETE).join("tokenizer.json")).unwrap();
    tokenizer.token_to_id(token).unwrap() as usize
}

#[test]
fn a_number_that_is_none_is_an_error_of_the_items_that_meet_it() {
    let work = with_data(30);
    work.model("clean", untie);
    work.run("--model clean --data d.jsonl --output clean-run").code(0);
    let clean = work.samples("clean-run");
    for (name, fault) in [("nan", f32::NAN), ("inf", f32::INFINITY)] {
        work.model(name, |parts| {
            untie(parts);
            parts.tensors.get_mut("model.embed_tokens.weight").unwrap().values[32 * id("Ġwug") + 5] = fault;
        });
        let ran = work.run(&format!("--model {name} --data d.jsonl --output {name}-run")).code(1);
        let samples = work.samples(&format!("{name}-run"));
        let (mut failed, mut first) = (0, None);
        for (sample, item) in samples.iter().zip(data(30)) {
            // The last token of a request is not read, but words stand between endings' words.
            let text = format!("{} {}", item["context"], item["question"]);
            let read = |ending: &Value| text.contains(" wug") || ending.as_str().unwrap().contains("wug ");
            if item["endings"].as_array().unwrap().iter().any(read) {
                let error = sample["error"].as_str().unwrap_or_else(|| panic!("{sample}"));
                assert!(error.contains("NaN or infinity in the logits"), "{error}");
                assert!(sample.get("endings").is_none());
                failed += 1;
                first.get_or_insert_with(|| sample["id"].as_str().unwrap().to_string());
            } else {
                assert!(clean.contains(sample), "{sample}");
            }
        }
        assert!((5..25).contains(&failed), "{failed}");
        let first = first.unwrap();
        assert!(
            ran.err.contains(&format!("error: {failed} of 30 items failed: the first, `{first}`: ")),
            "{}",
            ran.err
        );
        let overall = &work.json(&format!("{name}-run/results.json"))["metrics"]["overall"];
        assert_eq!((&overall["n"], &overall["errors"]), (&json!(30 - failed), &json!(failed)));
        assert!(ran.out.contains("errors"), "{}", ran.out);
        // Streamed weights fail alike.
        work.run(&format!("--model {name} --data d.jsonl --output {name}-stream --weights stream")).code(1);
        assert_eq!(work.read(&format!("{name}-stream/samples.jsonl")), work.read(&format!("{name}-run/samples.jsonl")));
    }
}

#[test]
fn a_broken_layer_fails_every_item_and_no_more() {
    let work = with_data(6);
    work.model("nan", |parts| {
        parts.tensors.get_mut("model.layers.1.mlp.down_proj.weight").unwrap().values[0] = f32::NAN
    });
    let ran = work.run("--model nan --data d.jsonl --output o --json").code(1);
    assert!(ran.err.contains("error: 6 of 6 items failed: the first, `item-000/base`: ending 0: NaN or infinity"));
    let results: Value = serde_json::from_str(&ran.out).unwrap();
    let overall = &results["metrics"]["overall"];
    assert_eq!((&overall["n"], &overall["errors"], &overall["acc"]), (&json!(0), &json!(6), &Value::Null));
    let quiet = work.run("--model nan --data d.jsonl --output o --quiet").code(1);
    assert!(quiet.err.starts_with("error: 6 of 6 items failed") && quiet.err.lines().count() == 1, "{}", quiet.err);
    assert!(!quiet.out.is_empty());
}

#[test]
fn ids_beyond_the_embedding_are_an_error_of_the_item() {
    let work = Work::new();
    let rows = id("ĠClara");
    work.model("short", |parts| {
        parts.config["vocab_size"] = rows.into();
        let embedding = parts.tensors.get_mut("model.embed_tokens.weight").unwrap();
        embedding.values.truncate(32 * rows);
        embedding.shape[0] = rows;
    });
    let items = [
        item("fits", "red left", &["red", "wug"], 0),
        item("context", "so Clara red", &["red", "wug"], 0),
        item("ending", "red left", &["red", "Clara"], 0),
    ];
    work.items("d.jsonl", &items);
    let ran = work.run("--model short --data d.jsonl --output o").code(1);
    assert!(ran.err.contains("error: 2 of 3 items failed: the first, `context`: "), "{}", ran.err);
    let samples = work.samples("o");
    assert!(samples[0].get("error").is_none());
    for (sample, at) in samples[1..].iter().zip(["ending 0", "ending 1"]) {
        let error = sample["error"].as_str().unwrap();
        for part in [at, &format!("token id {rows}"), &format!("{rows} rows"), "do not belong together"] {
            assert!(error.contains(part), "{error} lacks {part}");
        }
    }
}

/// More rows than the tokenizer has ids: the softmax is over all of them, as in the reference.
#[test]
fn padding_rows_of_the_vocabulary_take_part() {
    let work = with_data(4);
    work.model("padded", |parts| {
        parts.config["vocab_size"] = 512.into();
        let embedding = parts.tensors.get_mut("model.embed_tokens.weight").unwrap();
        embedding.values.resize(32 * 512, 0.0);
        embedding.shape[0] = 512;
    });
    work.run("--data d.jsonl --output plain --log-tokens").code(0);
    work.run("--model padded --data d.jsonl --output padded --log-tokens").code(0);
    for (plain, padded) in work.samples("plain").iter().zip(work.samples("padded")) {
        for (a, b) in plain["endings"].as_array().unwrap().iter().zip(padded["endings"].as_array().unwrap()) {
            let all = |e: &Value| -> Vec<f64> {
                e["logprobs"].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).collect()
            };
            // 31 logits of zero more in the sum: each log-probability falls.
            assert!(all(a).iter().zip(all(b)).all(|(a, b)| b < *a), "{a} {b}");
        }
    }
}

#[test]
fn an_empty_ending_is_an_error_of_its_item_alone() {
    let work = Work::new();
    work.items("d.jsonl", &[item("good", "x", &["a", "b"], 0), item("bad", "x", &["a", "", "b"], 0)]);
    let ran = work.run("--data d.jsonl --output o").code(1);
    assert!(ran.err.contains("1 of 2 items failed: `bad`: ending 1: the ending is empty"), "{}", ran.err);
    assert!(work.samples("o")[0].get("error").is_none());
}

/// A model that says the same of everything passes as 50 % accurate unless somebody looks.
#[test]
fn numbers_that_tell_nothing_are_remarked_on() {
    let work = Work::new();
    let items: Vec<Value> = (0..6).map(|i| item(&format!("{i}"), "Turn left", &["red", "wug"], i % 2)).collect();
    work.items("d.jsonl", &items);
    work.model("mute", |parts| parts.tensors.get_mut("model.norm.weight").unwrap().values.fill(0.0));
    let ran = work.run("--model mute --data d.jsonl --output o").code(0);
    assert!(ran.err.contains("note: within every item all endings have the same log-likelihood"), "{}", ran.err);
    assert!(ran.err.contains("together have a probability of 4.2e-3"), "two of 481 ids: {}", ran.err);
    assert!(work.samples("o").iter().all(|s| s["ties"].as_array().unwrap().contains(&json!("sum"))));
    assert_eq!(work.run("--model mute --data d.jsonl --output o --overwrite --quiet").code(0).err, "");
    let sound = work.run("--data d.jsonl --output p").code(0);
    assert!(!sound.err.contains("same log-likelihood"), "{}", sound.err);
}
