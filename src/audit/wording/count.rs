//! The answers of free-text puzzles against those that their data set states, and rewordings against their bases.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::{READERS, Reader, Solved};
use crate::item::Item;

/// What was found of one wording.
#[derive(Clone, Debug, Serialize)]
pub struct WordingRow {
    /// The item.
    pub id: String,
    /// Its task, as the importer names it.
    pub task: String,
    /// Its wording.
    pub variant: String,
    /// The answer that the data set states.
    pub stated: String,
    /// `answer`, `open`, `contradictory` or `unread`.
    pub outcome: &'static str,
    /// The answer, or the answers that fit.
    pub found: Vec<String>,
    /// What is contradictory or not understood.
    pub reason: Option<String>,
    /// Whether the one answer is the stated one.
    pub agrees: Option<bool>,
    /// Whether it is the base's, where both have one.
    pub same_as_base: Option<bool>,
}

/// The figures of one wording.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WordingFigures {
    /// Task.
    pub task: String,
    /// Variant.
    pub variant: String,
    /// Items.
    pub items: usize,
    /// Wordings understood whole.
    pub read: usize,
    /// With one answer, the stated one.
    pub right: usize,
    /// With one answer, another than the stated one.
    pub wrong: usize,
    /// With several answers.
    pub open: usize,
    /// With none.
    pub contradictory: usize,
    /// Rewordings understood whose base has one answer.
    pub pairs: usize,
    /// Rewordings with one answer, that of the base.
    pub kept: usize,
}

/// Whether some item is of a task that has a reader.
#[must_use]
pub fn readable(items: &[Item]) -> bool {
    items.iter().any(|item| reader(item).is_some())
}

fn reader(item: &Item) -> Option<&'static Reader> {
    READERS.iter().find(|reader| reader.task == item.task)
}

/// Solves every item that has a reader, in parallel; in the order of the data.
#[must_use]
pub fn solve_all(items: &[Item]) -> Vec<WordingRow> {
    let solved: Vec<(&Item, &Reader, Solved)> = items
        .par_iter()
        .filter_map(|item| {
            let reader = reader(item)?;
            let text = item.question.as_ref().map_or(item.context.clone(), |q| format!("{}\n{q}", item.context));
            Some((item, reader, (reader.solve)(&text)))
        })
        .collect();
    let mut bases: BTreeMap<&str, &str> = BTreeMap::new();
    for (item, _, solved) in &solved {
        if let (true, Solved::Answer(answer)) = (item.variant == "base", solved) {
            bases.insert(&item.group, answer);
        }
    }
    solved.iter().map(|(item, reader, solved)| row(item, reader, solved, &bases)).collect()
}

fn row(item: &Item, reader: &Reader, solved: &Solved, bases: &BTreeMap<&str, &str>) -> WordingRow {
    let (outcome, found, reason) = match solved {
        Solved::Answer(answer) => ("answer", vec![answer.clone()], None),
        Solved::Open(answers) => ("open", answers.clone(), None),
        Solved::Contradictory(reason) => ("contradictory", Vec::new(), Some(reason.clone())),
        Solved::Unread(reason) => ("unread", Vec::new(), Some(reason.clone())),
    };
    let stated = &item.endings[item.label];
    let base = bases.get(item.group.as_str()).filter(|_| item.variant != "base");
    let one = if let Solved::Answer(answer) = solved { Some(answer.as_str()) } else { None };
    WordingRow {
        id: item.id.clone(),
        task: item.task.clone(),
        variant: item.variant.clone(),
        stated: stated.clone(),
        outcome,
        found,
        reason,
        agrees: one.map(|answer| (reader.same)(answer, stated)),
        // A reworded question that has no longer one answer has not kept it.
        same_as_base: base.filter(|_| outcome != "unread").map(|base| one == Some(*base)),
    }
}

/// The figures per task and variant, bases first.
#[must_use]
pub fn figures(rows: &[WordingRow]) -> Vec<WordingFigures> {
    let mut all: BTreeMap<(&str, bool, &str), WordingFigures> = BTreeMap::new();
    for row in rows {
        let key = (row.task.as_str(), row.variant != "base", row.variant.as_str());
        let f = all.entry(key).or_insert_with(|| WordingFigures {
            task: row.task.clone(),
            variant: row.variant.clone(),
            ..WordingFigures::default()
        });
        f.items += 1;
        f.read += usize::from(row.outcome != "unread");
        f.right += usize::from(row.agrees == Some(true));
        f.wrong += usize::from(row.agrees == Some(false));
        f.open += usize::from(row.outcome == "open");
        f.contradictory += usize::from(row.outcome == "contradictory");
        f.pairs += usize::from(row.same_as_base.is_some());
        f.kept += usize::from(row.same_as_base == Some(true));
    }
    all.into_values().collect()
}
