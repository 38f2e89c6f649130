//! Formulas as clauses (Tseitin's way): each connective that needs one gets a literal that stands for it. A literal
//! implies its formula; it is implied by it too only under ↔, where both directions matter.

use std::collections::HashMap;
use std::time::Instant;

use super::super::sat::{Answer, Lit, Sat};
use super::SearchOptions;
use super::ground::Node;

/// Why an encoding was given up.
pub type Stop = &'static str;

/// Instances walked through per clause allowed: simplification may walk far and leave no clause behind.
const STEPS_PER_CLAUSE: usize = 16;

/// How many steps are taken without looking at the clock.
const CLOCK_EVERY: usize = 1024;

/// What a memo of a quantified formula depends on: its number, sign and direction, and the values of its variables.
type Memo = (usize, bool, bool, Box<[usize]>);

/// Formulas, terms and atoms over a domain, as far as they have been turned into clauses.
pub struct Encoder<'a> {
    pub sat: Sat,
    pub size: usize,
    /// A literal that holds.
    pub top: Lit,
    /// For each ground term that is no element: literal d says that its value is d.
    pub rows: Vec<Vec<Lit>>,
    /// The term that a function and its arguments make.
    pub terms: HashMap<(usize, Box<[usize]>), usize>,
    /// The literal that a predicate and its arguments make.
    pub atoms: HashMap<(usize, Box<[usize]>), Lit>,
    /// The literals of equations between terms, the lower number first.
    pub equations: HashMap<(usize, usize), Lit>,
    quantified: HashMap<Memo, Lit>,
    budget: Budget<'a>,
}

/// What is left of the work allowed.
pub struct Budget<'a> {
    options: &'a SearchOptions<'a>,
    steps: usize,
}

impl<'a> Budget<'a> {
    pub fn new(options: &'a SearchOptions<'a>) -> Self {
        Budget { options, steps: 0 }
    }

    /// Counts a step of work.
    pub fn step(&mut self) -> Result<(), Stop> {
        if self.steps.is_multiple_of(CLOCK_EVERY)
            && self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err("deadline");
        }
        self.steps += 1;
        if self.steps > self.options.max_clauses.saturating_mul(STEPS_PER_CLAUSE) {
            return Err("too many instances");
        }
        Ok(())
    }
}

impl<'a> Encoder<'a> {
    pub fn new(size: usize, options: &'a SearchOptions<'a>) -> Self {
        let mut sat = Sat::new();
        let top = sat.new_lit();
        sat.add(&[top]);
        Encoder {
            sat,
            size,
            top,
            rows: Vec::new(),
            terms: HashMap::new(),
            atoms: HashMap::new(),
            equations: HashMap::new(),
            quantified: HashMap::new(),
            budget: Budget::new(options),
        }
    }

    pub fn solve(&mut self) -> Answer {
        self.sat.solve(&[], self.budget.options.deadline)
    }

    pub fn add(&mut self, clause: &[Lit]) -> Result<(), Stop> {
        if self.sat.clauses() >= self.budget.options.max_clauses {
            return Err("too many clauses");
        }
        self.step()?;
        self.sat.add(clause);
        Ok(())
    }

    pub fn step(&mut self) -> Result<(), Stop> {
        self.budget.step()
    }

    /// Makes the formula (its negation, where the sign is false) hold.
    pub fn assert(&mut self, node: &Node, sign: bool, env: &mut Vec<usize>) -> Result<(), Stop> {
        self.step()?;
        match node {
            Node::Not(inner) => self.assert(inner, !sign, env),
            Node::Junction { all, parts } if *all == sign => {
                parts.iter().try_for_each(|part| self.assert(part, sign, env))
            }
            Node::Quantified { all, body, vacuous, .. } if *all == sign => {
                for d in 0..if *vacuous { 1 } else { self.size } {
                    env.push(d);
                    let done = self.assert(body, sign, env);
                    env.pop();
                    done?;
                }
                Ok(())
            }
            Node::Iff(a, b) => {
                let (a, b) = (self.literal(a, true, true, env)?, self.literal(b, sign, true, env)?);
                self.add(&[!a, b])?;
                self.add(&[a, !b])
            }
            _ => {
                let mut clause = Vec::new();
                if !self.gather(node, sign, false, false, env, &mut clause)? {
                    self.add(&clause)?;
                }
                Ok(())
            }
        }
    }

