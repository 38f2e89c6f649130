//! Formulas as clauses: quantifiers spelt out over the elements, connectives by literals that stand for their parts.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use super::SearchOptions;
use super::tables::Value;
use crate::logic::formula::{Formula, Name};
use crate::logic::model::Symbol;
use crate::logic::sat::{Lit, Sat};

pub(super) struct Encoder<'a> {
    pub(super) size: usize,
    pub(super) options: &'a SearchOptions<'a>,
    pub(super) sat: Sat,
    pub(super) truth: Lit,
    /// Per function a row of literals for each cell.
    pub(super) functions: BTreeMap<Symbol, Vec<Value>>,
    pub(super) predicates: BTreeMap<Symbol, Vec<Lit>>,
    pub(super) choices: Vec<Vec<Lit>>,
    pub(super) terms: HashMap<(Name, Vec<Value>), Value>,
    pub(super) atoms: HashMap<(Name, Vec<Value>), Lit>,
    steps: usize,
    pub(super) gave_up: Option<&'static str>,
}

pub(super) type Env<'f> = Vec<(&'f Name, usize)>;

impl<'a> Encoder<'a> {
    pub(super) fn new(size: usize, options: &'a SearchOptions<'a>) -> Self {
        let mut sat = Sat::new(options.deadline);
        let truth = sat.new_lit();
        sat.add(&[truth]);
        Encoder {
            size,
            options,
            sat,
            truth,
            functions: BTreeMap::new(),
            predicates: BTreeMap::new(),
            choices: Vec::new(),
            terms: HashMap::new(),
            atoms: HashMap::new(),
            steps: 0,
            gave_up: None,
        }
    }

    /// Whether to stop, which is asked at every step.
    pub(super) fn stopped(&mut self) -> bool {
        self.steps += 1;
        if self.gave_up.is_none() {
            if self.sat.clauses().max(self.steps / 4) > self.options.max_clauses {
                self.gave_up = Some("too many clauses");
            } else if self.steps.is_multiple_of(1024)
                && self.options.deadline.is_some_and(|moment| Instant::now() >= moment)
            {
                self.gave_up = Some("out of time");
            }
        }
        self.gave_up.is_some()
    }

    /// The formula, or its negation, holds.
    pub(super) fn assert<'f>(&mut self, formula: &'f Formula, positive: bool, env: &mut Env<'f>) {
        if self.stopped() {
            return;
        }
        match (formula, positive) {
            (Formula::Not(inner), _) => self.assert(inner, !positive, env),
            (Formula::And(parts), true) | (Formula::Or(parts), false) => {
                parts.iter().for_each(|part| self.assert(part, positive, env));
            }
            (Formula::Implies(a, b), false) => {
                self.assert(a, true, env);
                self.assert(b, false, env);
            }
            (Formula::ForAll(x, body), true) | (Formula::Exists(x, body), false) => {
                for element in 0..self.size {
                    env.push((x, element));
                    self.assert(body, positive, env);
                    env.pop();
                }
            }
            _ => {
                let mut clause = Vec::new();
                self.disjuncts(formula, positive, env, &mut clause);
                self.sat.add(&clause);
            }
        }
    }

    /// Literals of which one must hold for the formula (or its negation) to hold.
    fn disjuncts<'f>(&mut self, formula: &'f Formula, positive: bool, env: &mut Env<'f>, out: &mut Vec<Lit>) {
        if self.stopped() {
            return;
        }
        match (formula, positive) {
            (Formula::Not(inner), _) => self.disjuncts(inner, !positive, env, out),
            (Formula::Or(parts), true) | (Formula::And(parts), false) => {
                parts.iter().for_each(|part| self.disjuncts(part, positive, env, out));
            }
            (Formula::Implies(a, b), true) => {
                self.disjuncts(a, false, env, out);
                self.disjuncts(b, true, env, out);
            }
            (Formula::Exists(x, body), true) | (Formula::ForAll(x, body), false) => {
                for element in 0..self.size {
                    env.push((x, element));
                    self.disjuncts(body, positive, env, out);
                    env.pop();
                }
            }
            _ => {
                let lit = self.literal(formula, env);
                out.push(if positive { lit } else { !lit });
            }
        }
    }

    /// A literal with the formula's truth value.
    fn literal<'f>(&mut self, formula: &'f Formula, env: &mut Env<'f>) -> Lit {
        if self.stopped() {
            return self.truth;
        }
        match formula {
            Formula::True => self.truth,
            Formula::False => !self.truth,
            Formula::Pred(p, args) => {
                let args = args.iter().map(|arg| self.value(arg, env)).collect();
                self.atom(p, args)
            }
            Formula::Eq(s, t) => {
                let (s, t) = (self.value(s, env), self.value(t, env));
                self.equal(&s, &t)
            }
            Formula::Not(inner) => !self.literal(inner, env),
            Formula::Xor(a, b) | Formula::Iff(a, b) => {
                let (a, b) = (self.literal(a, env), self.literal(b, env));
                let lit = self.sat.new_lit();
                for clause in [[!lit, a, b], [!lit, !a, !b], [lit, !a, b], [lit, a, !b]] {
                    self.sat.add(&clause);
                }
                if matches!(formula, Formula::Xor(..)) { lit } else { !lit }
            }
            // A conjunction is the negation of a disjunction.
            Formula::And(_) | Formula::ForAll(..) => !self.any(formula, false, env),
            Formula::Or(_) | Formula::Implies(..) | Formula::Exists(..) => self.any(formula, true, env),
        }
    }

    fn any<'f>(&mut self, formula: &'f Formula, positive: bool, env: &mut Env<'f>) -> Lit {
        let mut parts = Vec::new();
        self.disjuncts(formula, positive, env, &mut parts);
        let lit = self.sat.new_lit();
        for &part in &parts {
            self.sat.add(&[lit, !part]);
        }
        parts.push(!lit);
        self.sat.add(&parts);
        lit
    }
}
