//! The store: whatever moment a run is killed at, the same command ends in the same bytes and computes no finished
//! line twice.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use llscore::results::{Attempt, Norm, Resumed, Sample, Store, Tokens};
use llscore::{Error, Result};
use proptest::prelude::*;

use super::{item, manifest, results, scored};

const ITEMS: usize = 6;

/// A folder in memory where the system has one, since a thousand flushes to a busy disk take their time.
fn fresh() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn ids(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("chain-{i:03}/übung")).collect()
}

/// The sample of the item at `position`, with numbers that need all their digits.
fn good(position: usize) -> Sample {
    let x = -1.0 / (3.0 + position as f64);
    scored(&item(&ids(position + 1)[position], "chain", "base", position as u32), &[x, x * std::f64::consts::PI])
}

fn bad(position: usize) -> Sample {
    Sample::failed(&item(&ids(position + 1)[position], "chain", "base", 0), "the context is too long", Vec::new())
}

fn open(dir: &Path, n: usize) -> Result<Store> {
    Store::open(dir, manifest(), ids(n), false)
}

/// Appends `good` for each position to do; gives those positions.
fn complete(store: &mut Store) -> Vec<usize> {
    let todo = store.todo();
    for position in &todo {
        store.append(*position, &good(*position)).unwrap();
    }
    todo
}

/// A folder as a kill leaves it, with this in `samples.jsonl`.
fn killed_with(samples: &[u8]) -> tempfile::TempDir {
    let dir = fresh();
    fs::write(dir.path().join("manifest.json"), serde_json::to_string(&manifest()).unwrap()).unwrap();
    fs::write(dir.path().join("samples.jsonl"), samples).unwrap();
    dir
}

/// The bytes of a run that nothing disturbed.
fn undisturbed(n: usize) -> Vec<u8> {
    (0..n).flat_map(|i| good(i).to_line().unwrap()).collect()
}

fn samples_file(dir: &Path) -> Vec<u8> {
    fs::read(dir.join("samples.jsonl")).unwrap()
}

/// Ids with a finished line in the folder, in either file.
fn finished_on_disk(dir: &Path) -> HashSet<String> {
    let mut found = HashSet::new();
    for (name, skip) in [("samples.jsonl", ""), ("samples.carry", "\t")] {
        let bytes = fs::read(dir.join(name)).unwrap_or_default();
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(&[][..], |end| &bytes[..end]);
        for line in std::str::from_utf8(whole).unwrap().lines() {
            let json = if skip.is_empty() { line } else { line.split_once(skip).unwrap().1 };
            let sample: Sample = serde_json::from_str(json).unwrap();
            if sample.error.is_none() {
                found.insert(sample.id);
            }
        }
    }
    found
}

/// A folder with a run that ended with the items at `failing` failed.
fn ended_with_failures(n: usize, failing: &[usize]) -> tempfile::TempDir {
    let dir = fresh();
    let mut store = open(dir.path(), n).unwrap();
    for i in 0..n {
        store.append(i, &if failing.contains(&i) { bad(i) } else { good(i) }).unwrap();
    }
    store.finish(&results(&store.samples().unwrap())).unwrap();
    dir
}

fn message(result: Result<Store>) -> (String, u8) {
    let error = result.expect_err("the folder is refused");
    (error.to_string(), error.exit_code())
}

#[test]
fn lines_are_in_the_order_of_the_data_whatever_the_order_of_work() {
    let dir = fresh();
    let mut store = open(dir.path(), ITEMS).unwrap();
    for position in [3, 0, 5, 1] {
        store.append(position, &good(position)).unwrap();
    }
    assert_eq!(samples_file(dir.path()), undisturbed(2), "what has a predecessor missing waits");
    assert_eq!(store.todo(), [2, 4]);
    store.append(4, &good(4)).unwrap();
    store.append(2, &good(2)).unwrap();
    assert_eq!(samples_file(dir.path()), undisturbed(ITEMS));
}

#[test]
fn killed_at_every_byte_and_resumed_the_file_is_the_same() {
    let whole = undisturbed(ITEMS);
    for cut in 0..=whole.len() {
        let dir = killed_with(&whole[..cut]);
        let done = whole[..cut].iter().filter(|b| **b == b'\n').count();
        let mut store = open(dir.path(), ITEMS).unwrap();
        assert_eq!(store.resumed(), Resumed { kept: done, failed: 0 });
        assert_eq!(complete(&mut store), (done..ITEMS).collect::<Vec<_>>(), "cut at byte {cut}");
        assert_eq!(samples_file(dir.path()), whole, "cut at byte {cut}");
    }
}

#[test]
fn failed_items_alone_are_tried_again() {
    let dir = ended_with_failures(ITEMS, &[1, 4]);
    let mut store = open(dir.path(), ITEMS).unwrap();
    assert_eq!(store.resumed(), Resumed { kept: 4, failed: 2 });
    assert_eq!(complete(&mut store), [1, 4]);
    assert_eq!(samples_file(dir.path()), undisturbed(ITEMS));
    assert!(!dir.path().join("samples.carry").exists());
}

