//! The search for a model of a given size, by way of a SAT solver (as Mace4 and Paradox do): quantifiers are spelt out
//! over the elements, functions become tables of which each cell has one value. No Skolem form is needed.

mod encode;
mod tables;

use std::time::Instant;

use super::formula::{Formula, Name};
use super::model::Model;
use super::sat::Outcome;
use encode::Encoder;

/// What to look for and how far.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions<'a> {
    /// Constants that must differ from each other.
    pub distinct: &'a [Name],
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Clauses at most.
    pub max_clauses: usize,
}

/// What the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// A model; the plain evaluator says that all formulas hold in it.
    Found(Model),
    /// There is none of this size.
    None,
    /// Not found out, and why.
    GaveUp(&'static str),
}

/// Searches for a model of closed formulas with `size` elements.
pub fn find_model(formulas: &[&Formula], size: usize, options: &SearchOptions<'_>) -> Search {
    if size == 0 || options.distinct.len() > size {
        return Search::None;
    }
    let mut encoder = Encoder::new(size, options);
    for formula in formulas {
        encoder.declare(formula);
    }
    for name in options.distinct {
        encoder.function(&(name.clone(), 0));
    }
    encoder.break_symmetry();
    for formula in formulas {
        encoder.assert(formula, true, &mut Vec::new());
    }
    encoder.differ();
    if let Some(reason) = encoder.gave_up {
        return Search::GaveUp(reason);
    }
    match encoder.sat.solve(&[]) {
        Outcome::Unsatisfiable => Search::None,
        Outcome::Stopped => Search::GaveUp("out of time"),
        Outcome::Satisfiable => {
            let model = encoder.model();
            let holds = formulas.iter().all(|f| model.holds(f) == Ok(true));
            debug_assert!(holds, "a model in which some formula is false");
            if holds { Search::Found(model) } else { Search::GaveUp("a fault in the search") }
        }
    }
}
