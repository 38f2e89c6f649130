//! The task `series`: unique by brute force over the family, written apart; spoilt items are not proved; codes are what they
//! are elsewhere.

use std::collections::BTreeSet;

use llscore::item::Item;
use llscore::logicmark::{Spec, Split, Task, Verdict};
use proptest::prelude::*;

fn task() -> &'static Task {
    Task::find("series").unwrap()
}

fn items(items: u32, hops: std::ops::RangeInclusive<u32>, seed: u64) -> Vec<Item> {
    task().items(&Spec { items, hops, seed, split: Split::Test }).unwrap()
}

/// The shown terms of a base item.
fn shown(item: &Item) -> Vec<Option<i64>> {
    let list = item.context.split(": ").nth(1).unwrap();
    let list = &list[..list.find(". ").unwrap()];
    list.split(", ").map(|term| term.parse().ok()).collect()
}

const MOST: i64 = 100_000;
const FACTORS: [i64; 8] = [2, 3, 4, 5, 6, -2, -3, -4];
const MULTIPLIERS: [i64; 12] = [2, 3, 4, 5, 6, 7, 8, 9, -2, -3, -4, -5];

/// Runs a step function forward from the first terms, as long as what is shown agrees; the value at the missing place.
fn forward(shown: &[Option<i64>], start: usize, step: impl Fn(usize, &[i64]) -> i64) -> Option<i64> {
    let mut terms: Vec<i64> = shown[..start].iter().map(|term| term.unwrap()).collect();
    for (at, known) in shown.iter().enumerate().skip(start) {
        let next = step(at, &terms);
        if next.abs() > MOST || known.is_some_and(|known| known != next) {
            return None;
        }
        terms.push(next);
    }
    Some(terms[shown.iter().position(Option::is_none).unwrap()])
}

/// The values that polynomials of a degree from 2 to 4 give: the missing value is tried, and the differences looked at.
fn polynomials(shown: &[Option<i64>], found: &mut BTreeSet<i64>) {
    let missing = shown.iter().position(Option::is_none).unwrap();
    let near = shown.iter().flatten().map(|term| term.abs()).max().unwrap();
    for value in -(4 * near + 2000)..=4 * near + 2000 {
        let mut row: Vec<i64> = shown.iter().map(|term| term.unwrap_or(value)).collect();
        assert_eq!(row[missing], value);
        for order in 1..=4 {
            row = row.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let constant = row.len() > 1 && row.iter().all(|step| *step == row[0]) && row[0] != 0;
            if constant && order > 1 && shown.len() > order + 2 {
                found.insert(value);
            }
        }
    }
}

/// Every value at the missing place that some rule gives, parts of interleaved series aside.
fn simple(shown: &[Option<i64>]) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    polynomials(shown, &mut found);
    // Operations in turn: every choice of constants, cut off as soon as a shown term disagrees.
    for turns in ["a", "m", "aa", "am", "ma", "aam", "ama", "maa", "aaa", "amam", "mama", "aaam"] {
        let ops: Vec<char> = turns.chars().collect();
        let mut open: Vec<(Vec<i64>, Vec<i64>)> = vec![(vec![], vec![shown[0].unwrap()])];
        for at in 1..shown.len() {
            let place = (at - 1) % ops.len();
            let mut next = Vec::new();
            for (constants, terms) in &open {
                let all: Vec<i64> = match (constants.get(place), ops[place]) {
                    (Some(constant), _) => vec![*constant],
                    (None, 'a') => (-99..=99).filter(|c| *c != 0).collect(),
                    (None, _) => MULTIPLIERS.to_vec(),
                };
                for c in all {
                    let term = if ops[place] == 'a' { terms[at - 1] + c } else { terms[at - 1] * c };
                    if term.abs() <= MOST && shown[at].is_none_or(|known| known == term) {
                        let mut constants = constants.clone();
                        if constants.len() == place {
                            constants.push(c);
                        }
                        next.push((constants, [terms.clone(), vec![term]].concat()));
                    }
                }
            }
            open = next;
        }
        let missing = shown.iter().position(Option::is_none).unwrap();
        found
            .extend(open.iter().filter(|(constants, _)| constants.len() == ops.len()).map(|(_, terms)| terms[missing]));
    }
    for p in FACTORS {
        for q in (-50..=50).filter(|q| *q != 0) {
            found.extend(forward(shown, 1, |at, t| p * t[at - 1] + q));
            found.extend(forward(shown, 2, |at, t| t[at - 1] + p * (t[at - 1] - t[at - 2]) + q));
        }
    }
    for s in 1..=6 {
        for c in -20..=20 {
            found.extend(forward(shown, 1, |at, t| (s + at as i64 - 1) * t[at - 1] + c));
        }
    }
    for p in -4..=4 {
        for q in (-4..=4).filter(|q| *q != 0) {
            for c in -30..=30 {
                found.extend(forward(shown, 2, |at, t| p * t[at - 1] + q * t[at - 2] + c));
            }
        }
    }
    found
}

