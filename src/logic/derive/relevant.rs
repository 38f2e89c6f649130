//! Which ground clauses a shortest derivation can use.

use std::collections::{BTreeSet, HashMap};

use super::problem::{Lit, Problem, not};

/// Leaves out clauses that no shortest derivation needs, so that the least number stays the same:
///
/// - a clause whose literals, apart from those that facts refute, include all of another's: the other does as well;
/// - a clause with a literal whose negation is neither a fact nor stands in a clause: what a shortest derivation
///   derives, or takes for a case, it uses to refute something later (or that step could go), and what it strikes out it
///   has derived before.
pub(super) fn keep_relevant(problem: &mut Problem) {
    let rest: Vec<BTreeSet<Lit>> = problem
        .clauses
        .iter()
        .map(|clause| clause.lits.iter().copied().filter(|&lit| !problem.facts.contains_key(&not(lit))).collect())
        .collect();
    let mut clauses_of: HashMap<Lit, Vec<usize>> = HashMap::new();
    for (number, lits) in rest.iter().enumerate() {
        lits.iter().for_each(|&lit| clauses_of.entry(lit).or_default().push(number));
    }
    let mut keep = vec![true; rest.len()];
    for (number, lits) in rest.iter().enumerate() {
        let rarest = lits.iter().map(|lit| &clauses_of[lit]).min_by_key(|list| list.len());
        // What leaves out a clause that is left out itself leaves out the others too.
        for &other in rarest.into_iter().flatten() {
            // Of two with the same literals the first stays.
            if other != number
                && keep[number]
                && lits.is_subset(&rest[other])
                && (lits.len() < rest[other].len() || number < other)
            {
                keep[other] = false;
            }
        }
    }
    loop {
        let stand: BTreeSet<Lit> =
            rest.iter().zip(&keep).filter(|(_, keep)| **keep).flat_map(|(lits, _)| lits.iter().copied()).collect();
        let before = keep.clone();
        for (number, lits) in rest.iter().enumerate() {
            keep[number] &= lits.iter().all(|&lit| stand.contains(&not(lit)));
        }
        if keep == before {
            break;
        }
    }
    let mut keep = keep.into_iter();
    problem.clauses.retain(|_| keep.next().unwrap_or(true));
}
