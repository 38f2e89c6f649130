//! ProverQA: a JSON list or lines of `context`, `question`, `options` (`A) True` …), `answer` (a letter), `nl2fol` (sentence to
//! formula), `conclusion_fol`, and where the file has it `reasoning`.
//!
//! Hops are the steps of `reasoning` (its lines that begin with `conclusion:`). Without it they are unknown (0), and
//! `meta.hops_range` gives the range of the set that the file's name tells: easy 1–2, medium 3–5, hard 6–9.

use serde_json::{Value, json};

use super::answer::{Style, unlettered};
use super::formulas::{Fields, Formulas};
use super::json::each_object;
use super::record::{Draft, Object, Record, kind_of, short};
use super::{Format, Sink, Source};

/// The format `proverqa`.
pub struct ProverQa;

impl Format for ProverQa {
    fn name(&self) -> &'static str {
        "proverqa"
    }
    fn about(&self) -> &'static str {
        "ProverQA: JSON with context, question, options, answer, nl2fol, conclusion_fol"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        let name = source.base_name.to_lowercase();
        let range =
            [("easy", [1, 2]), ("medium", [3, 5]), ("hard", [6, 9])].into_iter().find(|(set, _)| name.contains(set));
        each_object(source, sink, |record, object| read(record, object, range.map(|(_, range)| range)));
    }
}

fn read(record: &mut Record, object: &Object, range: Option<[u32; 2]>) {
    record.source_id = object.get("id").map(ToString::to_string);
    let context = record.text(object, "context");
    let question = record.text(object, "question");
    let endings = record.texts(object, "options").map(|options| unlettered(&options));
    let formulas = formulas(record, object, context.as_deref());
    let Some(endings) = endings else { return };
    let label = record.value(object, "answer").and_then(|v| record.answer(v, "answer", &endings, Style::Letter));
    let (Some(context), Some(question), Some(label)) = (context, question, label) else { return };
    let mut meta = Object::new();
    let hops = steps(object);
    if let (None, Some(range)) = (hops, range) {
        meta.insert("hops_range".into(), json!(range));
    }
    let gold = gold(&endings[label]);
    record.item(Draft {
        hops: hops.unwrap_or(0),
        context,
        question: Some(question),
        endings,
        label,
        gold,
        formulas,
        meta,
        ..Draft::default()
    });
}

/// What a label says of a conclusion.
pub(super) fn gold(label: &str) -> Option<&'static str> {
    match label.to_ascii_lowercase().as_str() {
        "true" | "yes" => Some("entailed"),
        "false" | "no" => Some("contradicted"),
        "uncertain" | "unknown" => Some("unknown"),
        _ => None,
    }
}

/// Steps of the reasoning, where the record tells them.
fn steps(object: &Object) -> Option<u32> {
    let count = match object.get("reasoning")? {
        Value::String(text) => text.lines().filter(|l| l.trim().to_lowercase().starts_with("conclusion:")).count(),
        Value::Array(list) => list.len(),
        _ => 0,
    };
    u32::try_from(count).ok().filter(|n| *n > 0)
}

/// The formulas of `nl2fol`, in its order, and what of the context they leave out.
fn formulas(record: &mut Record, object: &Object, context: Option<&str>) -> Option<Formulas> {
    let map = match record.value(object, "nl2fol")? {
        Value::Object(map) => map,
        other => {
            record.flag("wrong-type", "nl2fol", format!("must be an object, is {}", kind_of(other)));
            return None;
        }
    };
    let conclusion = record.text(object, "conclusion_fol");
    let mut premises = Vec::with_capacity(map.len());
    let mut rest = context.unwrap_or_default().to_string();
    // Longer sentences first: one sentence may be a part of another.
    let mut sentences: Vec<&String> = map.keys().collect();
    sentences.sort_by_key(|s| std::cmp::Reverse(s.len()));
    for sentence in sentences {
        let (plain, field) = (sentence.trim(), format!("nl2fol.{}", short(sentence)));
        match rest.find(plain) {
            Some(at) if !plain.is_empty() => rest.replace_range(at..at + plain.len(), "\n"),
            _ => record.flag("formula-without-sentence", &field, "the sentence is not in the context"),
        }
    }
    let left: Vec<&str> = rest.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric)).collect();
    for part in left {
        record.flag("sentence-without-formula", "context", format!("`{}` has no formula in `nl2fol`", short(part)));
    }
    for (sentence, value) in map {
        premises.push(record.text_of(value, &format!("nl2fol.{}", short(sentence)))?);
    }
    let count = premises.len();
    let formulas = Formulas { premises, conclusion };
    Some(record.formulas(formulas, count, Fields { premises: "nl2fol", conclusion: "conclusion_fol" }))
}
