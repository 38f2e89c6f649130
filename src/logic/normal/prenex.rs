//! Prenex form: all quantifiers in front.

use std::collections::BTreeSet;

use super::nnf::{TooLarge, negation_normal_form};
use crate::logic::formula::{Formula, Name, Term};
use crate::logic::substitute::{Substitution, fresh};

/// The prenex form: quantifiers, then a formula without any, in negation normal form. Equivalent to the formula.
/// Variables are renamed where two quantifiers would clash. Quantifiers are lifted outermost first, left to right.
///
/// # Errors
/// [`TooLarge`] where the negation normal form is.
pub fn prenex(formula: &Formula) -> Result<Formula, TooLarge> {
    let mut taken = formula.names();
    let apart = rename_apart(&negation_normal_form(formula)?, &mut taken);
    let mut prefix = Vec::new();
    let matrix = lift(&apart, &mut prefix);
    Ok(prefix.into_iter().rev().fold(matrix, |body, (universal, x)| {
        if universal { Formula::ForAll(x, Box::new(body)) } else { Formula::Exists(x, Box::new(body)) }
    }))
}

/// The formula with every quantifier's variable a name of its own, the first of a name kept. Adds to `taken`, which
/// starts with names to avoid *beside* those of the quantifiers themselves.
pub(super) fn rename_apart(formula: &Formula, taken: &mut BTreeSet<Name>) -> Formula {
    fn walk(f: &Formula, by: &Substitution, used: &mut BTreeSet<Name>, taken: &mut BTreeSet<Name>) -> Formula {
        match f {
            Formula::ForAll(x, body) | Formula::Exists(x, body) => {
                let name = if used.insert(x.clone()) { x.clone() } else { fresh(x, taken) };
                taken.insert(name.clone());
                used.insert(name.clone());
                let mut by = by.clone();
                by.insert(x.clone(), Term::Var(name.clone()));
                let body = Box::new(walk(body, &by, used, taken));
                if matches!(f, Formula::ForAll(..)) { Formula::ForAll(name, body) } else { Formula::Exists(name, body) }
            }
            Formula::Pred(..) | Formula::Eq(..) => f.substitute(by),
            _ => f.map_parts(|part| walk(part, by, used, taken)),
        }
    }
    // A constant or a free variable of a name keeps it from every quantifier.
    let mut used = formula.free_vars();
    formula.visit(&mut |f| {
        for term in f.terms() {
            term.visit(&mut |t| {
                if let Term::App(name, args) = t
                    && args.is_empty()
                {
                    used.insert(name.clone());
                }
            });
        }
    });
    walk(formula, &Substitution::new(), &mut used, taken)
}

fn lift(formula: &Formula, prefix: &mut Vec<(bool, Name)>) -> Formula {
    match formula {
        Formula::ForAll(x, body) => {
            prefix.push((true, x.clone()));
            lift(body, prefix)
        }
        Formula::Exists(x, body) => {
            prefix.push((false, x.clone()));
            lift(body, prefix)
        }
        _ => formula.map_parts(|part| lift(part, prefix)),
    }
}
