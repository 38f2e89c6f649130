//! Which terms can meet: argument places that share a variable, a term or an equation belong to one sort.
//!
//! A variable needs instances of its own sort only. Whatever those refute is refuted in earnest; that they miss nothing
//! is not relied on, since a theory counts as consistent only when a model of it has been found and checked.

use std::collections::HashMap;

use crate::logic::formula::{Formula, Name, Term};
use crate::logic::normal::Matrix;

/// A place for a term.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    /// Argument of a predicate with a number of arguments.
    Predicate(Name, usize, usize),
    /// Argument of a function; the place after the last is its value.
    Function(Name, usize, usize),
    /// A variable of a matrix.
    Var(usize, Name),
}

/// Sorts of all places of a theory, as numbers from 0.
pub(super) struct Sorts {
    index: HashMap<Place, usize>,
    parent: Vec<usize>,
    equality: Vec<bool>,
}

impl Sorts {
    pub fn of(matrices: &[Matrix]) -> Self {
        let mut sorts = Sorts { index: HashMap::new(), parent: Vec::new(), equality: Vec::new() };
        // An equation with a variable for a side can bound the whole domain, other sorts included.
        let mut bounding = false;
        for (m, matrix) in matrices.iter().enumerate() {
            matrix.formula.visit(&mut |f| match f {
                Formula::Pred(p, args) => {
                    for (i, arg) in args.iter().enumerate() {
                        let place = sorts.place(Place::Predicate(p.clone(), args.len(), i));
                        let value = sorts.term(m, arg);
                        sorts.union(place, value);
                    }
                }
                Formula::Eq(s, t) => {
                    bounding |= [s, t].iter().any(|side| matches!(side, Term::Var(_)));
                    let (s, t) = (sorts.term(m, s), sorts.term(m, t));
                    sorts.union(s, t);
                    let root = sorts.root(s);
                    sorts.equality[root] = true;
                }
                _ => {}
            });
        }
        if bounding {
            (1..sorts.parent.len()).for_each(|place| sorts.union(place, 0));
        }
        // Equal arguments make equal values: equality spreads from a function's arguments to its value.
        loop {
            let functions: Vec<_> = sorts.index.keys().cloned().collect();
            let mut changed = false;
            for place in functions {
                if let Place::Function(f, arity, i) = &place
                    && i < arity
                    && sorts.has_equality(sorts.index[&place])
                {
                    let value = sorts.root(sorts.index[&Place::Function(f.clone(), *arity, *arity)]);
                    changed |= !std::mem::replace(&mut sorts.equality[value], true);
                }
            }
            if !changed {
                return sorts;
            }
        }
    }

    fn place(&mut self, place: Place) -> usize {
        let next = self.parent.len();
        let index = *self.index.entry(place).or_insert(next);
        if index == next {
            self.parent.push(next);
            self.equality.push(false);
        }
        index
    }

    /// The place of a term's value; its arguments are joined with the function's places.
    fn term(&mut self, matrix: usize, term: &Term) -> usize {
        match term {
            Term::Var(x) => self.place(Place::Var(matrix, x.clone())),
            Term::App(f, args) => {
                for (i, arg) in args.iter().enumerate() {
                    let place = self.place(Place::Function(f.clone(), args.len(), i));
                    let value = self.term(matrix, arg);
                    self.union(place, value);
                }
                self.place(Place::Function(f.clone(), args.len(), args.len()))
            }
        }
    }

    fn root(&self, mut place: usize) -> usize {
        while self.parent[place] != place {
            place = self.parent[place];
        }
        place
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a] = b;
        self.equality[b] |= self.equality[a];
    }

    /// The sort of a variable of a matrix.
    pub fn of_var(&self, matrix: usize, var: &Name) -> usize {
        self.index.get(&Place::Var(matrix, var.clone())).map_or(0, |&place| self.root(place))
    }
    /// The sort of a function's value.
    pub fn of_value(&self, function: &Name, arity: usize) -> usize {
        self.index.get(&Place::Function(function.clone(), arity, arity)).map_or(0, |&place| self.root(place))
    }
    /// Whether terms of the sort may be equal to each other.
    pub fn has_equality(&self, sort: usize) -> bool {
        self.equality[self.root(sort)]
    }
}