/// Every value at the missing place that some rule of the whole family gives.
fn brute(shown: &[Option<i64>]) -> BTreeSet<i64> {
    let mut found = simple(shown);
    let missing = shown.iter().position(Option::is_none).unwrap();
    // Two series in turn: the half with the missing term by itself, if some rule gives the other half.
    let half = |from: usize| shown.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
    let (own, other) = (half(missing % 2), half(1 - missing % 2));
    if own.iter().flatten().count() >= 3 && other.len() >= 3 && part_fits(&other) {
        found.extend(part(&own));
    }
    found
}

/// Values of a part of an interleaved series: one operation, a factor and a summand, or constant second differences.
fn part(shown: &[Option<i64>]) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    if shown[0].is_none() {
        return found;
    }
    let known = shown.iter().flatten().count();
    for c in (-99..=99).filter(|c| *c != 0) {
        found.extend(forward(shown, 1, |at, t| t[at - 1] + c));
    }
    for c in MULTIPLIERS {
        found.extend(forward(shown, 1, |at, t| t[at - 1] * c));
    }
    if known >= 4 {
        for p in FACTORS {
            for q in (-50..=50).filter(|q| *q != 0) {
                found.extend(forward(shown, 1, |at, t| p * t[at - 1] + q));
            }
        }
        let missing = shown.iter().position(Option::is_none).unwrap();
        for value in -20_000..=20_000_i64 {
            let row: Vec<i64> = shown.iter().map(|term| term.unwrap_or(value)).collect();
            let steps: Vec<i64> = row.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let second: Vec<i64> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
            if second[0] != 0 && second.iter().all(|step| *step == second[0]) {
                assert_eq!(row[missing], value);
                found.insert(value);
            }
        }
    }
    found
}

/// Whether some part rule gives all of a half that is shown whole.
fn part_fits(half: &[Option<i64>]) -> bool {
    // With one term hidden in turn, a rule that gives it back fits.
    let mut hidden = half.to_vec();
    let last = hidden.len() - 1;
    let value = hidden[last].take().unwrap();
    let mut with = part(&hidden);
    if half.len() < 4 {
        // Three terms are enough for one operation alone.
        let t: Vec<i64> = half.iter().map(|t| t.unwrap()).collect();
        with = BTreeSet::new();
        if t[1] - t[0] == t[2] - t[1] || t[0] * t[2] == t[1] * t[1] {
            with.insert(value);
        }
    }
    with.contains(&value)
}

#[test]
fn every_item_has_one_way_on_by_brute_force() {
    for item in items(10, 1..=5, 42).iter().filter(|item| item.variant == "base") {
        let answer: i64 = item.endings[item.label].parse().unwrap();
        assert_eq!(brute(&shown(item)), BTreeSet::from([answer]), "{}", item.context);
    }
}

#[test]
fn items_are_proved_with_and_without_their_certificate_and_in_every_variant_alike() {
    for group in items(6, 1..=5, 7).chunks(6) {
        let answers: BTreeSet<&String> =
            group.iter().filter(|item| item.variant != "symbolic").map(|item| &item.endings[item.label]).collect();
        assert_eq!(answers.len(), 1, "{}", group[0].group);
        for item in group {
            assert_eq!((task().check)(item), Verdict::Proved, "{}", item.id);
            let bare = Item { certificate: None, ..item.clone() };
            assert_eq!((task().check)(&bare), Verdict::Proved, "{}", item.id);
        }
    }
}

