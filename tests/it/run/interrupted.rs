//! Runs that are killed, interrupted, or meet a full disk: no finished line is lost or computed again, and the file that
//! is there in the end is that of a run that nothing disturbed.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Draw, with_data};
use crate::support::{Ran, Work};

/// Enough items and small enough packs that a run takes a while.
const ITEMS: usize = 400;
const RUN: &str = "--data d.jsonl --output o --token-budget 1 --threads 1";

fn whole_lines(work: &Work) -> usize {
    std::fs::read(work.path("o/samples.jsonl")).unwrap_or_default().iter().filter(|b| **b == b'\n').count()
}

/// Starts the run and waits until it has written `lines` lines (or has ended).
fn start_and_wait(work: &Work, lines: usize) -> Child {
    let mut child = work.scoring(RUN).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while whole_lines(work) < lines && child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_secs(60), "the run is stuck");
        std::thread::sleep(Duration::from_micros(300));
    }
    child
}

/// (tokens scored, inputs requested) of the items from the `from`th on.
fn cost(samples: &[Value], from: usize) -> (u64, u64) {
    let (mut scored, mut requests) = (0, 0);
    for sample in &samples[from..] {
        let context = sample["context_tokens"].as_u64().unwrap();
        for ending in sample["endings"].as_array().unwrap() {
            let tokens = ending["tokens"].as_u64().unwrap();
            scored += tokens;
            requests += context + tokens - 1;
        }
    }
    (scored, requests)
}

/// A folder with data, and the file of an undisturbed run, also as samples.
fn undisturbed() -> (Work, Vec<u8>, Vec<Value>) {
    let work = with_data(ITEMS);
    work.run("--data d.jsonl --output whole").code(0);
    let (bytes, samples) = (work.read("whole/samples.jsonl"), work.samples("whole"));
    (work, bytes, samples)
}

/// What the last attempt has cost, by its own record.
fn last_attempt(work: &Work) -> (u64, u64) {
    let attempts = work.json("o/attempts.json");
    let tokens = &attempts["attempts"].as_array().unwrap().last().unwrap()["tokens"];
    (tokens["scored"].as_u64().unwrap(), tokens["requests"].as_u64().unwrap())
}

#[test]
fn killed_ten_times_no_line_is_lost_or_computed_again() {
    let (work, whole, samples) = undisturbed();
    let mut draw = Draw(2026);
    let (mut done, mut kills) = (0, 0);
    let mut midway = 0;
    for round in 0..10 {
        // At a random line of what is left, then a moment later.
        let at = done + draw.below(((ITEMS - done) / (11 - round)).max(1));
        let mut child = start_and_wait(&work, at);
        std::thread::sleep(Duration::from_micros(draw.below(2000) as u64));
        child.kill().unwrap();
        kills += usize::from(!child.wait().unwrap().success());

        let bytes = std::fs::read(work.path("o/samples.jsonl")).unwrap_or_default();
        let now = whole_lines(&work);
        assert!(now >= done, "{done} lines before the kill, {now} after it");
        assert!(whole.starts_with(&bytes), "round {round}: what is there is a beginning of the whole file");
        midway += usize::from(done < now && now < ITEMS);
        done = now;
    }
    assert!(kills >= 5 && midway >= 5, "{kills} kills, {midway} between lines: the runs are too short for this test");

    let last = work.run(RUN).code(0);
    assert!(work.read("o/samples.jsonl") == whole);
    if done < ITEMS {
        let note = format!("note: {done} of {ITEMS} items are already scored\n");
        assert!(last.err.contains(&note), "{} lacks {note}", last.err);
        // The last attempt computed what was left and nothing else.
        assert_eq!(last_attempt(&work), cost(&samples, done));
    }
    assert_eq!(work.json("o/results.json")["metrics"], work.json("whole/results.json")["metrics"]);
    assert!(work.run(RUN).code(0).err.contains("nothing was computed"));
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn ctrl_c_leaves_whole_lines_and_exits_130() {
    let (work, whole, samples) = undisturbed();
    let child = start_and_wait(&work, 20);
    signal(&child, "-INT");
    let ran = Ran::of(child.wait_with_output().unwrap()).code(130);
    assert!(ran.err.ends_with("error: interrupted; the same command goes on from here\n"), "{}", ran.err);
    assert_eq!(ran.out, "");
    let left = work.read("o/samples.jsonl");
    let done = whole_lines(&work);
    assert!(left.ends_with(b"\n") && whole.starts_with(&left) && (20..ITEMS).contains(&done), "{done} lines");
    assert!(!work.path("o/results.json").exists());
    assert_eq!(work.json("o/attempts.json")["attempts"].as_array().unwrap().len(), 1, "what it cost is on record");

    work.run(RUN).code(0);
    assert!(work.read("o/samples.jsonl") == whole);
    assert_eq!(last_attempt(&work), cost(&samples, done));
    let (all, results) = (cost(&samples, 0), work.json("o/results.json"));
    let scored = results["tokens"]["scored"].as_u64().unwrap();
    assert!(scored >= all.0, "{scored} tokens in two attempts for {} of the items", all.0);
}

#[test]
fn ctrl_c_before_the_first_line_ends_at_once() {
    let work = Work::new();
    let mut child = work.scoring("--data - --output o");
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take();
    // It waits for its items; the handler is there before it reads.
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "-INT");
    let ran = Ran::of(child.wait_with_output().unwrap()).code(130);
    assert_eq!(ran.err, "error: interrupted; the same command goes on from here\n");
    drop(input);
    assert!(!work.path("o").exists());
}

