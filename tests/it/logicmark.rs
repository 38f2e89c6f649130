//! The benchmark as it ships: what its seeds make, proved, balanced, in two halves, and given away by nothing on the surface.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use llscore::item::{Item, read_items};
use llscore::logicmark::{APART_FROM, TASKS, Task, release};

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(release::NAME)
}

fn llscore(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_llscore")).args(args).output().unwrap()
}

fn items(task: &Task, part: release::Part) -> Vec<Item> {
    read_items(&shipped().join(part.file(task))).unwrap()
}

#[test]
fn what_ships_is_what_its_seeds_make_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let made = llscore(&["generate", "logicmark", "--output", folder.path().to_str().unwrap()]);
    assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
    let mut files: Vec<PathBuf> =
        release::PARTS.iter().flat_map(|part| TASKS.iter().map(|task| part.file(task))).collect();
    files.push("SHA256SUMS".into());
    for file in files {
        let (new, old) =
            (std::fs::read(folder.path().join(&file)).unwrap(), std::fs::read(shipped().join(&file)).unwrap());
        assert!(new == old, "{} is not what is made", file.display());
    }
}

#[test]
fn what_ships_is_proved() {
    let done = llscore(&["certify", "--quiet", shipped().to_str().unwrap()]);
    let table = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(0), "{table}");
    let total: usize = table.lines().last().unwrap().split_whitespace().nth(1).unwrap().parse().unwrap();
    let expected: usize = release::PARTS
        .iter()
        .flat_map(|part| TASKS.iter().map(|task| part.items as usize * task.hops.clone().count() * task.variants.len()))
        .sum();
    assert_eq!(total, expected);
}

#[test]
fn labels_are_balanced_in_every_cell() {
    for (part, task) in release::PARTS.iter().flat_map(|part| TASKS.iter().map(move |task| (*part, task))) {
        let mut cells: BTreeMap<(String, u32), BTreeMap<usize, u32>> = BTreeMap::new();
        for item in items(task, part) {
            *cells.entry((item.variant, item.hops)).or_default().entry(item.label).or_default() += 1;
        }
        assert_eq!(cells.len(), task.variants.len() * task.hops.clone().count());
        for (cell, labels) in cells {
            assert_eq!(labels.len(), task.endings, "{} {cell:?}", task.name);
            assert!(
                labels.values().all(|n| *n == part.items / task.endings as u32),
                "{} {cell:?} {labels:?}",
                task.name
            );
        }
    }
}

#[test]
fn no_question_is_in_both_halves_nor_twice_in_one() {
    for task in TASKS {
        let read = |part| -> Vec<(u32, String, String)> {
            let bases = items(task, part).into_iter().filter(|item| item.variant == "base");
            bases
                .map(|item| {
                    let signature = task.signature(&item).unwrap();
                    (item.hops, signature.structure, signature.instance)
                })
                .collect()
        };
        let (test, train) = (read(release::TEST), read(release::TRAIN));
        let known: BTreeSet<_> = test.iter().collect();
        assert_eq!(known.len(), test.len(), "{}", task.name);
        assert!(train.iter().all(|key| !known.contains(key)), "{}", task.name);
        let deep: BTreeSet<_> = test.iter().filter(|key| key.0 >= APART_FROM).map(|key| (key.0, &key.1)).collect();
        assert!(train.iter().all(|key| !deep.contains(&(key.0, &key.1))), "{}", task.name);
    }
}

#[test]
fn nothing_on_the_surface_gives_the_answer_away() {
    let done = llscore(&["baselines", "--strict"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stdout));
}

#[test]
fn the_variants_of_a_group_ask_the_same() {
    for task in TASKS {
        let mut groups: BTreeMap<String, Vec<Item>> = BTreeMap::new();
        for item in items(task, release::TEST) {
            groups.entry(item.group.clone()).or_default().push(item);
        }
        for (group, items) in groups {
            let names: Vec<&str> = items.iter().map(|item| item.variant.as_str()).collect();
            let expected: Vec<&str> = task.variants.iter().map(|variant| variant.name).collect();
            assert_eq!(names, expected, "{group}");
            assert!(items.iter().all(|i| (i.hops, i.label) == (items[0].hops, items[0].label)), "{group}");
            assert!(items[0].extra_hops == 0 && items[1..].iter().all(|item| item.extra_hops > 0), "{group}");
        }
    }
}
