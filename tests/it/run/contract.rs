//! What a run writes is what is documented, and can be recomputed from its parts; the numbers are those of transformers.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};
use tokenizers::Tokenizer;

use super::{data, ids, with_data};
use crate::support::{COMPLETE, Work, fixture, item};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

/// What stands between the beginning of an item and its ending, and the ending.
fn texts(item: &Value) -> (String, Vec<String>) {
    let mut context = item["context"].as_str().expect("text").to_string();
    if let Some(question) = item["question"].as_str() {
        context += &format!("\nQuestion: {question}\nAnswer:");
    }
    let endings = item["endings"].as_array().expect("a list").iter();
    (context, endings.map(|e| e.as_str().expect("text").to_string()).collect())
}

/// The index of the first largest score, and whether others equal it.
fn best(scores: &[f64]) -> (usize, bool) {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let at = scores.iter().position(|s| *s == top).expect("a score");
    (at, scores.iter().filter(|s| **s == top).count() > 1)
}

const NORMS: [&str; 4] = ["sum", "token", "char", "byte"];

/// The scores of a sample's endings under a norm, from the parts.
fn scores(sample: &Value, norm: &str) -> Vec<f64> {
    let endings = sample["endings"].as_array().expect("endings").iter();
    let score = |e: &Value| match norm {
        "sum" => number(&e["logprob"]),
        "token" => number(&e["logprob"]) / number(&e["tokens"]),
        "char" => number(&e["logprob"]) / number(&e["chars"]),
        "byte" => number(&e["logprob"]) / number(&e["bytes"]),
        _ => number(&e["logprob"]) - number(&e["unconditional"]),
    };
    endings.map(score).collect()
}

#[test]
fn a_line_is_documented_field_by_field() {
    let work = with_data(24);
    work.run("--data d.jsonl --output plain").code(0);
    work.run("--data d.jsonl --output full --log-tokens --pmi").code(0);
    let tokenizer = Tokenizer::from_file(fixture(COMPLETE).join("tokenizer.json")).unwrap();
    let (plain, full) = (work.samples("plain"), work.samples("full"));
    assert_eq!((plain.len(), full.len()), (24, 24));
    let about = ["id", "task", "group", "variant", "hops", "extra_hops", "label"];
    let mut ties = 0;
    for ((plain, full), item) in plain.iter().zip(&full).zip(data(24)) {
        let rest = ["context_tokens", "endings", "choice", "ties", "flags"];
        assert_eq!(keys(plain), [&about[..], &rest].concat());
        assert_eq!(keys(full), [&about[..], &rest, &["context_ids"]].concat());
        assert!(about.iter().all(|key| plain[key] == item[key]), "{plain}");
        assert_eq!(keys(&plain["choice"]), NORMS);
        assert_eq!(keys(&full["choice"]), ["sum", "token", "char", "byte", "pmi"]);

        let (context, endings) = texts(&item);
        let context_ids = ids(&full["context_ids"]);
        assert_eq!(plain["context_tokens"], context_ids.len());
        assert_eq!(plain["endings"].as_array().unwrap().len(), endings.len());
        for (i, text) in endings.iter().enumerate() {
            let (ending, logged) = (&plain["endings"][i], &full["endings"][i]);
            assert_eq!(keys(ending), ["logprob", "tokens", "chars", "bytes", "greedy"]);
            assert_eq!(keys(logged), [&keys(ending)[..], &["unconditional", "ids", "logprobs"]].concat());
            assert!(keys(ending).iter().all(|key| ending[key] == logged[key]), "{ending} {logged}");
            assert_eq!((&ending["chars"], &ending["bytes"]), (&json!(text.chars().count()), &json!(text.len())));

            let own = ids(&logged["ids"]);
            let logprobs: Vec<f64> = logged["logprobs"].as_array().unwrap().iter().map(number).collect();
            assert_eq!((own.len(), logprobs.len()), (logged["tokens"].as_u64().unwrap() as usize, own.len()));
            assert_eq!(number(&logged["logprob"]), logprobs.iter().sum::<f64>());
            assert!(logprobs.iter().all(|p| *p < 0.0));
            // The ids are those of the whole text, and give it back.
            let text = format!("{context} {text}");
            let all = [context_ids.clone(), own].concat();
            assert_eq!(tokenizer.encode(text.as_str(), true).unwrap().get_ids(), all);
            assert_eq!(tokenizer.decode(&all, false).unwrap(), text);
        }
        let expected: Vec<&str> = NORMS.into_iter().filter(|norm| best(&scores(full, norm)).1).collect();
        ties += expected.len();
        assert_eq!(plain["ties"], json!(expected));
        for norm in NORMS {
            assert_eq!(plain["choice"][norm], best(&scores(plain, norm)).0, "{norm}");
        }
        assert_eq!(full["choice"]["pmi"], best(&scores(full, "pmi")).0);
    }
    assert!(ties > 0, "the data have no tie");
}

