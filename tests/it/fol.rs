//! The task `fol`: the English says what it is made from, rewrites keep the meaning, and verdicts agree with a solver written
//! apart, on items as they are and on spoilt ones.

use std::collections::{BTreeMap, BTreeSet};

use llscore::item::Item;
use llscore::logic::{Formula, Limits, Relation, Term, equivalent};
use llscore::logicmark::english::words::{Domain, Lexicon, Word};
use llscore::logicmark::english::{read::sentence, rewrite, say::Speaker};
use llscore::logicmark::{Draw, Spec, Split, Task, Verdict};
use proptest::prelude::*;

fn task() -> &'static Task {
    Task::find("fol").unwrap()
}

fn items(items: u32, hops: std::ops::RangeInclusive<u32>, seed: u64) -> Vec<Item> {
    task().items(&Spec { items, hops, seed, split: Split::Test }).unwrap()
}

/// Satisfiability by expansion over the constants and a plain search with unit propagation. Complete for sentences without
/// existence claims, which those of the task are equivalent to.
struct Ground {
    constants: Vec<String>,
    atoms: BTreeMap<String, i32>,
    next: i32,
    clauses: Vec<Vec<i32>>,
}

impl Ground {
    fn new(formulas: &[Formula]) -> Self {
        let mut constants = BTreeSet::new();
        formulas.iter().for_each(|formula| collect(formula, &mut constants));
        let mut ground =
            Ground { constants: constants.into_iter().collect(), atoms: BTreeMap::new(), next: 0, clauses: vec![] };
        for formula in formulas {
            let top = ground.literal(formula, &BTreeMap::new());
            ground.clauses.push(vec![top]);
        }
        ground
    }

    fn fresh(&mut self) -> i32 {
        self.next += 1;
        self.next
    }

    /// A literal that is equivalent to the formula.
    fn literal(&mut self, formula: &Formula, values: &BTreeMap<String, String>) -> i32 {
        match formula {
            Formula::Pred(name, args) => {
                let args: Vec<String> = args
                    .iter()
                    .map(|term| match term {
                        Term::Var(name) => values[&**name].clone(),
                        Term::App(name, _) => name.to_string(),
                    })
                    .collect();
                let key = format!("{name} {args:?}");
                if let Some(&known) = self.atoms.get(&key) {
                    return known;
                }
                let new = self.fresh();
                self.atoms.insert(key, new);
                new
            }
            Formula::Not(part) => -self.literal(part, values),
            Formula::And(parts) => {
                let parts = parts.iter().map(|part| self.literal(part, values)).collect();
                self.all(parts)
            }
            Formula::Or(parts) => {
                let parts = parts.iter().map(|part| -self.literal(part, values)).collect();
                -self.all(parts)
            }
            Formula::Implies(a, b) => {
                let parts = vec![self.literal(a, values), -self.literal(b, values)];
                -self.all(parts)
            }
            Formula::Iff(a, b) => self.same(a, b, values),
            Formula::Xor(a, b) => -self.same(a, b, values),
            Formula::ForAll(name, body) => {
                let parts = self.each(name, body, values, 1);
                self.all(parts)
            }
            Formula::Exists(name, body) => {
                let parts = self.each(name, body, values, -1);
                -self.all(parts)
            }
            Formula::True | Formula::False | Formula::Eq(..) => panic!("not spoken: {formula:?}"),
        }
    }

    fn same(&mut self, a: &Formula, b: &Formula, values: &BTreeMap<String, String>) -> i32 {
        let (a, b) = (self.literal(a, values), self.literal(b, values));
        let new = self.fresh();
        self.clauses.extend([vec![-new, -a, b], vec![-new, a, -b], vec![new, a, b], vec![new, -a, -b]]);
        new
    }

