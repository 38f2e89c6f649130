//! The SAT solver (batsat, a MiniSat in Rust) behind the few calls that the rest needs.

use std::time::Instant;

use batsat::callbacks::Callbacks;
pub(super) use batsat::clause::Lit;
use batsat::clause::lbool;
use batsat::interface::SolverInterface;

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Satisfiable,
    Unsatisfiable,
    /// The time was up.
    Stopped,
}

/// Stops the solver at a moment.
struct Until(Option<Instant>);

impl Callbacks for Until {
    fn stop(&self) -> bool {
        self.0.is_some_and(|moment| Instant::now() >= moment)
    }
}

/// A set of clauses.
pub(super) struct Sat {
    solver: batsat::core::Solver<Until>,
    clauses: usize,
}

impl Sat {
    /// No clauses; a search stops at `deadline`.
    pub fn new(deadline: Option<Instant>) -> Self {
        Sat { solver: batsat::core::Solver::new(Default::default(), Until(deadline)), clauses: 0 }
    }
    /// A literal of a new variable.
    pub fn new_lit(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }
    /// Adds a clause.
    pub fn add(&mut self, clause: &[Lit]) {
        self.clauses += 1;
        self.solver.add_clause_reuse(&mut clause.to_vec());
    }
    /// How many clauses were added.
    pub fn clauses(&self) -> usize {
        self.clauses
    }
    /// Searches for values under which all clauses and all assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Outcome {
        match self.solver.solve_limited(assumptions) {
            answer if answer == lbool::TRUE => Outcome::Satisfiable,
            answer if answer == lbool::FALSE => Outcome::Unsatisfiable,
            _ => Outcome::Stopped,
        }
    }
    /// A literal's value, after [`Outcome::Satisfiable`].
    pub fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }
    /// The assumptions that cannot hold together, after [`Outcome::Unsatisfiable`].
    pub fn core(&self) -> Vec<Lit> {
        self.solver.unsat_core().to_vec()
    }
}
