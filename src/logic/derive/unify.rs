//! Most general unifiers.

use crate::logic::formula::Term;
use crate::logic::substitute::Substitution;

/// Extends `by` so that the terms become equal; `false` where nothing makes them so, and `by` is then of no use. What
/// variables stand for may hold variables that stand for something themselves.
pub(super) fn unify(s: &Term, t: &Term, by: &mut Substitution) -> bool {
    match (seen_through(s, by), seen_through(t, by)) {
        (Term::Var(x), Term::Var(y)) if x == y => true,
        (Term::Var(x), t) | (t, Term::Var(x)) => {
            let t = resolved(&t, by);
            let occurs = mentions_var(&t, &x);
            by.insert(x, t);
            !occurs
        }
        (Term::App(f, ss), Term::App(g, ts)) => {
            f == g && ss.len() == ts.len() && ss.iter().zip(&ts).all(|(s, t)| unify(s, t, by))
        }
    }
}

/// The term with all that its variables stand for.
pub(super) fn resolved(term: &Term, by: &Substitution) -> Term {
    match seen_through(term, by) {
        Term::App(f, args) => Term::App(f, args.iter().map(|arg| resolved(arg, by)).collect()),
        var => var,
    }
}

fn seen_through(term: &Term, by: &Substitution) -> Term {
    let mut term = term;
    while let Term::Var(x) = term
        && let Some(next) = by.get(x)
    {
        term = next;
    }
    term.clone()
}

fn mentions_var(term: &Term, name: &str) -> bool {
    let mut found = false;
    term.visit(&mut |t| found |= matches!(t, Term::Var(x) if &**x == name));
    found
}
