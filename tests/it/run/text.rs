//! From text to ids, as a run shows it: BOS, special tokens, the join, examples, items that are too long.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tokenizers::Tokenizer;

use super::{data, ids, with_data};
use crate::support::{COMPLETE, Ran, Work, fixture, item};

fn tokenizer() -> Tokenizer {
    Tokenizer::from_file(fixture(COMPLETE).join("tokenizer.json")).unwrap()
}

/// The text of a sample's context.
fn context(sample: &Value) -> String {
    tokenizer().decode(&ids(&sample["context_ids"]), false).unwrap()
}

#[test]
fn bos_is_there_once_or_not_at_all() {
    let work = with_data(6);
    for (policy, first) in [("auto", None), ("never", None), ("always", Some(0))] {
        work.run(&format!("--data d.jsonl --output {policy} --log-tokens --bos {policy}")).code(0);
        for (sample, item) in work.samples(policy).iter().zip(data(6)) {
            let all = ids(&sample["context_ids"]);
            assert_eq!(all.first().copied().filter(|id| *id == 0), first, "{policy}");
            assert_eq!(all.iter().filter(|id| **id == 0).count(), usize::from(first.is_some()));
            assert_eq!(sample["context_tokens"], all.len());
            let text = tokenizer().decode(&all[usize::from(first.is_some())..], false).unwrap();
            assert!(text.starts_with(item["context"].as_str().unwrap()), "{text}");
        }
        assert_eq!(work.json(&format!("{policy}/manifest.json"))["scores"]["bos"], policy);
    }
    assert_ne!(work.samples("always")[0]["endings"], work.samples("never")[0]["endings"]);
    // Nothing stands before an ending whose context is empty: then BOS does, whatever the tokenizer adds by itself.
    work.items("empty.jsonl", &[item("a", "", &["red"], 0), item("b", " \n", &["red"], 0)]);
    work.run("--data empty.jsonl --output empty --log-tokens").code(0);
    assert!(work.samples("empty").iter().all(|s| s["context_ids"] == json!([0]) && s["context_tokens"] == 1));
}

#[test]
fn the_text_of_a_special_token_is_plain_unless_asked_for() {
    let work = Work::new();
    work.items("d.jsonl", &[item("a", "Turn left", &["<|im_end|>", "red"], 0)]);
    work.run("--data d.jsonl --output plain --log-tokens").code(0);
    work.run("--data d.jsonl --output parsed --log-tokens --parse-special").code(0);
    let (plain, parsed) = (&work.samples("plain")[0], &work.samples("parsed")[0]);
    let (plain, parsed) = (ids(&plain["endings"][0]["ids"]), ids(&parsed["endings"][0]["ids"]));
    assert!(plain.len() > 4 && !plain.contains(&2), "{plain:?}");
    assert_eq!(parsed.last(), Some(&2), "{parsed:?}");
    assert_eq!(tokenizer().decode(&plain, false).unwrap(), " <|im_end|>");
}

#[test]
fn a_token_across_the_join_is_flagged_and_counted() {
    let work = Work::new();
    let glued = [
        item("whole", "oth", &["er", "x"], 0),
        item("none", "red", &[" wug", " left"], 0),
        item("again", "He said Anna", &["s", "!"], 0),
        item("mid", "un", &["cle", "wer"], 0),
    ];
    work.items("d.jsonl", &glued);
    let mut command = work.scoring("--data d.jsonl --output o --log-tokens");
    let ran = Ran::of(command.args(["--delimiter", ""]).output().unwrap()).code(0);
    let samples = work.samples("o");
    let mut merges = 0;
    for (sample, item) in samples.iter().zip(&glued) {
        let mut merged = false;
        for (i, ending) in sample["endings"].as_array().unwrap().iter().enumerate() {
            // Where a merge makes an ending's context differ, it is beside the ending.
            let own = ending.get("context_ids").unwrap_or(&sample["context_ids"]);
            let text = format!("{}{}", item["context"].as_str().unwrap(), item["endings"][i].as_str().unwrap());
            let encoded = tokenizer().encode(text.as_str(), false).unwrap();
            let all = [ids(own), ids(&ending["ids"])].concat();
            let bare = if all[0] == 0 { &all[1..] } else { &all[..] };
            assert_eq!(bare, encoded.get_ids());
            let before = tokenizer().decode(&ids(own), true).unwrap();
            merged |= before.len() < item["context"].as_str().unwrap().len();
        }
        assert_eq!(sample["flags"], if merged { json!(["boundary_merge"]) } else { json!([]) }, "{sample}");
        merges += usize::from(merged);
    }
    assert!((1..4).contains(&merges), "{merges}");
    let note = format!("note: in {merges} of 4 items a token spans the join of context and ending");
    assert!(ran.err.contains(&note), "{}", ran.err);
}

