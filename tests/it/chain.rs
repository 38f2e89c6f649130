//! The task `chain`: what ships is what its seed makes, every item is proved, no spoilt item is, and nothing on the
//! surface of the text gives the answer away.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use llscore::item::{Item, write_items};
use llscore::logicmark::{Spec, Split, Task, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

fn task() -> &'static Task {
    Task::find("chain").unwrap()
}

/// Groups: a base item and its rewording after it.
fn groups(items: u32, hops: std::ops::RangeInclusive<u32>, seed: u64) -> Vec<Item> {
    task().items(&Spec { items, hops, seed, split: Split::Test }).unwrap()
}

/// The base items alone.
fn items(items: u32, hops: std::ops::RangeInclusive<u32>, seed: u64) -> Vec<Item> {
    groups(items, hops, seed).into_iter().filter(|item| item.variant == "base").collect()
}

fn llscore(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_llscore")).args(args).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// The sentences of the context but the last, and the person asked about.
fn read(item: &Item) -> (Vec<Vec<&str>>, &str) {
    let (body, last) = item.context.rsplit_once(" Therefore, ").unwrap();
    let sentences = body.split('.').map(|s| s.split_whitespace().collect());
    (sentences.filter(|words: &Vec<_>| !words.is_empty()).collect(), last.split(' ').next().unwrap())
}

/// Depth of everything that follows for a person: a third derivation, for the tests alone.
fn depths<'a>(sentences: &[Vec<&'a str>], person: &str) -> BTreeMap<&'a str, u32> {
    let mut depth = BTreeMap::new();
    for s in sentences.iter().filter(|s| s.len() == 4 && s[0] == person) {
        depth.insert(s[3], 0);
    }
    for round in 0..64 {
        for s in sentences.iter().filter(|s| s.len() == 5) {
            if depth.get(s[1]) == Some(&round) && !depth.contains_key(s[4]) {
                depth.insert(s[4], round + 1);
            }
        }
    }
    depth
}

#[test]
fn every_item_is_of_one_length() {
    for item in items(24, 1..=8, 3) {
        assert_eq!(item.context.split_whitespace().count(), 48 * 5 - 4 + 4, "{}", item.id);
        assert!(item.endings.len() == 4 && item.endings.iter().all(|e| e.len() == 6), "{}", item.id);
    }
}

#[test]
fn more_items_and_other_depths_keep_the_items_there_were() {
    let few = items(3, 2..=3, 5);
    let many = items(10, 1..=8, 5);
    for item in &few {
        assert!(many.contains(item), "{}", item.id);
    }
    assert_eq!(items(3, 3..=3, 5), few[3..]);
    let ids: BTreeSet<&String> = many.iter().map(|i| &i.id).collect();
    assert_eq!(ids.len(), 80);
    assert_eq!(few[0].id, "chain-s5-h2-0000/base");
}

#[test]
fn the_four_endings_are_alike_but_for_the_person_asked_about() {
    for item in items(50, 1..=8, 11) {
        let (sentences, subject) = read(&item);
        let people: Vec<&str> = sentences.iter().filter(|s| s.len() == 4).map(|s| s[0]).collect();
        assert_eq!((people.len(), sentences.len()), (4, 48));
        // Each person is the answer's person for exactly one ending, at the same depth.
        let mut owner = BTreeMap::new();
        for person in &people {
            let depth = depths(&sentences, person);
            let own: Vec<&String> = item.endings.iter().filter(|e| depth.contains_key(e.as_str())).collect();
            assert_eq!(own.len(), 1, "{}", item.id);
            assert_eq!(depth[own[0].as_str()], item.hops, "{}", item.id);
            owner.insert(own[0], *person);
        }
        assert_eq!(owner[&item.endings[item.label]], subject);
        // The same numbers of rules into and out of each ending.
        let degree = |e: &String| {
            let count = |at: usize| sentences.iter().filter(|s| s.len() == 5 && s[at] == e).count();
            (count(1), count(4))
        };
        assert!(item.endings.iter().all(|e| degree(e) == degree(&item.endings[0])), "{}", item.id);
    }
}

/// What a reader who does not reason could go by: a score for an ending, the highest is chosen.
type Cue = fn(&str, &[Vec<&str>], &str) -> f64;

