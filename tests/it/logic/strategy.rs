//! Random formulas for the laws.

use llscore::logic::{Formula, Name, Term};
use proptest::prelude::*;

/// Which names formulas are made of.
#[derive(Clone, Copy)]
pub enum Names {
    /// All that FOLIO's syntax reads.
    Any,
    /// Those that every syntax reads, as every syntax reads them.
    Ascii,
}

const VARIABLES: [&str; 4] = ["x", "y", "x1", "z"];

fn symbol(names: Names) -> BoxedStrategy<String> {
    let plain = prop_oneof![
        prop::sample::select(vec!["P", "Q", "R", "likes", "a", "b", "c_1", "Is_x", "A1"]).prop_map(String::from),
        "[A-Za-t][A-Za-z0-9_]{0,5}",
    ]
    .prop_filter("words of NLTK's", |name| {
        !["all", "forall", "exists", "exist", "some", "not", "and", "or", "implies", "iff"].contains(&name.as_str())
    });
    match names {
        Names::Ascii => plain.boxed(),
        Names::Any => prop_oneof![
            3 => plain,
            1 => prop::sample::select(vec![
                "naïve", "x’", "o'brien", "well-being", "2023", "1984-b", "_", "東京", "Ωmega", "нет", "x", "y", "all",
                "v-1", "e\u{301}t", "अ१", "P'", "T", "x1",
            ])
            .prop_map(String::from),
            1 => "[\\p{L}\\p{Nd}_][\\p{L}\\p{Nd}_'’]{0,3}(-[\\p{L}_]{1,2})?",
        ]
        .boxed(),
    }
}

fn variable(names: Names) -> BoxedStrategy<String> {
    let plain = prop::sample::select(&VARIABLES[..]).prop_map(String::from);
    match names {
        Names::Ascii => plain.boxed(),
        Names::Any => prop_oneof![6 => plain, 1 => symbol(names)].boxed(),
    }
}

/// A term whose names are not yet told apart: variables too are written as constants.
fn raw_term(names: Names) -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![variable(names), symbol(names)].prop_map(|name| Term::constant(&name));
    leaf.prop_recursive(3, 8, 3, move |inner| {
        (symbol(names), prop::collection::vec(inner, 1..3)).prop_map(|(f, args)| Term::App(f.as_str().into(), args))
    })
}

fn raw_formula(names: Names) -> impl Strategy<Value = Formula> {
    let atom = prop_oneof![
        1 => Just(Formula::True),
        1 => Just(Formula::False),
        8 => (symbol(names), prop::collection::vec(raw_term(names), 0..4)).prop_map(|(p, args)| Formula::pred(&p, args)),
        2 => (raw_term(names), raw_term(names)).prop_map(|(s, t)| Formula::Eq(s, t)),
    ];
    atom.prop_recursive(6, 40, 4, move |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            2 => inner.clone().prop_map(Formula::not),
            1 => prop::collection::vec(inner.clone(), 2..5).prop_map(Formula::And),
            1 => prop::collection::vec(inner.clone(), 2..5).prop_map(Formula::Or),
            1 => pair.clone().prop_map(|(a, b)| Formula::xor(a, b)),
            1 => pair.clone().prop_map(|(a, b)| Formula::implies(a, b)),
            1 => pair.prop_map(|(a, b)| Formula::iff(a, b)),
            2 => (variable(names), inner.clone()).prop_map(|(x, f)| Formula::for_all(&x, f)),
            2 => (variable(names), inner).prop_map(|(x, f)| Formula::exists(&x, f)),
        ]
    })
}

/// Makes variables of the names for which `is_variable` says so, given the names bound around them; a proposition of
/// such a name gets another.
fn resolve(f: &Formula, scope: &mut Vec<Name>, is_variable: &dyn Fn(&Name, &[Name]) -> bool) -> Formula {
    fn term(t: &Term, scope: &[Name], is_variable: &dyn Fn(&Name, &[Name]) -> bool) -> Term {
        match t {
            Term::App(name, args) if args.is_empty() && is_variable(name, scope) => Term::Var(name.clone()),
            Term::App(name, args) => {
                Term::App(name.clone(), args.iter().map(|a| term(a, scope, is_variable)).collect())
            }
            Term::Var(_) => t.clone(),
        }
    }
    match f {
        Formula::Pred(name, args) if args.is_empty() && is_variable(name, scope) => Formula::pred("Prop", Vec::new()),
        Formula::Pred(name, args) => {
            Formula::Pred(name.clone(), args.iter().map(|a| term(a, scope, is_variable)).collect())
        }
        Formula::Eq(s, t) => Formula::Eq(term(s, scope, is_variable), term(t, scope, is_variable)),
        Formula::ForAll(x, body) | Formula::Exists(x, body) => {
            scope.push(x.clone());
            let body = Box::new(resolve(body, scope, is_variable));
            scope.pop();
            match f {
                Formula::ForAll(..) => Formula::ForAll(x.clone(), body),
                _ => Formula::Exists(x.clone(), body),
            }
        }
        _ => f.map_parts(|part| resolve(part, scope, is_variable)),
    }
}

/// Formulas as a parser gives them: what a quantifier around it binds is a variable, all else a constant.
pub fn closed(names: Names) -> impl Strategy<Value = Formula> {
    raw_formula(names).prop_map(move |f| {
        let f = resolve(&f, &mut Vec::new(), &|name, scope| scope.contains(name));
        match names {
            Names::Any => f,
            // A free x is a constant in one syntax and a variable in another.
            Names::Ascii => rename_constants(&f),
        }
    })
}

fn rename_constants(f: &Formula) -> Formula {
    fn term(t: &Term) -> Term {
        match t {
            Term::App(name, args) if args.is_empty() && VARIABLES.contains(&&**name) => Term::constant("c"),
            Term::App(name, args) => Term::App(name.clone(), args.iter().map(term).collect()),
            Term::Var(_) => t.clone(),
        }
    }
    match f {
        Formula::Pred(p, args) => Formula::Pred(p.clone(), args.iter().map(term).collect()),
        Formula::Eq(s, t) => Formula::Eq(term(s), term(t)),
        _ => f.map_parts(rename_constants),
    }
}

/// Formulas in which `x`, `y`, `x1` and `z` are variables, bound or free.
pub fn open() -> impl Strategy<Value = Formula> {
    raw_formula(Names::Ascii).prop_map(|f| resolve(&f, &mut Vec::new(), &|name, _| VARIABLES.contains(&&**name)))
}

/// Terms in which `x`, `y`, `x1` and `z` are variables; now and then one holds a constant `y`.
pub fn open_term() -> impl Strategy<Value = Term> {
    fn resolve(t: &Term) -> Term {
        match t {
            Term::App(name, args) if args.is_empty() && VARIABLES.contains(&&**name) => Term::Var(name.clone()),
            Term::App(name, args) => Term::App(name.clone(), args.iter().map(resolve).collect()),
            Term::Var(_) => t.clone(),
        }
    }
    prop_oneof![9 => raw_term(Names::Ascii).prop_map(|t| resolve(&t)), 1 => Just(Term::constant("y"))]
}