#[test]
fn every_byte_of_an_ending_is_scored() {
    let work = Work::new();
    let endings =
        ["é", "e\u{301}", "\u{a0}", "\n", "x ", "👩\u{200d}💻", "\u{0}", "\u{1b}[0m", "\u{2028}", "\u{feff}", "ﬁ"];
    work.items("d.jsonl", &[item("a", "Say", &endings, 0)]);
    work.run("--data d.jsonl --output o --log-tokens").code(0);
    let sample = &work.samples("o")[0];
    for (ending, text) in sample["endings"].as_array().unwrap().iter().zip(endings) {
        assert_eq!(tokenizer().decode(&ids(&ending["ids"]), false).unwrap(), format!(" {text}"));
        assert_eq!((&ending["chars"], &ending["bytes"]), (&json!(text.chars().count()), &json!(text.len())));
    }
}

#[test]
fn examples_are_one_prefix_for_each_task_and_variant() {
    let work = with_data(16);
    // The pool holds the items themselves, rewordings of them, and others.
    let mut pool = data(60);
    for item in &mut pool[16..] {
        item["id"] = json!(format!("train-{}", item["id"].as_str().unwrap()));
    }
    work.items("train.jsonl", &pool);
    let shots = "--data d.jsonl --shots-from train.jsonl --log-tokens --shots";
    work.run(&format!("{shots} 3 --output o --json --token-budget 1000000")).code(0);
    let mut prefixes: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (sample, item) in work.samples("o").iter().zip(data(16)) {
        let text = context(sample);
        let own = item["context"].as_str().unwrap();
        let at = text.rfind("\n\n").unwrap() + 2;
        assert!(text[at..].starts_with(own), "the item itself comes last: {text}");
        let examples: Vec<&str> = text[..at - 2].split("\n\n").collect();
        assert_eq!(examples.len(), 3, "{text}");
        for example in examples {
            let source = pool.iter().find(|p| example.starts_with(p["context"].as_str().unwrap())).unwrap();
            let right = &source["endings"][source["label"].as_u64().unwrap() as usize];
            assert!(example.ends_with(&format!(" {}", right.as_str().unwrap())), "{example}");
            assert_eq!((&source["task"], &source["variant"]), (&item["task"], &item["variant"]));
            assert!(data(16).iter().all(|d| d["group"] != source["group"]), "no scored question is an example");
        }
        let kind = (item["task"].to_string(), item["variant"].to_string());
        prefixes.entry(kind).or_default().insert(text[..at].to_string());
    }
    assert_eq!(prefixes.len(), 4);
    assert!(prefixes.values().all(|p| p.len() == 1), "{prefixes:?}");
    // And computed once each: what is computed is less than the examples alone would take item by item.
    let tokens = work.json("o/results.json")["tokens"].clone();
    assert!(tokens["computed"].as_u64().unwrap() * 4 < tokens["requests"].as_u64().unwrap(), "{tokens}");
    let shots_of = |run: &str| work.json(&format!("{run}/manifest.json"))["scores"]["shots"].clone();
    assert_eq!((&shots_of("o")["count"], &shots_of("o")["from"][0]["file"]), (&json!(3), &json!("train.jsonl")));

    work.run(&format!("{shots} 3 --output same --token-budget 64")).code(0);
    assert!(work.read("o/samples.jsonl") == work.read("same/samples.jsonl"));
    work.run(&format!("{shots} 3 --output seed --seed 1")).code(0);
    assert_ne!(context(&work.samples("seed")[0]), context(&work.samples("o")[0]));
    assert_eq!(shots_of("seed")["seed"], 1);

    work.run(&format!("{shots} 40 --output none")).refused(&["`--shots 40`", "only", "`kin`", "lower `--shots`"]);
    work.run("--data d.jsonl --shots 2 --output none").refused(&["--shots-from FILE"]);
    work.run("--data d.jsonl --shots-from train.jsonl --output none").refused(&["--shots-from needs --shots K"]);
    work.run(&shots.replace("train", "no")).code(2);
}

/// Ten items, of which the fourth is too long.
fn one_overlong() -> Work {
    let work = Work::new();
    let items: Vec<Value> = (0..10)
        .map(|i| {
            let context = if i == 3 { "left step prove goal ".repeat(8) } else { "Turn left uncle".into() };
            item(&format!("i{i}"), context.trim(), &["red", "dax wug so Clara"], 0)
        })
        .collect();
    work.items("d.jsonl", &items);
    work
}

#[test]
fn an_overlong_item_is_an_error_of_its_own() {
    let work = one_overlong();
    let ran = work.run("--data d.jsonl --output o --max-length 24").code(1);
    for part in ["error: 1 of 10 items failed: `i3`: ", "limit of 24", "--truncate left", "o/samples.jsonl"] {
        assert!(ran.err.contains(part), "{} lacks {part}", ran.err);
    }
    let samples = work.samples("o");
    assert!(samples[3]["error"].as_str().unwrap().contains("limit of 24") && samples[3].get("endings").is_none());
    let overall = &work.json("o/results.json")["metrics"]["overall"];
    assert_eq!((&overall["n"], &overall["errors"]), (&json!(9), &json!(1)));
    // Others are what they are without it, and the command again fails again and changes nothing.
    work.run("--data d.jsonl --output whole").code(0);
    let whole = work.samples("whole");
    assert!((0..10).filter(|i| *i != 3).all(|i| samples[i] == whole[i]));
    let before = work.read("o/samples.jsonl");
    let again = work.run("--data d.jsonl --output o --max-length 24").code(1);
    assert!(again.err.contains("9 of 10 items are already scored, 1 that failed are tried again"), "{}", again.err);
    assert_eq!(work.read("o/samples.jsonl"), before);
}

