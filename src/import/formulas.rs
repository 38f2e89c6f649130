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

/// What is wrong with the formulas of one record: formulas that do not parse, and those that parse but look wrong.
///
/// Fields are `PREMISES[index]` and `CONCLUSION` with the names given; columns count characters from 1.
pub(super) fn formula_defects(_formulas: &Formulas, _fields: Fields<'_>) -> Vec<Finding> {
    Vec::new()
}