/// The unconditional score is what the ending gets after `Answer:`.
#[test]
fn the_unconditional_score_is_that_after_the_word_answer() {
    let work = with_data(10);
    work.run("--data d.jsonl --output full --pmi").code(0);
    let bare: Vec<Value> = data(10)
        .into_iter()
        .map(|mut item| {
            item["context"] = json!("Answer:");
            item.as_object_mut().unwrap().remove("question");
            item
        })
        .collect();
    work.items("bare.jsonl", &bare);
    work.run("--data bare.jsonl --output bare").code(0);
    for (full, bare) in work.samples("full").iter().zip(work.samples("bare")) {
        for (with, alone) in full["endings"].as_array().unwrap().iter().zip(bare["endings"].as_array().unwrap()) {
            assert_eq!(with["unconditional"], alone["logprob"]);
        }
    }
}

/// The reference's numbers for ids reach samples.jsonl: a tokenizer with one word for each id stands in for the model's
/// own, so that texts can be written for the sequences of every fixture.
#[test]
fn the_numbers_are_those_of_transformers() {
    let mut seen = 0;
    for entry in std::fs::read_dir(fixture("")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read(folder.join("expected.json")) else { continue };
        let expected: Value = serde_json::from_slice(&text).unwrap();
        let Some(sequences) = expected["sequences"].as_array() else {
            continue;
        };

        let work = Work::new();
        let sequences: Vec<(Vec<u32>, &Value)> = sequences.iter().map(|s| (ids(&s["ids"]), s)).collect();
        let most = sequences.iter().flat_map(|(ids, _)| ids).max().unwrap();
        let vocab: BTreeMap<String, u32> = (0..=*most).map(|id| (format!("w{id}"), id)).collect();
        let tokenizer = json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
            "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
            "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "w0"}
        });
        work.write("tokenizer.json", tokenizer.to_string());
        let words = |ids: &[u32]| ids.iter().map(|id| format!("w{id}")).collect::<Vec<_>>().join(" ");
        let split = |ids: &[u32], round: usize| if round == 0 { 1 } else { ids.len() / 2 };
        let items: Vec<Value> = (0..2)
            .flat_map(|round| sequences.iter().enumerate().map(move |(i, (ids, _))| (round, i, ids)))
            .map(|(round, i, ids)| {
                let at = split(ids, round);
                item(&format!("{i}-{round}"), &words(&ids[..at]), &[&words(&ids[at..])], 0)
            })
            .collect();
        work.items("d.jsonl", &items);
        let gguf = folder.join("model.gguf");
        let model = if gguf.exists() { gguf } else { folder };
        let args = ["run", "--data", "d.jsonl", "--output", "o", "--log-tokens", "--tokenizer", "tokenizer.json"];
        let mut command = work.command(args);
        // Some sequences are longer than what the configuration states as the model's context.
        let longest = sequences.iter().map(|(ids, _)| ids.len()).max().unwrap();
        command.arg("--model").arg(&model).args(["--max-length", &longest.to_string()]);
        crate::support::Ran::of(command.output().unwrap()).code(0);

        let samples = work.samples("o");
        assert_eq!(samples.len(), 2 * sequences.len());
        for (i, sample) in samples.iter().enumerate() {
            let (all, reference) = &sequences[i % sequences.len()];
            let at = split(all, i / sequences.len());
            let ending = &sample["endings"][0];
            assert_eq!([ids(&sample["context_ids"]), ids(&ending["ids"])].concat(), *all, "{name}");
            let (mut sum, mut greedy) = (0.0, true);
            for (t, got) in ending["logprobs"].as_array().unwrap().iter().enumerate() {
                let want = number(&reference["logprobs"][at - 1 + t]);
                assert!((number(got) - want).abs() < 1e-4, "{name}, item {i}, token {t}: {got} for {want}");
                sum += want;
                greedy &= reference["greedy"][at - 1 + t].as_bool().unwrap();
            }
            assert!((number(&ending["logprob"]) - sum).abs() < 1e-4 * all.len() as f64, "{name}");
            assert_eq!(ending["greedy"], greedy, "{name}, item {i}");
        }
        seen += 1;
    }
    assert!(seen > 40, "only {seen} fixtures");
}

