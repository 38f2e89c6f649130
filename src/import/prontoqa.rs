//! ProntoQA: a JSON list or lines of `context`, `question`, `options` (`A) True`, `B) False`), `answer` (a letter) and
//! `explanation`: a fact of the context, then rule and conclusion in turn. Hops are the conclusions.
//!
//! The explanation is held against the record: its fact and rules must stand in the context, and its last sentence must be
//! the statement asked about where the answer is true, and another where it is false.

use super::answer::{Style, unlettered};
use super::json::each_object;
use super::proverqa::gold;
use super::record::{Draft, Object, Record, short};
use super::{Format, Sink, Source};

/// The format `prontoqa`.
pub struct ProntoQa;

impl Format for ProntoQa {
    fn name(&self) -> &'static str {
        "prontoqa"
    }
    fn about(&self) -> &'static str {
        "ProntoQA: JSON with context, question, options, answer, explanation"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        each_object(source, sink, read);
    }
}

fn read(record: &mut Record, object: &Object) {
    record.source_id = object.get("id").map(ToString::to_string);
    let context = record.text(object, "context");
    let question = record.text(object, "question");
    let endings = record.texts(object, "options").map(|options| unlettered(&options));
    let Some(endings) = endings else { return };
    let label = record.value(object, "answer").and_then(|v| record.answer(v, "answer", &endings, Style::Letter));
    let (Some(context), Some(question), Some(label)) = (context, question, label) else { return };
    let gold = gold(&endings[label]);
    let hops = hops(record, object, &context, &question, gold == Some("entailed"));
    record.item(Draft { hops, context, question: Some(question), endings, label, gold, ..Draft::default() });
}

/// The conclusions of the explanation; 0 where there is none that can be counted.
fn hops(record: &mut Record, object: &Object, context: &str, question: &str, holds: bool) -> u32 {
    let Some(lines) = record.texts(object, "explanation") else { return 0 };
    if lines.len().is_multiple_of(2) {
        let message = format!("{} lines: expected a fact, then rule and conclusion in turn", lines.len());
        record.flag("explanation-shape", "explanation", message);
        return 0;
    }
    for (i, line) in lines.iter().enumerate() {
        if (i == 0 || i % 2 == 1) && !context.contains(line.trim()) {
            let message = format!("`{}` is not in the context", short(line));
            record.flag("explanation-mismatch", &format!("explanation[{i}]"), message);
        }
    }
    if let Some(last) = lines.last() {
        let same = question.trim_end().ends_with(last.trim());
        if same != holds {
            let message = format!("it ends with `{}`, which does not go with the answer", short(last));
            record.flag("explanation-mismatch", &format!("explanation[{}]", lines.len() - 1), message);
        }
    }
    u32::try_from(lines.len() / 2).unwrap_or(0)
}
