//! LogicBench: JSON files of one inference pattern each, `type`, `axiom` and `samples`. A sample of the yes/no part has
//! `context` and `qa_pairs`, and each pair is a record of its own; one of the four-choice part has `context`, `question`,
//! `choices` (`choice_1` …) and `answer`.
//!
//! All files have the same name, so that ids are made of part, `type` and `axiom`: `logicbench-bqa-propositional_logic-…`.
//! `row` is the sample's place in `samples`.

use serde_json::{Value, json};

use super::answer::Style;
use super::defect::Finding;
use super::json::{self as records, Parsed};
use super::proverqa::gold;
use super::record::{Draft, Object, Place, Record, kind_of};
use super::source::position;
use super::{Format, Sink, Source};

/// The format `logicbench`.
pub struct LogicBench;

impl Format for LogicBench {
    fn name(&self) -> &'static str {
        "logicbench"
    }
    fn about(&self) -> &'static str {
        "LogicBench: data_instances.json files of both parts, yes/no (BQA) and four choices (MCQA)"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        let mut top = None;
        for (place, row) in records::rows(source) {
            match row {
                Ok(Parsed { value: Value::Object(object), .. }) if top.is_none() && object.contains_key("samples") => {
                    top = Some(object);
                }
                other => records::give(sink, place, other, &mut |record, _| {
                    record.flag("unknown-shape", "samples", "expected one object with `type`, `axiom` and `samples`");
                }),
            }
        }
        if let Some(top) = top {
            samples(source, sink, &top);
        }
    }
}

fn samples(source: &Source, sink: &mut Sink, top: &Object) {
    let Some(Value::Array(list)) = top.get("samples") else {
        sink.record(Place { row: Some(0), line: None }, Value::Object(top.clone()), |record| {
            record.flag("wrong-type", "samples", "must be a list");
        });
        return;
    };
    let name = |field: &str| top.get(field).and_then(Value::as_str).unwrap_or("unnamed").to_string();
    let yes_no = list.iter().any(|sample| sample.get("qa_pairs").is_some());
    let part = if yes_no { "bqa" } else { "mcqa" };
    sink.set_prefix(format!("logicbench-{part}-{}-{}", name("type"), name("axiom")));
    for field in ["type", "axiom"] {
        if !top.get(field).is_some_and(Value::is_string) {
            sink.flag_file(Some(1), Finding::new("missing-field", field, format!("field `{field}` is missing")));
        }
    }
    let mut frame = top.clone();
    frame.remove("samples");
    let lines = sample_lines(source, list.len());
    for (i, sample) in list.iter().enumerate() {
        let place = Place { row: Some(i), line: lines.get(i).copied() };
        let mut whole = frame.clone();
        whole.insert("sample".into(), sample.clone());
        let whole = Value::Object(whole);
        let Value::Object(object) = sample else {
            sink.record(place, whole, |record| {
                record.flag("wrong-type", "", format!("the sample must be an object, is {}", kind_of(sample)));
            });
            continue;
        };
        match object.get("qa_pairs") {
            Some(Value::Array(pairs)) if !pairs.is_empty() => {
                for (j, pair) in pairs.iter().enumerate() {
                    sink.record(place, whole.clone(), |record| {
                        // One id a sample; its pairs are not told of as doubles.
                        record.source_id = (j == 0).then(|| object.get("id").map(ToString::to_string)).flatten();
                        yes_or_no(record, object, pair, j);
                    });
                }
            }
            Some(_) => sink.record(place, whole, |record| {
                record.flag("wrong-type", "qa_pairs", "must be a list of questions with answers");
            }),
            None => sink.record(place, whole, |record| {
                record.source_id = object.get("id").map(ToString::to_string);
                four_choices(record, object);
            }),
        }
    }
}

/// The lines on which samples begin, found by their `"id"` keys; empty where these are not one a sample.
fn sample_lines(source: &Source, count: usize) -> Vec<usize> {
    let Ok(text) = source.text() else { return Vec::new() };
    let lines: Vec<usize> = text.match_indices("\"id\":").map(|(at, _)| position(text, at).0).collect();
    if lines.len() == count { lines } else { Vec::new() }
}

fn yes_or_no(record: &mut Record, sample: &Object, pair: &Value, at: usize) {
    let field = |name: &str| format!("qa_pairs[{at}].{name}");
    let context = record.text(sample, "context");
    let Value::Object(pair) = pair else {
        record.flag("wrong-type", &format!("qa_pairs[{at}]"), format!("must be an object, is {}", kind_of(pair)));
        return;
    };
    let mut get = |name: &str| {
        let value = pair.get(name);
        if value.is_none() {
            record.flag("missing-field", &field(name), format!("field `{name}` is missing"));
        }
        value
    };
    let (question, answer) = (get("question"), get("answer"));
    let endings = ["yes".to_string(), "no".to_string()];
    let question = question.and_then(|v| record.text_of(v, &field("question")));
    let label = answer.and_then(|v| record.answer(v, &field("answer"), &endings, Style::Text));
    let (Some(context), Some(question), Some(label)) = (context, question, label) else { return };
    let mut meta = Object::new();
    meta.insert("question".into(), json!(at));
    record.item(Draft {
        suffix: format!("/{at}"),
        context,
        question: Some(question),
        endings: endings.to_vec(),
        label,
        // "No" means "does not follow", which leaves open whether the contrary does.
        gold: gold(&endings[label]).filter(|verdict| *verdict == "entailed"),
        meta,
        ..Draft::default()
    });
}

fn four_choices(record: &mut Record, sample: &Object) {
    let context = record.text(sample, "context");
    let question = record.text(sample, "question");
    let choices = match record.value(sample, "choices") {
        Some(Value::Object(choices)) => choices,
        Some(other) => {
            record.flag("wrong-type", "choices", format!("must be an object, is {}", kind_of(other)));
            return;
        }
        None => return,
    };
    let (mut names, mut keys, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for (key, value) in choices {
        let name = format!("choices.{key}");
        if !matches!(key.as_str(), "choice_1" | "choice_2" | "choice_3" | "choice_4") {
            record.flag("unexpected-choice", &name, "a choice beyond `choice_1` to `choice_4`; it is kept");
        }
        let Value::String(text) = value else {
            record.flag("wrong-type", &name, format!("must be a text, is {}", kind_of(value)));
            return;
        };
        texts.push(text.clone());
        keys.push(key.clone());
        names.push(name);
    }
    // The answer is the key of a choice.
    let label = record.value(sample, "answer").and_then(|v| record.answer(v, "answer", &keys, Style::Text));
    let (Some(context), Some(question), Some(label)) = (context, question, label) else { return };
    let Some((endings, label)) = record.choices(&names, &texts, label) else { return };
    record.item(Draft { context, question: Some(question), endings, label, ..Draft::default() });
}
