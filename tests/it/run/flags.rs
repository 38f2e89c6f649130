//! Flags that choose items and devices, and values that no flag takes.

use serde_json::{Value, json};

use super::{data, with_data};
use crate::support::fixture;

fn chosen(run: &[Value]) -> Vec<&str> {
    run.iter().map(|sample| sample["id"].as_str().unwrap()).collect()
}

#[test]
fn tasks_variants_and_limits_choose_items_in_order() {
    let work = with_data(24);
    let items = data(24);
    let which = |keep: &dyn Fn(&Value) -> bool, limit: usize| -> Vec<String> {
        let ids = items.iter().filter(|item| keep(item)).map(|item| item["id"].as_str().unwrap().to_string());
        ids.take(limit).collect()
    };
    for (i, (flags, expected)) in [
        ("--task kin", which(&|i| i["task"] == "kin", 99)),
        ("--task kin --task own", which(&|_| true, 99)),
        ("--variant l1", which(&|i| i["variant"] == "l1", 99)),
        ("--variant l1 --task own --limit 3", which(&|i| i["variant"] == "l1" && i["task"] == "own", 3)),
        ("--limit 5", which(&|_| true, 5)),
        ("--limit 1000", which(&|_| true, 99)),
        ("--task kin --limit 4 --shard 2/2", which(&|i| i["task"] == "kin", 4).split_off(2)),
    ]
    .into_iter()
    .enumerate()
    {
        work.run(&format!("--data d.jsonl --output {i} {flags}")).code(0);
        assert_eq!(chosen(&work.samples(&i.to_string())), expected, "{flags}");
    }
    // Scores are those of the whole run: they do not depend on what else is chosen.
    work.run("--data d.jsonl --output whole").code(0);
    let whole = work.samples("whole");
    assert!(work.samples("3").iter().all(|sample| whole.contains(sample)));
}

#[test]
fn unknown_names_are_told_with_the_known_ones() {
    let work = with_data(8);
    work.run("--data d.jsonl --task kni").refused(&["--task kni", "kin, own"]);
    work.run("--data d.jsonl --task kin --task nope").refused(&["--task nope", "kin, own"]);
    work.run("--data d.jsonl --variant L1").refused(&["--variant L1", "base, l1"]);
    let mut items = data(4);
    items.retain(|item| item["task"] == "kin" || item["variant"] == "base");
    work.items("few.jsonl", &items);
    work.run("--data few.jsonl --task own --variant l1").refused(&["no item is of both"]);
    assert!(!work.path("runs").exists());
}

#[test]
fn a_device_that_the_build_lacks_is_told_with_the_remedy() {
    let work = with_data(4);
    let has = [cfg!(feature = "cuda"), cfg!(feature = "metal")];
    for (device, kind) in [("cuda", 0), ("cuda:1", 0), ("metal", 1)] {
        if !has[kind] {
            let name = ["cuda", "metal"][kind];
            let refusal = work.run(&format!("--data d.jsonl --output o --device {device}"));
            refusal.refused(&["--device", name, &format!("--features {name}"), "--device cpu"]);
        }
    }
    for odd in ["tpu", "cpu:0", "cuda:x", "auto:1", "CPU"] {
        work.run(&format!("--data d.jsonl --output o --device {odd}")).refused(&[&format!("--device {odd}")]);
    }
    assert!(!work.path("o").exists());
    work.run("--data d.jsonl --output o --device auto").code(0);
}

/// The CPU computes in f32, says so, and puts both on record; the numbers are the same.
#[test]
fn a_dtype_that_the_cpu_lacks_is_f32_and_told() {
    let work = with_data(6);
    let plain = work.run("--data d.jsonl --output auto").code(0);
    assert!(!plain.err.contains("note"), "{}", plain.err);
    for dtype in ["f32", "f16", "bf16"] {
        let ran = work.run(&format!("--data d.jsonl --output {dtype} --dtype {dtype}")).code(0);
        assert_eq!(ran.err.contains(&format!("note: the CPU computes in f32, not {dtype}")), dtype != "f32");
        let manifest = work.json(&format!("{dtype}/manifest.json"));
        assert_eq!((&manifest["scores"]["dtype"], &manifest["scores"]["device"]), (&json!("f32"), &json!("cpu")));
        assert_eq!(manifest["environment"]["dtype"], dtype);
        assert_eq!(work.read(&format!("{dtype}/samples.jsonl")), work.read("auto/samples.jsonl"));
    }
}

