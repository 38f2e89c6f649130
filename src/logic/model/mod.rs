//! Finite models as evidence: tables for every symbol, and an evaluator by Tarski's definition that shares nothing with
//! the search that finds them, so that a model is believed because it was checked.

mod json;
mod show;

use std::collections::BTreeMap;

use super::formula::{Formula, MAX_DEPTH, Name, Term};

/// A finite interpretation. Its elements are the numbers `0..size`; a symbol is its name and its arity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// How many elements the domain has; at least one.
    pub size: usize,
    /// The value of each function for each tuple of arguments, in row-major order (the last argument runs fastest):
    /// `size.pow(arity)` elements. A constant is a function of arity 0: one element.
    pub functions: BTreeMap<(Name, usize), Vec<usize>>,
    /// Whether each predicate holds of each tuple of arguments, in the same order; one value for a proposition.
    pub predicates: BTreeMap<(Name, usize), Vec<bool>>,
}

/// Why a model gives a formula no truth value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The formula uses a function or constant that the model does not interpret.
    #[error("the model has no table for the function {0}/{1}")]
    Function(Name, usize),
    /// The formula uses a predicate that the model does not interpret.
    #[error("the model has no table for the predicate {0}/{1}")]
    Predicate(Name, usize),
    /// A variable that no quantifier binds.
    #[error("the variable {0} is free, so the formula is neither true nor false")]
    FreeVariable(Name),
    /// A table whose length is not `size.pow(arity)`.
    #[error(
        "the table of {name}/{arity} has {found} values where a domain of {size} needs {size} to the power {arity}"
    )]
    Length {
        /// The symbol.
        name: Name,
        /// Its arity.
        arity: usize,
        /// The length of its table.
        found: usize,
        /// The elements in the domain.
        size: usize,
    },
    /// A function's value that is no element.
    #[error("the table of {name}/{arity} has the value {value}, which is not in the domain of {size} elements")]
    Outside {
        /// The function.
        name: Name,
        /// Its arity.
        arity: usize,
        /// The value.
        value: usize,
        /// The elements in the domain.
        size: usize,
    },
    /// First-order domains are not empty.
    #[error("the domain is empty")]
    EmptyDomain,
    /// The formula is nested more deeply than [`MAX_DEPTH`].
    #[error("the formula is nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// The evaluation was told to stop.
    #[error("the evaluation was stopped")]
    Stopped,
}

/// A walk over a formula.
struct Walk<'a, 'b> {
    /// The values of the variables, innermost last.
    values: Vec<(&'a Name, usize)>,
    /// Asked before each instance of a quantified formula.
    stop: &'b mut dyn FnMut() -> bool,
}

impl Model {
    /// Whether all tables have the right length and all values are elements.
    ///
    /// # Errors
    /// The first table that is not as it should be.
    pub fn check(&self) -> Result<(), Missing> {
        let size = self.size;
        if size == 0 {
            return Err(Missing::EmptyDomain);
        }
        let long_enough = |(name, arity): &(Name, usize), found: usize| match cells(size, *arity) {
            Some(cells) if cells == found => Ok(()),
            _ => Err(Missing::Length { name: name.clone(), arity: *arity, found, size }),
        };
        for (symbol, table) in &self.functions {
            long_enough(symbol, table.len())?;
            if let Some(&value) = table.iter().find(|&&value| value >= size) {
                return Err(Missing::Outside { name: symbol.0.clone(), arity: symbol.1, value, size });
            }
        }
        self.predicates.iter().try_for_each(|(symbol, table)| long_enough(symbol, table.len()))
    }

    /// Whether a closed formula is true in the model. What need not be looked at is not: a disjunction is true once one
    /// part is, whatever symbols the rest uses.
    ///
    /// # Errors
    /// [`Missing`], where the model is malformed or the formula needs what it does not have.
    pub fn holds(&self, formula: &Formula) -> Result<bool, Missing> {
        self.holds_unless(formula, &mut || false)
    }

