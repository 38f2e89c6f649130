//! A refutation checked again, apart from how it was found: each instance is what it says it is, and a plain search with
//! congruence closure finds no way for the ground instances to hold together. No SAT solver is used.

use std::collections::{BTreeMap, BTreeSet};

use super::{Refutation, skolem_form};
use crate::logic::formula::{Formula, Name, Term};
use crate::logic::substitute::Substitution;

/// Why a refutation is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRefutation {
    /// An instance is not one of the formula that it names.
    #[error("instance {0} is not an instance of the formula that it names")]
    NoInstance(usize),
    /// The instances can hold together.
    #[error("the instances can hold together")]
    Satisfiable,
    /// It uses that constants differ, which was not given.
    #[error("it takes constants to differ, which was not given")]
    UniqueNames,
    /// The check went beyond its limit.
    #[error("the check takes too many steps")]
    TooHard,
}

/// Steps of the search at most.
const MAX_NODES: usize = 200_000;

impl Refutation {
    /// Checks that this refutes the formulas.
    ///
    /// # Errors
    /// [`BadRefutation`] says what is wrong.
    pub fn check(&self, formulas: &[&Formula]) -> Result<(), BadRefutation> {
        let (matrices, skolems) = skolem_form(formulas).map_err(|_| BadRefutation::TooHard)?;
        for (i, instance) in self.instances.iter().enumerate() {
            let matrix = matrices.iter().find(|m| m.source == instance.source && m.formula == instance.general);
            let by: Substitution = instance.bindings.iter().cloned().collect();
            let whole = matrix.is_some_and(|m| m.vars.iter().all(|x| by.contains_key(x)));
            let ground = instance.bindings.iter().all(|(_, t)| t.is_ground());
            if !whole || !ground || instance.general.substitute(&by) != instance.ground {
                return Err(BadRefutation::NoInstance(i));
            }
        }
        let made: BTreeSet<&Name> = skolems.iter().map(|s| &s.name).collect();
        let distinct = if self.unique_names { constants(formulas).collect() } else { BTreeSet::new() };
        let ground: Vec<&Formula> = self.instances.iter().map(|i| &i.ground).collect();
        let distinct: Vec<Term> =
            distinct.into_iter().filter(|c| !made.contains(c)).map(|c| Term::App(c, Vec::new())).collect();
        let mut search = Search { ground: &ground, distinct: &distinct, nodes: 0 };
        match search.holds(&mut BTreeMap::new())? {
            true => Err(BadRefutation::Satisfiable),
            false => Ok(()),
        }
    }
}

/// Whether ground formulas contradict each other, by the plain search.
pub(in crate::logic) fn contradict(ground: &[&Formula]) -> bool {
    Search { ground, distinct: &[], nodes: 0 }.holds(&mut BTreeMap::new()) == Ok(false)
}

/// The constants of formulas.
pub(in crate::logic) fn constants(formulas: &[&Formula]) -> std::collections::btree_set::IntoIter<Name> {
    let mut found = BTreeSet::new();
    for formula in formulas {
        formula.visit(&mut |f| {
            for term in f.terms() {
                term.visit(&mut |t| {
                    if let Term::App(c, args) = t
                        && args.is_empty()
                    {
                        found.insert(c.clone());
                    }
                });
            }
        });
    }
    found.into_iter()
}

type Values = BTreeMap<Formula, bool>;

struct Search<'a> {
    ground: &'a [&'a Formula],
    distinct: &'a [Term],
    nodes: usize,
}

