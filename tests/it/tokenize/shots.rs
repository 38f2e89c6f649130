//! Items to text, and few-shot examples.

use std::collections::BTreeMap;

use llscore::item::Item;
use llscore::prompt::{Prompter, Shots, item_text};

fn item(id: &str, variant: &str, label: usize) -> Item {
    let json = serde_json::json!({"id": id, "task": "chain", "group": id, "variant": variant, "context": format!("Fact {id}."),
        "question": "Which?", "endings": ["no", "yes", "maybe", "never"], "label": label});
    serde_json::from_value(json).expect("an item")
}

/// 40 items, labels 0 to 3 in turn, half of them of variant l1.
fn pool() -> Vec<Item> {
    (0..40).map(|i| item(&format!("p{i:02}"), if i < 20 { "base" } else { "l1" }, i % 4)).collect()
}

fn data() -> Vec<Item> {
    vec![item("d1", "base", 0), item("d2", "base", 1), item("d3", "l1", 2)]
}

#[test]
fn an_items_text() {
    let mut it = item("x", "base", 1);
    assert_eq!(item_text(&it), "Fact x.\nQuestion: Which?\nAnswer:");
    it.question = None;
    assert_eq!(item_text(&it), "Fact x.");
    let prompt = Prompter::default().prompt(&it).expect("a prompt");
    assert_eq!((prompt.context.as_str(), prompt.delimiter.as_str()), ("Fact x.", " "));
    assert_eq!(prompt.endings, it.endings);
    assert_eq!(Prompter::new(Some("\n".into())).unconditional(&it).expect("no template").context, "Answer:");
}

#[test]
fn examples_come_first_and_are_one_prefix_for_a_task_and_variant() {
    let shots = Shots::draw(&pool(), &data(), 2, 7).expect("drawn");
    let prompter = Prompter::default().with_shots(shots);
    let contexts: Vec<String> = data().iter().map(|i| prompter.prompt(i).expect("a prompt").context).collect();
    let parts: Vec<&str> = contexts[0].split("\n\n").collect();
    assert_eq!(parts.len(), 3);
    assert_eq!(parts[2], item_text(&data()[0]));
    assert!(pool().iter().any(|i| parts[0] == format!("{} {}", item_text(i), i.endings[i.label])));
    let prefix = contexts[0].strip_suffix(parts[2]).expect("the item last");
    assert!(contexts[1].starts_with(prefix));
    assert!(!contexts[2].starts_with(prefix), "another variant has its own examples");
}

#[test]
fn examples_are_balanced_by_label() {
    for count in [0, 1, 2, 3, 4, 6, 8, 17] {
        let info = Prompter::default().with_shots(Shots::draw(&pool(), &data(), count, 1).expect("drawn")).info();
        let ids = info.shots.expect("shots").ids["chain/base"].clone();
        assert_eq!(ids.len(), count);
        let mut labels = BTreeMap::from([(0, 0), (1, 0), (2, 0), (3, 0)]);
        for id in &ids {
            *labels.entry(id[1..].parse::<usize>().expect("a number") % 4).or_insert(0) += 1;
        }
        let (least, most) = (labels.values().min(), labels.values().max());
        assert!(most.expect("one") - least.expect("one") <= 1, "{count}: {labels:?}");
    }
}

/// Pain 55: the draw depends on the pool, the seed and the names alone.
#[test]
fn the_draw_does_not_depend_on_order_or_on_other_items() {
    let draw = |pool: &[Item], data: &[Item], seed| {
        let info = Prompter::default().with_shots(Shots::draw(pool, data, 5, seed).expect("drawn")).info();
        (info.shots.expect("shots").ids["chain/base"].clone(), info.digest)
    };
    let first = draw(&pool(), &data(), 3);
    let backwards: Vec<Item> = pool().into_iter().rev().collect();
    let mut swapped = data();
    swapped.reverse();
    assert_eq!(draw(&backwards, &swapped, 3), first);
    assert_eq!(draw(&pool(), &data()[..1], 3).0, first.0);
    let mut only_base = pool();
    only_base.truncate(20);
    assert_eq!(draw(&only_base, &data()[..2], 3).0, first.0);
    let seeds: std::collections::BTreeSet<_> = (0..20).map(|seed| draw(&pool(), &data(), seed).0).collect();
    assert!(seeds.len() > 15, "the seed matters");
    assert_ne!(draw(&pool(), &data(), 4).1, first.1);
}

#[test]
fn an_item_never_is_its_own_example() {
    let pool = pool();
    // The pool is the data: nothing is left.
    let error = Shots::draw(&pool, &pool, 1, 0).expect_err("nothing left").to_string();
    assert!(error.contains("--shots 1") && error.contains("only 0") && error.contains("20 in the file"), "{error}");
    // All but the first four of a variant are scored: those four are the examples. One more asks too much.
    let scored: Vec<Item> = pool[4..20].to_vec();
    let info = Prompter::default().with_shots(Shots::draw(&pool, &scored, 4, 0).expect("drawn")).info();
    let mut ids = info.shots.expect("shots").ids["chain/base"].clone();
    ids.sort();
    assert_eq!(ids, ["p00", "p01", "p02", "p03"]);
    assert!(Shots::draw(&pool, &scored, 5, 0).expect_err("too few").to_string().contains("only 4"));
    // The same question under another id, or in the same group, is no example either.
    let mut twin = pool[0].clone();
    twin.id = "other".into();
    assert!(Shots::draw(&pool[..1], &[twin.clone()], 1, 0).is_err());
    twin.context = "In other words.".into();
    assert!(Shots::draw(&pool[..1], &[twin.clone()], 1, 0).is_err());
    twin.group = "elsewhere".into();
    assert!(Shots::draw(&pool[..1], &[twin], 1, 0).is_ok());
}

#[test]
fn a_kind_without_examples_is_an_error() {
    let prompter = Prompter::default().with_shots(Shots::draw(&pool(), &data(), 1, 0).expect("drawn"));
    let error = prompter.prompt(&item("x", "l2", 0)).expect_err("none drawn").to_string();
    assert!(error.contains("`l2`"), "{error}");
}

#[test]
fn the_digest_tells_settings_apart() {
    let shots = |count, seed| Shots::draw(&pool(), &data(), count, seed).expect("drawn");
    let all = [
        Prompter::default(),
        Prompter::new(Some("".into())),
        Prompter::default().with_shots(shots(1, 0)),
        Prompter::new(Some("\n".into())).with_shots(shots(1, 0)),
        Prompter::default().with_shots(shots(2, 0)),
    ];
    let digests: std::collections::BTreeSet<String> = all.iter().map(|p| p.info().digest).collect();
    assert_eq!(digests.len(), all.len());
    assert_eq!(Prompter::default().info(), Prompter::new(Some(" ".into())).info());
}