#[test]
fn the_gguf_file_of_the_same_weights_scores_alike() {
    let work = with_data(20);
    work.run("--data d.jsonl --output folder --log-tokens").code(0);
    let gguf = fixture("gguf-llama-with-tokenizer").join("model.gguf");
    work.run(&format!("--data d.jsonl --output file --log-tokens --model {}", gguf.display())).code(0);
    for (folder, file) in work.samples("folder").iter().zip(work.samples("file")) {
        assert_eq!(folder["context_ids"], file["context_ids"]);
        for (a, b) in folder["endings"].as_array().unwrap().iter().zip(file["endings"].as_array().unwrap()) {
            assert_eq!(a["ids"], b["ids"]);
            assert!((number(&a["logprob"]) - number(&b["logprob"])).abs() < 1e-4);
        }
    }
    let manifest = work.json("file/manifest.json");
    assert_eq!(manifest["scores"]["architecture"], "llama");
}

/// Rates, errors and chance over the samples that `keep` keeps.
fn check(metrics: &Value, samples: &[Value], keep: impl Fn(&Value) -> bool) {
    let kept: Vec<&Value> = samples.iter().filter(|s| keep(s)).collect();
    let n = kept.len() as f64;
    assert_eq!(metrics["n"], kept.len());
    for (key, norm) in
        [("acc", "sum"), ("acc_norm", "char"), ("acc_token", "token"), ("acc_char", "char"), ("acc_byte", "byte")]
    {
        let right = kept.iter().filter(|s| best(&scores(s, norm)).0 == s["label"].as_u64().unwrap() as usize).count();
        let acc = right as f64 / n;
        assert!((number(&metrics[key]) - acc).abs() < 1e-12, "{key}");
        if key == "acc" && kept.len() > 1 {
            let stderr = (acc * (1.0 - acc) / (n - 1.0)).sqrt();
            assert!((number(&metrics["acc_stderr"]) - stderr).abs() < 1e-12);
        }
    }
    let chance: f64 = kept.iter().map(|s| 1.0 / s["endings"].as_array().unwrap().len() as f64).sum();
    assert!((number(&metrics["chance"]) - chance / n).abs() < 1e-12);
    let ties = kept.iter().filter(|s| s["ties"] != json!([])).count();
    assert_eq!((&metrics["ties"], &metrics["errors"], &metrics["truncated"]), (&json!(ties), &json!(0), &json!(0)));
    let brier: f64 = kept
        .iter()
        .map(|s| {
            let odds: Vec<f64> = scores(s, "sum").iter().map(|x| x.exp()).collect();
            let all: f64 = odds.iter().sum();
            let label = s["label"].as_u64().unwrap() as usize;
            odds.iter().enumerate().map(|(i, x)| (x / all - f64::from(u8::from(i == label))).powi(2)).sum::<f64>()
        })
        .sum();
    assert!((number(&metrics["brier"]) - brier / n).abs() < 1e-9);
}

#[test]
fn results_follow_from_the_samples() {
    let work = with_data(40);
    let ran = work.run("--data d.jsonl --output o --log-tokens --json --token-budget 100000").code(0);
    let (results, samples) = (work.json("o/results.json"), work.samples("o"));
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), results, "--json prints the file");
    let metrics = &results["metrics"];
    check(&metrics["overall"], &samples, |_| true);
    for task in ["kin", "own"] {
        let of = |s: &Value| s["task"] == task;
        check(&metrics["by_task"][task], &samples, of);
        for hops in 0..4 {
            let depth = hops.to_string();
            check(&metrics["by_hops"][task][&depth], &samples, |s| of(s) && s["hops"] == hops);
            for variant in ["base", "l1"] {
                let this = |s: &Value| of(s) && s["hops"] == hops && s["variant"] == variant;
                check(&metrics["by_variant_hops"][task][variant][&depth], &samples, this);
            }
        }
        for variant in ["base", "l1"] {
            check(&metrics["by_variant"][task][variant], &samples, |s| of(s) && s["variant"] == variant);
        }
    }

    // What separate passes would need, and each distinct prefix once.
    let (mut requests, mut scored, mut prefixes) = (0, 0, HashSet::new());
    for sample in &samples {
        for ending in sample["endings"].as_array().unwrap() {
            let all = [ids(&sample["context_ids"]), ids(&ending["ids"])].concat();
            requests += all.len() - 1;
            scored += ids(&ending["ids"]).len();
            prefixes.extend((1..all.len()).map(|n| all[..n].to_vec()));
        }
    }
    assert_eq!(results["tokens"], json!({"requests": requests, "computed": prefixes.len(), "scored": scored}));
    assert_eq!(results["schema"], "llscore.results/1");
    assert_eq!(results["manifest"], work.json("o/manifest.json"));
}
