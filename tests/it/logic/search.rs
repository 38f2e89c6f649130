//! The model search against all models there are.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use llscore::logic::search::{Search, SearchOptions, find_model};
use llscore::logic::{Formula, Model, Name, Term, parse};
use proptest::prelude::*;

use super::formulas::{Shape, theory_of};

fn formulas(texts: &[&str]) -> Vec<Formula> {
    texts.iter().map(|text| parse(text, None).unwrap_or_else(|fault| panic!("{text}: {fault}")).formula).collect()
}

fn search(formulas: &[Formula], size: usize, options: &SearchOptions) -> Search {
    find_model(&formulas.iter().collect::<Vec<_>>(), size, options)
}

/// The smallest size with a model, if it is at most `most`.
fn smallest(texts: &[&str], most: usize) -> Option<usize> {
    let formulas = formulas(texts);
    (1..=most).find(|&size| match search(&formulas, size, &SearchOptions::default()) {
        Search::Found(model) => {
            assert_eq!(model.size, size);
            true
        }
        Search::None => false,
        Search::GaveUp(why) => panic!("{texts:?} at {size}: {why}"),
    })
}

/// Whether any table of a symbol, then of the rest, makes a model of the formulas.
fn any_table(model: &mut Model, symbols: &[(Name, usize, bool)], accept: &dyn Fn(&Model) -> bool) -> bool {
    let Some(((name, arity, function), rest)) = symbols.split_first() else { return accept(model) };
    let (cells, values) = (model.size.pow(*arity as u32), if *function { model.size } else { 2 });
    (0..values.pow(cells as u32)).any(|mut code| {
        let table: Vec<usize> = (0..cells)
            .map(|_| {
                let value = code % values;
                code /= values;
                value
            })
            .collect();
        let symbol = (name.clone(), *arity);
        match function {
            true => drop(model.functions.insert(symbol, table)),
            false => drop(model.predicates.insert(symbol, table.iter().map(|value| *value == 1).collect())),
        }
        any_table(model, rest, accept)
    })
}

/// Whether one of all interpretations with that many elements is a model.
fn brute_force(formulas: &[Formula], size: usize, distinct: &[Name]) -> bool {
    let mut symbols: BTreeSet<(Name, usize, bool)> = distinct.iter().map(|name| (name.clone(), 0, true)).collect();
    for formula in formulas {
        formula.visit(&mut |part| {
            if let Formula::Pred(name, args) = part {
                symbols.insert((name.clone(), args.len(), false));
            }
            for term in part.terms() {
                term.visit(&mut |term| {
                    if let Term::App(name, args) = term {
                        symbols.insert((name.clone(), args.len(), true));
                    }
                });
            }
        });
    }
    let symbols: Vec<_> = symbols.into_iter().collect();
    let mut model = Model { size, functions: Default::default(), predicates: Default::default() };
    any_table(&mut model, &symbols, &|model| {
        let values: BTreeSet<usize> = distinct.iter().map(|name| model.functions[&(name.clone(), 0)][0]).collect();
        values.len() == distinct.len() && formulas.iter().all(|formula| model.holds(formula).unwrap())
    })
}

