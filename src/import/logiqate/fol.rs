//! The entailment puzzles: premises and formulas are Python lists in a cell.

use serde_json::Value;

use crate::import::answer::Style;
use crate::import::formulas::{Fields, Formulas};
use crate::import::python_list;
use crate::import::record::{Draft, Object, Record};
use crate::import::table::Table;
use crate::import::{Sink, Source};

/// The columns of one wording.
struct Columns {
    variant: &'static str,
    premises: &'static str,
    formulas: &'static str,
    conclusion: &'static str,
    conclusion_formula: &'static str,
    label: &'static str,
}

const WORDINGS: [Columns; 2] = [
    Columns {
        variant: "base",
        premises: "premises_nl",
        formulas: "premises_fol",
        conclusion: "conclusion_nl",
        conclusion_formula: "conclusion_fol",
        label: "original_label",
    },
    Columns {
        variant: "obfuscated",
        premises: "obf_premises_nl",
        formulas: "obf_premises_fol",
        conclusion: "obf_conclusion_nl",
        conclusion_formula: "obf_conclusion_fol",
        label: "obf_label",
    },
];

pub(super) fn read(table: &Table, source: &Source, sink: &mut Sink) {
    table.each(source, sink, |record, row| {
        record.source_id = row.get("input_index").and_then(Value::as_str).map(str::to_string);
        let [base, obfuscated] = WORDINGS.map(|columns| {
            let wording = wording(record, row, &columns);
            (columns, wording)
        });
        if let (Some(first), Some(second)) = (&base.1, &obfuscated.1) {
            let count = |wording: &Wording| wording.formulas.as_ref().map(|formulas| formulas.premises.len());
            if let (Some(there), Some(here)) = (count(first), count(second))
                && there != here
            {
                let message = format!("{here} formulas, {there} in the base wording");
                record.flag("theory-size", obfuscated.0.formulas, message);
            }
            if first.label != second.label {
                record.flag("label-changed", obfuscated.0.label, "the label is not that of the base wording");
            }
            if first.context == second.context {
                record.flag("not-obfuscated", obfuscated.0.premises, "the premises equal those of the base wording");
            }
        }
        let group = record.id.clone();
        for (columns, wording) in [base, obfuscated] {
            let Some(wording) = wording else { continue };
            record.item(Draft {
                suffix: format!("/{}", columns.variant),
                task: Some("logiqate-fol".into()),
                group: Some(group.clone()),
                variant: columns.variant.into(),
                context: wording.context,
                question: Some(format!("Is the following statement true or false? {}", wording.conclusion.trim())),
                endings: vec!["TRUE".into(), "FALSE".into()],
                label: wording.label,
                gold: Some(["entailed", "contradicted"][wording.label]),
                formulas: wording.formulas,
                ..Draft::default()
            });
        }
    });
}

struct Wording {
    context: String,
    /// None where the list of formulas cannot be read: no list is not an empty one.
    formulas: Option<Formulas>,
    conclusion: String,
    label: usize,
}

fn wording(record: &mut Record, row: &Object, columns: &Columns) -> Option<Wording> {
    let premises = list(record, row, columns.premises);
    let formulas = list(record, row, columns.formulas);
    let conclusion = record.text(row, columns.conclusion);
    let conclusion_formula = record.text(row, columns.conclusion_formula);
    let endings = ["TRUE".to_string(), "FALSE".to_string()];
    let label = record.value(row, columns.label);
    let label = label.and_then(|value| record.answer(value, columns.label, &endings, Style::Text));
    let (premises, conclusion, label) = (premises?, conclusion?, label?);
    let fields = Fields { premises: columns.formulas, conclusion: columns.conclusion_formula };
    let formulas = formulas.map(|list| {
        record.formulas(Formulas { premises: list, conclusion: conclusion_formula }, premises.len(), fields)
    });
    let context = record.join(&premises, columns.premises);
    Some(Wording { context, formulas, conclusion, label })
}

/// A cell that holds a Python list of strings.
fn list(record: &mut Record, row: &Object, field: &str) -> Option<Vec<String>> {
    let text = record.text(row, field)?;
    match python_list::parse(&text) {
        Ok(list) => Some(list),
        Err(fault) => {
            record.flag_at(
                "python-literal",
                field,
                fault.column,
                format!("no Python list of strings: {}", fault.message),
            );
            None
        }
    }
}