    fn each(&mut self, name: &str, body: &Formula, values: &BTreeMap<String, String>, sign: i32) -> Vec<i32> {
        let mut values = values.clone();
        let of = |constant: &String, ground: &mut Ground| {
            values.insert(name.to_string(), constant.clone());
            sign * ground.literal(body, &values)
        };
        let constants = self.constants.clone();
        let mut of = of;
        constants.iter().map(|constant| of(constant, self)).collect()
    }

    /// A literal that is true if all of these are.
    fn all(&mut self, parts: Vec<i32>) -> i32 {
        let new = self.fresh();
        self.clauses.extend(parts.iter().map(|part| vec![-new, *part]));
        self.clauses.push(std::iter::once(new).chain(parts.iter().map(|part| -part)).collect());
        new
    }

    fn satisfiable(&self) -> bool {
        search(&self.clauses, &mut vec![0; self.next as usize + 1])
    }
}

fn search(clauses: &[Vec<i32>], values: &mut [i8]) -> bool {
    let value = |values: &[i8], literal: i32| values[literal.unsigned_abs() as usize] * literal.signum() as i8;
    loop {
        let mut changed = false;
        for clause in clauses {
            if clause.iter().any(|l| value(values, *l) > 0) {
                continue;
            }
            let open: Vec<i32> = clause.iter().copied().filter(|l| value(values, *l) == 0).collect();
            match open[..] {
                [] => return false,
                [one] => {
                    values[one.unsigned_abs() as usize] = one.signum() as i8;
                    changed = true;
                }
                _ => {}
            }
        }
        if !changed {
            break;
        }
    }
    // Only what a clause still needs is decided; where none needs anything, the rest may be as it likes.
    let needed =
        clauses.iter().filter(|c| !c.iter().any(|l| value(values, *l) > 0)).flatten().find(|l| value(values, **l) == 0);
    let Some(&literal) = needed else { return true };
    for sign in [literal.signum(), -literal.signum()] {
        let mut next = values.to_vec();
        next[literal.unsigned_abs() as usize] = sign as i8;
        if search(clauses, &mut next) {
            return true;
        }
    }
    false
}

fn collect(formula: &Formula, found: &mut BTreeSet<String>) {
    match formula {
        Formula::Pred(_, args) => {
            found.extend(args.iter().filter_map(|t| if let Term::App(n, _) = t { Some(n.to_string()) } else { None }))
        }
        Formula::Not(part) | Formula::ForAll(_, part) | Formula::Exists(_, part) => collect(part, found),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| collect(part, found)),
        Formula::Implies(a, b) | Formula::Iff(a, b) | Formula::Xor(a, b) => {
            [a, b].iter().for_each(|part| collect(part, found))
        }
        _ => {}
    }
}

/// 0, 1 or 2 for true, false and unknown; `None` where the text cannot be read or contradicts itself.
fn decide(item: &Item) -> Option<usize> {
    let statement = item.question.as_ref()?.split("? ").nth(1)?;
    let statement = sentence(statement.strip_suffix('.')?).ok()?;
    let premises: Vec<Formula> =
        item.context.strip_suffix('.')?.split(". ").skip(1).map(|text| sentence(text).ok()).collect::<Option<_>>()?;
    let with = |last: Formula| Ground::new(&[premises.clone(), vec![last]].concat()).satisfiable();
    match (with(statement.clone()), with(Formula::not(statement))) {
        (true, true) => Some(2),
        (true, false) => Some(0),
        (false, true) => Some(1),
        (false, false) => None,
    }
}

#[test]
fn verdicts_agree_with_a_solver_written_apart() {
    for item in items(9, 1..=6, 23) {
        assert_eq!(decide(&item), Some(item.label), "{}\n{}\n{:?}", item.id, item.context, item.question);
        assert_eq!((task().check)(&item), Verdict::Proved, "{}", item.id);
        assert_eq!((task().check)(&Item { certificate: None, ..item.clone() }), Verdict::Proved, "{}", item.id);
    }
}

