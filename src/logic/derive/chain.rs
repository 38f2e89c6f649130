//! Derivations without cases: each step makes one more literal known, and the last closes.
//!
//! Searched for from the end: a clause that is to close, what it needs known, what that needs, and so on. A derivation
//! has as many steps as literals are derived, and one; so the least is a smallest set of derived literals.

use std::collections::{BTreeMap, HashMap};

use super::problem::{Lit, Problem, not};
use super::{Budget, Known};

/// A derivation without cases: clauses by number with what each makes known, in order; the last closes.
pub(super) type Chain = Vec<(usize, Option<Lit>)>;

/// The shortest derivation without cases from what is known, of at most `most` steps.
pub(super) fn shortest(problem: &Problem, known: &Known, most: usize, budget: &mut Budget) -> Option<Chain> {
    let levels = Levels::of(problem, known, most)?;
    for steps in levels.least..=most {
        for (number, clause) in problem.clauses.iter().enumerate() {
            let Some(need) = levels.needs(problem, known, number, None) else { continue };
            if clause.lits.iter().any(|lit| known.has(*lit)) {
                continue;
            }
            let mut search = Search { problem, known, levels: &levels, done: BTreeMap::new(), budget };
            if search.derive(need, steps - 1) {
                return Some(search.order(number));
            }
            if budget.spent() {
                return None;
            }
        }
    }
    None
}

/// How many rounds of unit steps make each literal known, and which clauses can.
struct Levels {
    level: HashMap<Lit, usize>,
    makers: HashMap<Lit, Vec<usize>>,
    /// Steps at least.
    least: usize,
}

impl Levels {
    /// `None` where no clause can be closed within `most` rounds.
    fn of(problem: &Problem, known: &Known, most: usize) -> Option<Levels> {
        let mut levels = Levels { level: HashMap::new(), makers: HashMap::new(), least: 0 };
        for round in 1..=most {
            let mut found = Vec::new();
            for clause in &problem.clauses {
                let at = |lit: &Lit| levels.level(known, not(*lit)).is_some();
                let mut open = clause.lits.iter().filter(|lit| !at(lit));
                match (open.next(), open.next()) {
                    (None, _) => {
                        levels.least = round;
                        break;
                    }
                    (Some(&lit), None) if levels.level(known, lit).is_none() => found.push(lit),
                    _ => {}
                }
            }
            if levels.least > 0 {
                break;
            }
            if found.is_empty() {
                return None;
            }
            for lit in found {
                levels.level.entry(lit).or_insert(round);
            }
        }
        if levels.least == 0 {
            return None;
        }
        // A longer derivation may derive more: everything that unit steps reach.
        loop {
            let mut found = Vec::new();
            for clause in &problem.clauses {
                let mut open = clause.lits.iter().filter(|lit| levels.level(known, not(**lit)).is_none());
                if let (Some(&lit), None) = (open.next(), open.next())
                    && levels.level(known, lit).is_none()
                {
                    found.push(lit);
                }
            }
            if found.is_empty() {
                break;
            }
            let next = levels.level.values().max().map_or(1, |l| l + 1);
            for lit in found {
                levels.level.entry(lit).or_insert(next);
            }
        }
        for (number, clause) in problem.clauses.iter().enumerate() {
            for &lit in &clause.lits {
                let others = clause.lits.iter().filter(|other| **other != lit);
                if !known.has(lit) && others.clone().all(|other| levels.level(known, not(*other)).is_some()) {
                    levels.makers.entry(lit).or_default().push(number);
                }
            }
        }
        Some(levels)
    }

    fn level(&self, known: &Known, lit: Lit) -> Option<usize> {
        if known.has(lit) { Some(0) } else { self.level.get(&lit).copied() }
    }

    /// What must be derived before a clause closes, or leaves only `but`; `None` where it cannot be.
    fn needs(&self, problem: &Problem, known: &Known, clause: usize, but: Option<Lit>) -> Option<Vec<Lit>> {
        let mut need = Vec::new();
        for &lit in problem.clauses[clause].lits.iter().filter(|lit| Some(**lit) != but) {
            if self.level(known, not(lit))? > 0 {
                need.push(not(lit));
            }
        }
        Some(need)
    }
}

struct Search<'a> {
    problem: &'a Problem,
    known: &'a Known,
    levels: &'a Levels,
    /// What is derived, by which clause and from what.
    done: BTreeMap<Lit, (usize, Vec<Lit>)>,
    budget: &'a mut Budget,
}

impl Search<'_> {
    /// Whether all of `todo` can be derived with at most `most` literals in all.
    fn derive(&mut self, todo: Vec<Lit>, most: usize) -> bool {
        // What is to do needs a literal each, and the hardest as many as its level says, itself among them.
        let deepest = todo.iter().filter_map(|lit| self.levels.level(self.known, *lit)).max().unwrap_or(0);
        let more = todo.len().max(deepest.saturating_sub(self.done.len()));
        if self.done.len() + more > most || self.budget.step() {
            return false;
        }
        // The hardest first.
        let Some(&lit) = todo.iter().max_by_key(|lit| (self.levels.level.get(lit), **lit)) else { return true };
        let rest: Vec<Lit> = todo.into_iter().filter(|other| *other != lit).collect();
        for maker in self.levels.makers.get(&lit).cloned().unwrap_or_default() {
            let Some(need) = self.levels.needs(self.problem, self.known, maker, Some(lit)) else { continue };
            if need.iter().any(|from| self.leads_back(*from, lit)) {
                continue;
            }
            let mut next = rest.clone();
            next.extend(need.iter().filter(|from| !self.done.contains_key(from) && !rest.contains(from)));
            self.done.insert(lit, (maker, need));
            if self.derive(next, most) {
                return true;
            }
            self.done.remove(&lit);
        }
        false
    }

    /// Whether `from` is derived by way of `lit`.
    fn leads_back(&self, from: Lit, lit: Lit) -> bool {
        from == lit || self.done.get(&from).is_some_and(|(_, need)| need.iter().any(|next| self.leads_back(*next, lit)))
    }

    /// The steps in an order in which each has what it needs.
    fn order(&self, last: usize) -> Chain {
        let mut chain: Chain = Vec::new();
        while chain.len() < self.done.len() {
            let have = |lit: &Lit| chain.iter().any(|(_, made)| *made == Some(*lit));
            let next = self.done.iter().find(|(lit, (_, need))| !have(lit) && need.iter().all(have));
            match next {
                Some((lit, (clause, _))) => chain.push((*clause, Some(*lit))),
                None => break,
            }
        }
        chain.push((last, None));
        chain
    }
}
