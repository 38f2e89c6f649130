//! The SAT solver behind the model search and the refuter: batsat, with a deadline and with unsatisfiable cores told in
//! the assumptions as they were given.

use std::cell::Cell;
use std::time::Instant;

use batsat::{Callbacks, Solver, SolverInterface, SolverOpts, lbool};

/// A variable or its negation (`!lit`).
pub use batsat::Lit;

/// How many of the solver's questions are answered without looking at the clock.
const CLOCK_EVERY: u32 = 64;

/// What a run of the solver ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All clauses and assumptions hold together: see [`Sat::value`].
    Satisfiable,
    /// They cannot: see [`Sat::core`].
    Unsatisfiable,
    /// The deadline passed first.
    Stopped,
}

/// Tells the solver when to stop. Once it has said so it keeps saying so until the next run.
struct Clock {
    deadline: Option<Instant>,
    asked: Cell<u32>,
    passed: Cell<bool>,
}

impl Callbacks for Clock {
    fn stop(&self) -> bool {
        let Some(deadline) = self.deadline else { return false };
        if !self.passed.get() {
            let asked = self.asked.get();
            self.asked.set(asked.wrapping_add(1));
            if asked.is_multiple_of(CLOCK_EVERY) {
                self.passed.set(Instant::now() >= deadline);
            }
        }
        self.passed.get()
    }
}

/// An incremental SAT solver. Clauses stay; assumptions hold for one run.
///
/// Variables are tried false first, so that models hold few facts.
pub struct Sat {
    solver: Solver<Clock>,
    clauses: usize,
    scratch: Vec<Lit>,
}

impl Default for Sat {
    fn default() -> Self {
        Self::new()
    }
}

impl Sat {
    /// A solver without variables or clauses.
    pub fn new() -> Self {
        let clock = Clock { deadline: None, asked: Cell::new(0), passed: Cell::new(false) };
        Sat { solver: Solver::new(SolverOpts::default(), clock), clauses: 0, scratch: Vec::new() }
    }

    /// A new variable, as its positive literal.
    pub fn new_lit(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    /// Adds a clause; the empty clause makes everything unsatisfiable.
    pub fn add(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        self.scratch.clear();
        self.scratch.extend_from_slice(clause);
        // False says that the clauses have become unsatisfiable, which the next run says too.
        self.solver.add_clause_reuse(&mut self.scratch);
    }

    /// How many clauses have been added, trivial ones counted.
    pub fn clauses(&self) -> usize {
        self.clauses
    }

    /// Looks for values under which all clauses and all of the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit], deadline: Option<Instant>) -> Answer {
        let clock = self.solver.cb_mut();
        clock.deadline = deadline;
        clock.asked.set(0);
        clock.passed.set(false);
        match self.solver.solve_limited(assumptions) {
            answer if answer == lbool::TRUE => Answer::Satisfiable,
            answer if answer == lbool::FALSE => Answer::Unsatisfiable,
            _ => Answer::Stopped,
        }
    }

    /// Whether the literal holds in the values found; means something only after [`Answer::Satisfiable`].
    pub fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// After [`Answer::Unsatisfiable`]: assumptions of that run which alone contradict the clauses, in no particular
    /// order; none where the clauses contradict each other. Not always the fewest.
    pub fn core(&self) -> Vec<Lit> {
        self.solver.unsat_core().iter().map(|&lit| !lit).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Answer, Lit, Sat};

    #[test]
    fn the_core_is_made_of_the_assumptions_that_matter() {
        let mut sat = Sat::new();
        let [a, b, c] = [(); 3].map(|()| sat.new_lit());
        sat.add(&[!a, !b]);
        assert_eq!(sat.solve(&[c, a, b], None), Answer::Unsatisfiable);
        let mut core = sat.core();
        core.sort();
        assert_eq!(core, [a, b]);
        assert_eq!(sat.solve(&[c, a], None), Answer::Satisfiable);
        assert!(sat.value(a) && sat.value(!b) && sat.value(c));
        sat.add(&[!a]);
        sat.add(&[a]);
        assert_eq!(sat.solve(&[c], None), Answer::Unsatisfiable);
        assert!(sat.core().is_empty());
        assert_eq!(sat.clauses(), 3);
    }

    #[test]
    fn contradictory_assumptions_are_their_own_core() {
        let mut sat = Sat::new();
        let a = sat.new_lit();
        assert_eq!(sat.solve(&[a, !a], None), Answer::Unsatisfiable);
        let mut core = sat.core();
        core.sort();
        assert_eq!(core, [a, !a]);
        assert_eq!(sat.solve(&[a], None), Answer::Satisfiable);
    }

    #[test]
    fn a_deadline_stops_pigeons_and_a_later_run_goes_on() {
        let mut sat = Sat::new();
        let (pigeons, holes) = (12, 11);
        let sits: Vec<Vec<Lit>> = (0..pigeons).map(|_| (0..holes).map(|_| sat.new_lit()).collect()).collect();
        let free = sat.new_lit();
        for row in &sits {
            let clause: Vec<Lit> = row.iter().copied().chain([free]).collect();
            sat.add(&clause);
        }
        for p in 0..pigeons {
            for q in 0..p {
                (0..holes).for_each(|h| sat.add(&[!sits[p][h], !sits[q][h]]));
            }
        }
        let start = Instant::now();
        assert_eq!(sat.solve(&[!free], Some(start + Duration::from_millis(20))), Answer::Stopped);
        assert!(start.elapsed() < Duration::from_secs(2));
        assert_eq!(sat.solve(&[free], None), Answer::Satisfiable);
    }
}