#[test]
fn every_answer_is_asked_for_in_both_ways() {
    let mut kinds = BTreeMap::new();
    for item in items(48, 2..=3, 4).iter().filter(|item| item.variant == "base") {
        let statement = item.question.as_ref().unwrap().split("? ").nth(1).unwrap().to_string();
        let denies = statement.contains(" not ");
        *kinds.entry((item.label, denies)).or_insert(0) += 1;
    }
    // 16 of each expected.
    assert!(kinds.len() == 6 && kinds.values().all(|n| (6..28).contains(n)), "{kinds:?}");
}

fn lexicon(domain: Domain) -> Lexicon {
    let words = [
        Word::Noun("baker"),
        Word::Noun("actor"),
        Word::Adjective("patient"),
        Word::Adjective("curious"),
        Word::Verb("sing", ""),
        Word::Verb("own", "a bicycle"),
        Word::Verb("live", "in Lisbon"),
        Word::Relation("trust"),
    ];
    Lexicon::new(domain, &words)
}

/// A formula that the speaker may or may not be able to say.
fn formula(draw: &mut Draw, depth: usize, of: &Term) -> Formula {
    const UNARY: [&str; 7] = ["baker", "actor", "patient", "curious", "sing", "own_a_bicycle", "live_in_Lisbon"];
    let inner = |draw: &mut Draw| Box::new(formula(draw, depth - 1, of));
    match if depth == 0 { 0 } else { draw.below(9) } {
        0 | 1 => {
            let trust = draw.below(6) == 0;
            let atom = if trust {
                Formula::pred("trust", vec![of.clone(), Term::constant("Ben")])
            } else {
                Formula::pred(UNARY[draw.below(7)], vec![of.clone()])
            };
            if draw.below(3) == 0 { Formula::not(atom) } else { atom }
        }
        2 => Formula::Not(inner(draw)),
        3 => Formula::And(vec![*inner(draw), *inner(draw)]),
        4 => Formula::Or(vec![*inner(draw), *inner(draw)]),
        5 => Formula::Xor(inner(draw), inner(draw)),
        6 | 7 => Formula::Implies(inner(draw), inner(draw)),
        _ => Formula::Iff(inner(draw), inner(draw)),
    }
}

fn closed(draw: &mut Draw, depth: usize) -> Formula {
    let x = Term::var("x");
    let body = formula(draw, depth, &x);
    match draw.below(4) {
        0 => formula(draw, depth, &Term::constant("Ann")),
        1 => Formula::Exists("x".into(), Box::new(body)),
        2 => Formula::not(Formula::Exists("x".into(), Box::new(body))),
        _ => Formula::ForAll("x".into(), Box::new(body)),
    }
}

#[test]
fn what_is_said_is_read_back_or_refused_and_never_read_otherwise() {
    let (mut said, mut back) = (0, 0);
    for seed in 0..6000 {
        let mut draw = Draw::new(seed, 0);
        let lexicon = lexicon(if seed % 2 == 0 { Domain::People } else { Domain::Things });
        let depth = draw.below(4);
        let formula = closed(&mut draw, depth);
        let Some(text) = Speaker::new(&lexicon, &mut draw).sentence(&formula) else { continue };
        said += 1;
        match sentence(text.strip_suffix('.').unwrap()) {
            Ok(read) => {
                back += 1;
                assert!(read.alpha_eq(&formula), "{text}\n{formula:?}\n{read:?}");
            }
            Err(reason) => {
                assert!(reason.contains("more than one way") || reason.contains("too many"), "{reason}: {formula:?}")
            }
        }
    }
    // Most formulas can be said without two readings.
    assert!(said > 4500 && back * 10 > said * 8, "{said} {back}");
}

