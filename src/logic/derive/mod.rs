//! The shortest derivation of a conclusion: how many inference steps it takes, and which.
//!
//! **The calculus.** The premises and the conclusion's negation are brought to clauses
//! ([`normal::clauses`](crate::logic::normal::clauses)); axioms of equality are clauses too (transitivity, and an equal
//! put in another's place). On a *branch* some ground literals are known: from the start, the ground instances of
//! clauses of one literal, at no cost. A **step** applies a ground instance of another clause (also where the instance
//! itself comes to one literal): its literals whose negations are known are struck out. If none is left, the branch is closed; if one is left, it becomes known; if several
//! are left, the branch divides into a case for each, and every case must be closed. The number of steps counts every
//! application on every branch, the closing ones included.
//!
//! **Why this one.** It counts uses of rules as a person does: a chain of three implications takes three steps, a
//! disjunctive syllogism one, and a fact that is given none. It does not matter how a rule is written (an implication or
//! its contrapositive, a premise or its parts) or in which order. It is complete: a theory whose ground instances
//! contradict each other has a derivation (clausal tableaux). And the least number can be found: a lower bound comes
//! from the smallest contradictory set of clauses, and what is shorter than the bound need not be searched.
//!
//! **Exact or nothing.** The number is the least over all ground instances. Where these do not end (functions that
//! give new terms for ever), one number of steps after the other is tried, with all instances that so many can need;
//! with equality besides, there is no number. Nor is there where the least is above the limit, or time, places of the
//! search or instances run out: then there is a bound that is proved.

mod bound;
mod bounded;
mod cases;
mod chain;
mod problem;
mod relevant;
mod tree;
mod unify;

use std::time::Instant;

pub use problem::Origin;
pub use tree::{Case, Derivation, Step};

use super::formula::{Formula, Name};
use super::ground::constants;
use super::normal::clauses;
use super::syntax::Fault;
use super::verdict::{Limits, check_all};
use bound::Bound;
use bounded::Bounded;
use cases::{Cases, Node};
use problem::{Lit, Problem};

/// What the search for the shortest derivation came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Shortest {
    /// The derivation; no other has fewer steps.
    Found(Derivation),
    /// None was found.
    Unknown {
        /// Why.
        reason: String,
        /// Every derivation has at least so many steps.
        at_least: usize,
    },
}

impl Shortest {
    /// The derivation, where there is one.
    pub fn derivation(&self) -> Option<&Derivation> {
        if let Shortest::Found(derivation) = self { Some(derivation) } else { None }
    }
}

/// Places of the search that are looked at, at most.
const MAX_NODES: usize = 300_000;

/// The shortest derivation of the conclusion from the premises, of at most `most` steps. The conclusion should be
/// entailed: otherwise there is none, which only the limits end.
///
/// # Errors
/// As [`prove`](crate::logic::prove).
pub fn shortest(premises: &[Formula], conclusion: &Formula, most: usize, limits: &Limits) -> Result<Shortest, Fault> {
    let mut all: Vec<&Formula> = premises.iter().chain([conclusion]).collect();
    check_all(&all)?;
    let negated = Formula::not(conclusion.clone());
    all[premises.len()] = &negated;
    let names: Vec<Name> = if limits.unique_names { constants(&all).collect() } else { Vec::new() };
    let Ok(clauses) = clauses(all.iter().copied()) else { return Ok(unknown("the clauses are too many", 0)) };
    let mut budget = Budget { left: MAX_NODES, deadline: Some(Instant::now() + limits.time) };
    let reason = match Problem::of(&clauses, problem::instances(&clauses), &names) {
        Ok(problem) => return Ok(solve(problem, most, &mut budget)),
        Err(reason) => reason,
    };
    let Some(mut bounded) = Bounded::new(&clauses, problem::instances(&clauses)) else { return Ok(unknown(reason, 0)) };
    // Where more steps need no more terms, all numbers of steps are tried at once.
    let first = if bounded.grows() { 0 } else { most };
    for steps in first..=most {
        let proved = if first == 0 { steps } else { 0 };
        if budget.look() {
            return Ok(unknown("the search takes too many steps", proved));
        }
        match bounded.problem(steps).map(|problem| solve(problem, steps, &mut budget)) {
            Ok(Shortest::Unknown { at_least, .. }) if at_least > steps => {}
            Ok(Shortest::Unknown { reason, at_least }) => return Ok(unknown(&reason, at_least.max(proved))),
            Ok(found) => return Ok(found),
            Err(reason) => return Ok(unknown(reason, proved)),
        }
    }
    Ok(unknown(ABOVE_LIMIT, most + 1))
}