    /// A literal that implies the formula (its negation, where the sign is false), and where `both` is set is implied
    /// by it.
    fn literal(&mut self, node: &Node, sign: bool, both: bool, env: &mut Vec<usize>) -> Result<Lit, Stop> {
        self.step()?;
        match node {
            Node::Const(value) => Ok(self.top ^ (*value != sign)),
            Node::Pred(predicate, args) => Ok(self.atom(*predicate, args, env)? ^ !sign),
            Node::Eq(s, t) => Ok(self.equation(s, t, env)? ^ !sign),
            Node::Not(inner) => self.literal(inner, !sign, both, env),
            Node::Iff(a, b) => {
                let (a, b) = (self.literal(a, true, true, env)?, self.literal(b, sign, true, env)?);
                self.same(a, b, both)
            }
            Node::Junction { all, .. } => self.gate(node, sign, *all == sign, both, env),
            Node::Quantified { all, id, free, .. } => {
                let values = free.iter().map(|slot| env[*slot]).collect();
                let memo = (*id, sign, both, values);
                if let Some(&known) = self.quantified.get(&memo) {
                    return Ok(known);
                }
                let lit = self.gate(node, sign, *all == sign, both, env)?;
                self.quantified.insert(memo, lit);
                Ok(lit)
            }
        }
    }

    /// A literal for a conjunction (`all`) or a disjunction.
    fn gate(&mut self, node: &Node, sign: bool, all: bool, both: bool, env: &mut Vec<usize>) -> Result<Lit, Stop> {
        let mut parts = Vec::new();
        let absorbed = self.gather(node, sign, all, both, env, &mut parts)?;
        parts.sort_unstable();
        parts.dedup();
        // A literal and its negation are neighbours.
        if absorbed || parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Ok(self.top ^ all);
        }
        match parts[..] {
            [] => return Ok(self.top ^ !all),
            [only] => return Ok(only),
            _ => {}
        }
        let lit = self.sat.new_lit();
        // For ∧: lit implies each part, and together they imply it. For ∨ the same of all the negations.
        if all || both {
            for part in &parts {
                self.add(&[!lit ^ !all, *part ^ !all])?;
            }
        }
        if !all || both {
            let mut clause: Vec<Lit> = parts.iter().map(|part| *part ^ all).collect();
            clause.push(lit ^ !all);
            self.add(&clause)?;
        }
        Ok(lit)
    }

    /// Collects the parts of a conjunction (`all`) or a disjunction through everything of that kind that is nested in
    /// it. True where one part decides the whole.
    fn gather(
        &mut self,
        node: &Node,
        sign: bool,
        all: bool,
        both: bool,
        env: &mut Vec<usize>,
        parts: &mut Vec<Lit>,
    ) -> Result<bool, Stop> {
        match node {
            Node::Not(inner) => return self.gather(inner, !sign, all, both, env, parts),
            Node::Junction { all: kind, parts: inner } if (*kind == sign) == all => {
                for part in inner {
                    if self.gather(part, sign, all, both, env, parts)? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            Node::Quantified { all: kind, body, vacuous, .. } if (*kind == sign) == all => {
                for d in 0..if *vacuous { 1 } else { self.size } {
                    env.push(d);
                    let absorbed = self.gather(body, sign, all, both, env, parts);
                    env.pop();
                    if absorbed? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            _ => {}
        }
        let lit = self.literal(node, sign, both, env)?;
        if lit == self.top ^ all {
            return Ok(true);
        }
        if lit != self.top ^ !all {
            parts.push(lit);
        }
        Ok(false)
    }

    /// A literal that implies that two have the same value, and where `both` is set is implied by it.
    fn same(&mut self, a: Lit, b: Lit, both: bool) -> Result<Lit, Stop> {
        for (one, other) in [(a, b), (b, a)] {
            if one == self.top || one == !self.top {
                return Ok(other ^ (one != self.top));
            }
        }
        if a.var() == b.var() {
            return Ok(self.top ^ (a != b));
        }
        let lit = self.sat.new_lit();
        self.add(&[!lit, !a, b])?;
        self.add(&[!lit, a, !b])?;
        if both {
            self.add(&[lit, a, b])?;
            self.add(&[lit, !a, !b])?;
        }
        Ok(lit)
    }
}
