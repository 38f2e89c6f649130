//! What goes where: results to standard output, everything else to standard error, one item to the terminal alone.

use std::process::Stdio;

use serde_json::Value;

use super::{data, with_data};
use crate::support::{Ran, Work, item};

#[test]
fn quiet_says_nothing_but_results() {
    let work = with_data(10);
    let ran = work.run("--data d.jsonl --output o --quiet --dtype bf16").code(0);
    assert_eq!(ran.err, "");
    assert!(ran.out.contains("acc_norm"), "{}", ran.out);
    let again = work.run("--data d.jsonl --output o --quiet").code(0);
    assert_eq!((again.err.as_str(), again.out), ("", ran.out));
    assert_eq!(work.run("--data d.jsonl --dry-run --quiet").code(0).err, "");
}

#[test]
fn formats_are_what_their_readers_take() {
    let work = with_data(40);
    let json = work.run("--data d.jsonl --output o --json").code(0);
    let results: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(results, work.json("o/results.json"));
    assert_eq!(json.err, "results: o\n");

    let csv = work.run("--data d.jsonl --output o --format csv").code(0);
    let mut reader = csv::Reader::from_reader(csv.out.as_bytes());
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let overall = &rows[0];
    assert!(overall.iter().take(3).all(str::is_empty) && &overall[column("n")] == "40");
    for name in ["acc", "acc_stderr", "acc_norm", "brier", "chance"] {
        let value: f64 = overall[column(name)].parse().unwrap();
        assert_eq!(results["metrics"]["overall"][name], value, "{name}");
    }

    let markdown = work.run("--data d.jsonl --output o --format markdown").code(0);
    let lines: Vec<&str> = markdown.out.lines().collect();
    assert!(lines[0].starts_with("| task | variant | hops | n | acc | acc_norm (char) |"), "{}", lines[0]);
    let bars = |line: &str| line.matches('|').count();
    let table: Vec<&&str> = lines.iter().take_while(|line| !line.is_empty()).collect();
    assert!(table.len() > 10 && table.iter().all(|line| bars(line) == bars(lines[0])), "{}", markdown.out);
    let norm = work.run("--data d.jsonl --output o --format markdown --norm byte").code(0);
    assert!(norm.out.contains("acc_norm (byte)"), "{}", norm.out);

    let table = work.run("--data d.jsonl --output o").code(0);
    for text in ["all tasks", "kin", "own", "l1", "hops 0", "rewording"] {
        assert!(table.out.contains(text), "{text} is not in\n{}", table.out);
    }
}

#[test]
fn a_reader_that_closes_early_is_no_failure() {
    let work = with_data(6);
    for args in ["--data d.jsonl --output o", "--data d.jsonl --output o --json", "--data d.jsonl --dry-run"] {
        let mut child = work.scoring(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        Ran::of(child.wait_with_output().unwrap()).code(0);
    }
    assert_eq!(work.samples("o").len(), 6);
}

/// Where standard error cannot be written, messages are lost and nothing else; where standard output cannot, that is told.
#[cfg(target_os = "linux")]
#[test]
fn full_streams() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let work = with_data(6);
    let deaf = work.scoring("--data d.jsonl --output o --dtype f16").stderr(full()).output().unwrap();
    assert!(Ran::of(deaf).code(0).out.contains("acc_norm"));
    Ran::of(work.scoring("--data none.jsonl").stderr(full()).output().unwrap()).code(2);

    let mute = Ran::of(work.scoring("--data d.jsonl --output p").stdout(full()).output().unwrap()).code(1);
    assert!(mute.err.contains("error: standard output: write failed"), "{}", mute.err);
    assert!(work.path("p/results.json").exists(), "the results are kept all the same");
}

