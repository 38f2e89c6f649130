//! Ground terms by number.

use std::collections::HashMap;

use crate::logic::formula::{Name, Term};

/// A ground term by number.
pub(in crate::logic) type TermId = usize;

/// Ground terms, each once.
#[derive(Default)]
pub(in crate::logic) struct Bank {
    nodes: Vec<(Name, Vec<TermId>)>,
    index: HashMap<(Name, Vec<TermId>), TermId>,
}

impl Bank {
    pub fn intern(&mut self, name: &Name, args: Vec<TermId>) -> TermId {
        let next = self.nodes.len();
        let id = *self.index.entry((name.clone(), args.clone())).or_insert(next);
        if id == next {
            self.nodes.push((name.clone(), args));
        }
        id
    }
    pub fn get(&self, id: TermId) -> (&Name, &[TermId]) {
        (&self.nodes[id].0, &self.nodes[id].1)
    }
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    pub fn term(&self, id: TermId) -> Term {
        let (name, args) = self.get(id);
        Term::App(name.clone(), args.iter().map(|&arg| self.term(arg)).collect())
    }
    /// The term with its variables (`vars`) replaced by `values`.
    pub fn ground(&mut self, term: &Term, vars: &[Name], values: &[TermId]) -> TermId {
        match term {
            Term::Var(x) => vars.iter().position(|v| v == x).map_or(0, |i| values[i]),
            Term::App(f, args) => {
                let args = args.iter().map(|arg| self.ground(arg, vars, values)).collect();
                self.intern(f, args)
            }
        }
    }
}