fn agrees(theory: &[Formula], size: usize, distinct: &[Name]) -> Result<(), TestCaseError> {
    let options = SearchOptions { distinct, ..SearchOptions::default() };
    match search(theory, size, &options) {
        Search::Found(model) => {
            prop_assert_eq!(model.size, size);
            for formula in theory {
                prop_assert_eq!(model.holds(formula), Ok(true));
            }
            let values: BTreeSet<usize> = distinct.iter().map(|name| model.functions[&(name.clone(), 0)][0]).collect();
            prop_assert_eq!(values.len(), distinct.len());
        }
        Search::None => prop_assert!(!brute_force(theory, size, distinct), "there is a model of size {}", size),
        Search::GaveUp(why) => prop_assert!(false, "gave up: {}", why),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    #[test]
    fn agrees_with_all_models_of_one_and_two_elements(theory in theory_of(Shape::default(), 4)) {
        agrees(&theory, 1, &[])?;
        agrees(&theory, 2, &[])?;
        agrees(&theory, 2, &["a".into(), "b".into()])?;
        agrees(&theory, 2, &["c".into(), "unheard of".into()])?;
    }

    #[test]
    fn agrees_with_all_models_of_three_elements(
        theory in theory_of(Shape { binary: false, depth: 3, ..Shape::default() }, 4),
        distinct in prop::sample::subsequence(vec!["a", "b", "c"], 0..=3),
    ) {
        let distinct: Vec<Name> = distinct.into_iter().map(Name::from).collect();
        agrees(&theory, 3, &distinct)?;
    }
}

#[test]
fn sizes_that_are_known() {
    assert_eq!(smallest(&["P(a)", "¬P(b)"], 4), Some(2));
    assert_eq!(smallest(&["¬a = b", "¬b = c", "¬a = c"], 4), Some(3));
    assert_eq!(smallest(&["∃x P(x)", "∀x ¬P(x)"], 4), None);
    assert_eq!(smallest(&["∀x ¬R(x, x)", "∀x ∃y R(x, y)", "∀x ∀y (R(x, y) → ¬R(y, x))"], 4), Some(3));
    // A strict order without a last element has no finite model.
    let order = ["∀x ¬R(x, x)", "∀x ∃y R(x, y)", "∀x ∀y ∀z (R(x, y) ∧ R(y, z) → R(x, z))"];
    assert_eq!(smallest(&order, 5), None);
    // Nor has a function that is one-to-one and misses an element.
    assert_eq!(smallest(&["∀x ∀y (s(x) = s(y) → x = y)", "∀x ¬s(x) = zero"], 5), None);
    // An involution without a fixed point needs an even number; a cycle of three needs three.
    assert_eq!(smallest(&["∀x f(f(x)) = x", "∀x ¬f(x) = x"], 4), Some(2));
    assert_eq!(smallest(&["∀x f(f(f(x))) = x", "∀x ¬f(x) = x"], 4), Some(3));
    // The smallest group in which two elements do not commute has six.
    let group = ["∀x ∀y ∀z m(m(x, y), z) = m(x, m(y, z))", "∀x m(e, x) = x", "∀x ∃y m(y, x) = e", "¬m(a, b) = m(b, a)"];
    assert_eq!(smallest(&group, 6), Some(6));
}

#[test]
fn one_name_with_two_arities_is_two_symbols() {
    let theory = formulas(&["P(a) ∧ ¬P(a, a) ∧ ¬P", "f(a) = f(a, a)", "∀x ¬f(x) = x"]);
    let Search::Found(model) = search(&theory, 2, &SearchOptions::default()) else { panic!("there is a model") };
    assert_eq!(model.predicates.len(), 3);
    assert_eq!(model.functions.keys().map(|(_, arity)| *arity).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn unique_names_need_room_and_get_values() {
    let distinct: Vec<Name> = ["a", "b", "c"].map(Name::from).to_vec();
    let options = SearchOptions { distinct: &distinct, ..SearchOptions::default() };
    assert_eq!(search(&[], 2, &options), Search::None);
    let Search::Found(model) = search(&formulas(&["P(d)", "¬P(c)"]), 3, &options) else { panic!("there is a model") };
    assert_eq!(model.functions.len(), 4);
    assert_eq!(search(&formulas(&["a = b"]), 3, &options), Search::None);
    // A name given twice is one name.
    let twice: Vec<Name> = ["a", "a"].map(Name::from).to_vec();
    let options = SearchOptions { distinct: &twice, ..SearchOptions::default() };
    assert!(matches!(search(&[], 1, &options), Search::Found(_)));
}

#[test]
fn budgets_end_the_search_with_a_reason() {
    let xs: Vec<String> = (0..40).map(|k| format!("x{k}")).collect();
    let wide = |xs: &[String]| {
        let some = Formula::or(xs.iter().map(|x| Formula::pred("P", vec![Term::var(x)])).collect());
        xs.iter().fold(some, |body, x| Formula::for_all(x, body))
    };
    let start = Instant::now();
    let options = SearchOptions { max_clauses: 10_000, ..SearchOptions::default() };
    assert_eq!(search(&[wide(&xs[..10])], 3, &options), Search::GaveUp("too many clauses"));
    // What leaves no clause behind counts too: in the search,
    let idle = xs.iter().fold(formulas(&["a = a"]).remove(0), |body, x| {
        let x_or_not = Formula::Eq(Term::var(x), Term::var(x));
        Formula::for_all(x, Formula::And(vec![x_or_not, body]))
    });
    assert_eq!(search(&[idle], 3, &options), Search::GaveUp("too many instances"));
    // and in the check of the model.
    let idle = xs.iter().fold(Formula::True, |body, x| Formula::for_all(x, body));
    assert_eq!(search(&[idle], 3, &options), Search::GaveUp("too many instances"));
    let soon =
        SearchOptions { deadline: Some(start + Duration::from_millis(50)), max_clauses: usize::MAX, distinct: &[] };
    assert_eq!(search(&[wide(&xs)], 3, &soon), Search::GaveUp("deadline"));

    let big = Formula::pred("P", vec![Term::constant("a"); 30]);
    assert_eq!(search(&[big], 3, &SearchOptions::default()), Search::GaveUp("tables too large"));
    let open = Formula::pred("P", vec![Term::var("x")]);
    assert_eq!(search(&[open], 1, &SearchOptions::default()), Search::GaveUp("a variable is free"));
    let deep = (0..100_000).fold(Formula::True, |inner, _| Formula::not(inner));
    assert_eq!(search(std::slice::from_ref(&deep), 1, &SearchOptions::default()), Search::GaveUp("nested too deep"));
    std::mem::forget(deep);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn the_deadline_reaches_into_the_solver() {
    // Thirteen pigeons, twelve holes: nothing for a solver to settle in time.
    let pigeons: Vec<Name> = (0..13).map(|k| format!("p{k}").into()).collect();
    let theory = formulas(&["∀x Hole(f(x))", "∀x ∀y (f(x) = f(y) → x = y)", "¬Hole(p0)"]);
    let start = Instant::now();
    let options = SearchOptions {
        distinct: &pigeons,
        deadline: Some(start + Duration::from_millis(200)),
        ..SearchOptions::default()
    };
    assert_eq!(search(&theory, 13, &options), Search::GaveUp("deadline"));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn nested_equivalences_do_not_double() {
    let chain = (0..300).fold(Formula::pred("P0", vec![]), |inner, k| {
        Formula::iff(Formula::pred(&format!("P{}", k % 20), vec![]), Formula::xor(Formula::True, inner))
    });
    // Two levels a round: 300 rounds are too deep, 150 are not.
    assert_eq!(search(&[chain], 1, &SearchOptions::default()), Search::GaveUp("nested too deep"));
    let chain = (0..150).fold(Formula::pred("P0", vec![]), |inner, k| {
        Formula::iff(Formula::pred(&format!("P{}", k % 20), vec![]), Formula::xor(Formula::True, inner))
    });
    let options = SearchOptions { max_clauses: 1000, ..SearchOptions::default() };
    assert!(matches!(search(&[chain], 1, &options), Search::Found(_)));
}

#[test]
fn the_deepest_formulas_fit_on_a_small_stack() {
    let deepest = |wrap: &dyn Fn(Formula, usize) -> Formula| {
        let body = Formula::pred("R", vec![Term::var("x"), Term::var("y")]);
        let body = (0..396).fold(body, wrap);
        Formula::for_all("x", Formula::exists("y", body))
    };
    let p = || Formula::pred("P", vec![Term::var("x")]);
    for formula in [
        deepest(&|inner, k| match k % 2 {
            0 => Formula::And(vec![p(), inner]),
            _ => Formula::Or(vec![inner, p()]),
        }),
        deepest(&|inner, _| Formula::iff(p(), inner)),
        deepest(&|inner, _| Formula::exists("y", inner)),
    ] {
        let run = move || search(&[formula], 2, &SearchOptions::default());
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap();
        assert!(matches!(thread.join().unwrap(), Search::Found(_)));
    }
}