#[test]
fn one_item_needs_no_file_and_leaves_none() {
    let work = Work::new();
    let score = |more: &[&str]| {
        let args = ["--context", "The cat is", "--ending", "red", "--ending", "left uncle"];
        let mut command = work.scoring("");
        Ran::of(command.args(args).args(more).output().unwrap())
    };
    let json = score(&["--json", "--log-tokens"]).code(0);
    let sample: Value = serde_json::from_str(&json.out).unwrap();
    work.items("d.jsonl", &[item("item", "The cat is", &["red", "left uncle"], 0)]);
    work.run("--data d.jsonl --output o --log-tokens").code(0);
    for part in ["endings", "choice", "context_ids", "context_tokens"] {
        assert_eq!(sample[part], work.samples("o")[0][part]);
    }

    let choice = sample["choice"]["sum"].as_u64().unwrap() as usize;
    let table = score(&["--norm", "sum"]).code(0);
    let lines: Vec<&str> = table.out.lines().collect();
    assert_eq!((lines.len(), lines[3]), (4, "* chosen by log-likelihood"));
    assert_eq!(lines.iter().skip(1).position(|line| line.starts_with('*')), Some(choice));
    for (line, ending) in lines[1..].iter().zip(sample["endings"].as_array().unwrap()) {
        let shown: f64 = line[1..].split_whitespace().next().unwrap().parse().unwrap();
        assert!((shown - ending["logprob"].as_f64().unwrap()).abs() < 6e-5);
    }
    let dry = score(&["--dry-run"]).code(0);
    assert!(dry.out.contains(&format!("context ids {}", sample["context_ids"]).replace(',', ", ")), "{}", dry.out);
    assert!(!dry.out.contains("(right)"), "nobody said which is");
    let names: Vec<_> = std::fs::read_dir(work.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");

    for (flag, value) in [("--output", "x"), ("--task", "t"), ("--shard", "1/2"), ("--shots", "2"), ("--limit", "1")] {
        let refusal = score(&[flag, value]).code(2);
        assert!(refusal.err.contains(flag) && refusal.err.contains("--context"), "{}", refusal.err);
    }
    for half in [vec!["--ending", "x"], vec!["--context", "x"], vec!["--data", "d.jsonl", "--ending", "x"]] {
        let refusal = Ran::of(work.scoring("").args(&half).output().unwrap()).code(2);
        assert!(refusal.err.contains("--ending"), "{half:?}: {}", refusal.err);
    }
}

#[test]
fn what_is_odd_about_one_item_is_said() {
    let work = Work::new();
    let score = |args: &[&str]| Ran::of(work.scoring("").args(args).output().unwrap());
    let merge = score(&["--context", "oth", "--delimiter", "", "--ending", "er", "--ending", "x"]).code(0);
    assert!(merge.err.contains("note: a token spans the join"), "{}", merge.err);
    let empty = score(&["--context", "x", "--ending", ""]).code(1);
    assert_eq!((empty.out.as_str(), empty.err.lines().count()), ("", 1));
    assert!(empty.err.starts_with("error: ending 0: the ending is empty"), "{}", empty.err);
    let skip = score(&["--context", "x y z", "--ending", "a", "--truncate", "skip", "--max-length", "1"]).code(0);
    assert!(skip.out.is_empty() && skip.err.contains("over-long and was left out"), "{}", skip.err);
    let tie = score(&["--context", "x", "--ending", "a", "--ending", "a"]).code(0);
    assert!(tie.out.ends_with("* chosen by log-likelihood per char, the first of a tie\n"), "{}", tie.out);
    let control = score(&["--context", "x\u{7}", "--ending", "a\nb\u{1b}[31m"]).code(0);
    assert!(control.out.contains(r"a\nb\u{1b}[31m") && control.out.lines().count() == 3, "{:?}", control.out);
}

#[test]
fn a_dry_run_shows_what_a_run_computes_and_reads_no_weight() {
    let work = with_data(20);
    work.run("--data d.jsonl --output o --log-tokens --json").code(0);
    let dry = work.run("--data d.jsonl --dry-run").code(0);
    let samples = work.samples("o");
    for (sample, item) in samples.iter().zip(data(20)).take(2) {
        let list = |ids: &Value| ids.to_string().replace(',', ", ");
        assert!(dry.out.contains(&format!("item {}\n", sample["id"].as_str().unwrap())), "{}", dry.out);
        assert!(dry.out.contains(&format!("context ids {}", list(&sample["context_ids"]))), "{}", dry.out);
        for (ending, text) in sample["endings"].as_array().unwrap().iter().zip(item["endings"].as_array().unwrap()) {
            assert!(dry.out.contains(&format!("{text}")) && dry.out.contains(&format!("ids {}", list(&ending["ids"]))));
        }
        assert_eq!(dry.out.matches("(right)").count(), 2);
    }
    let tokens = &work.json("o/results.json")["tokens"];
    let line = format!(
        "{} to compute for requests of {}; {} scored",
        tokens["computed"], tokens["requests"], tokens["scored"]
    );
    assert!(dry.out.replace(',', "").contains(&line), "{} lacks {line}", dry.out);
    assert_eq!(dry.err, "");

    // Weights that no run can use are not looked at, unlike their names and shapes.
    work.model("nan", |parts| parts.tensors.values_mut().for_each(|t| t.values.fill(f32::NAN)));
    assert_eq!(work.run("--model nan --data d.jsonl --dry-run").code(0).out.lines().count(), dry.out.lines().count());
    work.model("gap", |parts| drop(parts.tensors.remove("model.layers.1.mlp.up_proj.weight")));
    work.run("--model gap --data d.jsonl --dry-run")
        .refused(&["model.safetensors", "`model.layers.1.mlp.up_proj.weight`"]);

    work.items("bad.jsonl", &[item("good", "x", &["y"], 0), item("bad", "x", &["y", ""], 0)]);
    let bad = work.run("--data bad.jsonl --dry-run").code(1);
    assert!(bad.out.contains("2 (1 cannot be scored, 0 skipped)"), "{}", bad.out);
    assert!(bad.err.starts_with("error: 1 of 2 items failed: `bad`: ending 1: the ending is empty"), "{}", bad.err);
    let made = |dir: &str| std::fs::read_dir(work.path(dir)).is_ok();
    assert!(!made("runs"), "a dry run makes no folder");
}

/// A model of 3 GB on disk, none of it there (a file with a hole), in an address space of 2 GB.
#[cfg(target_os = "linux")]
#[test]
fn a_dry_run_needs_no_memory_for_the_weights() {
    let work = with_data(4);
    const INNER: usize = 8 << 20;
    let mut header = serde_json::Map::new();
    let mut end = 0usize;
    work.model("huge", |parts| {
        parts.config["intermediate_size"] = INNER.into();
        for (name, tensor) in &parts.tensors {
            let mut shape = tensor.shape.clone();
            if let Some(at) = shape.iter().position(|n| *n == 24) {
                shape[at] = INNER;
            }
            let size = 2 * shape.iter().product::<usize>();
            header.insert(
                name.clone(),
                serde_json::json!({"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}),
            );
            end += size;
        }
    });
    let header = Value::Object(header).to_string();
    let file = std::fs::File::create(work.path("huge/model.safetensors")).unwrap();
    std::io::Write::write_all(&mut &file, &[&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat())
        .unwrap();
    file.set_len((8 + header.len() + end) as u64).unwrap();
    assert!(end > 3_000_000_000);
    let program = work.scoring("--model huge --data d.jsonl --dry-run --threads 1");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", r#"ulimit -v 2000000; exec "$0" "$@""#]).arg(program.get_program());
    let ran = Ran::of(shell.args(program.get_args()).current_dir(work.path("")).output().unwrap()).code(0);
    assert!(ran.out.contains("parameters") && ran.out.contains("MB resident"), "{}", ran.out);
}
