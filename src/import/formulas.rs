//! The formulas that a record carries: kept as the source spells them, and looked through for defects.

use serde_json::{Value, json};

use super::defect::Finding;

/// What `meta.formulas` holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Formulas {
    /// One formula a premise, verbatim, in the source's order.
    pub premises: Vec<String>,
    /// The conclusion's formula, where the source has one.
    pub conclusion: Option<String>,
}

impl Formulas {
    /// `{"premises":[…],"conclusion":"…"|null}`.
    pub(super) fn to_json(&self) -> Value {
        json!({"premises": self.premises, "conclusion": self.conclusion})
    }
}

/// Names of the fields that formulas come from, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    /// The list of premises' formulas.
    pub premises: &'a str,
    /// The conclusion's formula.
    pub conclusion: &'a str,
}

/// What is wrong with the formulas of one record: those without text. (Whether the others can be read is for a parser.)
///
/// Fields are `PREMISES[index]` and `CONCLUSION` with the names given; columns count characters from 1.
pub(super) fn formula_defects(formulas: &Formulas, fields: Fields<'_>) -> Vec<Finding> {
    let premises = formulas.premises.iter().enumerate().map(|(i, text)| (format!("{}[{i}]", fields.premises), text));
    let conclusion = formulas.conclusion.iter().map(|text| (fields.conclusion.to_string(), text));
    let empty = premises.chain(conclusion).filter(|(_, text)| text.trim().is_empty());
    empty
        .map(|(field, _)| Finding { column: Some(1), ..Finding::new("empty", field, "the formula is empty") })
        .collect()
}
