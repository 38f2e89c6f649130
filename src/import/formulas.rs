//! The formulas that a record carries: kept as the source spells them, and looked through for defects.

use serde_json::{Value, json};

use super::defect::{Finding, KINDS};
use crate::logic::{Kind, Reading, Remark};

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

/// What is wrong with the formulas of one record: errors and warnings of the parser, formula by formula.
///
/// Fields are `PREMISES[index]` and `CONCLUSION` with the names given; columns count characters from 1.
pub(super) fn formula_defects(formulas: &Formulas, fields: Fields<'_>) -> Vec<Finding> {
    let reading = Reading::of(&formulas.premises, formulas.conclusion.as_deref(), None, false);
    let finding = |remark: Remark| {
        let field = match remark.index {
            Some(i) => format!("{}[{i}]", fields.premises),
            None => fields.conclusion.to_string(),
        };
        Finding {
            column: Some(remark.fault.column),
            ..Finding::new(kind(remark.fault.kind), field, remark.fault.message)
        }
    };
    reading.remarks.into_iter().map(finding).collect()
}

/// The name of a parser's kind in the list of this room.
fn kind(kind: Kind) -> &'static str {
    let name = kind.name();
    KINDS.iter().map(|(known, _)| *known).find(|known| *known == name).unwrap_or("unexpected-token")
}