impl Search<'_> {
    /// Whether the atoms without a value can be given values so that all formulas hold.
    fn holds(&mut self, values: &mut Values) -> Result<bool, BadRefutation> {
        self.nodes += 1;
        if self.nodes > MAX_NODES || values.len() > 2_000 {
            return Err(BadRefutation::TooHard);
        }
        let mut branch: Option<Formula> = None;
        loop {
            if !self.close_under_equality(values) {
                return Ok(false);
            }
            let mut forced = None;
            let mut fewest = usize::MAX;
            for formula in self.ground {
                match value(formula, values) {
                    Some(true) => continue,
                    Some(false) => return Ok(false),
                    None => {}
                }
                let open = open_atoms(formula, values);
                for atom in &open {
                    for side in [true, false] {
                        values.insert(atom.clone(), side);
                        if value(formula, values) == Some(false) {
                            forced = Some((atom.clone(), !side));
                        }
                        values.remove(atom);
                    }
                }
                if forced.is_some() {
                    break;
                }
                if open.len() < fewest {
                    fewest = open.len();
                    branch = open.into_iter().next();
                }
            }
            match forced {
                Some((atom, side)) => drop(values.insert(atom, side)),
                None => break,
            }
        }
        // Undecided formulas first; then all hold whatever else is chosen.
        let undecided = self.ground.iter().any(|f| value(f, values).is_none());
        let Some(atom) = branch.filter(|_| undecided) else { return Ok(true) };
        for side in [true, false] {
            let mut deeper = values.clone();
            deeper.insert(atom.clone(), side);
            if self.holds(&mut deeper)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Gives atoms the values that equality forces; false where it contradicts itself.
    fn close_under_equality(&self, values: &mut Values) -> bool {
        let mut terms = BTreeSet::new();
        for formula in self.ground {
            formula.visit(&mut |f| {
                for term in f.terms() {
                    terms.extend(inside(term));
                }
            });
        }
        let mut class: BTreeMap<&Term, usize> = terms.iter().zip(0..).collect();
        let merge = |class: &mut BTreeMap<&Term, usize>, s: &Term, t: &Term| {
            let (from, to) = (class[s], class[t]);
            class.values_mut().filter(|c| **c == from).for_each(|c| *c = to);
            from != to
        };
        for (atom, holds) in values.iter() {
            if let (Formula::Eq(s, t), true) = (atom, holds) {
                merge(&mut class, s, t);
            }
        }
        // Functions of equal arguments are equal.
        loop {
            let mut merged = false;
            let mut seen: BTreeMap<(&Name, Vec<usize>), &Term> = BTreeMap::new();
            for term in &terms {
                let Term::App(f, args) = term else { continue };
                let key = (f, args.iter().map(|t| class[t]).collect());
                match seen.get(&key) {
                    Some(other) if !args.is_empty() => merged |= merge(&mut class, term, other),
                    _ => drop(seen.insert(key, term)),
                }
                if merged {
                    break;
                }
            }
            if !merged {
                break;
            }
        }
        let mut named = BTreeSet::new();
        if self.distinct.iter().filter_map(|c| class.get(c)).any(|&c| !named.insert(c)) {
            return false;
        }
        // Atoms of equal arguments have equal values.
        let mut known: BTreeMap<(&Name, Vec<usize>), bool> = BTreeMap::new();
        let mut forced = Vec::new();
        let mut atoms = BTreeSet::new();
        for formula in self.ground {
            formula.visit(&mut |f| atoms.extend(is_atom(f).then_some(f)));
        }
        for (round, atom) in [true, false].into_iter().flat_map(|round| atoms.iter().map(move |&atom| (round, atom))) {
            let given = values.get(atom).copied();
            match atom {
                Formula::Pred(p, args) => {
                    let key = (p, args.iter().map(|t| class[t]).collect());
                    match (known.get(&key), given) {
                        (Some(known), Some(given)) if *known != given => return false,
                        (Some(&known), None) if !round => forced.push((atom.clone(), known)),
                        (None, Some(given)) => drop(known.insert(key, given)),
                        _ => {}
                    }
                }
                Formula::Eq(s, t) if class[s] == class[t] => match given {
                    Some(false) => return false,
                    None if round => forced.push((atom.clone(), true)),
                    _ => {}
                },
                _ => {}
            }
        }
        values.extend(forced);
        true
    }
}

/// A term and all terms in it.
fn inside(term: &Term) -> Vec<Term> {
    let mut all = Vec::new();
    term.visit(&mut |t| all.push(t.clone()));
    all
}

fn is_atom(f: &Formula) -> bool {
    matches!(f, Formula::Pred(..) | Formula::Eq(..))
}

/// The formula's value as far as the values of its atoms decide it.
fn value(formula: &Formula, values: &Values) -> Option<bool> {
    let of = |f: &Formula| value(f, values);
    match formula {
        Formula::True => Some(true),
        Formula::False => Some(false),
        Formula::Pred(..) | Formula::Eq(..) => values.get(formula).copied(),
        Formula::Not(f) => of(f).map(|v| !v),
        Formula::And(fs) => all(fs.iter().map(of)),
        Formula::Or(fs) => all(fs.iter().map(|f| of(f).map(|v| !v))).map(|v| !v),
        Formula::Xor(a, b) => Some(of(a)? != of(b)?),
        Formula::Iff(a, b) => Some(of(a)? == of(b)?),
        Formula::Implies(a, b) => match (of(a), of(b)) {
            (Some(false), _) | (_, Some(true)) => Some(true),
            (Some(true), Some(false)) => Some(false),
            _ => None,
        },
        // No quantifier stands in a ground instance.
        Formula::ForAll(..) | Formula::Exists(..) => None,
    }
}

/// Conjunction of three values.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut whole = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => whole = None,
        }
    }
    whole
}

fn open_atoms(formula: &Formula, values: &Values) -> Vec<Formula> {
    let mut open = Vec::new();
    formula.visit(&mut |f| {
        if is_atom(f) && !values.contains_key(f) && !open.contains(f) {
            open.push(f.clone());
        }
    });
    open
}
