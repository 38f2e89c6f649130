//! CLUTRR: a JSON list or lines of `story`, `query` (a Python pair of names), `target_text` (the relation), `task_name`
//! (`task_1.K`: K steps, which are the hops).
//!
//! The question asks what the second person of the query is to the first. The endings are the relations that occur as
//! targets in the file, in the order of their numbers (`target`), then of their names.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answer::Style;
use super::json::{each_object, rows};
use super::python_list;
use super::record::{Draft, Object, Record, short};
use super::{Format, Sink, Source};

/// The format `clutrr`.
pub struct Clutrr;

impl Format for Clutrr {
    fn name(&self) -> &'static str {
        "clutrr"
    }
    fn about(&self) -> &'static str {
        "CLUTRR: JSON with story, query, target, target_text, task_name"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        let endings = relations(source);
        each_object(source, sink, |record, object| read(record, object, &endings));
    }
}

fn relations(source: &Source) -> Vec<String> {
    let mut relations: BTreeMap<(u64, String), ()> = BTreeMap::new();
    for (_, row) in rows(source) {
        let Ok(Value::Object(object)) = row.map(|parsed| parsed.value) else { continue };
        let number = match object.get("target") {
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(Value::Number(n)) => n.as_u64(),
            _ => None,
        };
        if let Some(text) = object.get("target_text").and_then(Value::as_str).filter(|t| !t.trim().is_empty()) {
            relations.insert((number.unwrap_or(u64::MAX), text.to_string()), ());
        }
    }
    let mut names: Vec<String> = Vec::new();
    for ((_, name), ()) in relations {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn read(record: &mut Record, object: &Object, endings: &[String]) {
    record.source_id = object.get("id").map(ToString::to_string);
    let story = record.text(object, "story");
    let query = record.text(object, "query").and_then(|text| pair(record, &text));
    let label = record.value(object, "target_text");
    let label = label.and_then(|v| record.answer(v, "target_text", endings, Style::Text));
    let hops = steps(record, object);
    let (Some(context), Some((from, to)), Some(label)) = (story, query, label) else { return };
    record.item(Draft {
        hops,
        context,
        question: Some(format!("What is {to} to {from}?")),
        endings: endings.to_vec(),
        label,
        ..Draft::default()
    });
}

fn pair(record: &mut Record, text: &str) -> Option<(String, String)> {
    let fault = match python_list::parse(text) {
        Ok(names) => match <[String; 2]>::try_from(names) {
            Ok([from, to]) => return Some((from, to)),
            Err(names) => (1, format!("{} names; expected two", names.len())),
        },
        Err(fault) => (fault.column, format!("no Python pair of names: {}", fault.message)),
    };
    record.flag_at("python-literal", "query", fault.0, fault.1);
    None
}

fn steps(record: &mut Record, object: &Object) -> u32 {
    let Some(name) = record.text(object, "task_name") else { return 0 };
    let steps = name.rsplit_once('.').and_then(|(_, k)| k.trim().parse().ok());
    if steps.is_none() {
        record.flag(
            "unknown-shape",
            "task_name",
            format!("`{}` is not `task_1.K`; the hops are unknown", short(&name)),
        );
    }
    steps.unwrap_or(0)
}
