//! The search for a model of a given size, by way of a SAT solver (as Mace4 and Paradox do): quantifiers are spelt out
//! over the elements, functions become tables of which each cell has one value. No Skolem form is needed.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use super::formula::{Formula, Name, Term};
use super::model::{Model, Symbol};
use super::sat::{Lit, Outcome, Sat};

/// What to look for and how far.
#[derive(Clone, Copy, Debug)]
pub struct SearchOptions<'a> {
    /// Constants that must differ from each other.
    pub distinct: &'a [Name],
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Clauses at most.
    pub max_clauses: usize,
}

/// What the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// A model; the plain evaluator says that all formulas hold in it.
    Found(Model),
    /// There is none of this size.
    None,
    /// Not found out, and why.
    GaveUp(&'static str),
}

/// Searches for a model of closed formulas with `size` elements.
pub fn find_model(formulas: &[&Formula], size: usize, options: &SearchOptions<'_>) -> Search {
    if size == 0 || options.distinct.len() > size {
        return Search::None;
    }
    let mut encoder = Encoder::new(size, options);
    for formula in formulas {
        encoder.declare(formula);
    }
    for name in options.distinct {
        encoder.function(&(name.clone(), 0));
    }
    encoder.break_symmetry();
    for formula in formulas {
        encoder.assert(formula, true, &mut Vec::new());
    }
    encoder.differ();
    if let Some(reason) = encoder.gave_up {
        return Search::GaveUp(reason);
    }
    match encoder.sat.solve(&[]) {
        Outcome::Unsatisfiable => Search::None,
        Outcome::Stopped => Search::GaveUp("out of time"),
        Outcome::Satisfiable => {
            let model = encoder.model();
            let holds = formulas.iter().all(|f| model.holds(f) == Ok(true));
            debug_assert!(holds, "a model in which some formula is false");
            if holds { Search::Found(model) } else { Search::GaveUp("a fault in the search") }
        }
    }
}

/// A term's value: an element, or a literal for each element of which exactly one holds.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Value {
    Element(usize),
    /// Index into `choices`.
    Open(usize),
}

struct Encoder<'a> {
    size: usize,
    options: &'a SearchOptions<'a>,
    sat: Sat,
    truth: Lit,
    /// Per function a row of literals for each cell.
    functions: BTreeMap<Symbol, Vec<Value>>,
    predicates: BTreeMap<Symbol, Vec<Lit>>,
    choices: Vec<Vec<Lit>>,
    terms: HashMap<(Name, Vec<Value>), Value>,
    atoms: HashMap<(Name, Vec<Value>), Lit>,
    steps: usize,
    gave_up: Option<&'static str>,
}

type Env<'f> = Vec<(&'f Name, usize)>;

