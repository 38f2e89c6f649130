//! What lm-evaluation-harness writes and reads, as JSON Lines:
//!
//! - **logs of samples** (`--log_samples`): the requests in `arguments` (`{"gen_args_0": {"arg_0": context, "arg_1": ending}}`,
//!   or lists of pairs as older versions wrote) and the index of the right one in `target`. The space that joins an ending to
//!   its context is taken off, since llscore puts one there. The unconditional requests of mutual information are left
//!   aside. A task that generates has its target as the one ending. Lines of further filters over one document are dropped.
//! - **documents**, by themselves or in `doc`: a question, choices and an answer, under the names in [`QUESTIONS`],
//!   [`CHOICES`] and [`ANSWERS`]. Choices are a list of texts, or `{"text": […], "label": […]}`.
//!
//! The task is that of the file's name, `samples_TASK_DATE.jsonl`, else the format's.

use std::collections::HashSet;

use serde_json::Value;

use super::answer::Style;
use super::json::each_object;
use super::record::{Draft, Object, Record, kind_of, numbered};
use super::{Format, Sink, Source};

/// Names of the question, the first that is there.
const QUESTIONS: [&str; 6] = ["question", "query", "prompt", "goal", "input", "text"];
/// Names of the choices.
const CHOICES: [&str; 4] = ["choices", "options", "endings", "answers"];
/// Names of the answer.
const ANSWERS: [&str; 8] = ["answer", "label", "gold", "answerKey", "answer_key", "answer_idx", "correct", "target"];
/// Names of what comes before the question.
const CONTEXTS: [&str; 4] = ["context", "ctx", "passage", "story"];

/// The format `lm-eval`.
pub struct LmEval;

impl Format for LmEval {
    fn name(&self) -> &'static str {
        "lm-eval"
    }
    fn about(&self) -> &'static str {
        "lm-evaluation-harness: logs of samples, or documents with question, choices, answer"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        let task = task(&source.base_name);
        let mut seen = HashSet::new();
        each_object(source, sink, |record, object| {
            if object.contains_key("arguments") {
                log(record, object, task.as_ref(), &mut seen);
            } else if let Some(Value::Object(doc)) = object.get("doc") {
                document(record, doc, "doc.", task.as_ref());
            } else {
                document(record, object, "", task.as_ref());
            }
        });
    }
}

/// `samples_TASK_DATE.jsonl`: the task.
fn task(name: &str) -> Option<String> {
    let middle = name.strip_prefix("samples_")?.split(".json").next()?;
    let task = middle
        .rsplit_once('_')
        .map_or(middle, |(task, date)| if date.starts_with(|c: char| c.is_ascii_digit()) { task } else { middle });
    (!task.is_empty()).then(|| task.to_string())
}

/// A request: context, and ending where there is one.
struct Request {
    context: String,
    ending: Option<String>,
}

fn log(record: &mut Record, object: &Object, task: Option<&String>, seen: &mut HashSet<String>) {
    let filter = object.get("filter").map(ToString::to_string).unwrap_or_default();
    if let Some(id) = object.get("doc_id") {
        record.source_id = Some(format!("{id} with filter {filter}"));
        let first = seen.insert(id.to_string());
        if !first && seen.insert(format!("{id} {filter}")) {
            record.flag(
                "repeated-filter",
                "filter",
                format!("document {id} gave an item already; this is filter {filter}"),
            );
            return;
        }
        seen.insert(format!("{id} {filter}"));
    }
    let Some(requests) = requests(record, object) else { return };
    let Some(requests) = conditional(record, requests) else { return };
    let Some(target) = record.value(object, "target") else { return };
    let context = requests[0].context.clone();
    let texts: Option<Vec<String>> = requests.iter().map(|request| request.ending.clone()).collect();
    let (endings, label) = match texts {
        Some(texts) => {
            let endings = join_by_space(record, texts);
            if endings.len() == 1 {
                record.flag("no-choices", "arguments", "one request only; the item has one ending");
                (endings, 0)
            } else {
                let Some(target) = one_target(record, target) else { return };
                let Some(label) = record.answer(&target, "target", &endings, Style::IndexFirst) else { return };
                let names: Vec<String> = (0..endings.len()).map(|i| format!("arguments.gen_args_{i}.arg_1")).collect();
                let Some(chosen) = record.choices(&names, &endings, label) else { return };
                chosen
            }
        }
        None => {
            let text = match target {
                Value::String(text) => text.trim().to_string(),
                other => other.to_string(),
            };
            if text.is_empty() {
                record.flag("empty-answer", "target", "the target is empty");
                return;
            }
            record.flag("no-choices", "target", "a task that generates; the item has the target as its one ending");
            (vec![text], 0)
        }
    };
    record.item(Draft { task: task.cloned(), context, endings, label, ..Draft::default() });
}

