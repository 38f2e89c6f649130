//! Proving many items again: each from its own text, then those of a group against each other, and train against test.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{APART_FROM, Signature, Task, Verdict};
use crate::item::Item;

/// What was found about one item; `None` for an item of a task that is not one of [`super::TASKS`].
pub type Found = Option<Verdict>;

/// Proves items, in parallel; `done` is told of each as it is finished, from any thread.
#[must_use]
pub fn prove(items: &[Item], done: &(dyn Fn() + Sync)) -> Vec<Found> {
    items
        .par_iter()
        .map(|item| {
            let verdict = Task::find(&item.task).map(|task| (task.check)(item));
            done();
            verdict
        })
        .collect()
}

/// Holds the items of each group against each other: all variants ask the same question, so that depth and position of
/// the right ending are one and the same. A proved item that differs from its group's first one becomes false.
pub fn compare_groups(items: &[Item], found: &mut [Found]) {
    let mut first: HashMap<(&str, &str), &Item> = HashMap::new();
    let mut variants: HashMap<(&str, &str, &str), &str> = HashMap::new();
    for (item, found) in items.iter().zip(found) {
        if *found != Some(Verdict::Proved) {
            continue;
        }
        let base = *first.entry((&item.task, &item.group)).or_insert(item);
        let reason = if (item.hops, item.label) != (base.hops, base.label) {
            format!(
                "`hops` and `label` are {} and {}, but {} and {} in `{}` of its group",
                item.hops, item.label, base.hops, base.label, base.id
            )
        } else if let Some(other) = variants.insert((&item.task, &item.group, &item.variant), &item.id) {
            format!("its group has variant `{}` already, in `{other}`", item.variant)
        } else {
            continue;
        };
        *found = Some(Verdict::False(reason));
    }
}

/// Items of `train` that share their structure with one of `test` (their whole instance, below [`APART_FROM`] hops):
/// position in `train`, and the id of the other. Only base items count, and only those whose text can be read.
#[must_use]
pub fn overlap(test: &[&Item], train: &[&Item]) -> Vec<(usize, String)> {
    let known: HashMap<_, &str> =
        signatures(test).into_iter().zip(test).filter_map(|(key, item)| Some((key?, item.id.as_str()))).collect();
    signatures(train)
        .into_iter()
        .enumerate()
        .filter_map(|(at, key)| known.get(&key?).map(|id| (at, (*id).to_string())))
        .collect()
}

fn signatures(items: &[&Item]) -> Vec<Option<(String, u32, Signature)>> {
    items.par_iter().map(|item| key(item)).collect()
}

/// What two items of the two halves may not have in common.
fn key(item: &Item) -> Option<(String, u32, Signature)> {
    let task = Task::find(&item.task).filter(|_| item.variant == "base")?;
    let mut signature = task.signature(item).ok()?;
    if item.hops >= APART_FROM {
        signature.instance.clear();
    }
    Some((item.task.clone(), item.hops, signature))
}