    /// [`Model::holds`] for formulas that may take too long: n quantifiers inside each other have `size.pow(n)`
    /// instances, and before each of them `stop` says whether to stop.
    ///
    /// # Errors
    /// [`Missing`], among them [`Missing::Stopped`].
    pub fn holds_unless(&self, formula: &Formula, stop: &mut dyn FnMut() -> bool) -> Result<bool, Missing> {
        self.check()?;
        if formula.depth() > MAX_DEPTH {
            return Err(Missing::TooDeep);
        }
        self.truth(formula, &mut Walk { values: Vec::new(), stop })
    }

    fn truth<'a>(&self, formula: &'a Formula, walk: &mut Walk<'a, '_>) -> Result<bool, Missing> {
        match formula {
            Formula::True => Ok(true),
            Formula::False => Ok(false),
            Formula::Pred(name, args) => {
                let row = self.row(args, walk)?;
                let table = self.predicates.get(&(name.clone(), args.len()));
                let value = table.and_then(|table| table.get(row));
                value.copied().ok_or_else(|| Missing::Predicate(name.clone(), args.len()))
            }
            Formula::Eq(s, t) => Ok(self.value(s, walk)? == self.value(t, walk)?),
            Formula::Not(part) => Ok(!self.truth(part, walk)?),
            Formula::And(parts) => {
                for part in parts {
                    if !self.truth(part, walk)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Formula::Or(parts) => {
                for part in parts {
                    if self.truth(part, walk)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Formula::Xor(a, b) => Ok(self.truth(a, walk)? != self.truth(b, walk)?),
            Formula::Implies(a, b) => Ok(!self.truth(a, walk)? || self.truth(b, walk)?),
            Formula::Iff(a, b) => Ok(self.truth(a, walk)? == self.truth(b, walk)?),
            Formula::ForAll(x, body) => {
                for element in 0..self.size {
                    if !self.truth_with(x, element, body, walk)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Formula::Exists(x, body) => {
                for element in 0..self.size {
                    if self.truth_with(x, element, body, walk)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// The truth of a body where the variable has the value.
    fn truth_with<'a>(
        &self,
        x: &'a Name,
        element: usize,
        body: &'a Formula,
        walk: &mut Walk<'a, '_>,
    ) -> Result<bool, Missing> {
        if (walk.stop)() {
            return Err(Missing::Stopped);
        }
        walk.values.push((x, element));
        let truth = self.truth(body, walk);
        walk.values.pop();
        truth
    }

    fn value(&self, term: &Term, walk: &Walk) -> Result<usize, Missing> {
        match term {
            Term::Var(x) => {
                let bound = walk.values.iter().rev().find(|(name, _)| *name == x);
                bound.map(|&(_, value)| value).ok_or_else(|| Missing::FreeVariable(x.clone()))
            }
            Term::App(name, args) => {
                let row = self.row(args, walk)?;
                let table = self.functions.get(&(name.clone(), args.len()));
                let value = table.and_then(|table| table.get(row));
                value.copied().ok_or_else(|| Missing::Function(name.clone(), args.len()))
            }
        }
    }

    /// The place of the arguments in a table.
    fn row(&self, args: &[Term], walk: &Walk) -> Result<usize, Missing> {
        args.iter().try_fold(0_usize, |row, arg| {
            // Where this overflows there is no table: one that long was checked to have the right length.
            Ok(row.saturating_mul(self.size).saturating_add(self.value(arg, walk)?))
        })
    }
}

/// How many tuples of the length there are; `None` where that is beyond counting.
fn cells(size: usize, arity: usize) -> Option<usize> {
    size.checked_pow(u32::try_from(arity).ok()?)
}

/// The tuple that stands at a place in a table.
fn tuple(size: usize, arity: usize, row: usize) -> Vec<usize> {
    let mut rest = row;
    let mut tuple: Vec<usize> = (0..arity)
        .map(|_| {
            let element = rest % size.max(1);
            rest /= size.max(1);
            element
        })
        .collect();
    tuple.reverse();
    tuple
}