/// The requests of a log, in order.
fn requests(record: &mut Record, object: &Object) -> Option<Vec<Request>> {
    let bad = |record: &mut Record, field: &str| {
        record.flag("unknown-shape", field, "no request of a context and an ending, or of a context and settings");
    };
    let pairs: Vec<(Option<&Value>, Option<&Value>)> = match object.get("arguments") {
        Some(Value::Array(list)) => list.iter().map(|pair| (pair.get(0), pair.get(1))).collect(),
        Some(Value::Object(map)) => {
            let numbered: Vec<&Value> = (0..map.len()).filter_map(|i| map.get(&format!("gen_args_{i}"))).collect();
            if numbered.len() != map.len() {
                bad(record, "arguments");
                return None;
            }
            numbered.iter().map(|pair| (pair.get("arg_0"), pair.get("arg_1"))).collect()
        }
        _ => Vec::new(),
    };
    let mut requests = Vec::with_capacity(pairs.len());
    for (i, pair) in pairs.iter().enumerate() {
        let request = match pair {
            (Some(Value::String(context)), Some(Value::String(ending))) => {
                Request { context: context.clone(), ending: Some(ending.clone()) }
            }
            (Some(Value::String(context)), None | Some(Value::Object(_) | Value::Null)) => {
                Request { context: context.clone(), ending: None }
            }
            _ => {
                bad(record, &format!("arguments[{i}]"));
                return None;
            }
        };
        requests.push(request);
    }
    if requests.is_empty() {
        bad(record, "arguments");
        return None;
    }
    Some(requests)
}

/// The requests over the item's context, without those that mutual information adds; all must share that context.
fn conditional(record: &mut Record, mut requests: Vec<Request>) -> Option<Vec<Request>> {
    let half = requests.len() / 2;
    let (first, second) = requests.split_at(half);
    let pairs = first.iter().zip(second);
    if requests.len() > 1
        && requests.len().is_multiple_of(2)
        && first.iter().all(|request| !request.context.is_empty())
        && pairs.clone().all(|(a, b)| b.context.is_empty() && a.ending == b.ending)
    {
        requests.truncate(half);
    }
    if requests.iter().any(|request| request.context != requests[0].context) {
        let message = "the choices stand in the contexts, not in the endings; such items cannot be expressed";
        record.flag("several-contexts", "arguments", message);
        return None;
    }
    Some(requests)
}

/// Endings without the space that joins them to the context.
fn join_by_space(record: &mut Record, texts: Vec<String>) -> Vec<String> {
    let stripped: Option<Vec<String>> = texts.iter().map(|text| text.strip_prefix(' ').map(str::to_string)).collect();
    stripped.unwrap_or_else(|| {
        let message = "no space before the endings; give the delimiter that the task has to `llscore run --delimiter`";
        record.flag("delimiter", "arguments", message);
        texts
    })
}

