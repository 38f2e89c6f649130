//! Refutation by ground instances (Herbrand's theorem): formulas have no model exactly if finitely many ground
//! instances of their Skolem form have none, and those a SAT solver decides.

mod check;
mod encode;
mod instances;
mod sorts;

use std::collections::BTreeSet;
use std::time::Instant;

pub use check::BadRefutation;
pub(super) use check::{constants, contradict};

use super::formula::{Formula, Name, Term};
use super::normal::{Matrix, Skolem, Skolemizer};
use super::sat::{self, Lit, Sat};
use super::substitute::fresh;
use encode::Encoder;
use instances::Choice;
pub(super) use instances::Instances;

/// Ground instances of formulas that cannot hold together: a proof that the formulas have no model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The instances; none can be left out, unless the time to find out was short.
    pub instances: Vec<Instance>,
    /// What the symbols that the formulas do not have stand for, as far as the instances use them.
    pub skolems: Vec<Skolem>,
    /// Whether the proof may use that constants of the formulas differ.
    pub unique_names: bool,
}

/// A ground instance of a part of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Which formula, counted from 0.
    pub source: usize,
    /// The part of its Skolem form, for all values of its variables.
    pub general: Formula,
    /// The variables' values.
    pub bindings: Vec<(Name, Term)>,
    /// The part with those values.
    pub ground: Formula,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub deadline: Option<Instant>,
    /// Instances at most.
    pub instances: usize,
}

/// Clauses at most, for the axioms of equality.
const MAX_EQUALITY: usize = 2_000_000;

/// What came of a round.
#[derive(Clone, Debug)]
pub(super) enum Round {
    Refuted(Refutation),
    /// All ground instances hold together: no proof exists, and the formulas have a model.
    Saturated,
    /// Not yet; the next round has more instances.
    Open,
    /// The budget is used up.
    GaveUp(&'static str),
}

/// Refutes formulas in rounds of more and more instances.
pub(super) struct Refuter {
    matrices: Vec<Matrix>,
    skolems: Vec<Skolem>,
    distinct: Vec<Name>,
    unique_names: bool,
    spare: Name,
    rounds: usize,
}

impl Refuter {
    /// Brings the closed formulas into Skolem form; `distinct` are constants that must differ.
    pub fn new(formulas: &[&Formula], distinct: &[Name], unique_names: bool) -> Result<Self, super::normal::TooLarge> {
        let (matrices, skolems) = skolem_form(formulas)?;
        let mut taken: BTreeSet<Name> = formulas.iter().flat_map(|f| f.names()).collect();
        taken.extend(skolems.iter().map(|s| s.name.clone()));
        let spare = spare(&taken);
        let distinct = distinct.to_vec();
        Ok(Refuter { matrices, skolems, distinct, unique_names, spare, rounds: 0 })
    }

    /// One round more.
    pub fn round(&mut self, budget: &Budget) -> Round {
        self.rounds += 1;
        let mut instances = Instances::new(&self.matrices, &self.spare);
        let mut more = true;
        for _ in 0..self.rounds {
            match instances.grow(budget.instances) {
                Some(growing) => more = growing,
                None => return Round::GaveUp("too many ground instances"),
            }
            if !more {
                break;
            }
        }
        let choices = instances.choices.clone();
        match self.solve(&mut instances, &choices, budget) {
            Solved::Holds if more => Round::Open,
            Solved::Holds => Round::Saturated,
            Solved::GaveUp(reason) => Round::GaveUp(reason),
            Solved::Core(core) => Round::Refuted(self.shrink(&mut instances, core, budget)),
        }
    }

    /// Whether the instances hold together; where not, some that do not.
    fn solve(&self, instances: &mut Instances<'_>, choices: &[Choice], budget: &Budget) -> Solved {
        // Selectors slow the solver down, so the first pass has none.
        let mut encoder = Encoder::new(instances, Sat::new());
        choices.iter().for_each(|choice| encoder.add(choice, None));
        if !encoder.equality(&self.distinct, MAX_EQUALITY) {
            return Solved::GaveUp("too many terms under equality");
        }
        match encoder.sat.solve(&[], budget.deadline) {
            sat::Answer::Satisfiable => return Solved::Holds,
            sat::Answer::Stopped => return Solved::GaveUp("time"),
            sat::Answer::Unsatisfiable => {}
        }
        let mut encoder = Encoder::new(instances, Sat::new());
        let selectors: Vec<Lit> = choices
            .iter()
            .map(|choice| {
                let selector = encoder.sat.new_lit();
                encoder.add(choice, Some(!selector));
                selector
            })
            .collect();
        encoder.equality(&self.distinct, MAX_EQUALITY);
        match encoder.sat.solve(&selectors, budget.deadline) {
            sat::Answer::Unsatisfiable => {
                let core = encoder.sat.core();
                let used = |lit: &Lit| core.contains(lit);
                Solved::Core(choices.iter().zip(&selectors).filter(|(_, l)| used(l)).map(|(c, _)| c.clone()).collect())
            }
            sat::Answer::Satisfiable | sat::Answer::Stopped => Solved::GaveUp("time"),
        }
    }

    /// Leaves out what a core does not need.
    fn shrink(&self, instances: &mut Instances<'_>, mut core: Vec<Choice>, budget: &Budget) -> Refutation {
        let mut at = 0;
        while at < core.len() {
            let mut fewer = core.clone();
            fewer.remove(at);
            match self.solve(instances, &fewer, budget) {
                Solved::Core(smaller) => core = smaller,
                Solved::Holds => at += 1,
                Solved::GaveUp(_) => break,
            }
        }
        let found: Vec<Instance> = core
            .iter()
            .map(|choice| Instance {
                source: self.matrices[choice.matrix].source,
                general: self.matrices[choice.matrix].formula.clone(),
                bindings: instances.bindings(choice),
                ground: instances.formula(choice),
            })
            .collect();
        let mut used: BTreeSet<Name> = found.iter().flat_map(|i| i.ground.names()).collect();
        // What one stands for may mention others, which were made before it.
        for skolem in self.skolems.iter().rev() {
            if used.contains(&skolem.name) {
                used.extend(skolem.says.names());
            }
        }
        let skolems = self.skolems.iter().filter(|s| used.contains(&s.name)).cloned().collect();
        Refutation { instances: found, skolems, unique_names: self.unique_names }
    }
}

enum Solved {
    Holds,
    Core(Vec<Choice>),
    GaveUp(&'static str),
}

/// A beginning of names that none of the given names has; numbers are put behind it.
pub(super) fn spare(taken: &BTreeSet<Name>) -> Name {
    let mut spare = fresh("any", taken).to_string();
    while taken.iter().any(|name| name.starts_with(&spare)) {
        spare.push('_');
    }
    spare.into()
}

/// The formulas' Skolem form, the same for finding and for checking.
fn skolem_form(formulas: &[&Formula]) -> Result<(Vec<Matrix>, Vec<Skolem>), super::normal::TooLarge> {
    let mut skolemizer = Skolemizer::new(formulas.iter().copied());
    let mut matrices = Vec::new();
    for formula in formulas {
        matrices.extend(skolemizer.add(formula)?);
    }
    Ok((matrices, skolemizer.symbols))
}