impl<'a> Encoder<'a> {
    fn new(size: usize, options: &'a SearchOptions<'a>) -> Self {
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
    fn stopped(&mut self) -> bool {
        self.steps += 1;
        if self.gave_up.is_none() {
            if self.sat.clauses().max(self.steps / 4) > self.options.max_clauses {
                self.gave_up = Some("too many clauses");
            } else if self.steps % 1024 == 0 && self.options.deadline.is_some_and(|moment| Instant::now() >= moment) {
                self.gave_up = Some("out of time");
            }
        }
        self.gave_up.is_some()
    }

    /// Makes tables for the symbols of a formula.
    fn declare(&mut self, formula: &Formula) {
        formula.visit(&mut |f| {
            if let Formula::Pred(p, args) = f {
                self.predicate(&(p.clone(), args.len()));
            }
            for term in f.terms() {
                term.visit(&mut |t| {
                    if let Term::App(name, args) = t {
                        self.function(&(name.clone(), args.len()));
                    }
                });
            }
        });
    }

    fn cells(&mut self, arity: usize) -> usize {
        let cells = u32::try_from(arity).ok().and_then(|arity| self.size.checked_pow(arity));
        match cells.filter(|cells| *cells <= self.options.max_clauses) {
            Some(cells) => cells,
            None => {
                self.gave_up = Some("too large a table");
                0
            }
        }
    }

    fn predicate(&mut self, symbol: &Symbol) {
        if !self.predicates.contains_key(symbol) {
            let table = (0..self.cells(symbol.1)).map(|_| self.sat.new_lit()).collect();
            self.predicates.insert(symbol.clone(), table);
        }
    }

    fn function(&mut self, symbol: &Symbol) {
        if !self.functions.contains_key(symbol) {
            let table = (0..self.cells(symbol.1)).map(|_| self.choice()).collect();
            self.functions.insert(symbol.clone(), table);
        }
    }

    /// A value of which nothing is known yet.
    fn choice(&mut self) -> Value {
        if self.size == 1 {
            return Value::Element(0);
        }
        let lits: Vec<Lit> = (0..self.size).map(|_| self.sat.new_lit()).collect();
        self.sat.add(&lits);
        for (i, &a) in lits.iter().enumerate() {
            lits[i + 1..].iter().for_each(|&b| self.sat.add(&[!a, !b]));
        }
        self.choices.push(lits);
        Value::Open(self.choices.len() - 1)
    }

    /// A literal for "the value is this element".
    fn is(&self, value: &Value, element: usize) -> Lit {
        match value {
            Value::Element(e) if *e == element => self.truth,
            Value::Element(_) => !self.truth,
            Value::Open(choice) => self.choices[*choice][element],
        }
    }

    /// Constants take elements in the order of their first use, since no formula tells one element from another: the
    /// first is 0, and each is at most one above the largest before it.
    fn break_symmetry(&mut self) {
        let constants: Vec<Value> =
            self.functions.iter().filter(|((_, arity), _)| *arity == 0).map(|(_, table)| table[0].clone()).collect();
        for (i, constant) in constants.iter().enumerate() {
            for element in 1..self.size {
                let mut clause = vec![!self.is(constant, element)];
                clause.extend(constants[..i].iter().map(|before| self.is(before, element - 1)));
                self.sat.add(&clause);
            }
        }
    }

    fn differ(&mut self) {
        let names = self.options.distinct;
        for (i, a) in names.iter().enumerate() {
            for b in &names[i + 1..] {
                for element in 0..self.size {
                    let value = |name: &Name| self.functions[&(name.clone(), 0)][0].clone();
                    let clause = [!self.is(&value(a), element), !self.is(&value(b), element)];
                    self.sat.add(&clause);
                }
            }
        }
    }

    /// The formula, or its negation, holds.
    fn assert<'f>(&mut self, formula: &'f Formula, positive: bool, env: &mut Env<'f>) {
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

    fn value(&mut self, term: &Term, env: &Env<'_>) -> Value {
        match term {
            Term::Var(x) => {
                env.iter().rev().find(|(name, _)| *name == x).map_or(Value::Element(0), |(_, e)| Value::Element(*e))
            }
            Term::App(f, args) => {
                let args: Vec<Value> = args.iter().map(|arg| self.value(arg, env)).collect();
                let key = (f.clone(), args);
                if let Some(value) = self.terms.get(&key) {
                    return value.clone();
                }
                let value = self.look_up(&key.0, &key.1);
                self.terms.insert(key, value.clone());
                value
            }
        }
    }

    /// The value of a function for arguments that may themselves be open.
    fn look_up(&mut self, f: &Name, args: &[Value]) -> Value {
        let symbol = (f.clone(), args.len());
        let cells: Vec<(usize, Vec<Lit>)> = self.cases(args);
        if let [(cell, unless)] = &cells[..]
            && unless.is_empty()
        {
            return self
                .functions
                .get(&symbol)
                .and_then(|table| table.get(*cell))
                .cloned()
                .unwrap_or(Value::Element(0));
        }
        let value = self.choice();
        for (cell, unless) in cells {
            let Some(inner) = self.functions.get(&symbol).and_then(|table| table.get(cell)).cloned() else { continue };
            for element in 0..self.size {
                let (a, b) = (self.is(&value, element), self.is(&inner, element));
                self.add_unless(&unless, &[a, !b]);
                self.add_unless(&unless, &[!a, b]);
            }
        }
        value
    }

    fn atom(&mut self, p: &Name, args: Vec<Value>) -> Lit {
        let key = (p.clone(), args);
        if let Some(&lit) = self.atoms.get(&key) {
            return lit;
        }
        let symbol = (p.clone(), key.1.len());
        let cells = self.cases(&key.1);
        let at = |this: &Self, cell: usize| this.predicates.get(&symbol).and_then(|table| table.get(cell)).copied();
        let lit = match &cells[..] {
            [(cell, unless)] if unless.is_empty() => at(self, *cell).unwrap_or(self.truth),
            _ => {
                let lit = self.sat.new_lit();
                for (cell, unless) in cells {
                    let Some(inner) = at(self, cell) else { continue };
                    self.add_unless(&unless, &[lit, !inner]);
                    self.add_unless(&unless, &[!lit, inner]);
                }
                lit
            }
        };
        self.atoms.insert(key, lit);
        lit
    }

    fn equal(&mut self, s: &Value, t: &Value) -> Lit {
        match (s, t) {
            (Value::Element(e), other) | (other, Value::Element(e)) => self.is(other, *e),
            _ if s == t => self.truth,
            _ => {
                let lit = self.sat.new_lit();
                for element in 0..self.size {
                    let (a, b) = (self.is(s, element), self.is(t, element));
                    self.sat.add(&[!a, !lit, b]);
                    self.sat.add(&[!a, lit, !b]);
                }
                lit
            }
        }
    }

    /// Every place in a table that the arguments may stand for, and the literals that say that they do not.
    fn cases(&mut self, args: &[Value]) -> Vec<(usize, Vec<Lit>)> {
        let mut cases = vec![(0, Vec::new())];
        for arg in args {
            if self.stopped() || cases.len().saturating_mul(self.size) > self.options.max_clauses {
                self.gave_up = self.gave_up.or(Some("too many clauses"));
                break;
            }
            let mut next = Vec::new();
            for (cell, unless) in cases {
                match arg {
                    Value::Element(e) => next.push((cell * self.size + e, unless)),
                    Value::Open(_) => {
                        for element in 0..self.size {
                            let mut unless = unless.clone();
                            unless.push(!self.is(arg, element));
                            next.push((cell * self.size + element, unless));
                        }
                    }
                }
            }
            cases = next;
        }
        cases
    }

    fn add_unless(&mut self, unless: &[Lit], clause: &[Lit]) {
        let whole: Vec<Lit> = unless.iter().chain(clause).copied().collect();
        self.sat.add(&whole);
    }

    /// The model that the solver found.
    fn model(&self) -> Model {
        let element = |value: &Value| (0..self.size).find(|&e| self.sat.value(self.is(value, e))).unwrap_or(0);
        Model {
            size: self.size,
            functions: self.functions.iter().map(|(s, t)| (s.clone(), t.iter().map(element).collect())).collect(),
            predicates: self
                .predicates
                .iter()
                .map(|(s, t)| (s.clone(), t.iter().map(|&lit| self.sat.value(lit)).collect()))
                .collect(),
        }
    }
}
