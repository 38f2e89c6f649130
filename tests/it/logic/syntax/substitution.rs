//! Substitution and α-equivalence against a second account of both, in which a bound variable is the distance to its
//! quantifier and has no name.

use std::collections::{BTreeMap, BTreeSet};

use llscore::logic::{Formula, Name, Substitution, Term};
use proptest::prelude::*;

use crate::logic::strategy::{Names, closed, open, open_term};

/// The formula without names of bound variables, its free variables replaced on the way.
fn nameless(f: &Formula, by: &Substitution) -> String {
    fn term(t: &Term, scope: &[&Name], by: &Substitution) -> String {
        match t {
            Term::Var(x) => match scope.iter().rev().position(|bound| *bound == x) {
                Some(distance) => format!("#{distance}"),
                None => by.get(x).map_or(format!("?{x}"), |t| term(t, &[], &Substitution::new())),
            },
            Term::App(f, args) => {
                format!("{f}/{}[{}]", args.len(), args.iter().map(|t| term(t, scope, by) + ";").collect::<String>())
            }
        }
    }
    fn walk<'a>(f: &'a Formula, scope: &mut Vec<&'a Name>, by: &Substitution) -> String {
        let kind = match f {
            Formula::ForAll(x, body) | Formula::Exists(x, body) => {
                scope.push(x);
                let inside = walk(body, scope, by);
                scope.pop();
                return format!("{}{inside}", if matches!(f, Formula::ForAll(..)) { "A" } else { "E" });
            }
            Formula::Pred(p, _) => format!("P{p}"),
            Formula::True => "1".into(),
            Formula::False => "0".into(),
            Formula::Eq(..) => "=".into(),
            Formula::Not(_) => "~".into(),
            Formula::And(_) => "&".into(),
            Formula::Or(_) => "|".into(),
            Formula::Xor(..) => "+".into(),
            Formula::Implies(..) => ">".into(),
            Formula::Iff(..) => "^".into(),
        };
        let terms: String = f.terms().into_iter().map(|t| term(t, scope, by) + ",").collect();
        let parts: String = f.parts().into_iter().map(|part| walk(part, scope, by) + ",").collect();
        format!("{kind}({terms}{parts})")
    }
    walk(f, &mut Vec::new(), by)
}

fn none() -> Substitution {
    Substitution::new()
}
fn one(x: &str, t: &Term) -> Substitution {
    BTreeMap::from([(x.into(), t.clone())])
}
fn variables(t: &Term) -> BTreeSet<Name> {
    let mut out = BTreeSet::new();
    t.visit(&mut |t| {
        if let Term::Var(x) = t {
            out.insert(x.clone());
        }
    });
    out
}

/// Gives every quantifier a new variable.
fn renamed(f: &Formula, count: &mut usize) -> Formula {
    match f {
        Formula::ForAll(x, body) | Formula::Exists(x, body) => {
            *count += 1;
            let new = format!("v_{count}");
            let body = renamed(&body.substitute(&one(x, &Term::var(&new))), count);
            match f {
                Formula::ForAll(..) => Formula::for_all(&new, body),
                _ => Formula::exists(&new, body),
            }
        }
        _ => f.map_parts(|part| renamed(part, count)),
    }
}

fn rename_free(f: &Formula) -> Formula {
    f.substitute(&one("x", &Term::var("w")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn substitution_captures_nothing(f in open(), s in open_term(), t in open_term()) {
        let by = BTreeMap::from([("x".into(), s.clone()), ("y".into(), t.clone())]);
        let result = f.substitute(&by);
        prop_assert_eq!(nameless(&result, &none()), nameless(&f, &by), "{} {} {}", f, s, t);
        let mut free = f.free_vars();
        let mut expected = BTreeSet::new();
        for (x, t) in [("x", &s), ("y", &t)] {
            if free.remove(x) {
                expected.extend(variables(t));
            }
        }
        expected.extend(free);
        prop_assert_eq!(result.free_vars(), expected, "{} {} {}", f, s, t);
    }

    #[test]
    fn substitutions_change_places(f in open(), s in open_term(), t in open_term()) {
        let t = t.substitute(&one("x", &Term::constant("y")));
        let first = f.substitute(&one("x", &s)).substitute(&one("y", &t));
        let second = f.substitute(&one("y", &t)).substitute(&one("x", &s.substitute(&one("y", &t))));
        prop_assert!(first.alpha_eq(&second), "{} [x:={}] [y:={}]: {} / {}", f, s, t, first, second);
    }

    /// A constant that a quantifier's name would swallow in print counts as captured too.
    #[test]
    fn a_printable_formula_stays_printable(f in closed(Names::Ascii), t in open_term()) {
        let t = t.substitute(&variables(&t).into_iter().map(|x| (x, Term::constant("y"))).collect());
        for part in f.parts() {
            let ground = part.substitute(&part.free_vars().into_iter().map(|x| (x, t.clone())).collect());
            prop_assert!(ground.print(llscore::logic::Syntax::Folio).is_ok(), "{} {}", part, t);
        }
    }

    #[test]
    fn nothing_changes_without_need(f in open(), t in open_term()) {
        prop_assert_eq!(&f.substitute(&none()), &f);
        prop_assert_eq!(&f.substitute(&one("not_there", &t)), &f);
    }

    #[test]
    fn alpha_equivalence_is_equality_without_names(f in open(), g in open()) {
        prop_assert_eq!(f.alpha_eq(&g), nameless(&f, &none()) == nameless(&g, &none()), "{} / {}", f, g);
        let new = renamed(&f, &mut 0);
        prop_assert!(f.alpha_eq(&f) && f.alpha_eq(&new) && new.alpha_eq(&f), "{} / {}", f, new);
        let newer = renamed(&new, &mut 100);
        prop_assert!(newer.alpha_eq(&f));
        if f.free_vars().contains("x") {
            prop_assert!(!f.alpha_eq(&rename_free(&f)) && !rename_free(&f).alpha_eq(&new), "{}", f);
        }
    }
}

#[test]
fn bound_variables_are_told_apart_by_their_quantifiers() {
    let read = |text: &str| llscore::logic::parse(text, None).expect(text).formula;
    assert!(read("∀x ∃y P(x, y)").alpha_eq(&read("∀y ∃x P(y, x)")));
    assert!(!read("∀x ∃y P(x, y)").alpha_eq(&read("∀x ∃y P(y, x)")));
    assert!(!read("∀x ∃y P(x, y)").alpha_eq(&read("∀x ∃x P(x, x)")));
    assert!(read("∀x ∀x P(x)").alpha_eq(&read("∀x ∀y P(y)")));
    assert!(!read("∀x ∀x P(x)").alpha_eq(&read("∀x ∀y P(x)")));
    assert!(!read("∀x P(x)").alpha_eq(&read("∃x P(x)")));
}
