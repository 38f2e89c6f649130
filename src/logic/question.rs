//! Premises and a conclusion as text: what does not parse, what deserves a warning, and where.

use serde::Serialize;

use super::formula::Formula;
use super::syntax::{Fault, Parsed, Syntax, parse, theory_warnings};

/// Which formula of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// A premise.
    Premise,
    /// The conclusion.
    Conclusion,
}

/// An error or a warning about one formula of a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Premise or conclusion.
    #[serde(rename = "where")]
    pub place: Place,
    /// The premise's number, counted from 0; none for the conclusion.
    pub index: Option<usize>,
    /// What and at which column.
    #[serde(flatten)]
    pub fault: Fault,
}

impl std::fmt::Display for Remark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.index {
            Some(index) => write!(f, "premise {}, {}", index + 1, self.fault),
            None => write!(f, "conclusion, {}", self.fault),
        }
    }
}

/// Premises and a conclusion that parse.
#[derive(Clone, Debug)]
pub struct Question {
    /// The premises.
    pub premises: Vec<Formula>,
    /// The conclusion, where there is one.
    pub conclusion: Option<Formula>,
    /// What their authors hardly meant, formula by formula and by column.
    pub warnings: Vec<Remark>,
}

impl Question {
    /// Parses the formulas; each for itself shows its syntax where `syntax` is `None`.
    ///
    /// # Errors
    /// A remark for each formula that does not parse.
    pub fn parse<S: AsRef<str>>(
        premises: &[S],
        conclusion: Option<&str>,
        syntax: Option<Syntax>,
    ) -> Result<Question, Vec<Remark>> {
        let place = |i: usize| match i < premises.len() {
            true => (Place::Premise, Some(i)),
            false => (Place::Conclusion, None),
        };
        let remark = |i: usize, fault: Fault| {
            let (place, index) = place(i);
            Remark { place, index, fault }
        };
        let mut parsed: Vec<Parsed> = Vec::new();
        let mut errors = Vec::new();
        for (i, text) in premises.iter().map(AsRef::as_ref).chain(conclusion).enumerate() {
            match parse(text, syntax) {
                Ok(formula) => parsed.push(formula),
                Err(fault) => errors.push(remark(i, fault)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut warnings: Vec<(usize, Fault)> =
            parsed.iter().enumerate().flat_map(|(i, p)| p.warnings.iter().map(move |w| (i, w.clone()))).collect();
        warnings.extend(theory_warnings(&parsed.iter().collect::<Vec<_>>()));
        warnings.sort_by(|(i, a), (j, b)| (i, a.column, a.kind).cmp(&(j, b.column, b.kind)));
        let mut formulas: Vec<Formula> = parsed.into_iter().map(|p| p.formula).collect();
        let conclusion = conclusion.and_then(|_| formulas.pop());
        let warnings = warnings.into_iter().map(|(i, fault)| remark(i, fault)).collect();
        Ok(Question { premises: formulas, conclusion, warnings })
    }
}
