//! The symbols of a theory under names that another program takes: each predicate and function, told apart by name,
//! role and number of arguments, gets a name of its own there, the one that it has here where that can be.

use std::collections::{BTreeMap, BTreeSet};

use crate::logic::formula::{Formula, Name, Term};

/// A predicate or a function; a constant is a function of no arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol {
    pub name: Name,
    pub predicate: bool,
    pub arity: usize,
}

/// What the target lets names be.
pub(super) struct Rules {
    /// Whether a character may stand in a name, in quotes if need be.
    pub allowed: fn(char) -> bool,
    /// Names that mean something there even in quotes.
    pub reserved: &'static [&'static str],
}

pub(super) struct Symbols {
    /// In the order in which they first occur.
    pub order: Vec<Symbol>,
    names: BTreeMap<Symbol, String>,
    /// The new names, and those that no symbol may have.
    taken: BTreeSet<String>,
}

impl Symbols {
    pub fn of<'a>(formulas: impl IntoIterator<Item = &'a Formula>, rules: &Rules) -> Self {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for formula in formulas {
            formula.visit(&mut |f| {
                if let Formula::Pred(name, args) = f {
                    add(&mut order, &mut seen, name, true, args.len());
                }
                for term in f.terms() {
                    term.visit(&mut |t| {
                        if let Term::App(name, args) = t {
                            add(&mut order, &mut seen, name, false, args.len());
                        }
                    });
                }
            });
        }
        let taken = rules.reserved.iter().map(ToString::to_string).collect();
        let mut symbols = Symbols { order: Vec::new(), names: BTreeMap::new(), taken };
        // First those that keep their names, so that a made-up one never takes theirs.
        let mut rest = Vec::new();
        for symbol in &order {
            let plain = symbol.name.chars().all(rules.allowed) && !symbol.name.is_empty();
            if plain && symbols.taken.insert(symbol.name.to_string()) {
                symbols.names.insert(symbol.clone(), symbol.name.to_string());
            } else {
                rest.push(symbol.clone());
            }
        }
        for symbol in rest {
            let mut base = String::new();
            for c in symbol.name.chars() {
                if (rules.allowed)(c) {
                    base.push(c);
                } else {
                    base.push_str(&format!("_u{:x}", u32::from(c)));
                }
            }
            let role = if symbol.predicate { 'p' } else { 'f' };
            let first = if base != *symbol.name { base.clone() } else { format!("{base}_{role}{}", symbol.arity) };
            let numbered = (1..).map(|k| format!("{base}_{role}{}_{k}", symbol.arity));
            let free = |name: &String| !name.is_empty() && !symbols.taken.contains(name);
            let name = std::iter::once(first).chain(numbered).find(free).unwrap_or_default();
            symbols.taken.insert(name.clone());
            symbols.names.insert(symbol, name);
        }
        symbols.order = order;
        symbols
    }

    /// The symbol's name there, without quotes.
    pub fn name(&self, name: &Name, predicate: bool, arity: usize) -> &str {
        let symbol = Symbol { name: name.clone(), predicate, arity };
        self.names.get(&symbol).map_or("", String::as_str)
    }

    /// The symbols whose names had to change, each with the new one.
    pub fn renamed(&self) -> impl Iterator<Item = (&Symbol, &str)> {
        self.order
            .iter()
            .map(|s| (s, self.name(&s.name, s.predicate, s.arity)))
            .filter(|(symbol, name)| *symbol.name != **name)
    }

    pub fn constants(&self) -> impl Iterator<Item = &Symbol> {
        self.order.iter().filter(|s| !s.predicate && s.arity == 0)
    }
}

fn add(order: &mut Vec<Symbol>, seen: &mut BTreeSet<Symbol>, name: &Name, predicate: bool, arity: usize) {
    let symbol = Symbol { name: name.clone(), predicate, arity };
    if seen.insert(symbol.clone()) {
        order.push(symbol);
    }
}

/// The variables of one formula: every quantifier gets a variable of its own, so that no two share a name and none has
/// a symbol's.
pub(super) struct Variables<'a> {
    symbols: &'a Symbols,
    /// The quantifiers around the present place, outermost first, each with the name that it got.
    scope: Vec<(Name, String)>,
    used: BTreeSet<String>,
    /// How many times each base was asked for.
    counts: BTreeMap<String, usize>,
}

impl<'a> Variables<'a> {
    pub fn new(symbols: &'a Symbols) -> Self {
        Variables { symbols, scope: Vec::new(), used: BTreeSet::new(), counts: BTreeMap::new() }
    }
    /// Enters a quantifier: `base` is the name that it would best have.
    pub fn bind(&mut self, name: &Name, base: String) -> String {
        let chosen = loop {
            let count = self.counts.entry(base.clone()).or_default();
            *count += 1;
            let name = if *count == 1 { base.clone() } else { format!("{base}{count}") };
            if !self.symbols.taken.contains(&name) && self.used.insert(name.clone()) {
                break name;
            }
        };
        self.scope.push((name.clone(), chosen.clone()));
        chosen
    }
    /// Leaves the innermost quantifier.
    pub fn leave(&mut self) {
        self.scope.pop();
    }
    /// The variable's name here; its own where nothing binds it.
    pub fn name<'n>(&'n self, name: &'n Name) -> &'n str {
        self.scope.iter().rev().find(|(bound, _)| bound == name).map_or(name, |(_, chosen)| chosen)
    }
}

/// The formula with a quantifier around it for each variable that none binds: provers read only closed formulas.
pub(super) fn closed(formula: &Formula) -> Formula {
    let free = formula.free_vars();
    free.into_iter().rev().fold(formula.clone(), |body, x| Formula::ForAll(x, Box::new(body)))
}