#[test]
fn what_is_only_recorded_is_recorded() {
    let work = with_data(4);
    work.run("--data d.jsonl --output o --threads 1 --token-budget 77 --weights stream --norm byte").code(0);
    let environment = &work.json("o/manifest.json")["environment"];
    for (key, value) in [
        ("threads", json!(1)),
        ("token_budget", json!(77)),
        ("weights", json!("stream")),
        ("norm", json!("byte")),
        ("shard", Value::Null),
    ] {
        assert_eq!(environment[key], value, "{key}");
    }
    let scores = &work.json("o/manifest.json")["scores"];
    assert_eq!(scores["model"], fixture(crate::support::COMPLETE).display().to_string());
    assert_eq!((&scores["revision"], &scores["max_length"]), (&Value::Null, &json!(2048)));
    let digest = blake3::hash(&work.read("d.jsonl")).to_hex().to_string();
    assert_eq!(scores["data"], json!([{"file": "d.jsonl", "blake3": digest, "items": 4}]));
    let tokenizer = std::fs::read(fixture(crate::support::COMPLETE).join("tokenizer.json")).unwrap();
    assert_eq!(scores["tokenizer"], blake3::hash(&tokenizer).to_hex().to_string());
}

#[test]
fn values_that_no_flag_takes_are_refused_with_what_it_takes() {
    let work = with_data(4);
    for (flags, parts) in [
        ("--bos maybe", &["--bos", "auto, always, never"][..]),
        ("--norm pmi", &["--norm", "sum, token, char, byte"]),
        ("--truncate right", &["--truncate", "error, left, skip"]),
        ("--weights mmap", &["--weights", "auto, resident, stream"]),
        ("--dtype f64", &["--dtype", "auto, f32, f16, bf16"]),
        ("--format html", &["--format", "table, markdown, csv"]),
        ("--limit 0", &["--limit"]),
        ("--limit -1", &["-1"]),
        ("--threads 0", &["--threads"]),
        ("--threads 99999", &["--threads", "1024"]),
        ("--token-budget 0", &["--token-budget"]),
        ("--max-length 0", &["--max-length"]),
        ("--shots -1", &["-1"]),
        ("--seed x", &["--seed"]),
        ("--shard 0/2", &["--shard", "I from 1 to N"]),
        ("--shard 3/2", &["--shard", "I from 1 to N"]),
        ("--shard 1", &["--shard", "`2/8`"]),
        ("--output=", &["--output"]),
        ("--model=", &["--model"]),
        ("--json --format csv", &["--json", "--format"]),
        ("--dry-run --json", &["--dry-run", "--json"]),
        ("--no-such-flag", &["--no-such-flag"]),
        ("extra", &["extra"]),
    ] {
        let refusal = work.run(&format!("--data d.jsonl {flags}")).code(2);
        assert!(refusal.out.is_empty() && refusal.err.starts_with("error: "), "{flags}: {}", refusal.err);
        for part in parts {
            assert!(refusal.err.contains(part), "{flags}: `{}` does not say `{part}`", refusal.err);
        }
    }
    work.run("--data d.jsonl --revision main").refused(&["--revision main", "leave the flag out"]);
    work.run("--data d.jsonl --tokenizer none").refused(&["none", "tokenizer.json"]);
    let gpt2 = fixture("gpt2-prefix");
    let tokenizer = fixture(crate::support::COMPLETE).join("tokenizer.json");
    let long =
        format!("--data d.jsonl --model {} --tokenizer {} --max-length 4096", gpt2.display(), tokenizer.display());
    work.run(&long).refused(&["--max-length 4096", "learned only"]);
    assert!(!work.path("runs").exists());
}

#[test]
fn help_and_version_are_results() {
    let work = with_data(1);
    for args in [&["--help"][..], &["run", "--help"], &["generate", "--help"], &["certify", "-h"], &["--version"]] {
        let ran = work.llscore(args).code(0);
        assert!(ran.err.is_empty() && !ran.out.is_empty(), "{args:?}");
    }
    let version = format!("llscore {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(work.llscore(["--version"]).out, version);
    assert_eq!(work.llscore([""; 0]).code, 2);
    assert_eq!(work.llscore(["rnu"]).code, 2);
}
