//! Ground instances of matrices, in rounds: the constants first, then the terms that the instances so far contain.

use std::collections::HashMap;

use super::sorts::Sorts;
use crate::logic::formula::{Formula, Name, Term};
use crate::logic::normal::Matrix;

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

/// A matrix and a ground term for each of its variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::logic) struct Choice {
    pub matrix: usize,
    pub values: Vec<TermId>,
}

/// The instances so far.
pub(in crate::logic) struct Instances<'a> {
    pub matrices: &'a [Matrix],
    pub sorts: Sorts,
    pub bank: Bank,
    pub choices: Vec<Choice>,
    /// Per sort the terms that its variables take, those of the last round counted in `old`.
    terms: HashMap<usize, Vec<TermId>>,
    old: HashMap<usize, usize>,
    /// Sort of each term of the bank, in its order.
    sort_of: Vec<usize>,
    rounds: usize,
}

impl<'a> Instances<'a> {
    /// Starts with the constants of the matrices. `spare` names a constant for each sort that has variables but no
    /// constant, since no domain is empty; its number is put behind it.
    pub fn new(matrices: &'a [Matrix], spare: &str) -> Self {
        let sorts = Sorts::of(matrices);
        let mut this = Instances {
            matrices,
            sorts,
            bank: Bank::default(),
            choices: Vec::new(),
            terms: HashMap::new(),
            old: HashMap::new(),
            sort_of: Vec::new(),
            rounds: 0,
        };
        for matrix in matrices {
            matrix.formula.visit(&mut |f| {
                for term in f.terms() {
                    term.visit(&mut |t| {
                        if let Term::App(c, args) = t
                            && args.is_empty()
                        {
                            this.bank.intern(c, Vec::new());
                        }
                    });
                }
            });
        }
        this.file_new_terms();
        let mut spares = 0;
        for (m, matrix) in matrices.iter().enumerate() {
            for x in &matrix.vars {
                let sort = this.sorts.of_var(m, x);
                if this.terms.get(&sort).is_none_or(Vec::is_empty) {
                    spares += 1;
                    let id = this.bank.intern(&format!("{spare}{spares}").into(), Vec::new());
                    this.sort_of.push(sort);
                    this.terms.entry(sort).or_default().push(id);
                }
            }
        }
        this
    }

    /// Files terms of the bank that are new there by the sorts of their values.
    fn file_new_terms(&mut self) {
        for id in self.sort_of.len()..self.bank.len() {
            let (name, args) = self.bank.get(id);
            let sort = self.sorts.of_value(name, args.len());
            self.sort_of.push(sort);
            self.terms.entry(sort).or_default().push(id);
        }
    }

    pub fn sort(&self, term: TermId) -> usize {
        self.sort_of[term]
    }

    /// Adds the instances of one more round; says whether the next would add any, or `None` where more than `most`
    /// instances would stand.
    pub fn grow(&mut self, most: usize) -> Option<bool> {
        let matrices = self.matrices;
        for (m, matrix) in matrices.iter().enumerate() {
            let sorts: Vec<usize> = matrix.vars.iter().map(|x| self.sorts.of_var(m, x)).collect();
            let lists: Vec<Vec<TermId>> =
                sorts.iter().map(|s| self.terms.get(s).cloned().unwrap_or_default()).collect();
            let old: Vec<usize> = sorts.iter().map(|s| self.old.get(s).copied().unwrap_or(0)).collect();
            let all = lists.iter().try_fold(1usize, |n, list| n.checked_mul(list.len()))?;
            if all.saturating_add(self.choices.len()) > most {
                return None;
            }
            if sorts.is_empty() {
                if self.rounds == 0 {
                    self.choices.push(Choice { matrix: m, values: Vec::new() });
                }
                continue;
            }
            for mut number in 0..all {
                let (mut values, mut fresh) = (Vec::with_capacity(lists.len()), self.rounds == 0);
                for (list, &old) in lists.iter().zip(&old) {
                    let at = number % list.len();
                    number /= list.len();
                    fresh |= at >= old;
                    values.push(list[at]);
                }
                if fresh {
                    self.choices.push(Choice { matrix: m, values });
                }
            }
        }
        self.old = self.terms.iter().map(|(&sort, list)| (sort, list.len())).collect();
        self.rounds += 1;
        let before = self.bank.len();
        for i in 0..self.choices.len() {
            let choice = self.choices[i].clone();
            let matrix = &matrices[choice.matrix];
            let bank = &mut self.bank;
            matrix.formula.visit(&mut |f| {
                for term in f.terms() {
                    bank.ground(term, &matrix.vars, &choice.values);
                }
            });
        }
        self.file_new_terms();
        Some(self.bank.len() > before)
    }

    /// The instance as a formula.
    pub fn formula(&self, choice: &Choice) -> Formula {
        let matrix = &self.matrices[choice.matrix];
        matrix.formula.substitute(&self.bindings(choice).into_iter().collect())
    }

    /// The matrix's variables and their terms.
    pub fn bindings(&self, choice: &Choice) -> Vec<(Name, Term)> {
        let matrix = &self.matrices[choice.matrix];
        matrix.vars.iter().cloned().zip(choice.values.iter().map(|&id| self.bank.term(id))).collect()
    }
}