const CUES: &[(&str, Cue)] = &[
    ("most frequent", |e, s, _| places(e, s).len() as f64),
    ("least frequent", |e, s, _| -(places(e, s).len() as f64)),
    ("first mentioned", |e, s, _| -(places(e, s)[0] as f64)),
    ("last to be first mentioned", |e, s, _| places(e, s)[0] as f64),
    ("last mentioned", |e, s, _| *places(e, s).last().unwrap() as f64),
    ("only ever a consequent", |e, s, _| f64::from(s.iter().all(|s| s.len() < 5 || s[1] != e))),
    ("most often a consequent", |e, s, _| s.iter().filter(|s| s[s.len() - 1] == e).count() as f64),
    ("most often an antecedent", |e, s, _| s.iter().filter(|s| s.len() == 5 && s[1] == e).count() as f64),
    ("in a sentence with the person", |e, s, p| f64::from(s.iter().any(|s| s.contains(&e) && s.contains(&p)))),
    ("in a rule with the person's noun", |e, s, p| {
        let own = s.iter().find(|s| s[0] == p).unwrap()[3];
        f64::from(s.iter().any(|s| s.contains(&e) && s.contains(&own)))
    }),
    ("nearest to the person's sentence", |e, s, p| {
        let at = s.iter().position(|s| s[0] == p).unwrap();
        let near = s.iter().enumerate().filter(|(_, s)| s.contains(&e)).map(|(n, _)| n.abs_diff(at)).min();
        -(near.unwrap() as f64)
    }),
    ("next after the person's sentence", |e, s, p| {
        let at = s.iter().position(|s| s[0] == p).unwrap();
        let next = s.iter().enumerate().filter(|(n, s)| *n > at && s.contains(&e)).map(|(n, _)| n).min();
        -(next.unwrap_or(99) as f64)
    }),
    ("most neighbours", |e, s, _| {
        let near: BTreeSet<&str> =
            s.iter().filter(|s| s.contains(&e)).flat_map(|s| [s[s.len() - 1], s[s.len() - 4]]).collect();
        near.len() as f64
    }),
    ("first in the alphabet", |e, _, _| -f64::from(e.as_bytes()[0])),
];

/// The positions, counted in words, at which a word occurs.
fn places(word: &str, sentences: &[Vec<&str>]) -> Vec<usize> {
    sentences.iter().flatten().enumerate().filter(|(_, w)| **w == word).map(|(n, _)| n).collect()
}

#[test]
fn no_cue_on_the_surface_gives_the_answer_away() {
    const ITEMS: u32 = 400;
    for hops in 1..=8 {
        let items = items(ITEMS, hops..=hops, 77);
        for (name, cue) in CUES {
            let right: f64 = items
                .iter()
                .map(|item| {
                    let (sentences, person) = read(item);
                    let scores: Vec<f64> = item.endings.iter().map(|e| cue(e, &sentences, person)).collect();
                    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let tied = scores.iter().filter(|&&s| s == best).count();
                    if scores[item.label] == best { 1.0 / tied as f64 } else { 0.0 }
                })
                .sum();
            // The standard error of a guess is 0.0217; 14 cues are tried at 8 depths.
            let share = right / f64::from(ITEMS);
            // At one hop the answer *is* in a rule with the person's noun, and always: that is the question.
            let expected = if hops == 1 && *name == "in a rule with the person's noun" { 1.0 } else { 0.25 };
            assert!((share - expected).abs() < 0.078, "`{name}` is right on {share:.3} of the items at {hops} hops");
        }
    }
}

