//! What a solver's answer to some instances says of all others: atoms that it leaves out are false, and terms that it
//! leaves out differ from all.

use std::collections::HashMap;

use super::terms::TermId;
use crate::logic::formula::{Formula, Name, Term};

/// A candidate for a model over the ground terms.
pub(in crate::logic) struct World {
    /// For each term the one that stands for all that equal it.
    class: Vec<TermId>,
    terms: HashMap<(Name, Vec<TermId>), TermId>,
    atoms: HashMap<(Name, Vec<TermId>), bool>,
}

impl World {
    pub(super) fn new(terms: usize) -> Self {
        World { class: (0..terms).collect(), terms: HashMap::new(), atoms: HashMap::new() }
    }
    /// The two are equal.
    pub(super) fn join(&mut self, s: TermId, t: TermId) {
        let (from, to) = (self.class[s], self.class[t]);
        self.class.iter_mut().filter(|class| **class == from).for_each(|class| *class = to);
    }
    fn classes(&self, args: &[TermId]) -> Vec<TermId> {
        args.iter().map(|&arg| self.class[arg]).collect()
    }
    /// A term that has a value; to be called after all joins.
    pub(super) fn note_term(&mut self, name: &Name, args: &[TermId], term: TermId) {
        self.terms.insert((name.clone(), self.classes(args)), self.class[term]);
    }
    /// An atom's value; to be called after all joins.
    pub(super) fn note_atom(&mut self, name: &Name, args: &[TermId], holds: bool) {
        self.atoms.insert((name.clone(), self.classes(args)), holds);
    }

    /// Whether a matrix holds for these values of its variables.
    pub(super) fn holds(&self, formula: &Formula, vars: &[Name], values: &[TermId]) -> bool {
        let holds = |f: &Formula| self.holds(f, vars, values);
        match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::Pred(p, args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.value(arg, vars, values)).collect();
                args.and_then(|args| self.atoms.get(&(p.clone(), args)).copied()).unwrap_or(false)
            }
            Formula::Eq(s, t) => match (self.value(s, vars, values), self.value(t, vars, values)) {
                (None, None) => s == t,
                (s, t) => s == t,
            },
            Formula::Not(f) => !holds(f),
            Formula::And(fs) => fs.iter().all(holds),
            Formula::Or(fs) => fs.iter().any(holds),
            Formula::Xor(a, b) => holds(a) != holds(b),
            Formula::Implies(a, b) => !holds(a) || holds(b),
            Formula::Iff(a, b) => holds(a) == holds(b),
            // A matrix has none.
            Formula::ForAll(_, body) | Formula::Exists(_, body) => holds(body),
        }
    }

    /// The class of a term's value; none where nothing is known of it.
    fn value(&self, term: &Term, vars: &[Name], values: &[TermId]) -> Option<TermId> {
        match term {
            Term::Var(x) => vars.iter().position(|v| v == x).map(|i| self.class[values[i]]),
            Term::App(f, args) => {
                let args: Option<Vec<TermId>> = args.iter().map(|arg| self.value(arg, vars, values)).collect();
                self.terms.get(&(f.clone(), args?)).copied()
            }
        }
    }
}
