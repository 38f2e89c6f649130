//! Formulas as the search walks them: symbols and bound variables are numbers, → is gone, ⊕ is ¬↔, and each
//! quantifier knows what it depends on.

use std::collections::HashMap;

use super::super::formula::{Formula, Name, Term};

/// An argument: a variable by the number of binders around its own, or a function.
#[derive(Debug)]
pub enum Arg {
    Var(usize),
    App(usize, Vec<Arg>),
}

/// A formula. `all` tells ∧ and ∀ from ∨ and ∃.
#[derive(Debug)]
pub enum Node {
    Const(bool),
    Pred(usize, Vec<Arg>),
    Eq(Arg, Arg),
    Not(Box<Node>),
    Junction {
        all: bool,
        parts: Vec<Node>,
    },
    Iff(Box<Node>, Box<Node>),
    /// `free` holds the slots that the whole depends on; a vacuous quantifier's own variable does not occur.
    Quantified {
        all: bool,
        body: Box<Node>,
        id: usize,
        free: Vec<usize>,
        vacuous: bool,
    },
}

/// A name and an arity.
pub type Symbol<'a> = (&'a Name, usize);

/// The symbols met so far, in the order in which they were.
#[derive(Default)]
pub struct Compiler<'a> {
    pub functions: Vec<Symbol<'a>>,
    pub predicates: Vec<Symbol<'a>>,
    function_ids: HashMap<Symbol<'a>, usize>,
    predicate_ids: HashMap<Symbol<'a>, usize>,
    /// How many quantifiers there are; each has its number.
    quantifiers: usize,
    /// The variables bound around the place being read, outermost first.
    scope: Vec<&'a Name>,
    /// The slots of the variables read since the last quantifier began.
    used: Vec<usize>,
}

impl<'a> Compiler<'a> {
    /// A closed formula; `None` where a variable is free.
    pub fn formula(&mut self, formula: &'a Formula) -> Option<Node> {
        Some(match formula {
            Formula::True => Node::Const(true),
            Formula::False => Node::Const(false),
            Formula::Pred(name, args) => {
                let symbol = (name, args.len());
                let id = number(symbol, &mut self.predicates, &mut self.predicate_ids);
                Node::Pred(id, self.args(args)?)
            }
            Formula::Eq(s, t) => Node::Eq(self.arg(s)?, self.arg(t)?),
            Formula::Not(part) => not(self.formula(part)?),
            Formula::And(parts) => self.junction(true, parts)?,
            Formula::Or(parts) => self.junction(false, parts)?,
            Formula::Implies(a, b) => {
                Node::Junction { all: false, parts: vec![not(self.formula(a)?), self.formula(b)?] }
            }
            Formula::Iff(a, b) => self.iff(a, b)?,
            Formula::Xor(a, b) => not(self.iff(a, b)?),
            Formula::ForAll(x, body) => self.quantified(true, x, body)?,
            Formula::Exists(x, body) => self.quantified(false, x, body)?,
        })
    }

    /// The number of a function symbol.
    pub fn function(&mut self, symbol: Symbol<'a>) -> usize {
        number(symbol, &mut self.functions, &mut self.function_ids)
    }

    fn junction(&mut self, all: bool, parts: &'a [Formula]) -> Option<Node> {
        Some(Node::Junction { all, parts: parts.iter().map(|part| self.formula(part)).collect::<Option<_>>()? })
    }

    fn iff(&mut self, a: &'a Formula, b: &'a Formula) -> Option<Node> {
        Some(Node::Iff(Box::new(self.formula(a)?), Box::new(self.formula(b)?)))
    }

    fn quantified(&mut self, all: bool, x: &'a Name, body: &'a Formula) -> Option<Node> {
        let (slot, before) = (self.scope.len(), self.used.len());
        self.scope.push(x);
        let body = self.formula(body);
        self.scope.pop();
        let mut free = self.used.split_off(before);
        free.sort_unstable();
        free.dedup();
        // Slots inside this one have been taken out by their quantifiers, so its own is the last.
        let vacuous = free.pop_if(|last| *last == slot).is_none();
        self.used.extend(&free);
        self.quantifiers += 1;
        Some(Node::Quantified { all, body: Box::new(body?), id: self.quantifiers, free, vacuous })
    }

    fn args(&mut self, args: &'a [Term]) -> Option<Vec<Arg>> {
        args.iter().map(|arg| self.arg(arg)).collect()
    }

    fn arg(&mut self, term: &'a Term) -> Option<Arg> {
        match term {
            Term::Var(x) => {
                let slot = self.scope.iter().rposition(|bound| *bound == x)?;
                self.used.push(slot);
                Some(Arg::Var(slot))
            }
            Term::App(name, args) => {
                let id = self.function((name, args.len()));
                Some(Arg::App(id, self.args(args)?))
            }
        }
    }
}

fn not(part: Node) -> Node {
    match part {
        Node::Not(inner) => *inner,
        other => Node::Not(Box::new(other)),
    }
}

/// The number of a symbol, the next one where it is new.
fn number<'a>(symbol: Symbol<'a>, symbols: &mut Vec<Symbol<'a>>, ids: &mut HashMap<Symbol<'a>, usize>) -> usize {
    *ids.entry(symbol).or_insert_with(|| {
        symbols.push(symbol);
        symbols.len() - 1
    })
}
