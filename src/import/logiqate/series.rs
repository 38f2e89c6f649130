//! The number series: one row is a base and one wording of it; a base stands in several rows.
//!
//! The first row of a base gives the base's item; its wordings join its group. A wording with an MD5 sum is `md5`, one with
//! letter codes `ascii`; the rest go by how often the base has stood before: `planet`, `ascii`, `md5`, then `wording-4`, ….

use std::collections::BTreeMap;

use serde_json::Value;

use super::words::{Spellings, free_answer, spellings};
use crate::import::record::{Draft, Object, Record};
use crate::import::table::Table;
use crate::import::{Sink, Source};

/// The marks of an unknown term.
const MARKS: [&str; 3] = ["?", "...", "…"];

pub(super) fn read(table: &Table, source: &Source, sink: &mut Sink) {
    let spellings = spellings(table, "answer");
    // Of each base and answer: its group, and the variants it has.
    let mut groups: BTreeMap<(String, String), (String, Vec<String>)> = BTreeMap::new();
    table.each(source, sink, |record, row| read_row(record, row, &spellings, &mut groups));
}

fn read_row(
    record: &mut Record,
    row: &Object,
    spellings: &Spellings,
    groups: &mut BTreeMap<(String, String), (String, Vec<String>)>,
) {
    let series = record.text(row, "number_series").filter(|text| !text.trim().is_empty());
    let wording = record.text(row, "obfuscation").filter(|text| !text.trim().is_empty());
    let answer = record.value(row, "answer").and_then(Value::as_str).map(str::to_string);
    let answer = answer.and_then(|text| free_answer(record, &text, "answer", spellings));
    let Some(series) = series else { return };
    if !marked(&series) {
        record.flag("no-unknown-term", "number_series", "no `?` or `...` marks an unknown term");
    }
    if let Some(wording) = &wording {
        compare(record, &series, wording);
    }
    let Some(answer) = answer else { return };
    let fresh = (record.id.clone(), Vec::new());
    let (group, variants) = groups.entry((series.clone(), answer.clone())).or_insert(fresh);
    let question = question(&series, &answer);
    let mut item = |variant: &str, text: &str| {
        record.item(Draft {
            suffix: format!("/{variant}"),
            task: Some("logiqate-series".into()),
            group: Some(group.clone()),
            variant: variant.into(),
            context: text.trim().to_string(),
            question: Some(question.into()),
            endings: vec![answer.clone()],
            ..Draft::default()
        });
    };
    if variants.is_empty() {
        item("base", &series);
    }
    if let Some(wording) = wording {
        let variant = variant(&series, &wording, variants.len());
        item(&variant, &wording);
        variants.push(variant);
    }
}

fn marked(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

fn terms(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).collect()
}

/// What is asked: a series without a mark that holds its answer asks for the term that does not belong.
fn question(series: &str, answer: &str) -> &'static str {
    if !marked(series) && terms(series).contains(&answer) {
        "Which number in the series is wrong?"
    } else {
        "Which number is missing from the series?"
    }
}

/// Decimal points between digits.
fn points(text: &str) -> usize {
    let chars: Vec<char> = text.chars().collect();
    chars.windows(3).filter(|w| w[1] == '.' && w[0].is_ascii_digit() && w[2].is_ascii_digit()).count()
}

/// What a wording has lost of its base.
fn compare(record: &mut Record, series: &str, wording: &str) {
    let field = "obfuscation";
    if series.trim() == wording.trim() {
        record.flag("not-obfuscated", field, "equals the base series");
        return;
    }
    if marked(series) && !marked(wording) {
        record.flag("missing-mark", field, "the mark of the unknown term is gone");
    }
    let (before, after) = (terms(series), terms(wording));
    let unmarked = |list: &[&str]| list.iter().filter(|term| !MARKS.contains(term)).count();
    if unmarked(&before) != unmarked(&after) {
        let message = format!("{} terms beside the mark, {} in the base", unmarked(&after), unmarked(&before));
        record.flag("term-count", field, message);
    }
    // A point may also be spelt out; then it is not lost.
    let told = |text: &str| points(text) + text.matches("Point").count() + text.matches("point").count();
    if told(wording) < points(series) && !wording.split_whitespace().any(|word| word.trim_matches(',') == ".") {
        let message = format!("{} decimal points, {} in the base", told(wording), points(series));
        record.flag("lost-decimal-point", field, message);
    }
}

/// The name of a wording.
fn variant(series: &str, wording: &str, before: usize) -> String {
    let base = terms(series);
    let fresh = terms(wording).into_iter().filter(|term| !base.contains(term));
    let words: Vec<&str> = fresh.flat_map(str::split_whitespace).collect();
    let md5 = |word: &&str| word.len() == 32 && word.chars().all(|c| c.is_ascii_hexdigit());
    let digits = |word: &&str| word.chars().all(|c| c.is_ascii_digit());
    if words.iter().any(md5) {
        return "md5".to_string();
    }
    if words.iter().any(digits) {
        return "ascii".to_string();
    }
    match before {
        0 => "planet".to_string(),
        1 => "ascii".to_string(),
        2 => "md5".to_string(),
        n => format!("wording-{}", n + 1),
    }
}