#[test]
fn the_endings_are_a_square_with_the_answer_at_any_corner() {
    let mut ranks = [0; 4];
    for item in items(48, 1..=5, 3).iter().filter(|item| item.variant == "base") {
        let answer: i64 = item.endings[item.label].parse().unwrap();
        let mut all: Vec<i64> = item.endings.iter().map(|ending| ending.parse().unwrap()).collect();
        all.sort_unstable();
        assert_eq!(all[0] + all[3], all[1] + all[2], "{all:?}");
        ranks[all.iter().position(|value| *value == answer).unwrap()] += 1;
    }
    // 60 expected at each, standard deviation 6.7.
    assert!(ranks.iter().all(|n| (33..88).contains(n)), "{ranks:?}");
}

#[test]
fn code_words_are_what_they_are_elsewhere() {
    let texts: Vec<String> = items(1, 1..=1, 5).into_iter().map(|item| item.context).collect();
    // From the published table of sums, and from md5sum of the single characters.
    for word in ["0 is 342", "1 is 775", "4 is 435", "9 is 564"] {
        assert!(texts[2].contains(word), "{}", texts[2]);
    }
    for word in [
        "0 is cfcd208495d565ef66e7dff9f98764da",
        "4 is a87ff679a2f3e71d9181a67b7542122c",
        "9 is 45c48cce2e2d7fbdea1afc51c7c6ad26",
    ] {
        assert!(texts[3].contains(word), "{}", texts[3]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_changed_term_is_found_out(seed: u64, hops in 1u32..=5, at in 0usize..12, by in prop::sample::select(vec![-10i64, -2, -1, 1, 2, 9, 100])) {
        let item = items(1, hops..=hops, seed).remove(0);
        let terms = shown(&item);
        let places: Vec<usize> = (0..terms.len()).filter(|at| terms[*at].is_some()).collect();
        let at = places[at % places.len()];
        let mut changed = terms.clone();
        changed[at] = changed[at].map(|term| term + by);
        let list = |terms: &[Option<i64>]| terms.iter().map(|t| t.map_or("?".to_string(), |t| t.to_string())).collect::<Vec<_>>().join(", ");
        let context = item.context.replacen(&list(&terms), &list(&changed), 1);
        prop_assert_ne!(&context, &item.context);
        let spoilt = Item { context, ..item.clone() };
        let answer: i64 = item.endings[item.label].parse().unwrap();
        if brute(&changed) != BTreeSet::from([answer]) {
            prop_assert_ne!((task().check)(&spoilt), Verdict::Proved, "{}", spoilt.context);
        }
    }

    #[test]
    fn other_spoilt_items_are_not_proved(seed: u64, hops in 1u32..=5, which in 0usize..6, digit in 0usize..10) {
        let item = items(1, hops..=hops, seed).remove(which);
        let mut spoilt = vec![
            Item { label: (item.label + 1) % 4, ..item.clone() },
            Item { hops: item.hops + 1, ..item.clone() },
            Item { extra_hops: item.extra_hops + 1, ..item.clone() },
            Item { context: item.context.replacen('?', "17", 1), ..item.clone() },
            Item { variant: "l9".to_string(), ..item.clone() },
        ];
        let mut twice = item.clone();
        twice.endings[(item.label + 1) % 4] = item.endings[item.label].clone();
        spoilt.push(twice);
        if ["planet", "ascii", "md5", "pipeline"].contains(&item.variant.as_str()) {
            // Two entries of the code exchanged.
            let other = (digit + 1) % 10;
            let swapped = item
                .context
                .replace(&format!("{digit} is "), "@ is ")
                .replace(&format!("{other} is "), &format!("{digit} is "))
                .replace("@ is ", &format!("{other} is "));
            prop_assert_ne!(&swapped, &item.context);
            spoilt.push(Item { context: swapped, ..item.clone() });
        }
        for spoilt in &spoilt {
            prop_assert_ne!((task().check)(spoilt), Verdict::Proved, "{:?}", spoilt);
        }
    }

    #[test]
    fn no_text_breaks_the_checker(text in ".{0,200}", question in ".{0,40}", ending in ".{0,20}") {
        let mut item = items(1, 1..=1, 1).remove(0);
        item.context = text;
        item.question = Some(question);
        item.endings[0] = ending;
        prop_assert_ne!((task().check)(&item), Verdict::Proved);
    }
}
