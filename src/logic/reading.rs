//! The formulas of a question, each read for itself: unlike [`Question`](super::Question), which wants all of them, a
//! reading keeps those that parse beside the faults of those that do not. For looking through data sets.

use super::formula::Formula;
use super::question::{Place, Remark};
use super::syntax::{Parsed, Syntax, parse, theory_warnings};

/// Premises and a conclusion as far as they parse.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The premises in their order; none where the text is no formula.
    pub premises: Vec<Option<Formula>>,
    /// The conclusion: none where its text is no formula, or where there is no text.
    pub conclusion: Option<Formula>,
    /// Errors and warnings, formula by formula and by column. Clashes between formulas are sought among those that parse.
    pub remarks: Vec<Remark>,
}

impl Reading {
    /// Reads the formulas; each for itself shows its syntax where `syntax` is `None`.
    #[must_use]
    pub fn of<S: AsRef<str>>(premises: &[S], conclusion: Option<&str>, syntax: Option<Syntax>) -> Reading {
        let mut found = Vec::new();
        let mut parsed: Vec<(usize, Parsed)> = Vec::new();
        for (i, text) in premises.iter().map(AsRef::as_ref).chain(conclusion).enumerate() {
            match parse(text, syntax) {
                Ok(formula) => {
                    found.extend(formula.warnings.iter().map(|fault| (i, fault.clone())));
                    parsed.push((i, formula));
                }
                Err(fault) => found.push((i, fault)),
            }
        }
        let clashes = theory_warnings(&parsed.iter().map(|(_, formula)| formula).collect::<Vec<_>>());
        found.extend(clashes.into_iter().filter_map(|(at, fault)| Some((parsed.get(at)?.0, fault))));
        found.sort_by(|(i, a), (j, b)| (i, a.column, a.kind).cmp(&(j, b.column, b.kind)));
        let remarks = found.into_iter().map(|(i, fault)| {
            let index = Some(i).filter(|i| *i < premises.len());
            Remark { place: if index.is_some() { Place::Premise } else { Place::Conclusion }, index, fault }
        });
        let remarks = remarks.collect();
        let mut formulas: Vec<Option<Formula>> = vec![None; premises.len() + usize::from(conclusion.is_some())];
        for (i, formula) in parsed {
            if let Some(place) = formulas.get_mut(i) {
                *place = Some(formula.formula);
            }
        }
        let conclusion = conclusion.and_then(|_| formulas.pop().flatten());
        Reading { premises: formulas, conclusion, remarks }
    }
}
