//! A lower bound: the fewest clauses that cannot hold together with the facts. Every one of them must be applied at
//! least once, whatever the derivation.

use super::Budget;
use super::problem::{Problem, not};
use crate::logic::sat::{Answer, Lit, Sat};

/// The size of the smallest set of clauses that contradicts the facts, or `most` where none is smaller. Found by
/// turns: a smallest set that meets all correction sets so far is tried; where it can hold together, the clauses that
/// fail in its model are one more correction set (implicit hitting sets).
pub(super) fn least(problem: &Problem, most: usize, budget: &Budget) -> usize {
    let mut theory = Sat::new();
    let vars: Vec<Lit> = problem.atoms.iter().map(|_| theory.new_lit()).collect();
    let of = |lit: u32| if lit & 1 == 0 { vars[lit as usize >> 1] } else { !vars[lit as usize >> 1] };
    problem.facts.keys().for_each(|&fact| theory.add(&[of(fact)]));
    let selectors: Vec<Lit> = problem
        .clauses
        .iter()
        .map(|clause| {
            let selector = theory.new_lit();
            let mut lits = vec![!selector];
            lits.extend(clause.lits.iter().map(|&lit| of(lit)));
            theory.add(&lits);
            selector
        })
        .collect();
    let mut corrections: Vec<Vec<usize>> = Vec::new();
    let mut size = 1;
    while size < most {
        let chosen = match hitting_set(problem.clauses.len(), &corrections, size, budget) {
            Hitting::Set(chosen) => chosen,
            Hitting::None => {
                size += 1;
                continue;
            }
            // Nothing is proved of this size: the bound so far stands.
            Hitting::Stopped => return size,
        };
        let assumptions: Vec<Lit> = chosen.iter().map(|&c| selectors[c]).collect();
        if theory.solve(&assumptions, budget.deadline()) != Answer::Satisfiable {
            // Where the time is up, the bound so far stands.
            return size;
        }
        let holds = |lit: u32| theory.value(of(lit));
        let fails: Vec<usize> = (0..problem.clauses.len())
            .filter(|&c| !problem.clauses[c].lits.iter().any(|&lit| holds(lit) && !holds(not(lit))))
            .collect();
        corrections.push(fails);
    }
    most
}

/// What a search for a set that meets all others came to.
enum Hitting {
    Set(Vec<usize>),
    /// It is proved that there is none.
    None,
    /// The time is up.
    Stopped,
}

/// At most `size` clauses that meet every set.
fn hitting_set(clauses: usize, sets: &[Vec<usize>], size: usize, budget: &Budget) -> Hitting {
    let mut sat = Sat::new();
    let chosen: Vec<Lit> = (0..clauses).map(|_| sat.new_lit()).collect();
    for set in sets {
        let clause: Vec<Lit> = set.iter().map(|&c| chosen[c]).collect();
        sat.add(&clause);
    }
    // `count[k]`: more than k of the clauses so far are chosen.
    let mut count: Vec<Lit> = Vec::new();
    for &lit in &chosen {
        let mut next = Vec::new();
        for k in 0..=size.min(count.len()) {
            let more = sat.new_lit();
            if let Some(&before) = count.get(k) {
                sat.add(&[!before, more]);
            }
            match k.checked_sub(1).map(|below| count[below]) {
                Some(below) => sat.add(&[!below, !lit, more]),
                None => sat.add(&[!lit, more]),
            }
            next.push(more);
        }
        count = next;
    }
    if let Some(&over) = count.get(size) {
        sat.add(&[!over]);
    }
    match sat.solve(&[], budget.deadline()) {
        Answer::Satisfiable => Hitting::Set((0..clauses).filter(|&c| sat.value(chosen[c])).collect()),
        Answer::Unsatisfiable => Hitting::None,
        Answer::Stopped => Hitting::Stopped,
    }
}
