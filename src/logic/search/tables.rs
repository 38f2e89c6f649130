//! Tables of functions and predicates, and the values of terms and atoms read off them.

use super::encode::{Encoder, Env};
use crate::logic::formula::{Formula, Name, Term};
use crate::logic::model::{Model, Symbol};
use crate::logic::sat::Lit;

/// A term's value: an element, or a literal for each element of which exactly one holds.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Value {
    Element(usize),
    /// Index into `choices`.
    Open(usize),
}

impl Encoder<'_> {
    /// Makes tables for the symbols of a formula.
    pub(super) fn declare(&mut self, formula: &Formula) {
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

    pub(super) fn cells(&mut self, arity: usize) -> usize {
        let cells = u32::try_from(arity).ok().and_then(|arity| self.size.checked_pow(arity));
        match cells.filter(|cells| *cells <= self.options.max_clauses) {
            Some(cells) => cells,
            None => {
                self.gave_up = Some("too large a table");
                0
            }
        }
    }

    pub(super) fn predicate(&mut self, symbol: &Symbol) {
        if !self.predicates.contains_key(symbol) {
            let table = (0..self.cells(symbol.1)).map(|_| self.sat.new_lit()).collect();
            self.predicates.insert(symbol.clone(), table);
        }
    }

    pub(super) fn function(&mut self, symbol: &Symbol) {
        if !self.functions.contains_key(symbol) {
            let table = (0..self.cells(symbol.1)).map(|_| self.choice()).collect();
            self.functions.insert(symbol.clone(), table);
        }
    }

    /// A value of which nothing is known yet.
    pub(super) fn choice(&mut self) -> Value {
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
    pub(super) fn is(&self, value: &Value, element: usize) -> Lit {
        match value {
            Value::Element(e) if *e == element => self.truth,
            Value::Element(_) => !self.truth,
            Value::Open(choice) => self.choices[*choice][element],
        }
    }

    /// Constants take elements in the order of their first use, since no formula tells one element from another: the
    /// first is 0, and each is at most one above the largest before it.
    pub(super) fn break_symmetry(&mut self) {
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

    pub(super) fn differ(&mut self) {
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

    pub(super) fn value(&mut self, term: &Term, env: &Env<'_>) -> Value {
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
    pub(super) fn look_up(&mut self, f: &Name, args: &[Value]) -> Value {
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

    pub(super) fn atom(&mut self, p: &Name, args: Vec<Value>) -> Lit {
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

    pub(super) fn equal(&mut self, s: &Value, t: &Value) -> Lit {
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
    pub(super) fn cases(&mut self, args: &[Value]) -> Vec<(usize, Vec<Lit>)> {
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

    pub(super) fn add_unless(&mut self, unless: &[Lit], clause: &[Lit]) {
        let whole: Vec<Lit> = unless.iter().chain(clause).copied().collect();
        self.sat.add(&whole);
    }

    /// The model that the solver found.
    pub(super) fn model(&self) -> Model {
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