#[test]
fn an_overlong_item_is_cut_alike_for_all_its_endings() {
    let work = one_overlong();
    for bos in ["never", "always"] {
        work.run(&format!("--data d.jsonl --output whole-{bos} --log-tokens --bos {bos}")).code(0);
        let cut = format!("--data d.jsonl --output {bos} --log-tokens --bos {bos} --max-length 24 --truncate left");
        work.run(&cut).code(0);
        let (whole, cut) = (&work.samples(&format!("whole-{bos}"))[3], &work.samples(bos)[3]);
        assert_eq!(cut["flags"], json!(["truncated"]));
        let (all, left) = (ids(&whole["context_ids"]), ids(&cut["context_ids"]));
        let longest = cut["endings"].as_array().unwrap().iter().map(|e| ids(&e["ids"]).len()).max().unwrap();
        assert_eq!(left.len() + longest - 1, 24);
        let kept = usize::from(bos == "always");
        assert_eq!((&left[..kept], &left[kept..]), (&all[..kept], &all[all.len() - left.len() + kept..]));
        for (a, b) in whole["endings"].as_array().unwrap().iter().zip(cut["endings"].as_array().unwrap()) {
            assert_eq!(a["ids"], b["ids"]);
            assert_ne!(a["logprob"], b["logprob"]);
            assert!(b.get("context_ids").is_none(), "one context for all");
        }
        let overall = &work.json(&format!("{bos}/results.json"))["metrics"]["overall"];
        assert_eq!((&overall["n"], &overall["truncated"]), (&json!(10), &json!(1)));
    }
}

#[test]
fn an_overlong_item_is_left_out_as_asked() {
    let work = one_overlong();
    let ran = work.run("--data d.jsonl --output o --max-length 24 --truncate skip").code(0);
    assert!(ran.out.contains("skipped"), "{}", ran.out);
    let sample = &work.samples("o")[3];
    assert!(sample["flags"] == json!(["skipped"]) && sample.get("endings").is_none() && sample.get("error").is_none());
    let overall = &work.json("o/results.json")["metrics"]["overall"];
    assert_eq!((&overall["n"], &overall["skipped"], &overall["errors"]), (&json!(9), &json!(1), &json!(0)));
    let again = work.run("--data d.jsonl --output o --max-length 24 --truncate skip").code(0);
    assert!(again.err.contains("nothing was computed"), "{}", again.err);
}

/// The unconditional requests of `--pmi` keep to the limit too: `Answer:` may be longer than an item's own context. Here the
/// limit is hard, the model's learned positions.
#[test]
fn an_unconditional_request_may_be_the_overlong_one() {
    let work = Work::new();
    let letters: serde_json::Map<String, Value> =
        "Answer: x?".chars().enumerate().map(|(id, c)| (c.to_string(), json!(id))).collect();
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "."}, "behavior": "Isolated", "invert": false},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": letters, "unk_token": "?"}
    });
    work.write("tokenizer.json", tokenizer.to_string());
    let long = "x".repeat(78);
    work.items("d.jsonl", &[item("fits", "A", &["x", "s"], 0), item("long", "A", &["x", &long], 0)]);
    let model = fixture("gpt2-prefix");
    let run = |output: &str, more: &str| {
        let flags =
            format!("--data d.jsonl --tokenizer tokenizer.json --output {output} --model {} {more}", model.display());
        Ran::of(work.scoring(&flags).args(["--delimiter", ""]).output().unwrap())
    };
    run("plain", "").code(0);
    let ran = run("error", "--pmi").code(1);
    assert!(ran.err.contains("1 of 2 items failed: `long`: ") && ran.err.contains("limit of 80"), "{}", ran.err);
    assert!(ran.err.contains("unconditional"), "{}", ran.err);
    assert!(work.samples("error")[0]["choice"]["pmi"].is_u64());
    run("skip", "--pmi --truncate skip").code(0);
    assert_eq!(work.samples("skip")[1]["flags"], json!(["skipped"]));
    run("left", "--pmi --truncate left").code(0);
    let (left, plain) = (&work.samples("left")[1], &work.samples("plain")[1]);
    assert_eq!(left["flags"], json!(["truncated"]));
    assert_eq!(left["endings"][1]["logprob"], plain["endings"][1]["logprob"], "the item itself is not cut");
    assert!(left["endings"][1]["unconditional"].is_f64());
}
