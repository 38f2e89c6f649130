//! FOLIO: JSON Lines of stories with first-order formulas. `premises`, `premises-FOL` (lists, or texts with a premise a
//! line), `conclusion`, `conclusion-FOL` where the split has it, `label`.
//!
//! The third label is spelt `Unknown` in one split and `Uncertain` in the other; a file's items use its own spelling.

use serde_json::Value;

use super::answer::Style;
use super::formulas::{Fields, Formulas};
use super::json::each_object;
use super::record::{Draft, Object, Record};
use super::{Format, Sink, Source, json};

/// The format `folio`.
pub struct Folio;

impl Format for Folio {
    fn name(&self) -> &'static str {
        "folio"
    }
    fn about(&self) -> &'static str {
        "FOLIO: JSON Lines with premises, premises-FOL, conclusion, conclusion-FOL, label"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        let third = third_label(source);
        each_object(source, sink, |record, object| read(record, object, &third));
    }
}

/// How the file spells its third label: the first spelling that it uses, `Unknown` where it uses none.
fn third_label(source: &Source) -> String {
    let labels = json::rows(source).into_iter().filter_map(|(_, row)| match row.ok()?.value {
        Value::Object(object) => object.get("label").and_then(Value::as_str).map(str::to_string),
        _ => None,
    });
    let mut third = labels.filter(|label| matches!(label.as_str(), "Unknown" | "Uncertain"));
    third.next().unwrap_or_else(|| "Unknown".to_string())
}

fn read(record: &mut Record, object: &Object, third: &str) {
    record.source_id = object.get("example_id").map(ToString::to_string);
    let premises = sentences(record, object, "premises");
    let formulas = sentences(record, object, "premises-FOL");
    let conclusion = record.text(object, "conclusion");
    let conclusion_formula = record.optional_text(object, "conclusion-FOL");
    let endings = ["True".to_string(), "False".to_string(), third.to_string()];
    let label = record.value(object, "label").and_then(|v| {
        let other = v.as_str().is_some_and(|l| l != third && matches!(l, "Unknown" | "Uncertain"));
        if other {
            record.flag("label-spelling", "label", format!("`{v}` in a file that writes `{third}`"));
            return Some(2);
        }
        record.answer(v, "label", &endings, Style::Text)
    });
    let (Some(premises), Some(conclusion), Some(label)) = (premises, conclusion, label) else { return };
    let formulas = formulas.map(|list| {
        let formulas = Formulas { premises: list, conclusion: conclusion_formula };
        record.formulas(formulas, premises.len(), Fields { premises: "premises-FOL", conclusion: "conclusion-FOL" })
    });
    let context = record.join(&premises, "premises");
    record.item(Draft {
        context,
        question: Some(question(&conclusion, third)),
        endings: endings.to_vec(),
        label,
        gold: Some(["entailed", "contradicted", "unknown"][label]),
        formulas,
        ..Draft::default()
    });
}

/// The question about a conclusion.
fn question(conclusion: &str, third: &str) -> String {
    format!("Is the following statement true, false, or {}? {}", third.to_lowercase(), conclusion.trim())
}

/// A list of texts, or one text with one a line.
fn sentences(record: &mut Record, object: &Object, field: &str) -> Option<Vec<String>> {
    match object.get(field) {
        Some(Value::String(text)) => Some(text.lines().map(str::to_string).collect()),
        _ => record.texts(object, field),
    }
}
