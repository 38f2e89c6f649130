//! The same bytes whatever the budget, the threads, the weights mode and the shards; the same command twice computes
//! nothing; other settings are refused by name.

use std::fs;
use std::os::unix::fs::MetadataExt;

use serde_json::json;

use super::{data, with_data};
use crate::support::{COMPLETE, Work, fixture};

#[test]
fn how_it_is_computed_changes_no_byte() {
    let work = with_data(40);
    work.run("--data d.jsonl --output whole --log-tokens --pmi").code(0);
    let whole = work.read("whole/samples.jsonl");
    for (i, how) in [
        "--token-budget 1 --threads 1",
        "--token-budget 37 --threads 2",
        "--token-budget 512 --weights stream --threads 1",
        "--token-budget 16 --weights stream --threads 3",
        "--weights resident --threads 1",
        "--weights stream --device cpu --dtype bf16",
        "--format csv --norm byte --quiet",
    ]
    .iter()
    .enumerate()
    {
        work.run(&format!("--data d.jsonl --output {i} --log-tokens --pmi {how}")).code(0);
        assert!(work.read(&format!("{i}/samples.jsonl")) == whole, "{how}");
    }
}

#[test]
fn shards_in_a_row_are_the_whole_run() {
    let work = with_data(31);
    work.run("--data d.jsonl --output whole").code(0);
    for parts in [2, 3, 31] {
        let mut bytes = Vec::new();
        for part in 1..=parts {
            let dir = format!("{part}of{parts}");
            work.run(&format!("--data d.jsonl --output {dir} --shard {part}/{parts}")).code(0);
            bytes.extend(work.read(&format!("{dir}/samples.jsonl")));
            let manifest = work.json(&format!("{dir}/manifest.json"));
            assert_eq!(manifest["environment"]["shard"], format!("{part}/{parts}"));
            assert_eq!(manifest["scores"], work.json("whole/manifest.json")["scores"]);
        }
        assert!(bytes == work.read("whole/samples.jsonl"), "{parts} parts");
    }
    work.run("--data d.jsonl --output none --shard 1/40").refused(&["--shard 1/40", "fewer parts"]);
    work.run("--data d.jsonl --output 1of2 --shard 2/2").refused(&["line 1 does not belong to this run"]);
}

/// Few-shot examples are the same in every shard, as they follow from all of the data.
#[test]
fn shards_share_their_examples() {
    let work = with_data(24);
    let mut pool = data(60).split_off(24);
    pool.iter_mut().for_each(|item| item["id"] = json!(format!("train-{}", item["id"].as_str().unwrap())));
    work.items("train.jsonl", &pool);
    let shots = "--data d.jsonl --shots 3 --shots-from train.jsonl --seed 5";
    work.run(&format!("{shots} --output whole")).code(0);
    for part in [1, 2] {
        work.run(&format!("{shots} --output {part} --shard {part}/2")).code(0);
    }
    let halves = [work.read("1/samples.jsonl"), work.read("2/samples.jsonl")].concat();
    assert!(halves == work.read("whole/samples.jsonl"));
}

#[test]
fn the_same_command_again_computes_nothing() {
    let work = with_data(12);
    let first = work.run("--data d.jsonl --output o").code(0);
    assert!(first.err.ends_with("results: o\n"), "{}", first.err);
    let files = ["samples.jsonl", "results.json", "manifest.json", "attempts.json"];
    let state = || {
        files.map(|file| {
            let about = fs::metadata(work.path(&format!("o/{file}"))).unwrap();
            (about.ino(), about.mtime_nsec(), work.read(&format!("o/{file}")))
        })
    };
    let before = state();
    let second = work.run("--data d.jsonl --output o").code(0);
    assert_eq!(second.out, first.out);
    assert!(second.err.contains("complete in o; nothing was computed"), "{}", second.err);
    assert!(state() == before, "files were touched");
    // Another norm is another headline over the same samples.
    let token = work.run("--data d.jsonl --output o --norm token --json").code(0);
    assert!(token.err.contains("nothing was computed"), "{}", token.err);
    let results: serde_json::Value = serde_json::from_str(&token.out).unwrap();
    assert_eq!(results["metrics"]["overall"]["acc_norm"], results["metrics"]["overall"]["acc_token"]);
    assert_eq!(work.read("o/samples.jsonl"), before[0].2);
    assert_eq!(results, work.json("o/results.json"));
    let names: Vec<_> = fs::read_dir(work.path("o")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 5, "four files and the lock: {names:?}");
}