const ABOVE_LIMIT: &str = "more steps than the limit";

fn unknown(reason: &str, at_least: usize) -> Shortest {
    Shortest::Unknown { reason: reason.to_string(), at_least }
}

/// The shortest derivation of at most `most` steps that uses the problem's clauses.
fn solve(mut problem: Problem, most: usize, budget: &mut Budget) -> Shortest {
    if problem.clash.is_some() {
        return Shortest::Found(Derivation::of(&problem, None));
    }
    relevant::keep_relevant(&mut problem);
    let known = Known::of(&problem);
    let chain = chain::shortest(&problem, &known, most, budget);
    let most_with_cases = chain.as_ref().map_or(most + 1, Vec::len);
    let mut bound = Bound::new(&problem);
    let least = bound.least(&known, most_with_cases, budget);
    if chain.is_none() && least > most {
        return unknown(ABOVE_LIMIT, least);
    }
    if let Some(chain) = chain.as_ref().filter(|chain| chain.len() <= least) {
        return Shortest::Found(Derivation::of(&problem, Some(&Node::of(chain))));
    }
    let upper = chain.as_ref().map_or(most, Vec::len);
    match Cases::new(&problem, &mut bound, budget).best(&known, least, upper) {
        // Whatever came of a search that was cut short, nothing is proved by it.
        _ if budget.spent() => unknown("the search takes too many steps", least),
        Some(node) => Shortest::Found(Derivation::of(&problem, Some(&node))),
        None => unknown(ABOVE_LIMIT, most + 1),
    }
}

/// How much searching is left.
struct Budget {
    left: usize,
    deadline: Option<Instant>,
}

impl Budget {
    /// Counts one place of the search; whether the budget is used up.
    fn step(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        if self.left.is_multiple_of(256) { self.look() } else { self.spent() }
    }
    /// Looks at the clock; whether the budget is used up.
    fn look(&mut self) -> bool {
        if self.deadline.is_some_and(|moment| Instant::now() >= moment) {
            self.left = 0;
        }
        self.spent()
    }
    fn spent(&self) -> bool {
        self.left == 0
    }
    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

/// The literals that are known on a branch.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Known(Vec<u64>);

impl Known {
    fn of(problem: &Problem) -> Known {
        let mut known = Known(vec![0; problem.atoms.len() * 2 / 64 + 1]);
        problem.facts.keys().for_each(|&lit| known.set(lit));
        known
    }
    fn has(&self, lit: Lit) -> bool {
        self.0[lit as usize / 64] >> (lit % 64) & 1 == 1
    }
    fn set(&mut self, lit: Lit) {
        self.0[lit as usize / 64] |= 1 << (lit % 64);
    }
    fn with(&self, lit: Lit) -> Known {
        let mut known = self.clone();
        known.set(lit);
        known
    }
    /// Whether all of it is in `other`.
    fn within(&self, other: &Known) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }
    fn lits(&self) -> impl Iterator<Item = Lit> {
        let bits =
            |(at, &word): (usize, &u64)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| (at, bit));
        self.0.iter().enumerate().flat_map(bits).map(|(at, bit)| at as Lit * 64 + bit)
    }
}
