//! LogiQA 2.0: JSON Lines of `text`, `question`, `options` and `answer`, an index from 0.

use super::answer::Style;
use super::json::each_object;
use super::record::{Draft, Object, Record, numbered};
use super::{Format, Sink, Source};

/// The format `logiqa`.
pub struct LogiQa;

impl Format for LogiQa {
    fn name(&self) -> &'static str {
        "logiqa"
    }
    fn about(&self) -> &'static str {
        "LogiQA 2.0: JSON Lines with text, question, options, answer (an index)"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        each_object(source, sink, read);
    }
}

fn read(record: &mut Record, object: &Object) {
    record.source_id = object.get("id").map(ToString::to_string);
    let context = record.text(object, "text");
    let question = record.text(object, "question");
    let Some(options) = record.texts(object, "options") else { return };
    let label = record.value(object, "answer").and_then(|v| record.answer(v, "answer", &options, Style::Any));
    let (Some(context), Some(question), Some(label)) = (context, question, label) else { return };
    let names = numbered("options", options.len());
    let Some((endings, label)) = record.choices(&names, &options, label) else { return };
    record.item(Draft { context, question: Some(question), endings, label, ..Draft::default() });
}