#[test]
fn every_rewrite_keeps_the_meaning() {
    let mut seen = BTreeSet::new();
    for seed in 0..1500 {
        let mut draw = Draw::new(seed, 1);
        let formula = closed(&mut draw, 2);
        let Some((name, new)) = rewrite::once(&mut draw, &formula) else { continue };
        seen.insert(name);
        let relation = equivalent(&formula, &new, &Limits::default()).unwrap().0;
        assert_eq!(relation, Relation::Equivalent, "{name}: {formula:?} {new:?}");
    }
    let all: BTreeSet<&str> = rewrite::REWRITES.iter().map(|rewrite| rewrite.name).collect();
    assert_eq!(seen, all);
}

#[test]
fn sentences_with_no_reading_or_two_are_refused() {
    for text in [
        "Everyone is not patient",
        "Every baker is not rude",
        "Everyone who is a baker does not sing",
        "They are patient",
        "It is not the case that it is patient",
        "Ann is a actor",
        "Ann are patient",
        "Ann sings and Ben sings",
        "If Ann sings, Ben sings",
        "Someone who is a baker",
        "",
    ] {
        assert!(sentence(text).is_err(), "{text}: {:?}", sentence(text));
    }
}

/// One word put in, left out or exchanged.
fn spoil(item: &Item, at: usize, how: usize) -> Item {
    let mut words: Vec<String> = item.context.split(' ').map(String::from).collect();
    let opening = item.context.find(". ").unwrap();
    let first = item.context[..opening].split(' ').count();
    let at = first + at % (words.len() - first);
    match how % 5 {
        0 => {
            words.remove(at);
        }
        1 => words.insert(at, "not".to_string()),
        2 => {
            let other = first + (at * 7 + how) % (words.len() - first);
            words.swap(at, other);
        }
        3 => {
            let not: Vec<usize> = (first..words.len()).filter(|n| words[*n] == "not").collect();
            if let Some(n) = not.get(at % not.len().max(1)) {
                words.remove(*n);
            }
        }
        _ => {
            // One name for another.
            let names: Vec<usize> = (first..words.len())
                .filter(|n| {
                    words[*n].len() > 2 && words[*n].starts_with(char::is_uppercase) && words[*n - 1].ends_with('.')
                })
                .collect();
            if names.len() > 1 {
                let (a, b) = (names[at % names.len()], names[(at + how) % names.len()]);
                words[a] = words[b].clone();
            }
        }
    }
    Item { context: words.join(" "), ..item.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn no_item_with_another_answer_is_proved(seed: u64, hops in 1u32..=6, index in 0usize..6, at in 0usize..900, how in 0usize..35) {
        let item = items(3, hops..=hops, seed).remove(index);
        let spoilt = spoil(&item, at, how);
        if decide(&spoilt) != Some(item.label) {
            prop_assert_ne!((task().check)(&spoilt), Verdict::Proved, "{:?}", spoilt);
        }
        let sentences: Vec<&str> = item.context.split(". ").collect();
        let mut fewer = sentences.clone();
        fewer.remove(1 + at % (sentences.len() - 2));
        let fewer = Item { context: fewer.join(". "), ..item.clone() };
        if decide(&fewer) != Some(item.label) {
            prop_assert_ne!((task().check)(&fewer), Verdict::Proved, "{:?}", fewer);
        }
        prop_assert_ne!((task().check)(&Item { label: (item.label + 1) % 3, ..item.clone() }), Verdict::Proved);
        prop_assert_ne!((task().check)(&Item { hops: item.hops + 1, ..item.clone() }), Verdict::Proved);
        prop_assert_ne!((task().check)(&Item { extra_hops: item.extra_hops + 1, ..item.clone() }), Verdict::Proved);
        let mut other = item.clone();
        other.endings.swap(0, 2);
        prop_assert_ne!((task().check)(&other), Verdict::Proved);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[a-zA-Z, ]{0,80}", wild in ".{0,80}") {
        let _ = sentence(&text);
        let _ = sentence(&wild);
    }
}
