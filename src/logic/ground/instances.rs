//! Ground instances of matrices, in rounds: the constants first, then the terms that the instances so far contain.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use super::sorts::Sorts;
use super::terms::{Bank, TermId};
use super::world::World;
use crate::logic::formula::{Formula, Name, Term};
use crate::logic::normal::Matrix;

/// A matrix and a ground term for each of its variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::logic) struct Choice {
    pub matrix: usize,
    pub values: Vec<TermId>,
}

/// The instances so far.
pub(in crate::logic) struct Instances {
    pub matrices: Arc<[Matrix]>,
    pub sorts: Sorts,
    pub bank: Bank,
    pub choices: Vec<Choice>,
    seen: HashSet<Choice>,
    /// Per sort its terms in the order in which they came; variables take the first of them, counted in `open`.
    terms: HashMap<usize, Vec<TermId>>,
    open: HashMap<usize, usize>,
    /// Sort of each term of the bank, in its order.
    sort_of: Vec<usize>,
}

impl Instances {
    /// Starts with the constants of the matrices. `spare` names a constant for each sort that has variables but no
    /// constant, since no domain is empty; its number is put behind it.
    pub fn new(matrices: Vec<Matrix>, spare: &str) -> Self {
        let matrices: Arc<[Matrix]> = matrices.into();
        let sorts = Sorts::of(&matrices);
        let mut this = Instances {
            matrices: Arc::clone(&matrices),
            sorts,
            bank: Bank::default(),
            choices: Vec::new(),
            seen: HashSet::new(),
            terms: HashMap::new(),
            open: HashMap::new(),
            sort_of: Vec::new(),
        };
        for matrix in matrices.iter() {
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

    /// Adds all instances over the terms so far; says whether they brought new terms, or `None` where more than `most`
    /// instances would stand.
    pub fn grow(&mut self, most: usize) -> Option<bool> {
        self.widen();
        if self.all() > most {
            return None;
        }
        let matrices = Arc::clone(&self.matrices);
        for (m, matrix) in matrices.iter().enumerate() {
            let mut choices = Vec::new();
            let _ = shells(&self.lists(m, matrix), &mut |values| {
                choices.push(Choice { matrix: m, values: values.to_vec() });
                ControlFlow::Continue(())
            });
            choices.into_iter().for_each(|choice| self.add(choice));
        }
        Some(self.terms.iter().any(|(sort, list)| self.open.get(sort) != Some(&list.len())))
    }

    /// How many instances there are over the terms that variables take.
    pub fn all(&self) -> usize {
        let count = |lists: Vec<&[TermId]>| lists.iter().fold(1usize, |n, list| n.saturating_mul(list.len()));
        let counts = self.matrices.iter().enumerate().map(|(m, matrix)| count(self.lists(m, matrix)));
        counts.fold(0, usize::saturating_add)
    }

    /// The terms that each variable of a matrix takes.
    fn lists(&self, m: usize, matrix: &Matrix) -> Vec<&[TermId]> {
        let list = |x| {
            let sort = self.sorts.of_var(m, x);
            let terms = self.terms.get(&sort).map_or(&[][..], Vec::as_slice);
            &terms[..self.open.get(&sort).copied().unwrap_or(0).min(terms.len())]
        };
        matrix.vars.iter().map(list).collect()
    }

    /// Lets variables take all terms that there are by now; says whether these are more than before.
    pub fn widen(&mut self) -> bool {
        let open: HashMap<usize, usize> = self.terms.iter().map(|(&sort, list)| (sort, list.len())).collect();
        let more = open != self.open;
        self.open = open;
        more
    }

    /// Makes up to `most` of the terms that instances over the present terms have and that are not there yet, and lets
    /// variables take them; says whether there were any.
    pub fn deepen(&mut self, most: usize) -> bool {
        let matrices = Arc::clone(&self.matrices);
        let before = self.bank.len();
        for (m, matrix) in matrices.iter().enumerate() {
            let mut functions = Vec::new();
            matrix.formula.visit(&mut |f| {
                functions.extend(f.terms().into_iter().filter(|t| matches!(t, Term::App(_, args) if !args.is_empty())));
            });
            if functions.is_empty() {
                continue;
            }
            let lists: Vec<Vec<TermId>> = self.lists(m, matrix).into_iter().map(<[TermId]>::to_vec).collect();
            let lists: Vec<&[TermId]> = lists.iter().map(Vec::as_slice).collect();
            let _ = shells(&lists, &mut |values| {
                for term in &functions {
                    self.bank.ground(term, &matrix.vars, values);
                }
                if self.bank.len() - before >= most { ControlFlow::Break(false) } else { ControlFlow::Continue(()) }
            });
        }
        self.file_new_terms();
        self.widen()
    }

    /// Adds an instance, if it is new.
    pub fn add(&mut self, choice: Choice) {
        if !self.seen.insert(choice.clone()) {
            return;
        }
        let matrix = &self.matrices[choice.matrix];
        let bank = &mut self.bank;
        matrix.formula.visit(&mut |f| {
            for term in f.terms() {
                bank.ground(term, &matrix.vars, &choice.values);
            }
        });
        self.choices.push(choice);
        self.file_new_terms();
    }

    /// Up to `most` instances of each matrix, over the terms that variables take, that are false in a world. `None` where
    /// the time was up.
    pub fn violated(&self, world: &World, most: usize, until: Option<Instant>) -> Option<Vec<Choice>> {
        let (mut found, mut looked) = (Vec::new(), 0usize);
        for (m, matrix) in self.matrices.iter().enumerate() {
            let before = found.len();
            let ended = shells(&self.lists(m, matrix), &mut |values| {
                looked += 1;
                if looked.is_multiple_of(1024) && until.is_some_and(|moment| Instant::now() >= moment) {
                    return ControlFlow::Break(true);
                }
                if !world.holds(&matrix.formula, &matrix.vars, values) {
                    let choice = Choice { matrix: m, values: values.to_vec() };
                    if !self.seen.contains(&choice) {
                        found.push(choice);
                    }
                }
                if found.len() - before >= most { ControlFlow::Break(false) } else { ControlFlow::Continue(()) }
            });
            if ended == ControlFlow::Break(true) {
                return None;
            }
        }
        Some(found)
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

/// Visits all tuples of terms, one from each list, those of early terms first: by the largest place in a list.
fn shells(lists: &[&[TermId]], visit: &mut impl FnMut(&[TermId]) -> ControlFlow<bool>) -> ControlFlow<bool> {
    if lists.is_empty() {
        return visit(&[]);
    }
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let mut values = vec![0; lists.len()];
    for largest in 0..longest {
        // The first list that is at the largest place; those before it are below, those behind at most there.
        for first in (0..lists.len()).filter(|&l| lists[l].len() > largest) {
            let ends: Vec<usize> =
                (0..lists.len()).map(|l| lists[l].len().min(if l < first { largest } else { largest + 1 })).collect();
            let mut at: Vec<usize> = (0..lists.len()).map(|l| if l == first { largest } else { 0 }).collect();
            if ends.contains(&0) {
                continue;
            }
            'tuples: loop {
                for (value, (list, &place)) in values.iter_mut().zip(lists.iter().zip(&at)) {
                    *value = list[place];
                }
                visit(&values)?;
                for l in (0..lists.len()).rev().filter(|&l| l != first) {
                    at[l] += 1;
                    if at[l] < ends[l] {
                        continue 'tuples;
                    }
                    at[l] = 0;
                }
                break;
            }
        }
    }
    ControlFlow::Continue(())
}
