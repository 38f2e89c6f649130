//! The kinship and direction puzzles: texts with a free answer.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::import::answer::key;
use crate::import::record::{Draft, Record, short};
use crate::import::table::Table;
use crate::import::{Sink, Source};

/// Where a kind's wordings stand.
pub(super) struct Kind {
    task: &'static str,
    answer: &'static str,
    /// Variant and column; the base goes first.
    wordings: &'static [(&'static str, &'static str)],
}

pub(super) const KINSHIP: Kind = Kind {
    task: "logiqate-kinship",
    answer: "Answer",
    wordings: &[("base", "BaseQuestion"), ("l1", "ObfuscatedQuest_l1"), ("l2", "ObfuscatedQuest_l2")],
};

pub(super) const DIRECTION: Kind = Kind {
    task: "logiqate-direction",
    answer: "ACTUAL ANSWER",
    wordings: &[("base", "BASE"), ("obfuscated", "OBFUS")],
};

/// The spellings of each answer in a file, by what they share.
pub(super) type Spellings = BTreeMap<String, BTreeMap<String, usize>>;

/// Counts the spellings of a column.
pub(super) fn spellings(table: &Table, column: &str) -> Spellings {
    let mut spellings = Spellings::new();
    let Some(at) = table.header.iter().position(|name| name == column) else { return spellings };
    for row in table.rows.iter().filter(|row| row.cells.len() == table.header.len()) {
        let text = String::from_utf8_lossy(&row.cells[at]).into_owned();
        *spellings.entry(key(&text)).or_default().entry(text).or_insert(0) += 1;
    }
    spellings
}

/// The answer without spaces and quotes at its ends; `None` with a defect where nothing is left.
pub(super) fn free_answer(record: &mut Record, text: &str, field: &str, spellings: &Spellings) -> Option<String> {
    let clean = text.trim().trim_matches(['"', '\u{201c}', '\u{201d}']).trim();
    if clean.is_empty() {
        record.flag("empty-answer", field, "the answer is empty");
        return None;
    }
    if clean != text {
        record.flag("answer-spelling", field, format!("`{}` has stray marks at its ends", short(text)));
    } else if let Some(others) = spellings.get(&key(text)) {
        // The commonest spelling stands for the answer; of two as common, the first in the order of their characters.
        let common = others.iter().max_by_key(|(spelling, n)| (**n, std::cmp::Reverse(*spelling)));
        if let Some((common, n)) = common
            && common != text
            && common.trim() != text
        {
            let message = format!("`{}` is spelt `{}` elsewhere (so often: {n})", short(text), short(common));
            record.flag("answer-spelling", field, message);
        }
    }
    record.flag("no-choices", field, "the answer is a free text; the items have this one ending");
    Some(clean.to_string())
}

pub(super) fn read(kind: &Kind, table: &Table, source: &Source, sink: &mut Sink) {
    let spellings = spellings(table, kind.answer);
    table.each(source, sink, |record, row| {
        let answer = record.value(row, kind.answer).and_then(Value::as_str).map(str::to_string);
        let answer = answer.and_then(|text| free_answer(record, &text, kind.answer, &spellings));
        let group = record.id.clone();
        let base = kind.wordings.first().and_then(|(_, column)| row.get(*column)).and_then(Value::as_str);
        for (variant, column) in kind.wordings {
            let text = record.text(row, column).filter(|text| !text.trim().is_empty());
            let (Some(answer), Some(text)) = (&answer, text) else { continue };
            if *variant != "base" && base.is_some_and(|base| base.trim() == text.trim()) {
                record.flag("not-obfuscated", column, "equals the base wording");
            }
            record.item(Draft {
                suffix: format!("/{variant}"),
                task: Some(kind.task.into()),
                group: Some(group.clone()),
                variant: (*variant).into(),
                context: text.trim().to_string(),
                endings: vec![answer.clone()],
                ..Draft::default()
            });
        }
    });
}
