//! The formulas of a question, each read for itself: unlike [`Question`](super::Question), which wants all of them, a
//! reading keeps those that parse beside the faults of those that do not. For looking through data sets.

use super::formula::Formula;
use super::question::{Place, Remark};
use super::syntax::{Fault, Kind, Parsed, Syntax, parse, theory_warnings};

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
    /// Reads the formulas; each for itself shows its syntax where `syntax` is `None`. With `truth_constants` the symbols ⊤
    /// and ⊥ are read too, which the data sets that write formulas as FOLIO does do not define.
    #[must_use]
    pub fn of<S: AsRef<str>>(
        premises: &[S],
        conclusion: Option<&str>,
        syntax: Option<Syntax>,
        truth_constants: bool,
    ) -> Reading {
        let mut found = Vec::new();
        let mut parsed: Vec<(usize, Parsed)> = Vec::new();
        for (i, text) in premises.iter().map(AsRef::as_ref).chain(conclusion).enumerate() {
            let formula =
                parse(text, syntax).and_then(|f| if truth_constants { Ok(f) } else { without_truth(text, f) });
            match formula {
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

/// The formula, unless its text has a truth constant.
fn without_truth(text: &str, formula: Parsed) -> Result<Parsed, Fault> {
    let found = text.chars().enumerate().find(|(_, c)| "⊤⊥".contains(*c));
    match found.filter(|_| formula.syntax == Syntax::Folio) {
        Some((at, c)) => {
            Err(Fault::new(at + 1, Kind::BadToken, format!("`{c}` is none of the symbols that FOLIO defines")))
        }
        None => Ok(formula),
    }
}
