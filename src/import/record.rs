//! One record on its way to items. Reading a field that is missing or of the wrong type leaves a defect behind, so that a
//! format's code is the plain case only.

use serde_json::{Map, Value, json};

use super::defect::Finding;
use super::formulas::{Fields, Formulas, formula_defects};

/// A JSON object, or a CSV row as one: column name to cell.
pub(super) type Object = Map<String, Value>;

/// Where a record begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// 0-based number in the file.
    pub row: Option<usize>,
    /// 1-based line.
    pub line: Option<usize>,
}

/// An item but for the names that the whole import decides.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The item's id, or what follows the record's own: `/l1`; empty for the record's own.
    pub suffix: String,
    /// An id that the source gives on purpose, in place of the record's own.
    pub id: Option<String>,
    /// The task, where it is not the format's name.
    pub task: Option<String>,
    /// The group, where it is not the id.
    pub group: Option<String>,
    /// The variant; empty for `base`.
    pub variant: String,
    pub hops: u32,
    pub extra_hops: u32,
    pub context: String,
    pub question: Option<String>,
    pub endings: Vec<String>,
    pub label: usize,
    /// What the label says of the conclusion: `entailed`, `contradicted` or `unknown`.
    pub gold: Option<&'static str>,
    pub formulas: Option<Formulas>,
    /// Further fields of `meta`.
    pub meta: Object,
    /// The source's record, verbatim; that of the record where `None`.
    pub source: Option<Value>,
}

/// A record being read: what it gave and what is wrong with it.
#[derive(Debug)]
pub(super) struct Record {
    /// Id of the record: file stem and row.
    pub id: String,
    pub place: Place,
    pub findings: Vec<Finding>,
    pub drafts: Vec<Draft>,
    /// The record, verbatim.
    pub source: Value,
    /// An id of the source's own, to be told if it stands twice.
    pub source_id: Option<String>,
}

impl Record {
    /// Notes a defect of a field.
    pub fn flag(&mut self, kind: &'static str, field: &str, message: impl Into<String>) {
        self.findings.push(Finding::new(kind, field, message));
    }

    /// Notes a defect at a column of a field's text.
    pub fn flag_at(&mut self, kind: &'static str, field: &str, column: usize, message: impl Into<String>) {
        self.findings.push(Finding { column: Some(column), ..Finding::new(kind, field, message) });
    }

    /// Adds an item.
    pub fn item(&mut self, draft: Draft) {
        self.drafts.push(draft);
    }