#[test]
fn without_a_folder_the_same_command_finds_its_own() {
    let work = with_data(6);
    let folder = |err: &str| err.lines().last().unwrap().strip_prefix("results: ").unwrap().to_string();
    let first = folder(&work.run("--data d.jsonl").code(0).err);
    let parts: Vec<&str> = first.split('/').collect();
    assert_eq!((parts.len(), parts[0]), (3, "runs"));
    assert!(parts[1].ends_with(COMPLETE) && parts[2].len() == 8, "{first}");
    assert!(parts[2].chars().all(|c| c.is_ascii_hexdigit()), "{first}");
    assert_eq!(work.samples(&first).len(), 6);
    let again = work.run("--data d.jsonl --threads 1 --norm sum").code(0);
    assert!(again.err.contains(&format!("complete in {first}; nothing was computed")), "{}", again.err);
    let shard = folder(&work.run("--data d.jsonl --shard 1/2").code(0).err);
    assert_eq!(shard, format!("{first}-1of2"));
    let other = folder(&work.run("--data d.jsonl --bos always").code(0).err);
    assert!(other != first && other.starts_with(&format!("runs/{}/", parts[1])), "{other}");
}

#[test]
fn other_settings_are_refused_by_name() {
    let work = with_data(8);
    work.items("other.jsonl", &data(10)[2..]);
    work.items("train.jsonl", &data(60)[20..]);
    let gguf = fixture("gguf-llama-with-tokenizer").join("model.gguf");
    work.model("own", |parts| {
        parts.tensors.get_mut("model.norm.weight").unwrap().values[3] += 0.5;
    });
    work.run("--data d.jsonl --output o").code(0);
    let before = work.read("o/samples.jsonl");
    let (bytes, names) = (work.read("o/results.json"), fs::read_dir(work.path("o")).unwrap().count());
    let own = work.path("own");
    for (other, setting) in [
        ("--bos never", r#"(bos: "auto" → "never")"#),
        ("--delimiter :", r#"delimiter: " " → ":""#),
        ("--truncate left", r#"truncate: "error" → "left""#),
        ("--max-length 100", "max_length: 2048 → 100"),
        ("--limit 4", "select.limit: null → 4"),
        ("--task kin", r#"select.task: [] → ["kin"]"#),
        ("--pmi", "pmi: false → true"),
        ("--log-tokens", "log_tokens: false → true"),
        ("--parse-special", "parse_special: false → true"),
        ("--shots 2 --shots-from train.jsonl", "shots"),
        ("--data other.jsonl", "data"),
        (&format!("--model {}", gguf.display()), "weights"),
        (&format!("--model {}", own.display()), "weights"),
    ] {
        let refusal = work.run(&format!("--data d.jsonl --output o {other}"));
        refusal.refused(&["o: holds a run under other settings", setting, "--overwrite", "--output"]);
    }
    // A data file's name does not count, what is in it does.
    fs::rename(work.path("other.jsonl"), work.path("d.jsonl")).unwrap();
    work.run("--data d.jsonl --output o").refused(&["data[0].blake3"]);
    assert_eq!((work.read("o/samples.jsonl"), work.read("o/results.json")), (before.clone(), bytes));
    assert_eq!(fs::read_dir(work.path("o")).unwrap().count(), names);

    work.items("same.jsonl", &data(10)[2..]);
    work.run("--data same.jsonl --output twin").code(0);
    let again = work.run("--data d.jsonl --output twin").code(0);
    assert!(again.err.contains("nothing was computed"), "{}", again.err);
    work.run("--data d.jsonl --output o --overwrite --bos never").code(0);
    assert_eq!(work.samples("o").len(), 8);
    assert_ne!(work.read("o/samples.jsonl"), before);
    assert_eq!(work.json("o/manifest.json")["scores"]["bos"], "never");
}

/// Two models under one folder never share scores, even under one name.
#[test]
fn scores_are_bound_to_the_weights() {
    let work = with_data(4);
    work.model("m", |_| ());
    work.run("--model m --data d.jsonl --output o").code(0);
    fs::rename(work.path("m"), work.path("was")).unwrap();
    work.model("m", |parts| parts.tensors.get_mut("model.norm.weight").unwrap().values[0] *= 1.5);
    work.run("--model m --data d.jsonl --output o").refused(&["other settings (weights:"]);
    fs::remove_dir_all(work.path("m")).unwrap();
    fs::rename(work.path("was"), work.path("m")).unwrap();
    let tokenizer = String::from_utf8(work.read("m/tokenizer.json")).unwrap();
    work.write("m/tokenizer.json", tokenizer.replace("Ġunmergeable", "Ġunmergable"));
    work.run("--model m --data d.jsonl --output o").refused(&["other settings (tokenizer:"]);
    work.write("m/tokenizer.json", tokenizer);
    work.run("--model m --data d.jsonl --output o").code(0);
    let config = String::from_utf8(work.read("m/config.json")).unwrap();
    let mut changed: serde_json::Value = serde_json::from_str(&config).unwrap();
    changed["rms_norm_eps"] = 0.5.into();
    work.write("m/config.json", changed.to_string());
    work.run("--model m --data d.jsonl --output o").refused(&["other settings (decoder:"]);
    // What does not change a number does not count.
    changed = serde_json::from_str(&config).unwrap();
    changed["summary_type"] = "first".into();
    work.write("m/config.json", changed.to_string());
    work.run("--model m --data d.jsonl --output o").code(0);
    // Another token of the same name before every text.
    work.run("--model m --data d.jsonl --output b --bos always").code(0);
    work.write("m/tokenizer_config.json", r#"{"bos_token":"a","eos_token":"a"}"#);
    work.run("--model m --data d.jsonl --output b --bos always").refused(&["bos_ids: ["]);
}

/// A word that the vocabulary lacks is said, not passed over.
#[test]
fn unknown_words_are_flagged() {
    let work = with_data(1);
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/models/tiny-logic");
    work.write(
        "u.jsonl",
        concat!(
            r#"{"id":"a","task":"t","context":"Rex is a","endings":["stobel","mammal"],"label":0}"#,
            "\n",
            r#"{"id":"b","task":"t","context":"Rex is a","endings":["stobel","lurgen"],"label":0}"#,
            "\n",
        ),
    );
    let ran = work.run(&format!("--model {shipped} --data u.jsonl --output u")).code(0);
    assert!(ran.err.contains("in 1 of 2 items some text has no token"), "{}", ran.err);
    let samples = work.samples("u");
    assert_eq!(
        (&samples[0]["flags"], &samples[1]["flags"]),
        (&serde_json::json!(["unknown_token"]), &serde_json::json!([]))
    );
}

/// A run that ended before its first line leaves a folder that any settings may take.
#[test]
fn a_folder_without_a_line_is_free() {
    let work = with_data(4);
    work.run("--data d.jsonl --output o").code(0);
    work.write("o/samples.jsonl", "");
    fs::remove_file(work.path("o/results.json")).unwrap();
    work.run("--data d.jsonl --output o --bos always").code(0);
    assert_eq!(work.json("o/manifest.json")["scores"]["bos"], "always");
    let attempts = work.json("o/attempts.json");
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 1, "what the other run cost is not counted");
}

#[test]
fn generation_config_has_no_say() {
    let work = with_data(6);
    work.model("m", |_| ());
    work.run("--model m --data d.jsonl --output a").code(0);
    work.write("m/generation_config.json", r#"{"temperature": 0.01, "suppress_tokens": [3, 4], "bos_token_id": 7}"#);
    work.run("--model m --data d.jsonl --output b").code(0);
    assert_eq!(work.read("a/samples.jsonl"), work.read("b/samples.jsonl"));
}

#[test]
fn data_may_come_in_several_files_and_from_standard_input() {
    let work = Work::new();
    let items = data(9);
    work.items("whole.jsonl", &items);
    work.items("a.jsonl", &items[..4]);
    work.items("b.jsonl", &items[4..]);
    work.run("--data whole.jsonl --output whole").code(0);
    let whole = work.read("whole/samples.jsonl");
    work.run("--data a.jsonl --data b.jsonl --output two").code(0);
    assert_eq!(work.read("two/samples.jsonl"), whole);
    let manifest = work.json("two/manifest.json");
    assert_eq!(manifest["scores"]["data"].as_array().unwrap().len(), 2);
    assert_eq!(manifest["scores"]["data"][1]["items"], 5);

    let input = work.read("whole.jsonl");
    work.run_with_input("--data - --output piped", &input).code(0);
    assert_eq!(work.read("piped/samples.jsonl"), whole);
    let again = work.run_with_input("--data - --output piped", &input).code(0);
    assert!(again.err.contains("nothing was computed"), "{}", again.err);
    work.run_with_input("--data - --output piped", &work.read("a.jsonl")).refused(&["data[0].blake3"]);

    // The same ids from two files are two items each.
    work.run("--data a.jsonl --data a.jsonl --output twice").refused(&["a.jsonl", "given twice"]);
    work.write("other.jsonl", [work.read("a.jsonl"), b"\n".to_vec()].concat());
    work.run("--data a.jsonl --data other.jsonl --output twice").code(0);
    let once = work.read("whole/samples.jsonl").split_inclusive(|b| *b == b'\n').take(4).collect::<Vec<_>>().concat();
    assert_eq!(work.read("twice/samples.jsonl"), [once.clone(), once].concat());
}

/// Layers in the weights that the configuration leaves out are said; stored masks and frequencies are not.
#[test]
fn tensors_that_are_not_used_are_noted() {
    let work = with_data(1);
    work.model("m", |_| ());
    let whole = work.run("--model m --data d.jsonl --output whole").code(0);
    assert!(!whole.err.contains("not used"), "{}", whole.err);
    let mut config: serde_json::Value = serde_json::from_slice(&work.read("m/config.json")).unwrap();
    config["num_hidden_layers"] = 1.into();
    work.write("m/config.json", config.to_string());
    let cut = work.run("--model m --data d.jsonl --output cut").code(0);
    assert!(cut.err.contains("are not used, `model.layers.1."), "{}", cut.err);
}
