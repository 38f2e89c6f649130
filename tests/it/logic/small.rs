//! Random formulas over few symbols, and all or some models of them.

use llscore::logic::{Formula, Model, Term};
use proptest::prelude::*;

/// `P/1`, `Q/1`, `R/2`, `S/0`; constants `a` and `b`, function `f/1`; variables `x`, `y`.
fn term(functions: bool) -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["x", "y"]).prop_map(Term::var),
        2 => prop::sample::select(vec!["a", "b"]).prop_map(Term::constant),
    ];
    let depth = if functions { 2 } else { 0 };
    leaf.prop_recursive(depth, 3, 1, |inner| inner.prop_map(|t| Term::App("f".into(), vec![t])))
}

fn with_free(functions: bool) -> impl Strategy<Value = Formula> {
    let atom = prop_oneof![
        1 => Just(Formula::pred("S", Vec::new())),
        1 => prop_oneof![Just(Formula::True), Just(Formula::False)],
        8 => (prop::sample::select(vec!["P", "Q"]), term(functions)).prop_map(|(p, t)| Formula::pred(p, vec![t])),
        4 => (term(functions), term(functions)).prop_map(|(s, t)| Formula::pred("R", vec![s, t])),
        2 => (term(functions), term(functions)).prop_map(|(s, t)| Formula::Eq(s, t)),
    ];
    atom.prop_recursive(4, 16, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        let variable = prop::sample::select(vec!["x", "y"]);
        prop_oneof![
            2 => inner.clone().prop_map(Formula::not),
            1 => prop::collection::vec(inner.clone(), 2..4).prop_map(Formula::And),
            1 => prop::collection::vec(inner.clone(), 2..4).prop_map(Formula::Or),
            1 => pair.clone().prop_map(|(a, b)| Formula::xor(a, b)),
            2 => pair.clone().prop_map(|(a, b)| Formula::implies(a, b)),
            1 => pair.prop_map(|(a, b)| Formula::iff(a, b)),
            3 => (variable.clone(), inner.clone()).prop_map(|(x, f)| Formula::for_all(x, f)),
            3 => (variable, inner).prop_map(|(x, f)| Formula::exists(x, f)),
        ]
    })
}

/// Closed formulas; with or without the function.
pub fn closed(functions: bool) -> impl Strategy<Value = Formula> {
    (with_free(functions), any::<bool>()).prop_map(|(f, universal)| {
        f.free_vars()
            .iter()
            .fold(f.clone(), |f, x| if universal { Formula::for_all(x, f) } else { Formula::exists(x, f) })
    })
}

/// A model of `size` elements, each table read off `bits`, which are used up from the lowest.
pub fn model(size: usize, mut bits: u64) -> Model {
    let mut next = |of: usize| {
        let value = bits % of as u64;
        bits /= of as u64;
        value as usize
    };
    let functions = [("a", 0u32), ("b", 0), ("f", 1)]
        .map(|(name, arity)| ((name.into(), arity as usize), (0..size.pow(arity)).map(|_| next(size)).collect()));
    let predicates = [("P", 1u32), ("Q", 1), ("R", 2), ("S", 0)]
        .map(|(name, arity)| ((name.into(), arity as usize), (0..size.pow(arity)).map(|_| next(2) == 1).collect()));
    Model { size, functions: functions.into(), predicates: predicates.into() }
}

/// How many models of one or two elements there are.
pub fn models(size: usize) -> u64 {
    let size = size as u32;
    u64::from(size).pow(2 + size) << (1 + 2 * size + size * size)
}
