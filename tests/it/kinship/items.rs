//! The items as they are made.

use std::collections::{BTreeMap, BTreeSet};

use llscore::item::Item;
use llscore::logicmark::{Spec, Split, Task, Verdict};

fn items(groups: u32, split: Split) -> Vec<Item> {
    Task::find("kinship").unwrap().items(&Spec { items: groups, hops: 1..=5, seed: 77, split }).unwrap()
}

fn proved(item: &Item) -> bool {
    (Task::find("kinship").unwrap().check)(item) == Verdict::Proved
}

#[test]
fn every_item_is_proved_its_variants_agree_and_answers_are_balanced() {
    let items = items(8, Split::Test);
    assert_eq!(items.len(), 5 * 8 * 3);
    let mut asked: BTreeMap<(u32, Vec<String>), BTreeSet<String>> = BTreeMap::new();
    for group in items.chunks(3) {
        let base = &group[0];
        for item in group {
            assert!(proved(item), "{item:?}");
            assert_eq!((&item.endings, item.label, item.hops), (&base.endings, base.label, base.hops), "{}", item.id);
            assert_eq!(item.variant == "base", item.extra_hops == 0, "{}", item.id);
            assert!(item.variant == "base" || item.context != base.context, "{}", item.id);
        }
        assert!(group[2].extra_hops >= group[1].extra_hops, "{}", base.id);
        let mut endings = base.endings.clone();
        endings.sort();
        let new = asked.entry((base.hops, endings)).or_default().insert(base.endings[base.label].clone());
        assert!(new || base.hops == 0, "{}: two groups of a block ask for the same corner", base.id);
    }
    // Each square of endings has each of its corners right once.
    assert!(asked.values().all(|right| right.len() == 4), "{asked:?}");
}

#[test]
fn what_changes_the_answer_is_never_proved() {
    for item in items(4, Split::Train) {
        for label in (0..4).filter(|n| *n != item.label) {
            let wrong = Item { label, certificate: None, ..item.clone() };
            assert!(!proved(&wrong), "{wrong:?}");
            let mut swapped = item.clone();
            swapped.endings.swap(label, item.label);
            assert!(!proved(&swapped), "{swapped:?}");
            let mut twice = item.clone();
            twice.endings[label] = item.endings[item.label].clone();
            assert!(!proved(&twice), "{twice:?}");
        }
        for hops in [item.hops - 1, item.hops + 1] {
            assert!(!proved(&Item { hops, ..item.clone() }), "{}", item.id);
        }
        assert!(!proved(&Item { extra_hops: item.extra_hops + 1, ..item.clone() }), "{}", item.id);
        // The other way round.
        let question = item.question.clone().unwrap();
        let words: Vec<&str> = question.trim_end_matches('?').split(' ').collect();
        if let [.., "related", "to", of] = words[..]
            && !question.contains("person")
            && !item.endings.iter().any(|ending| ending == "brother")
        {
            let back = format!("How is {of} related to {}?", words[2]);
            assert!(!proved(&Item { question: Some(back), certificate: None, ..item.clone() }), "{}", item.id);
        }
        // Without a sentence on the way there is no way.
        let proof = item.certificate.clone().unwrap();
        let numbers: Vec<usize> =
            proof["sentences"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let sentences = split(&item.context);
        let mut removed = 0;
        for number in &numbers {
            let mut rest = sentences.clone();
            rest.remove(number - 1);
            removed += usize::from(!proved(&Item { context: rest.join(" "), certificate: None, ..item.clone() }));
        }
        assert!(removed >= numbers.len().min(item.hops as usize), "{}", item.id);
    }
}

#[test]
fn strange_text_is_refused_and_never_a_panic() {
    let item = &items(1, Split::Test)[0];
    for context in
        ["", ".", "\"", "A", "A is.", "The the of.", "Ann is Ann's mother.", "Ann is Ben's.", "é is Ben's son."]
    {
        assert!(!proved(&Item { context: context.into(), ..item.clone() }), "{context}");
        assert!(!proved(&Item { question: Some(context.into()), ..item.clone() }), "{context}");
        assert!(!proved(&Item { endings: vec![context.into(); 4], ..item.clone() }), "{context}");
    }
    assert!(!proved(&Item { label: 9, ..item.clone() }));
    // Long walks in circles are cut short.
    let far = ["child's cousin"; 8].join("'s ");
    let context = format!("Ann is Ben's {far}. Ben is Carl's uncle. Carl is Dora's brother-in-law.");
    assert!(!proved(&Item { context, question: Some("How is Ann related to Dora?".into()), ..item.clone() }));
}

/// Sentences: up to a full stop, or to the quotation mark after it.
fn split(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for n in 0..bytes.len() {
        let quoted = n + 1 < bytes.len() && bytes[n + 1] == b'"';
        let end = match bytes[n] {
            b'.' if !quoted => n + 1,
            b'.' => n + 2,
            _ => continue,
        };
        sentences.push(text[start..end].trim());
        start = end;
    }
    sentences
}
