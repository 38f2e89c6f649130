//! A lower bound for what is known on a branch: the fewest clauses that cannot hold together with it. Every one of them
//! must be applied at least once, whatever the derivation.
//!
//! Found by implicit hitting sets: in every world where what is known holds, some clause fails that a derivation
//! applies. Worlds are kept, since one that a branch allows bounds every derivation from there.

use super::problem::{Lit, Problem, not};
use super::{Budget, Known};
use crate::logic::sat::{Answer, Lit as Var, Sat};

/// Places of one search for a hitting set, at most; beyond, nothing is proved.
const MAX_HITTING: usize = 1_000;

/// Truth values for all atoms, and the clauses that are false under them.
struct World {
    holds: Known,
    fails: Vec<usize>,
}

pub(super) struct Bound<'a> {
    problem: &'a Problem,
    /// The clauses by number in which a literal stands.
    clauses_of: Vec<Vec<usize>>,
    theory: Sat,
    atoms: Vec<Var>,
    /// A clause holds if its selector does.
    selectors: Vec<Var>,
    worlds: Vec<World>,
}

impl<'a> Bound<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let mut theory = Sat::new();
        let atoms: Vec<Var> = problem.atoms.iter().map(|_| theory.new_lit()).collect();
        let mut clauses_of = vec![Vec::new(); 2 * atoms.len()];
        problem.facts.keys().for_each(|&fact| theory.add(&[var(&atoms, fact)]));
        let mut selectors = Vec::new();
        for (number, clause) in problem.clauses.iter().enumerate() {
            let selector = theory.new_lit();
            let mut lits = vec![!selector];
            lits.extend(clause.lits.iter().map(|&lit| var(&atoms, lit)));
            theory.add(&lits);
            selectors.push(selector);
            clause.lits.iter().for_each(|&lit| clauses_of[lit as usize].push(number));
        }
        Bound { problem, clauses_of, theory, atoms, selectors, worlds: Vec::new() }
    }

    /// The fewest clauses that contradict what is known, or `most` where no fewer do; less where the budget ends.
    pub fn least(&mut self, known: &Known, most: usize, budget: &mut Budget) -> usize {
        (1..most).find(|&size| !self.exceeds(known, size, budget)).unwrap_or(most)
    }

    /// Whether more than `size` clauses are needed to contradict what is known; `false` where that is not proved.
    pub fn exceeds(&mut self, known: &Known, size: usize, budget: &mut Budget) -> bool {
        let mut open: Vec<usize> = (0..self.worlds.len()).filter(|&w| known.within(&self.worlds[w].holds)).collect();
        loop {
            let sets: Vec<&[usize]> = open.iter().map(|&w| &self.worlds[w].fails[..]).collect();
            let mut hitting = Hitting { chosen: Vec::new(), barred: Vec::new(), left: MAX_HITTING };
            if !hitting.meets(&sets, size) {
                return hitting.left > 0;
            }
            // A run of the solver takes longer than a look at the clock.
            if budget.step() || budget.look() {
                return false;
            }
            let chosen = hitting.chosen;
            let mut assumptions: Vec<Var> = chosen.iter().map(|&c| self.selectors[c]).collect();
            assumptions.extend(known.lits().map(|lit| var(&self.atoms, lit)));
            if self.theory.solve(&assumptions, budget.deadline()) != Answer::Satisfiable {
                return false;
            }
            let world = self.world(known, &chosen);
            open.push(self.worlds.len());
            self.worlds.push(world);
        }
    }

    /// The world that the solver found, made to hold as many clauses as can be had by changing an atom at a time. What
    /// is known and the clauses chosen stay true.
    fn world(&self, known: &Known, chosen: &[usize]) -> World {
        let mut holds = Known(vec![0; known.0.len()]);
        for (atom, &var) in self.atoms.iter().enumerate() {
            holds.set(2 * atom as Lit + Lit::from(!self.theory.value(var)));
        }
        let clauses = &self.problem.clauses;
        let mut trues: Vec<usize> = clauses.iter().map(|c| c.lits.iter().filter(|l| holds.has(**l)).count()).collect();
        loop {
            let mut changed = false;
            for atom in 0..self.atoms.len() as Lit {
                let lit = 2 * atom + Lit::from(!holds.has(2 * atom));
                let breaks = self.clauses_of[lit as usize].iter().filter(|&&c| trues[c] == 1);
                let mends = self.clauses_of[not(lit) as usize].iter().filter(|&&c| trues[c] == 0).count();
                if known.has(lit) || breaks.clone().count() >= mends || breaks.clone().any(|c| chosen.contains(c)) {
                    continue;
                }
                self.clauses_of[lit as usize].iter().for_each(|&c| trues[c] -= 1);
                self.clauses_of[not(lit) as usize].iter().for_each(|&c| trues[c] += 1);
                holds.0[lit as usize / 64] &= !(1 << (lit % 64));
                holds.set(not(lit));
                changed = true;
            }
            if !changed {
                break;
            }
        }
        World { holds, fails: (0..clauses.len()).filter(|&c| trues[c] == 0).collect() }
    }
}

fn var(atoms: &[Var], lit: Lit) -> Var {
    if lit & 1 == 0 { atoms[lit as usize >> 1] } else { !atoms[lit as usize >> 1] }
}

/// The search for a few clauses that meet every set.
struct Hitting {
    chosen: Vec<usize>,
    barred: Vec<usize>,
    left: usize,
}

impl Hitting {
    /// Whether `size` clauses more can meet every set.
    fn meets(&mut self, sets: &[&[usize]], size: usize) -> bool {
        self.left = self.left.saturating_sub(1);
        let open: Vec<&[usize]> =
            sets.iter().copied().filter(|set| !set.iter().any(|c| self.chosen.contains(c))).collect();
        let Some(smallest) = open.iter().min_by_key(|set| set.len()) else { return true };
        if self.left == 0 || apart(&open) > size {
            return false;
        }
        let barred = self.barred.len();
        for &clause in smallest.iter() {
            if self.barred.contains(&clause) {
                continue;
            }
            self.chosen.push(clause);
            if self.meets(&open, size - 1) {
                return true;
            }
            self.chosen.pop();
            self.barred.push(clause);
        }
        self.barred.truncate(barred);
        false
    }
}

/// How many sets without a common member are found by taking small ones first: each needs a member of its own.
fn apart(sets: &[&[usize]]) -> usize {
    let mut sets = sets.to_vec();
    sets.sort_by_key(|set| set.len());
    let mut met: Vec<usize> = Vec::new();
    let mut count = 0;
    for set in sets {
        if !set.iter().any(|c| met.contains(c)) {
            met.extend(set);
            count += 1;
        }
    }
    count
}