/// The target, which the harness writes as text: `0`, `yes`, or `[0, 2]` where several are right.
fn one_target(record: &mut Record, target: &Value) -> Option<Value> {
    let list = match target {
        Value::String(text) if text.trim_start().starts_with('[') => serde_json::from_str::<Vec<Value>>(text).ok(),
        Value::Array(list) => Some(list.clone()),
        _ => None,
    };
    match list {
        None => Some(target.clone()),
        Some(list) => {
            if list.len() > 1 {
                record.flag(
                    "several-answers",
                    "target",
                    format!("{} answers are right; the first is taken", list.len()),
                );
            }
            if list.is_empty() {
                record.flag("hidden-label", "target", "the answer is not given");
            }
            list.into_iter().next()
        }
    }
}

/// A document with question, choices and answer; `prefix` is where it stands in the record.
fn document(record: &mut Record, doc: &Object, prefix: &str, task: Option<&String>) {
    record.source_id = doc.get("id").filter(|id| !id.is_null()).map(ToString::to_string);
    let find = |names: &[&'static str]| names.iter().find(|name| doc.contains_key(**name)).copied();
    let context = find(&CONTEXTS).map(|name| (name, record.optional_text(doc, name)));
    let question = find(&QUESTIONS).map(|name| (name, record.text(doc, name)));
    let mut needed = |found: Option<&'static str>, what: &str, names: &[&str]| {
        if found.is_none() {
            record.flag(
                "missing-field",
                "",
                format!("no {what}: none of `{prefix}{}`", names.join(&format!("`, `{prefix}"))),
            );
        }
        found
    };
    let choices = needed(find(&CHOICES), "choices", &CHOICES);
    let answer = needed(find(&ANSWERS), "answer", &ANSWERS);
    if context.is_none() && question.is_none() {
        needed(None, "question", &QUESTIONS);
    }
    let (Some(choices), Some(answer)) = (choices, answer) else { return };
    let field = format!("{prefix}{choices}");
    let Some((names, texts, keys)) = choices_of(record, doc, choices, &field) else { return };
    let value = doc.get(answer).cloned().unwrap_or(Value::Null);
    let field = format!("{prefix}{answer}");
    // Where the choices have keys of their own (A, B, …, or 1, 2, …), the answer is one of these.
    let by_key = value.as_str().and_then(|text| keys.iter().position(|key| key == text.trim()));
    let Some(value) = one_target(record, &value) else { return };
    let label = by_key.or_else(|| record.answer(&value, &field, &texts, Style::Any));
    let Some(label) = label else { return };
    let Some((endings, label)) = record.choices(&names, &texts, label) else { return };
    let (context, question) = match (context, question) {
        (Some((_, context)), Some((_, Some(question)))) => (context.unwrap_or_default(), Some(question)),
        (Some((_, Some(context))), None) => (context, None),
        (None, Some((_, Some(question)))) => (String::new(), Some(question)),
        _ => return,
    };
    // A question alone is asked as it would be behind a context.
    let (context, question) = match question {
        Some(question) if context.trim().is_empty() => (format!("Question: {question}\nAnswer:"), None),
        question => (context, question),
    };
    record.item(Draft { task: task.cloned(), context, question, endings, label, ..Draft::default() });
}

/// Field names, texts and keys of the choices.
fn choices_of(
    record: &mut Record,
    doc: &Object,
    name: &str,
    field: &str,
) -> Option<(Vec<String>, Vec<String>, Vec<String>)> {
    let value = doc.get(name)?;
    let (field, texts, keys) = match value {
        Value::Array(_) => (field.to_string(), record.texts_of(value, field)?, Vec::new()),
        Value::Object(map) => {
            let text = map.get("text").or_else(|| map.get("texts"));
            let field = format!("{field}.text");
            let texts = match text {
                Some(text) => record.texts_of(text, &field)?,
                None => {
                    record.flag("missing-field", &field, "choices that are an object need a list `text`");
                    return None;
                }
            };
            let keys = map.get("label").and_then(Value::as_array).cloned().unwrap_or_default();
            (field, texts, keys.iter().filter_map(Value::as_str).map(str::to_string).collect())
        }
        other => {
            record.flag("wrong-type", field, format!("must be a list of texts, is {}", kind_of(other)));
            return None;
        }
    };
    Some((numbered(&field, texts.len()), texts, keys))
}
