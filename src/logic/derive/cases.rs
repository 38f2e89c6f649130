//! Derivations with cases, by trying ever larger numbers of steps.

use std::collections::HashMap;

use super::bound::Bound;
use super::chain;
use super::problem::{Lit, Problem, not};
use super::{Budget, Known};

/// A derivation: what is done first, and what follows.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// This clause has no literal left.
    Close(usize),
    /// This clause leaves one literal, which is known from here on.
    Derive(usize, Lit, Box<Node>),
    /// This clause leaves several, each a case.
    Cases(usize, Vec<(Lit, Node)>),
}

impl Node {
    pub fn of(chain: &chain::Chain) -> Node {
        let (last, rest) = chain.split_last().map_or((0, &chain[..]), |((clause, _), rest)| (*clause, rest));
        rest.iter().rev().fold(Node::Close(last), |next, (clause, lit)| match lit {
            Some(lit) => Node::Derive(*clause, *lit, Box::new(next)),
            None => next,
        })
    }

    /// How many clauses are applied.
    pub fn steps(&self) -> usize {
        match self {
            Node::Close(_) => 1,
            Node::Derive(_, _, next) => 1 + next.steps(),
            Node::Cases(_, cases) => 1 + cases.iter().map(|(_, node)| node.steps()).sum::<usize>(),
        }
    }
}

pub(super) struct Cases<'a, 'p> {
    problem: &'p Problem,
    bound: &'a mut Bound<'p>,
    budget: &'a mut Budget,
    /// Steps within which nothing with cases closes what is known.
    failed: HashMap<Known, usize>,
}

impl<'a, 'p> Cases<'a, 'p> {
    pub fn new(problem: &'p Problem, bound: &'a mut Bound<'p>, budget: &'a mut Budget) -> Self {
        Cases { problem, bound, budget, failed: HashMap::new() }
    }

    /// The shortest derivation of at most `most` steps; one with cases has `least` steps at least.
    pub fn best(&mut self, known: &Known, least: usize, most: usize) -> Option<Node> {
        if self.bound.exceeds(known, most, self.budget) {
            return None;
        }
        let chain = chain::shortest(self.problem, known, most, self.budget).map(|chain| Node::of(&chain));
        let limit = chain.as_ref().map_or(most, |node| node.steps() - 1);
        // The cheapest is two cases, closed at once.
        for steps in least.max(3)..=limit {
            if let Some(node) = self.within(known, steps) {
                return Some(node);
            }
            if self.budget.spent() {
                break;
            }
        }
        chain
    }

    /// A derivation with cases of at most `steps` steps.
    fn within(&mut self, known: &Known, steps: usize) -> Option<Node> {
        if steps < 3 || self.failed.get(known).is_some_and(|failed| *failed >= steps) || self.budget.step() {
            return None;
        }
        if self.bound.exceeds(known, steps, self.budget) {
            self.failed.insert(known.clone(), steps);
            return None;
        }
        let mut single = Vec::new();
        for (number, clause) in self.problem.clauses.iter().enumerate() {
            if clause.lits.iter().any(|lit| known.has(*lit)) {
                continue;
            }
            let open: Vec<Lit> = clause.lits.iter().copied().filter(|lit| !known.has(not(*lit))).collect();
            match open[..] {
                [lit] => single.push((number, lit)),
                // Each case takes a step.
                [_, _, ..] if open.len() < steps => {
                    if let Some(node) = self.split(known, number, &open, steps) {
                        return Some(node);
                    }
                }
                _ => {}
            }
        }
        for (number, lit) in single {
            let next = known.with(lit);
            if let Some(node) = self.within(&next, steps - 1) {
                return Some(Node::Derive(number, lit, Box::new(node)));
            }
        }
        if !self.budget.spent() {
            self.failed.insert(known.clone(), steps);
        }
        None
    }

    fn split(&mut self, known: &Known, number: usize, open: &[Lit], steps: usize) -> Option<Node> {
        let mut left = steps - 1;
        let mut cases = Vec::new();
        for (done, &lit) in open.iter().enumerate() {
            let others = open.len() - done - 1;
            let node = self.best(&known.with(lit), 1, left.checked_sub(others)?)?;
            left = left.checked_sub(node.steps())?;
            cases.push((lit, node));
        }
        Some(Node::Cases(number, cases))
    }
}
