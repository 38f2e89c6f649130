//! Refutation by ground instances (Herbrand's theorem): formulas have no model exactly if finitely many ground
//! instances of their Skolem form have none, and those a SAT solver decides.

mod check;
mod encode;
mod instances;
mod sorts;
mod terms;
mod world;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub use check::BadRefutation;
pub(super) use check::{constants, contradict};

use super::formula::{Formula, Name, Term};
use super::normal::{Matrix, Skolem, Skolemizer};
use super::sat::{self, Lit, Sat};
use super::substitute::fresh;
use encode::Encoder;
use instances::Choice;
pub(super) use instances::Instances;
use world::World;

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

/// Refutes formulas in rounds, each twice as long as the one before.
///
/// Where there are few instances, all are made. Otherwise the solver's answer to those so far says which others are
/// false in it, and these are added, until the answer is that there is none, or that no instance over the terms so far is
/// false; then the variables take the terms that have come up since, or others that functions give.
pub(super) struct Refuter {
    instances: Instances,
    skolems: Vec<Skolem>,
    distinct: Vec<Name>,
    unique_names: bool,
    slice: Duration,
}

/// So few instances are all made at once.
const FEW: usize = 300;

/// Instances of each matrix that are added at once.
const AT_ONCE: usize = 12;

/// Terms that are made at once where the instances bring none.
const NEW_TERMS: usize = 16;

impl Refuter {
    /// Brings the closed formulas into Skolem form; `distinct` are constants that must differ.
    pub fn new(formulas: &[&Formula], distinct: &[Name], unique_names: bool) -> Result<Self, super::normal::TooLarge> {
        let (matrices, skolems) = skolem_form(formulas)?;
        let mut taken: BTreeSet<Name> = formulas.iter().flat_map(|f| f.names()).collect();
        taken.extend(skolems.iter().map(|s| s.name.clone()));
        let mut instances = Instances::new(matrices, &spare(&taken));
        instances.widen();
        if instances.all() <= FEW {
            instances.grow(FEW);
        }
        let distinct = distinct.to_vec();
        Ok(Refuter { instances, skolems, distinct, unique_names, slice: Duration::from_millis(10) })
    }

    /// One round more.
    pub fn round(&mut self, budget: &Budget) -> Round {
        let end = Instant::now() + self.slice;
        let until = budget.deadline.map_or(end, |deadline| deadline.min(end));
        self.slice *= 2;
        let late = || budget.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        loop {
            let choices = self.instances.choices.clone();
            if choices.len() > budget.instances {
                return Round::GaveUp("too many ground instances");
            }
            // A round may go on for as long again where the solver is at work.
            let patient = until + self.slice;
            let patient = budget.deadline.map_or(patient, |deadline| deadline.min(patient));
            let world = match self.solve(&choices, Some(patient)) {
                Solved::Holds(world) => world,
                Solved::Core(core) => return Round::Refuted(self.shrink(core, budget)),
                Solved::GaveUp("time") if !late() => return Round::Open,
                Solved::GaveUp(reason) => return Round::GaveUp(reason),
            };
            match self.instances.violated(&world, AT_ONCE, Some(until)) {
                None if late() => return Round::GaveUp("time"),
                None => return Round::Open,
                Some(found) if found.is_empty() => {
                    if !self.instances.widen() && !self.instances.deepen(NEW_TERMS) {
                        return Round::Saturated;
                    }
                }
                Some(found) => found.into_iter().for_each(|choice| self.instances.add(choice)),
            }
            if Instant::now() >= until {
                return if late() { Round::GaveUp("time") } else { Round::Open };
            }
        }
    }

    /// Whether the instances hold together; where not, some that do not.
    fn solve(&mut self, choices: &[Choice], deadline: Option<Instant>) -> Solved {
        // Selectors slow the solver down, so the first pass has none.
        let mut encoder = Encoder::new(&mut self.instances, Sat::new());
        choices.iter().for_each(|choice| encoder.add(choice, None));
        if !encoder.equality(&self.distinct, MAX_EQUALITY) {
            return Solved::GaveUp("too many terms under equality");
        }
        match encoder.sat.solve(&[], deadline) {
            sat::Answer::Satisfiable => return Solved::Holds(encoder.world()),
            sat::Answer::Stopped => return Solved::GaveUp("time"),
            sat::Answer::Unsatisfiable => {}
        }
        let mut encoder = Encoder::new(&mut self.instances, Sat::new());
        let selectors: Vec<Lit> = choices
            .iter()
            .map(|choice| {
                let selector = encoder.sat.new_lit();
                encoder.add(choice, Some(!selector));
                selector
            })
            .collect();
        encoder.equality(&self.distinct, MAX_EQUALITY);
        match encoder.sat.solve(&selectors, deadline) {
            sat::Answer::Unsatisfiable => {
                let core: BTreeSet<Lit> = encoder.sat.core().into_iter().collect();
                let chosen = choices.iter().zip(&selectors).filter(|(_, lit)| core.contains(lit));
                Solved::Core(chosen.map(|(choice, _)| choice.clone()).collect())
            }
            sat::Answer::Satisfiable | sat::Answer::Stopped => Solved::GaveUp("time"),
        }
    }

    /// Leaves out what a core does not need.
    fn shrink(&mut self, mut core: Vec<Choice>, budget: &Budget) -> Refutation {
        let mut at = 0;
        while at < core.len() {
            let mut fewer = core.clone();
            fewer.remove(at);
            match self.solve(&fewer, budget.deadline) {
                Solved::Core(smaller) => core = smaller,
                Solved::Holds(_) => at += 1,
                Solved::GaveUp(_) => break,
            }
        }
        let found: Vec<Instance> = core
            .iter()
            .map(|choice| Instance {
                source: self.instances.matrices[choice.matrix].source,
                general: self.instances.matrices[choice.matrix].formula.clone(),
                bindings: self.instances.bindings(choice),
                ground: self.instances.formula(choice),
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
    Holds(World),
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