#[test]
fn failed_items_that_fail_again_leave_the_same_file() {
    let dir = ended_with_failures(ITEMS, &[0, 4, 5]);
    let before = samples_file(dir.path());
    let mut store = open(dir.path(), ITEMS).unwrap();
    assert_eq!(samples_file(dir.path()), before, "nothing is cut before there is a new line");
    for position in store.todo() {
        store.append(position, &bad(position)).unwrap();
    }
    assert_eq!(samples_file(dir.path()), before);
}

/// Every state that a kill during the second try of failed items can leave: before the cut, after it, at each byte
/// of what follows, and with the carried lines not yet removed.
#[test]
fn killed_at_every_byte_of_a_second_try_no_finished_line_is_lost() {
    let failing = [1, 3];
    let whole = undisturbed(ITEMS);
    let first = ended_with_failures(ITEMS, &failing);
    let original = samples_file(first.path());
    let mut store = open(first.path(), ITEMS).unwrap();
    store.append(1, &good(1)).unwrap();
    let carried = fs::read(first.path().join("samples.carry")).unwrap();
    drop(store);

    let prefix = undisturbed(1).len();
    let cuts = (prefix..=whole.len()).map(|cut| whole[..cut].to_vec());
    for state in cuts.chain([original]) {
        let dir = killed_with(&state);
        fs::write(dir.path().join("samples.carry"), &carried).unwrap();
        fs::write(dir.path().join(".samples.carry.tmp"), b"2\t{\"id\":\"ha").unwrap();
        let finished = finished_on_disk(dir.path());
        let mut store = open(dir.path(), ITEMS).unwrap();
        let todo = complete(&mut store);
        assert!(todo.iter().all(|i| failing.contains(i) && !finished.contains(&ids(ITEMS)[*i])), "{todo:?}");
        assert_eq!(samples_file(dir.path()), whole);
        assert!(!dir.path().join("samples.carry").exists());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Attempts that score some of what is to be done in any order, some items failing, each killed with a half line
    /// behind the last; then one that ends.
    #[test]
    fn any_history_of_kills_and_failures_ends_in_the_same_file(
        history in prop::collection::vec((prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..8), 0usize..40), 0..6),
    ) {
        let dir = fresh();
        for (work, torn) in history {
            let finished = finished_on_disk(dir.path());
            let mut store = open(dir.path(), ITEMS).unwrap();
            for (choice, fails) in work {
                let todo = store.todo();
                prop_assert!(todo.iter().all(|i| !finished.contains(&ids(ITEMS)[*i])));
                if let Some(i) = (!todo.is_empty()).then(|| todo[choice.index(todo.len())]) {
                    store.append(i, &if fails { bad(i) } else { good(i) }).unwrap();
                }
            }
            drop(store);
            let mut bytes = samples_file(dir.path());
            let lines = bytes.iter().filter(|b| **b == b'\n').count();
            if lines < ITEMS {
                bytes.extend_from_slice(&good(lines).to_line().unwrap()[..torn]);
                fs::write(dir.path().join("samples.jsonl"), bytes).unwrap();
            }
            prop_assert!(finished_on_disk(dir.path()).is_superset(&finished));
        }
        let finished = finished_on_disk(dir.path());
        let mut store = open(dir.path(), ITEMS).unwrap();
        let todo = complete(&mut store);
        prop_assert_eq!(todo.len() + finished.len(), ITEMS);
        prop_assert_eq!(samples_file(dir.path()), undisturbed(ITEMS));
    }
}

#[test]
fn a_finished_run_gives_its_results_and_has_nothing_to_do() {
    let dir = ended_with_failures(ITEMS, &[]);
    let store = open(dir.path(), ITEMS).unwrap();
    assert!(store.todo().is_empty());
    assert_eq!(store.completed().unwrap(), Some(results(&store.samples().unwrap())));
    drop(store);
    let mut other = manifest();
    other.environment.norm = Norm::Token;
    let store = Store::open(dir.path(), other, ids(ITEMS), false).unwrap();
    assert_eq!(store.completed().unwrap(), None, "results under another norm are made anew from the samples");
    assert_eq!((store.todo().len(), store.samples().unwrap().len()), (0, ITEMS));
}

