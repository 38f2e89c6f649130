//! CSV with a header. Columns, by the first name that is there, in any case:
//!
//! | what | columns |
//! |---|---|
//! | text before the question | `context`, `ctx`, `passage`, `story` |
//! | question (this or the context is needed) | `question`, `query`, `prompt` |
//! | choices | `endings`, `choices` or `options`, a JSON or Python list in a cell; or `ending1`, `ending2`, … (also `choice…`, `option…`, with `_`, from 0 or 1 on); or `A`, `B`, `C`, … |
//! | right choice | `label`, `answer`, `gold`, `target`: an index **from 0**, a letter, a choice's text, or the name of its column |
//! | as in items, optional | `id`, `task`, `group`, `variant`, `hops`, `extra_hops` |
//!
//! Empty cells behind a row's last choice are choices that it does not have. All cells are in `meta.source`.

use serde_json::Value;

use super::answer::Style;
use super::python_list;
use super::record::{Draft, Object, Record, numbered, short};
use super::table::Table;
use super::{Format, Sink, Source};

const CONTEXTS: &[&str] = &["context", "ctx", "passage", "story"];
const QUESTIONS: &[&str] = &["question", "query", "prompt"];
const LISTS: &[&str] = &["endings", "choices", "options"];
const ANSWERS: &[&str] = &["label", "answer", "gold", "target"];

/// The format `csv`.
pub struct Csv;

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }
    fn about(&self) -> &'static str {
        "CSV with context, question, endings (or ending1 …, or A, B, …), label"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        let Some(table) = Table::read(source) else { return };
        let columns = Columns { hint: table.hint(), ..Columns::find(&table.header) };
        table.each(source, sink, |record, row| read(record, row, &columns));
    }
}

/// Which columns hold what, by their names in the file.
#[derive(Default)]
struct Columns {
    context: Option<String>,
    question: Option<String>,
    list: Option<String>,
    /// One column a choice.
    single: Vec<String>,
    answer: Option<String>,
    /// What may be wrong where columns are missing.
    hint: &'static str,
}

impl Columns {
    fn find(header: &[String]) -> Columns {
        let any = |names: &[&str]| names.iter().find_map(|name| column(header, name));
        let list = any(LISTS);
        let single = if list.is_some() { Vec::new() } else { single(header) };
        Columns { context: any(CONTEXTS), question: any(QUESTIONS), list, single, answer: any(ANSWERS), hint: "" }
    }
}

/// A column's name in the file, by its name in any case.
fn column(header: &[String], name: &str) -> Option<String> {
    header.iter().find(|column| column.eq_ignore_ascii_case(name)).cloned()
}

/// Columns of one choice each: numbered, else lettered.
fn single(header: &[String]) -> Vec<String> {
    for stem in ["ending", "choice", "option"] {
        for joint in ["", "_", " "] {
            let name = |i: usize| column(header, &format!("{stem}{joint}{i}"));
            let first = usize::from(name(0).is_none());
            let found: Vec<String> = (first..).map_while(name).collect();
            if !found.is_empty() {
                return found;
            }
        }
    }
    ('A'..='Z').map_while(|letter| header.iter().find(|name| **name == letter.to_string()).cloned()).collect()
}

fn read(record: &mut Record, row: &Object, columns: &Columns) {
    let text = |record: &mut Record, name: &Option<String>| name.as_ref().and_then(|name| record.text(row, name));
    if columns.context.is_none() && columns.question.is_none() {
        record.flag("missing-field", "context", format!("no column `context` or `question`{}", columns.hint));
    }
    if columns.list.is_none() && columns.single.is_empty() {
        record.flag("missing-field", "endings", format!("no column `endings`, `ending1` or `A`{}", columns.hint));
    }
    let Some(answer) = &columns.answer else {
        record.flag("missing-field", "label", format!("no column `label` or `answer`{}", columns.hint));
        return;
    };
    let (context, question) = (text(record, &columns.context), text(record, &columns.question));
    if columns.list.is_none() && columns.single.is_empty() {
        return;
    }
    let Some((names, texts)) = choices(record, row, columns) else { return };
    let value = row.get(answer).cloned().unwrap_or(Value::Null);
    let by_column = columns.single.iter().position(|name| name.len() > 1 && value.as_str() == Some(name));
    let label = by_column.or_else(|| record.answer(&value, answer, &texts, Style::Any));
    let Some(label) = label else { return };
    let Some((endings, label)) = record.choices(&names, &texts, label) else { return };
    let (context, question) = match (context, question) {
        (Some(context), question) if !context.trim().is_empty() => (context, question),
        (_, Some(question)) => (format!("Question: {question}\nAnswer:"), None),
        (context, None) => (context.unwrap_or_default(), None),
    };
    let named = |name: &str| row.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_string);
    let (hops, extra_hops) = (number(record, row, "hops"), number(record, row, "extra_hops"));
    record.source_id = named("id");
    record.item(Draft {
        id: named("id"),
        task: named("task"),
        group: named("group"),
        variant: named("variant").unwrap_or_default(),
        hops,
        extra_hops,
        context,
        question,
        endings,
        label,
        ..Draft::default()
    });
}

/// Field names and texts of a row's choices.
fn choices(record: &mut Record, row: &Object, columns: &Columns) -> Option<(Vec<String>, Vec<String>)> {
    if let Some(field) = &columns.list {
        let text = record.text(row, field)?;
        if let Ok(list) = serde_json::from_str::<Vec<String>>(&text) {
            return Some((numbered(field, list.len()), list));
        }
        return match python_list::parse(&text) {
            Ok(list) => Some((numbered(field, list.len()), list)),
            Err(fault) => {
                let message = format!("no list of texts, by JSON or Python: {}", fault.message);
                record.flag_at("python-literal", field, fault.column, message);
                None
            }
        };
    }
    let cell = |name: &String| row.get(name).and_then(Value::as_str).unwrap_or_default().to_string();
    let mut texts: Vec<String> = columns.single.iter().map(cell).collect();
    while texts.last().is_some_and(|text| text.trim().is_empty()) {
        texts.pop();
    }
    if texts.is_empty() {
        let field = columns.single.first().map_or("endings", String::as_str);
        record.flag("empty-choice", field, "the row has no choices");
        return None;
    }
    Some((columns.single.clone(), texts))
}

fn number(record: &mut Record, row: &Object, field: &str) -> u32 {
    let text = row.get(field).and_then(Value::as_str).unwrap_or_default().trim().to_string();
    if text.is_empty() {
        return 0;
    }
    text.parse().unwrap_or_else(|_| {
        record.flag("wrong-type", field, format!("`{}` is no whole number from 0 on; 0 is used", short(&text)));
        0
    })
}
