//! Substitution that captures nothing, and equality up to the names of bound variables.

use std::collections::{BTreeMap, BTreeSet};

use super::formula::{Formula, Name, Term};

/// What each variable is to be replaced by.
pub type Substitution = BTreeMap<Name, Term>;

impl Term {
    /// The term with its variables replaced, all at once.
    #[must_use]
    pub fn substitute(&self, by: &Substitution) -> Term {
        match self {
            Term::Var(x) => by.get(x).unwrap_or(self).clone(),
            Term::App(f, args) => Term::App(f.clone(), args.iter().map(|t| t.substitute(by)).collect()),
        }
    }
}

impl Formula {
    /// The formula with its free variables replaced, all at once. A bound variable whose name stands in a term that
    /// comes into its scope is renamed first, so that nothing is captured.
    #[must_use]
    pub fn substitute(&self, by: &Substitution) -> Formula {
        let (x, body) = match self {
            Formula::Pred(p, args) => {
                return Formula::Pred(p.clone(), args.iter().map(|t| t.substitute(by)).collect());
            }
            Formula::Eq(s, t) => return Formula::Eq(s.substitute(by), t.substitute(by)),
            Formula::ForAll(x, body) | Formula::Exists(x, body) => (x, body),
            _ => return self.map_parts(|f| f.substitute(by)),
        };
        // Only what is free in the body can be replaced there; only that can bring names in.
        let free = body.free_vars();
        let mut inner: Substitution =
            by.iter().filter(|(v, _)| *v != x && free.contains(*v)).map(|(v, t)| (v.clone(), t.clone())).collect();
        let mut bound = x.clone();
        // A constant of that name would be read as the variable, so it counts as captured too.
        if inner.values().any(|t| t.mentions(x)) {
            let mut taken: BTreeSet<Name> = body.names();
            for term in inner.values() {
                term.visit(&mut |t| {
                    taken.insert(t.name().clone());
                });
            }
            bound = fresh(x, &taken);
            inner.insert(x.clone(), Term::Var(bound.clone()));
        }
        let body = Box::new(body.substitute(&inner));
        match self {
            Formula::ForAll(..) => Formula::ForAll(bound, body),
            _ => Formula::Exists(bound, body),
        }
    }

    /// Whether two formulas are the same up to the names of their bound variables.
    pub fn alpha_eq(&self, other: &Formula) -> bool {
        alpha(self, other, &mut Vec::new())
    }
}

impl Term {
    /// The name at the head of the term.
    pub fn name(&self) -> &Name {
        match self {
            Term::Var(n) | Term::App(n, _) => n,
        }
    }
}

/// A name that is not taken: `base` itself, or `base` and a number.
pub fn fresh(base: &str, taken: &BTreeSet<Name>) -> Name {
    if !taken.contains(base) {
        return base.into();
    }
    let stem = base.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = if stem.is_empty() { "v" } else { stem };
    (1..).map(|k| format!("{stem}{k}")).find(|name| !taken.contains(name.as_str())).unwrap_or_default().into()
}

/// `pairs` holds the binders passed on both sides, outermost first.
fn alpha<'a>(a: &'a Formula, b: &'a Formula, pairs: &mut Vec<(&'a Name, &'a Name)>) -> bool {
    match (a, b) {
        (Formula::ForAll(x, f), Formula::ForAll(y, g)) | (Formula::Exists(x, f), Formula::Exists(y, g)) => {
            pairs.push((x, y));
            let same = alpha(f, g, pairs);
            pairs.pop();
            same
        }
        (Formula::Pred(p, _), Formula::Pred(q, _)) if p != q => false,
        _ if std::mem::discriminant(a) != std::mem::discriminant(b) => false,
        _ => {
            let (ts, us, fs, gs) = (a.terms(), b.terms(), a.parts(), b.parts());
            ts.len() == us.len()
                && fs.len() == gs.len()
                && ts.into_iter().zip(us).all(|(t, u)| alpha_term(t, u, pairs))
                && fs.into_iter().zip(gs).all(|(f, g)| alpha(f, g, pairs))
        }
    }
}

fn alpha_term(t: &Term, u: &Term, pairs: &[(&Name, &Name)]) -> bool {
    match (t, u) {
        // The innermost binder of either name decides, and it must be the same binder.
        (Term::Var(x), Term::Var(y)) => match pairs.iter().rev().find(|(a, b)| *a == x || *b == y) {
            Some((a, b)) => *a == x && *b == y,
            None => x == y,
        },
        (Term::App(f, ts), Term::App(g, us)) => {
            f == g && ts.len() == us.len() && ts.iter().zip(us).all(|(t, u)| alpha_term(t, u, pairs))
        }
        _ => false,
    }
}
