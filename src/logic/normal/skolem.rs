//! Skolem form: existential variables become functions of the universal variables that they depend on.

use std::collections::BTreeSet;

use super::nnf::{TooLarge, with_ground_parts_kept};
use super::prenex::rename_apart;
use crate::logic::formula::{Formula, Name, Term};
use crate::logic::substitute::{Substitution, fresh};

/// A formula without quantifiers, to be read as holding for all values of its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Which of the given formulas it comes from, counted from 0.
    pub source: usize,
    /// Its variables, sorted.
    pub vars: Vec<Name>,
    /// ∧, ∨, ⊕ and ↔ over literals.
    pub formula: Formula,
}

/// A function, or a constant, that stands for what a formula says exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skolem {
    /// The new symbol.
    pub name: Name,
    /// The variables that its value depends on.
    pub depends_on: Vec<Name>,
    /// Which of the given formulas it comes from.
    pub source: usize,
    /// What is said of it there: the formula under the quantifier, the symbol in the variable's place.
    pub says: Formula,
}

/// Brings formulas into Skolem form, one after the other, with symbols that none of them uses.
pub struct Skolemizer {
    taken: BTreeSet<Name>,
    /// The symbols made so far.
    pub symbols: Vec<Skolem>,
    sources: usize,
}

impl Skolemizer {
    /// Avoids all names of the given formulas: all that will be added, and all that are to be told from the new symbols.
    pub fn new<'a>(formulas: impl IntoIterator<Item = &'a Formula>) -> Self {
        let taken = formulas.into_iter().flat_map(Formula::names).collect();
        Skolemizer { taken, symbols: Vec::new(), sources: 0 }
    }

    /// The closed formula as matrices, which hold together exactly where it does for some choice of the new symbols.
    /// Quantifiers are pushed inwards first, so that a symbol depends on as little as possible.
    ///
    /// # Errors
    /// [`TooLarge`] where ↔ and ⊕ around quantifiers blow the formula up.
    pub fn add(&mut self, formula: &Formula) -> Result<Vec<Matrix>, TooLarge> {
        let source = self.sources;
        self.sources += 1;
        let nnf = with_ground_parts_kept(formula)?;
        let apart = push_in(&rename_apart(&nnf, &mut self.taken));
        // Pushing in may have put a quantifier into several places.
        let apart = rename_apart(&apart, &mut self.taken);
        let open = self.open(&apart, source, &Substitution::new());
        let mut parts = Vec::new();
        split(open, &mut parts);
        Ok(parts
            .into_iter()
            .map(|formula| Matrix { source, vars: formula.free_vars().into_iter().collect(), formula })
            .collect())
    }

    /// Drops the quantifiers. `by` maps the existential variables passed so far to their terms.
    fn open(&mut self, formula: &Formula, source: usize, by: &Substitution) -> Formula {
        match formula {
            Formula::ForAll(_, body) => self.open(body, source, by),
            Formula::Exists(x, body) => {
                // What the quantified formula mentions from outside, seen through the terms already chosen.
                let mut depends_on = BTreeSet::new();
                for free in formula.free_vars() {
                    match by.get(&free) {
                        None => drop(depends_on.insert(Term::Var(free))),
                        Some(term) => term.visit(&mut |t| {
                            if let Term::Var(_) = t {
                                depends_on.insert(t.clone());
                            }
                        }),
                    }
                }
                let name = fresh("sk1", &self.taken);
                self.taken.insert(name.clone());
                let args: Vec<Term> = depends_on.into_iter().collect();
                let term = Term::App(name.clone(), args.clone());
                let mut by = by.clone();
                by.insert(x.clone(), term);
                let says = body.substitute(&by);
                let depends_on = args.iter().map(|t| t.name().clone()).collect();
                self.symbols.push(Skolem { name, depends_on, source, says });
                self.open(body, source, &by)
            }
            Formula::Pred(..) | Formula::Eq(..) => formula.substitute(by),
            _ => formula.map_parts(|part| self.open(part, source, by)),
        }
    }
}

/// Splits conjunctions.
fn split(formula: Formula, out: &mut Vec<Formula>) {
    match formula {
        Formula::And(parts) => parts.into_iter().for_each(|part| split(part, out)),
        Formula::True => {}
        other => out.push(other),
    }
}

/// Pushes quantifiers inwards as far as they go: over parts that lack the variable, ∀ over ∧, ∃ over ∨.
fn push_in(formula: &Formula) -> Formula {
    match formula {
        Formula::ForAll(x, body) => push(true, x, push_in(body)),
        Formula::Exists(x, body) => push(false, x, push_in(body)),
        Formula::And(_) | Formula::Or(_) => formula.map_parts(push_in),
        _ => formula.clone(),
    }
}

fn push(universal: bool, x: &Name, body: Formula) -> Formula {
    let quantify = |body: Formula| {
        if universal { Formula::ForAll(x.clone(), Box::new(body)) } else { Formula::Exists(x.clone(), Box::new(body)) }
    };
    let mentions = |f: &Formula| f.free_vars().contains(x);
    match body {
        body if !mentions(&body) => body,
        Formula::And(parts) if universal => {
            Formula::and(parts.into_iter().map(|part| push(universal, x, part)).collect())
        }
        Formula::Or(parts) if !universal => {
            Formula::or(parts.into_iter().map(|part| push(universal, x, part)).collect())
        }
        Formula::And(parts) | Formula::Or(parts) => {
            let join = if universal { Formula::or } else { Formula::and };
            let (with, mut without): (Vec<_>, Vec<_>) = parts.into_iter().partition(mentions);
            let inside = match <[Formula; 1]>::try_from(with) {
                Ok([only]) => push(universal, x, only),
                Err(with) => quantify(join(with)),
            };
            if without.is_empty() {
                return inside;
            }
            without.push(inside);
            join(without)
        }
        body => quantify(body),
    }
}
