//! Clauses: disjunctions of literals.

use std::collections::BTreeSet;

use super::nnf::{MAX_SIZE, TooLarge, negation_normal_form};
use super::skolem::{Matrix, Skolemizer};
use crate::logic::formula::{Formula, Name};

/// An atom or its negation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// Whether the atom is asserted.
    pub positive: bool,
    /// A predicate or an equation.
    pub atom: Formula,
}

/// A disjunction of literals, for all values of its variables. The empty clause is a contradiction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Which of the given formulas it comes from, counted from 0.
    pub source: usize,
    /// Its literals, each once, in the order of the text; no literal stands beside its negation.
    pub literals: Vec<Literal>,
}

impl Literal {
    /// The other literal of the same atom.
    #[must_use]
    pub fn negated(&self) -> Literal {
        Literal { positive: !self.positive, atom: self.atom.clone() }
    }
    /// The literal as a formula.
    pub fn formula(&self) -> Formula {
        if self.positive { self.atom.clone() } else { Formula::not(self.atom.clone()) }
    }
}

impl Clause {
    /// The clause as a formula without quantifiers.
    pub fn formula(&self) -> Formula {
        Formula::or(self.literals.iter().map(Literal::formula).collect())
    }
    /// Its variables, sorted.
    pub fn vars(&self) -> BTreeSet<Name> {
        self.literals.iter().flat_map(|l| l.atom.free_vars()).collect()
    }
}

/// The closed formulas as clauses, which have a model exactly if the formulas have one together. By distribution, so
/// that a clause reads like the formula it comes from; tautologies and repeated literals are dropped.
///
/// # Errors
/// [`TooLarge`] where distribution blows a formula up.
pub fn clauses<'a>(formulas: impl IntoIterator<Item = &'a Formula> + Clone) -> Result<Vec<Clause>, TooLarge> {
    let mut skolemizer = Skolemizer::new(formulas.clone());
    let mut out = Vec::new();
    for formula in formulas {
        for matrix in skolemizer.add(formula)? {
            out.extend(of_matrix(&matrix)?);
        }
    }
    Ok(out)
}

/// The clauses of one matrix.
pub(super) fn of_matrix(matrix: &Matrix) -> Result<Vec<Clause>, TooLarge> {
    let products = distribute(&negation_normal_form(&matrix.formula)?)?;
    let mut out: Vec<Clause> = Vec::new();
    for literals in products {
        let mut kept: Vec<Literal> = Vec::new();
        for literal in literals {
            if !kept.contains(&literal) {
                kept.push(literal);
            }
        }
        let clause = Clause { source: matrix.source, literals: kept };
        let tautology = clause.literals.iter().any(|l| clause.literals.contains(&l.negated()));
        if !tautology && !out.contains(&clause) {
            out.push(clause);
        }
    }
    Ok(out)
}

/// A formula in negation normal form, without quantifiers, as a conjunction of disjunctions.
fn distribute(formula: &Formula) -> Result<Vec<Vec<Literal>>, TooLarge> {
    Ok(match formula {
        Formula::True => Vec::new(),
        Formula::False => vec![Vec::new()],
        Formula::Not(inner) => vec![vec![Literal { positive: false, atom: (**inner).clone() }]],
        Formula::And(parts) => parts.iter().map(distribute).collect::<Result<Vec<_>, _>>()?.concat(),
        Formula::Or(parts) => {
            let mut out: Vec<Vec<Literal>> = vec![Vec::new()];
            for part in parts {
                let clauses = distribute(part)?;
                if out.len().saturating_mul(clauses.len()) > MAX_SIZE / 20 {
                    return Err(TooLarge);
                }
                out = out
                    .iter()
                    .flat_map(|left| clauses.iter().map(move |right| left.iter().chain(right).cloned().collect()))
                    .collect();
            }
            out
        }
        atom => vec![vec![Literal { positive: true, atom: atom.clone() }]],
    })
}
