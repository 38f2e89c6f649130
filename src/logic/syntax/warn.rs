//! Warnings: formulas that parse, but say something that their author hardly meant.

use std::collections::{BTreeMap, BTreeSet};

use super::Parsed;
use super::fault::{Fault, Kind};
use super::parse::{Occurrence, Parser};
use crate::logic::formula::Name;

/// How many other forms of a symbol a warning names.
const NAMED: usize = 3;

/// What one formula shows by itself.
pub(super) fn of_formula(parser: &Parser<'_>) -> Vec<Fault> {
    let mut out = Vec::new();
    let bound: BTreeSet<&Name> = parser.binders.iter().map(|b| &b.name).collect();
    let mut seen = BTreeSet::new();
    for symbol in &parser.occurrences {
        let name = &symbol.name;
        let constant = !symbol.predicate && symbol.arity == 0;
        if constant && (symbol.free || bound.contains(name)) && seen.insert((Kind::FreeVariable, name)) {
            let read = if parser.implicit.contains(name) {
                "read as a variable for all things, as Prover9 does"
            } else if bound.contains(name) {
                "read as a constant; a quantifier reaches over the next formula only, so parentheses may be missing"
            } else {
                "read as a constant; bind it if it is a variable"
            };
            out.push(Fault::new(symbol.column, Kind::FreeVariable, format!("no quantifier binds `{name}`: {read}")));
        }
        if !name.is_ascii() && seen.insert((Kind::NonAsciiName, name)) {
            let message = format!("the name `{name}` has characters outside ASCII, which other programs may refuse");
            out.push(Fault::new(symbol.column, Kind::NonAsciiName, message));
        }
    }
    for binder in &parser.binders {
        let name = &binder.name;
        if binder.again {
            let message = format!("`{name}` is bound again inside its own scope; the inner quantifier counts");
            out.push(Fault::new(binder.column, Kind::DuplicateBinder, message));
        }
        if binder.uses == 0 {
            let message = format!("the variable `{name}` is not used in its scope");
            out.push(Fault::new(binder.column, Kind::VacuousQuantifier, message));
        }
    }
    out.sort_by_key(|fault| fault.column);
    out
}

/// What several formulas show together: symbols with two arities, and names that differ only in case. Of each clash
/// the rarer form is warned of, counted in formulas; all forms where they tie. Gives the formula's index with each.
pub fn of_theory(formulas: &[&Parsed]) -> Vec<(usize, Fault)> {
    let mut out = Vec::new();
    let all =
        || formulas.iter().enumerate().flat_map(|(i, parsed)| parsed.occurrences.iter().map(move |symbol| (i, symbol)));
    // An arity clash: one name, as predicate or as function, with several numbers of arguments.
    let mut arities: BTreeMap<(&str, bool), Forms<'_, usize>> = BTreeMap::new();
    let mut cases: BTreeMap<(String, bool), Forms<'_, &str>> = BTreeMap::new();
    for (i, symbol) in all() {
        if symbol.predicate || symbol.arity > 0 {
            arities.entry((&symbol.name, symbol.predicate)).or_default().add(symbol.arity, i, symbol);
        }
        cases.entry((symbol.name.to_lowercase(), symbol.predicate)).or_default().add(&symbol.name, i, symbol);
    }
    for ((name, predicate), forms) in arities {
        let what = if predicate { "predicate" } else { "function" };
        for (arity, others, i, symbol) in forms.rarer() {
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            let message =
                format!("the {what} `{name}` has {arity} argument(s) here and {} elsewhere", others.join(" or "));
            out.push((i, Fault::new(symbol.column, Kind::ArityClash, message)));
        }
    }
    for (_, forms) in cases {
        for (name, others, i, symbol) in forms.rarer() {
            let others: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
            let message = format!("`{name}` is written {} elsewhere; they are different names", others.join(", "));
            out.push((i, Fault::new(symbol.column, Kind::CaseVariant, message)));
        }
    }
    out.sort_by(|(i, a), (j, b)| (i, a.column, a.kind).cmp(&(j, b.column, b.kind)));
    out
}

/// The forms in which a symbol occurs: for each, the formulas in which it does and its first place in each.
struct Forms<'a, F>(BTreeMap<F, BTreeMap<usize, &'a Occurrence>>);

impl<F> Default for Forms<'_, F> {
    fn default() -> Self {
        Forms(BTreeMap::new())
    }
}

impl<'a, F: Ord + Copy> Forms<'a, F> {
    fn add(&mut self, form: F, formula: usize, symbol: &'a Occurrence) {
        self.0.entry(form).or_default().entry(formula).or_insert(symbol);
    }

    /// The forms that stand in fewer formulas than the commonest, or all where all tie, each with the other forms.
    fn rarer(&self) -> Vec<(F, Vec<F>, usize, &'a Occurrence)> {
        if self.0.len() < 2 {
            return Vec::new();
        }
        let counts: Vec<usize> = self.0.values().map(BTreeMap::len).collect();
        let most = counts.iter().copied().max().unwrap_or(0);
        let tie = counts.iter().all(|&n| n == most);
        let mut out = Vec::new();
        for (form, places) in &self.0 {
            if !tie && places.len() == most {
                continue;
            }
            let others: Vec<F> = self.0.keys().copied().filter(|other| other != form).take(NAMED).collect();
            out.extend(places.iter().map(|(&i, &symbol)| (*form, others.clone(), i, symbol)));
        }
        out
    }
}