    /// A field that must be there.
    pub fn value<'a>(&mut self, object: &'a Object, field: &str) -> Option<&'a Value> {
        let value = object.get(field);
        if value.is_none() {
            self.flag("missing-field", field, format!("field `{field}` is missing"));
        }
        value
    }

    /// A text that must be there. An empty one is let through, with a defect.
    pub fn text(&mut self, object: &Object, field: &str) -> Option<String> {
        let value = self.value(object, field)?;
        self.text_of(value, field)
    }

    /// As [`Record::text`], of a value at hand.
    pub fn text_of(&mut self, value: &Value, field: &str) -> Option<String> {
        let Value::String(text) = value else {
            self.flag("wrong-type", field, format!("must be a text, is {}", kind_of(value)));
            return None;
        };
        if text.trim().is_empty() {
            self.flag("empty-text", field, "is empty");
        }
        Some(text.clone())
    }

    /// A text that may be absent or null; another type is a defect.
    pub fn optional_text(&mut self, object: &Object, field: &str) -> Option<String> {
        match object.get(field) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                self.flag("wrong-type", field, format!("must be a text, is {}", kind_of(other)));
                None
            }
        }
    }

    /// A list of texts that must be there.
    pub fn texts(&mut self, object: &Object, field: &str) -> Option<Vec<String>> {
        let value = self.value(object, field)?;
        self.texts_of(value, field)
    }

    /// As [`Record::texts`], of a value at hand.
    pub fn texts_of(&mut self, value: &Value, field: &str) -> Option<Vec<String>> {
        let Value::Array(list) = value else {
            self.flag("wrong-type", field, format!("must be a list of texts, is {}", kind_of(value)));
            return None;
        };
        let mut texts = Vec::with_capacity(list.len());
        for (i, entry) in list.iter().enumerate() {
            let Value::String(text) = entry else {
                self.flag("wrong-type", &format!("{field}[{i}]"), format!("must be a text, is {}", kind_of(entry)));
                return None;
            };
            texts.push(text.clone());
        }
        Some(texts)
    }

    /// Sentences as a context: trimmed and joined by spaces. Empty ones are defects.
    pub fn join(&mut self, sentences: &[String], field: &str) -> String {
        for (i, sentence) in sentences.iter().enumerate() {
            if sentence.trim().is_empty() {
                self.flag("empty-text", &format!("{field}[{i}]"), "is empty");
            }
        }
        let trimmed: Vec<&str> = sentences.iter().map(|s| s.trim()).filter(|s| !s.is_empty()).collect();
        trimmed.join(" ")
    }

    /// Formulas, looked through for defects; `sentences` is the number of premises in words.
    pub fn formulas(&mut self, formulas: Formulas, sentences: usize, fields: Fields<'_>) -> Formulas {
        if formulas.premises.len() != sentences {
            let count = formulas.premises.len();
            self.flag("premise-count", fields.premises, format!("{count} formulas for {sentences} premises"));
        }
        let found = formula_defects(&formulas, fields);
        // A field without text is told once, as the formula that it should hold.
        self.findings.retain(|text| {
            text.kind != "empty-text" || !found.iter().any(|f| f.kind == "empty" && f.field == text.field)
        });
        self.findings.extend(found);
        formulas
    }

    /// Choices without the empty ones, which are defects, and the label among those that stay.
    ///
    /// `names` gives the field of each choice. `None` where the right choice itself is empty, or none is left.
    pub fn choices(&mut self, names: &[String], texts: &[String], label: usize) -> Option<(Vec<String>, usize)> {
        let mut endings: Vec<String> = Vec::with_capacity(texts.len());
        let mut at = None;
        for (i, text) in texts.iter().enumerate() {
            let name = names.get(i).map_or("", String::as_str);
            if text.trim().is_empty() {
                self.flag("empty-choice", name, "the choice is empty, and left out of the endings");
                continue;
            }
            if endings.contains(text) {
                self.flag("duplicate-choice", name, format!("the choice `{}` stands twice", short(text)));
            }
            if i == label {
                at = Some(endings.len());
            }
            endings.push(text.clone());
        }
        if at.is_none() {
            let name = names.get(label).map_or("", String::as_str);
            self.flag("empty-answer", name, "the right choice is empty");
        }
        at.map(|label| (endings, label))
    }
}

/// Field names `NAME[0]`, `NAME[1]`, ….
pub(super) fn numbered(field: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{field}[{i}]")).collect()
}

/// A type's name, for messages.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The beginning of a text, for messages.
pub(super) fn short(text: &str) -> String {
    let mut cut: String = text.chars().take(40).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}

/// `meta` of an item: where it comes from, what the label says, the formulas, and the source's record.
pub(super) fn meta(format: &str, file: &str, place: Place, draft: &mut Draft, source: &Value) -> Value {
    let mut meta = Object::new();
    meta.insert("format".into(), json!(format));
    meta.insert("file".into(), json!(file));
    meta.insert("row".into(), json!(place.row));
    if let Some(gold) = draft.gold {
        meta.insert("gold".into(), json!(gold));
    }
    if let Some(formulas) = &draft.formulas {
        meta.insert("formulas".into(), formulas.to_json());
    }
    meta.append(&mut draft.meta);
    meta.insert("source".into(), draft.source.take().unwrap_or_else(|| source.clone()));
    Value::Object(meta)
}
