//! HellaSwag and what is built like it: JSON Lines of `ctx` (or `ctx_a` and `ctx_b`), `endings` and `label`, a number or digits.
//!
//! The context is `ctx` as it stands, or where there is none, `ctx_a`, a space and `ctx_b`. A record whose label is hidden (as
//! in published test sets) gives no item.

use super::answer::Style;
use super::json::each_object;
use super::record::{Draft, Object, Record, numbered};
use super::{Format, Sink, Source};

/// The format `hellaswag`.
pub struct HellaSwag;

impl Format for HellaSwag {
    fn name(&self) -> &'static str {
        "hellaswag"
    }
    fn about(&self) -> &'static str {
        "HellaSwag and its like: JSON Lines with ctx (or ctx_a, ctx_b), endings, label"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        each_object(source, sink, read);
    }
}

fn read(record: &mut Record, object: &Object) {
    record.source_id = object.get("ind").map(ToString::to_string);
    let context = context(record, object);
    let Some(choices) = record.texts(object, "endings") else { return };
    let label = record.value(object, "label").and_then(|v| record.answer(v, "label", &choices, Style::IndexFirst));
    let (Some(context), Some(label)) = (context, label) else { return };
    let names = numbered("endings", choices.len());
    let Some((endings, label)) = record.choices(&names, &choices, label) else { return };
    record.item(Draft { context, endings, label, ..Draft::default() });
}

fn context(record: &mut Record, object: &Object) -> Option<String> {
    let parts = (record.optional_text(object, "ctx_a"), record.optional_text(object, "ctx_b"));
    let joined = match parts {
        (Some(a), Some(b)) if !b.is_empty() => Some(format!("{a} {b}")),
        (Some(a), _) => Some(a),
        (None, _) => None,
    };
    if !object.contains_key("ctx") && joined.is_some() {
        return joined;
    }
    let context = record.text(object, "ctx")?;
    if let Some(joined) = joined
        && joined != context
    {
        record.flag("parts-differ", "ctx", "`ctx` is not `ctx_a`, a space and `ctx_b`; `ctx` is used");
    }
    Some(context)
}