#[test]
fn the_results_file_has_the_documented_form() {
    let dir = ended_with_failures(ITEMS, &[1]);
    let text = fs::read_to_string(dir.path().join("results.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys = |v: &serde_json::Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&value), ["schema", "manifest", "seconds", "tokens", "metrics", "robustness"]);
    assert_eq!(keys(&value["tokens"]), ["requests", "computed", "scored"]);
    assert_eq!(keys(&value["metrics"]), ["overall", "by_task", "by_variant", "by_hops", "by_variant_hops"]);
    assert_eq!(value["schema"], "llscore.results/1");
    assert_eq!(value["metrics"]["by_variant_hops"]["chain"]["base"]["4"]["n"], 1);
    assert_eq!(value["metrics"]["overall"]["errors"], 1);
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(dir.path().join("manifest.json")).unwrap()).unwrap();
    assert_eq!(value["manifest"], manifest);
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(names.iter().all(|n| !n.to_string_lossy().ends_with(".tmp")), "{names:?}");
}

#[test]
fn results_of_an_earlier_attempt_go_with_the_first_new_line() {
    let dir = ended_with_failures(ITEMS, &[2]);
    let mut store = open(dir.path(), ITEMS).unwrap();
    assert!(dir.path().join("results.json").exists());
    assert_eq!(store.completed().unwrap(), None);
    store.append(2, &good(2)).unwrap();
    assert!(!dir.path().join("results.json").exists());
}

#[test]
fn results_are_not_written_over_missing_items() {
    let dir = fresh();
    let mut store = open(dir.path(), ITEMS).unwrap();
    store.append(0, &good(0)).unwrap();
    let error = store.finish(&results(&[good(0)])).unwrap_err();
    assert!(error.to_string().contains("5 of 6 items are missing"), "{error}");
    assert!(!dir.path().join("results.json").exists());
}

#[test]
fn only_an_item_to_be_scored_is_taken() {
    let dir = fresh();
    let mut store = open(dir.path(), ITEMS).unwrap();
    store.append(0, &good(0)).unwrap();
    for (position, sample) in [(0, good(0)), (1, good(2)), (ITEMS, good(ITEMS))] {
        assert!(matches!(store.append(position, &sample), Err(Error::Output { .. })));
    }
    assert_eq!(samples_file(dir.path()), undisturbed(1));
}

#[test]
fn equal_ids_from_two_files_are_two_items() {
    let dir = fresh();
    let twice = || vec!["0".to_string(), "1".to_string(), "0".to_string()];
    let line = |i: usize, x: f64| scored(&item(&twice()[i], "a", "base", 0), &[x, -1.0]);
    let mut store = Store::open(dir.path(), manifest(), twice(), false).unwrap();
    store.append(0, &line(0, -0.5)).unwrap();
    store.append(1, &Sample::failed(&item("1", "a", "base", 0), "no", Vec::new())).unwrap();
    store.append(2, &line(2, -0.25)).unwrap();
    drop(store);
    let mut store = Store::open(dir.path(), manifest(), twice(), false).unwrap();
    assert_eq!(store.todo(), [1]);
    store.append(1, &line(1, -0.125)).unwrap();
    assert_eq!(store.samples().unwrap(), [line(0, -0.5), line(1, -0.125), line(2, -0.25)]);
}

#[test]
fn seconds_and_tokens_are_sums_over_the_attempts() {
    let dir = fresh();
    let tokens = |n| Tokens { requests: 10 * n, computed: 2 * n, scored: n };
    let mut store = open(dir.path(), ITEMS).unwrap();
    store.record(Attempt { seconds: 1.5, tokens: tokens(3) }).unwrap();
    drop(store);
    let mut store = open(dir.path(), ITEMS).unwrap();
    assert_eq!(store.total(), Attempt { seconds: 1.5, tokens: tokens(3) });
    store.record(Attempt { seconds: 1.0, tokens: tokens(1) }).unwrap();
    store.record(Attempt { seconds: 2.0, tokens: tokens(4) }).unwrap();
    assert_eq!(store.total(), Attempt { seconds: 3.5, tokens: tokens(7) });
    complete(&mut store);
    drop(store);
    assert_eq!(open(dir.path(), ITEMS).unwrap().total(), Attempt { seconds: 3.5, tokens: tokens(7) });
}

#[test]
fn other_settings_are_refused_by_name() {
    let dir = ended_with_failures(ITEMS, &[]);
    let before = samples_file(dir.path());
    let mut other = manifest();
    other.scores.dtype = "bf16".into();
    other.scores.data[0].blake3 = "00".repeat(32);
    let (text, code) = message(Store::open(dir.path(), other.clone(), ids(ITEMS), false));
    assert_eq!(code, 2);
    assert!(text.contains("dtype: \"f32\" → \"bf16\"") && text.contains("data[0].blake3") && !text.contains("weights"));
    assert!(text.contains("--overwrite") && text.contains("--output"), "{text}");
    assert_eq!(samples_file(dir.path()), before);

    fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    let store = Store::open(dir.path(), other, ids(ITEMS), true).unwrap();
    assert_eq!(store.todo().len(), ITEMS);
    assert!(!dir.path().join("results.json").exists() && dir.path().join("notes.txt").exists());
}

#[test]
fn other_threads_or_budget_go_on_in_the_same_folder() {
    let dir = ended_with_failures(ITEMS, &[1]);
    let mut other = manifest();
    (other.environment.threads, other.environment.token_budget) = (64, 100_000);
    let mut store = Store::open(dir.path(), other.clone(), ids(ITEMS), false).unwrap();
    assert_eq!(complete(&mut store), [1]);
    let written = fs::read_to_string(dir.path().join("manifest.json")).unwrap();
    assert_eq!(serde_json::from_str::<llscore::results::Manifest>(&written).unwrap(), other);
}
