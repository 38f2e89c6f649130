//! Premises and a conclusion as text: what does not parse, what deserves a warning, and where.

use serde::Serialize;

use super::formula::Formula;
use super::reading::Reading;
use super::syntax::{Fault, Syntax};

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
        let Reading { premises, conclusion, remarks } = Reading::of(premises, conclusion, syntax, true);
        let (errors, warnings): (Vec<Remark>, Vec<Remark>) =
            remarks.into_iter().partition(|remark| remark.fault.kind.is_error());
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Question { premises: premises.into_iter().flatten().collect(), conclusion, warnings })
    }
}