fn spoil_certificate(item: &Item, field: &str, value: Value) -> Item {
    let mut item = item.clone();
    item.certificate.as_mut().unwrap()[field] = value;
    item
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_item_is_proved_and_survives_the_file(seed: u64, hops in 1u32..=8) {
        let items = items(3, hops..=hops, seed);
        let mut bytes = Vec::new();
        write_items(&mut bytes, &items).unwrap();
        let back = llscore::item::parse_items(bytes.as_slice(), Path::new("-")).unwrap();
        prop_assert_eq!(&back, &items);
        for item in &back {
            prop_assert_eq!((task().check)(item), Verdict::Proved);
        }
    }

    #[test]
    fn no_spoilt_item_is_proved(seed: u64, hops in 1u32..=8) {
        let item = items(1, hops..=hops, seed).remove(0);
        let mut spoilt = Vec::new();

        for other in (0..4).filter(|&n| n != item.label) {
            spoilt.push(Item { label: other, ..item.clone() });
        }
        for hops in [hops - 1, hops + 1] {
            spoilt.push(Item { hops, ..item.clone() });
            spoilt.push(Item { hops, ..spoil_certificate(&item, "derivation_length", json!(hops)) });
        }
        // Every rule and fact of the derivation is needed.
        let certificate = item.certificate.clone().unwrap();
        for field in ["facts", "rules"] {
            for sentence in certificate[field].as_array().unwrap() {
                let without = item.context.replace(&format!("{} ", sentence.as_str().unwrap()), "");
                prop_assert_ne!(&without, &item.context);
                spoilt.push(Item { context: without, ..item.clone() });
            }
        }
        // A rule more, by which a distractor follows; and one that shortens the derivation.
        let start = certificate["facts"][0].as_str().unwrap().split(' ').nth(3).unwrap().trim_end_matches('.');
        for ending in &item.endings {
            let more = format!("Every {start} is a {ending}. {}", item.context);
            let doubled = hops == 1 && ending == &item.endings[item.label];
            let spoilt = Item { context: more, ..item.clone() };
            let verdict = (task().check)(&spoilt);
            // Stated twice, the text is no longer of the task's form.
            prop_assert!(matches!(&verdict, Verdict::Unchecked(_)) == doubled && verdict != Verdict::Proved, "{verdict:?}");
        }
        let mut asked = item.clone();
        let (_, subject) = read(&item);
        asked.context = item.context.replace(&format!("Therefore, {subject} "), "Therefore, Bob ");
        spoilt.push(asked);
        let mut twice = item.clone();
        twice.endings[(item.label + 1) % 4].clone_from(&item.endings[(item.label + 2) % 4]);
        spoilt.push(twice);
        let mut foreign = item.clone();
        foreign.endings[(item.label + 1) % 4] = "unseen".to_string();
        spoilt.push(foreign);
        spoilt.push(Item { extra_hops: 1, ..item.clone() });

        spoilt.push(spoil_certificate(&item, "method", json!("trust")));
        spoilt.push(spoil_certificate(&item, "claim", json!(format!("{subject} is a {}.", item.endings[(item.label + 1) % 4]))));
        spoilt.push(spoil_certificate(&item, "facts", json!([])));
        spoilt.push(spoil_certificate(&item, "rules", json!([])));
        spoilt.push(spoil_certificate(&item, "derivation", json!(7)));
        spoilt.push(spoil_certificate(&item, "derivation_length", json!(hops + 1)));
        let mut reversed: Vec<Value> = certificate["rules"].as_array().unwrap().clone();
        reversed[0] = json!(format!("Every {start} is a {start}."));
        spoilt.push(spoil_certificate(&item, "rules", json!(reversed)));

        for item in &spoilt {
            let verdict = (task().check)(item);
            prop_assert!(matches!(verdict, Verdict::False(_)), "{verdict:?}: {item:?}");
        }
        prop_assert_eq!((task().check)(&Item { certificate: None, ..item.clone() }), Verdict::Proved);
        for item in [
            Item { variant: "l9".to_string(), ..item.clone() },
            Item { question: Some("Who?".to_string()), ..item.clone() },
            Item { context: format!("No cat is a dog. {}", item.context), ..item.clone() },
        ] {
            let verdict = (task().check)(&item);
            prop_assert!(matches!(verdict, Verdict::Unchecked(_)), "{verdict:?}");
        }
    }
}

/// The places of a noun in the sentences of a reworded context, as sentences with the nouns and names left out.
fn frames<'a>(context: &'a str, noun: &str) -> Vec<String> {
    let nouns = |word: &&'a str| {
        let word = word.trim_matches([',', '.']);
        word.len() >= 6
            && word.len() <= 7
            && !["nothing", "either", "holds", "someone"].contains(&word)
            && word != "something"
    };
    let sentences =
        context.split(". ").filter(|s| s.split(' ').any(|w| w.trim_matches([',', '.']).trim_end_matches('s') == noun));
    let mut frames: Vec<String> = sentences
        .map(|s| {
            let mask = |w: &'a str| {
                if w.trim_matches([',', '.']).trim_end_matches('s') == noun {
                    "THIS"
                } else if nouns(&w) || w.len() == 3 && w.starts_with(char::is_uppercase) {
                    "OTHER"
                } else {
                    w
                }
            };
            s.split(' ').map(mask).collect::<Vec<_>>().join(" ")
        })
        .filter(|frame| !frame.starts_with("Therefore"))
        .collect();
    frames.sort();
    frames
}

#[test]
fn rewordings_keep_the_four_endings_alike() {
    for item in groups(12, 1..=8, 19).iter().filter(|item| item.variant == "obfuscated") {
        let first = frames(&item.context, &item.endings[0]);
        for ending in &item.endings {
            assert_eq!(frames(&item.context, ending), first, "{}", item.id);
        }
    }
}