/// A limit on the size of files stands for a full disk. The limit is a shell's, since a process cannot set its own here.
#[test]
fn a_disk_that_fills_in_mid_run_is_exit_1_and_resumed() {
    let (work, whole, samples) = undisturbed();
    let program = work.scoring(RUN);
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"trap "" XFSZ; ulimit -f 24; exec "$0" "$@""#]).arg(program.get_program());
    shell.args(program.get_args()).current_dir(work.path(""));
    let ran = Ran::of(shell.output().unwrap()).code(1);
    assert!(ran.err.contains("error: o/samples.jsonl: write failed: "), "{}", ran.err);
    assert!(ran.err.contains("free some space and give the same command again"), "{}", ran.err);
    assert_eq!(ran.out, "");
    let left = work.read("o/samples.jsonl");
    let done = whole_lines(&work);
    assert!(left.ends_with(b"\n") && whole.starts_with(&left) && (10..ITEMS).contains(&done), "{done} lines");
    assert!(!work.path("o/results.json").exists());

    work.run(RUN).code(0);
    assert!(work.read("o/samples.jsonl") == whole);
    assert_eq!(last_attempt(&work), cost(&samples, done));
}

/// A disk that is full before the first line: nothing is scored.
#[test]
fn a_full_disk_is_found_before_anything_is_scored() {
    let work = with_data(4);
    let program = work.scoring("--data d.jsonl --output o");
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"trap "" XFSZ; ulimit -f 1; exec "$0" "$@""#]).arg(program.get_program());
    shell.args(program.get_args()).current_dir(work.path(""));
    Ran::of(shell.output().unwrap()).refused(&["o: the output folder cannot be written", "--output"]);
    assert!(!work.path("o/samples.jsonl").exists());
    work.run("--data d.jsonl --output o").code(0);
}

/// Two runs in one folder at the same time: the second is refused and disturbs nothing.
#[test]
fn a_second_run_in_the_same_folder_is_refused() {
    let (work, whole, _) = undisturbed();
    let child = start_and_wait(&work, 3);
    work.run(RUN).refused(&["o: another run is writing to this folder", "--output"]);
    work.run(&format!("{RUN} --overwrite")).refused(&["another run is writing to this folder"]);
    Ran::of(child.wait_with_output().unwrap()).code(0);
    assert!(work.read("o/samples.jsonl") == whole);
}

/// Items that failed are tried again, and only they.
#[test]
fn failed_items_alone_are_tried_again() {
    let work = with_data(30);
    work.run("--data d.jsonl --output whole").code(0);
    let whole = String::from_utf8(work.read("whole/samples.jsonl")).unwrap();
    work.run("--data d.jsonl --output o").code(0);
    let failed: String = whole
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let sample: Value = serde_json::from_str(line).unwrap();
            if i % 9 != 4 {
                return format!("{line}\n");
            }
            let mut failed = sample.as_object().unwrap().clone();
            failed.retain(|key, _| !["context_tokens", "endings", "choice"].contains(&key.as_str()));
            failed.insert("error".into(), "out of memory".into());
            format!("{}\n", Value::Object(failed))
        })
        .collect();
    work.write("o/samples.jsonl", failed);
    let again = work.run("--data d.jsonl --output o").code(0);
    assert!(
        again.err.contains("note: 27 of 30 items are already scored, 3 that failed are tried again"),
        "{}",
        again.err
    );
    assert_eq!(String::from_utf8(work.read("o/samples.jsonl")).unwrap(), whole);
    assert!(!work.path("o/samples.carry").exists());
}