#[test]
fn rewordings_say_what_their_base_says_and_no_spoilt_one_is_proved() {
    for pair in groups(4, 1..=8, 29).chunks(2) {
        let (base, reworded) = (&pair[0], &pair[1]);
        assert_eq!((&base.endings, base.label, base.hops), (&reworded.endings, reworded.label, reworded.hops));
        assert_eq!((task().check)(reworded), Verdict::Proved);
        // A sentence of the derivation turned into something else, by its one `not` more or less.
        let sentences: Vec<&str> = reworded.context.split(". ").collect();
        for at in 0..sentences.len() - 1 {
            let Some(without) = sentences[at].find(" not a ") else { continue };
            let mut spoilt: Vec<String> = sentences.iter().map(ToString::to_string).collect();
            spoilt[at].replace_range(without..without + 4, "");
            let spoilt = Item { context: spoilt.join(". "), ..reworded.clone() };
            let verdict = (task().check)(&spoilt);
            assert!(matches!(verdict, Verdict::Unchecked(_) | Verdict::False(_)), "{}", sentences[at]);
        }
        for spoilt in [
            Item { label: (reworded.label + 1) % 4, ..reworded.clone() },
            Item { extra_hops: reworded.extra_hops + 1, ..reworded.clone() },
            Item { hops: reworded.hops + 1, ..reworded.clone() },
        ] {
            assert!(matches!((task().check)(&spoilt), Verdict::False(_)), "{}", reworded.id);
        }
    }
}

#[test]
fn generate_refuses_what_it_cannot_make() {
    for (args, named) in [
        (&["generate", "chains"][..], "`chain`"),
        (&["generate", "chain", "--hops", "0..3"][..], "1 to 8"),
        (&["generate", "chain", "--hops", "3..9"][..], "1 to 8"),
        (&["generate", "chain", "--hops", "5..2"][..], "smaller first"),
        (&["generate", "chain", "--hops", "few"][..], "1..8"),
        (&["generate", "chain", "--items", "0"][..], "at least 1"),
        (&["generate", "chain", "--items", "4294967295"][..], "at most 100000"),
        (&["generate", "chain", "--split", "dev"][..], "test, train"),
        (&["generate", "logicmark"][..], "--output DIR"),
        (&["generate", "logicmark", "--seed", "3", "--output", "x"][..], "is fixed"),
        (&["generate", "chain", "--items", "1", "--output", "/nowhere/at/all.jsonl"][..], "/nowhere/at/all.jsonl"),
    ] {
        let output = llscore(args);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(message.contains(named), "{args:?}: {message}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(llscore(&["generate", "chain", "--items", "2", "--hops", "3"]).stdout.split(|&b| b == b'\n').count(), 5);
}

#[test]
fn certify_tells_proved_false_unchecked_and_bad_input_apart() {
    let folder = tempfile::tempdir().unwrap();
    let sub = folder.path().join("a/b");
    std::fs::create_dir_all(&sub).unwrap();
    let write = |path: PathBuf, items: &[Item]| write_items(std::fs::File::create(path).unwrap(), items).unwrap();
    let good = items(2, 1..=2, 1);
    let certify = |path: &Path| {
        let output = llscore(&["certify", path.to_str().unwrap()]);
        let (out, err) =
            (String::from_utf8(output.stdout.clone()).unwrap(), String::from_utf8(output.stderr.clone()).unwrap());
        (code(&output), out, err)
    };

    let (status, _, message) = certify(folder.path());
    assert!(status == 2 && message.contains("no .jsonl file"), "{message}");

    write(sub.join("good.jsonl"), &good);
    assert_eq!(certify(folder.path()).0, 0, "a folder includes its subfolders");

    // A task of the user's own is counted, not judged; alone it is nothing to prove.
    let own = Item { task: "riddles".to_string(), certificate: None, ..good[0].clone() };
    write(folder.path().join("own.jsonl"), std::slice::from_ref(&own));
    let (status, table, _) = certify(folder.path());
    assert!(status == 0 && table.contains("riddles"), "{table}");
    let (status, _, message) = certify(&folder.path().join("own.jsonl"));
    assert!(status == 2 && message.contains("`chain`"), "{message}");

    let wrong = Item { label: (good[1].label + 1) % 4, ..good[1].clone() };
    let strange = Item { context: format!("No cat is a dog. {}", good[2].context), ..good[2].clone() };
    for (item, word) in [(&wrong, ": false: "), (&strange, ": cannot be checked: ")] {
        write(folder.path().join("bad.jsonl"), &[good[0].clone(), item.clone()]);
        let (status, table, _) = certify(folder.path());
        assert!(status == 1 && table.contains(word) && table.contains(&item.id), "{table}");
    }

    std::fs::write(folder.path().join("broken.jsonl"), "{\"id\":").unwrap();
    let (status, table, message) = certify(folder.path());
    assert!(status == 2 && table.is_empty() && message.contains("broken.jsonl:1"), "{message}");
    assert_eq!(certify(&folder.path().join("absent.jsonl")).0, 2);
}

/// The file that a link names is replaced, the link stays.
#[cfg(unix)]
#[test]
fn a_link_is_followed_when_items_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.jsonl"), folder.path().join("link.jsonl"));
    std::fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let output = llscore(&["generate", "chain", "--items", "1", "--hops", "2", "--output", link.to_str().unwrap()]);
    assert_eq!(code(&output), 0);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&file).unwrap().starts_with(r#"{"id":"chain-s2026-h2-0000/base""#));
}
