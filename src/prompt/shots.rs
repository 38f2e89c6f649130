//! Few-shot examples.
//!
//! Every (task, variant) of the data gets K examples of its own kind. Which ones depends on the seed, the pool, and the
//! names of task and variant alone: not on the order of either file, and not on shards or limits, as long as the *whole*
//! data is passed in. An example never is an item of the data, nor the same question in other words.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::item_text;
use crate::item::Item;
use crate::{Error, Result};

/// A (task, variant).
type Kind = (String, String);

/// The examples of every (task, variant).
#[derive(Clone, Debug, PartialEq)]
pub struct Shots {
    count: usize,
    seed: u64,
    drawn: BTreeMap<Kind, Vec<Item>>,
}

/// The examples, for the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShotsInfo {
    /// Examples per item.
    pub count: usize,
    /// The seed they were drawn by.
    pub seed: u64,
    /// Ids of the examples, in order, per `task/variant`.
    pub ids: BTreeMap<String, Vec<String>>,
    /// BLAKE3 of their text, in hexadecimal.
    pub digest: String,
}

impl Shots {
    /// Draws `count` examples from `pool` for every (task, variant) of `data`: balanced by label as far as the pool
    /// allows, in random order. `data` is all items of the run, before any limit or shard.
    ///
    /// # Errors
    /// [`Error::Usage`] if the pool has too few for some task and variant, with the numbers.
    pub fn draw(pool: &[Item], data: &[Item], count: usize, seed: u64) -> Result<Self> {
        let ids: HashSet<&str> = data.iter().map(|i| i.id.as_str()).collect();
        let groups: HashSet<&str> = data.iter().map(|i| i.group.as_str()).collect();
        let texts: HashSet<String> = data.iter().map(item_text).collect();
        let mut drawn = BTreeMap::new();
        let kinds: BTreeSet<Kind> = data.iter().map(kind).collect();
        for (task, variant) in kinds {
            let all: Vec<&Item> = pool.iter().filter(|i| i.task == task && i.variant == variant).collect();
            let mut free: Vec<&Item> = all
                .iter()
                .copied()
                .filter(|i| !ids.contains(i.id.as_str()) && !groups.contains(i.group.as_str()))
                .filter(|i| !texts.contains(&item_text(i)))
                .collect();
            if free.len() < count {
                return Err(Error::usage(format!(
                    "`--shots {count}`: only {} examples of task `{task}`, variant `{variant}` ({} in the file, {} of them \
                     left out as they share id, group or text with an item that is scored); lower `--shots` or give more \
                     with `--shots-from`",
                    free.len(),
                    all.len(),
                    all.len() - free.len()
                )));
            }
            free.sort_by(|a, b| a.id.cmp(&b.id));
            let examples = balanced(&free, count, &mut generator(seed, &task, &variant));
            drawn.insert((task, variant), examples.into_iter().cloned().collect());
        }
        Ok(Shots { count, seed, drawn })
    }

    /// The text before an item: its examples, each followed by a blank line; `None` for an unknown (task, variant).
    pub(super) fn text(&self, item: &Item, delimiter: &str) -> Option<String> {
        self.drawn.get(&kind(item)).map(|examples| examples.iter().map(|e| example(e, delimiter)).collect())
    }

    pub(super) fn info(&self, delimiter: &str) -> ShotsInfo {
        let mut hash = blake3::Hasher::new();
        let mut ids = BTreeMap::new();
        for ((task, variant), examples) in &self.drawn {
            let text: String = examples.iter().map(|e| example(e, delimiter)).collect();
            for part in [task, variant, &text] {
                hash.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
            }
            ids.insert(format!("{task}/{variant}"), examples.iter().map(|e| e.id.clone()).collect());
        }
        ShotsInfo { count: self.count, seed: self.seed, ids, digest: hash.finalize().to_hex().to_string() }
    }
}

fn kind(item: &Item) -> Kind {
    (item.task.clone(), item.variant.clone())
}

fn example(item: &Item, delimiter: &str) -> String {
    format!("{}{delimiter}{}\n\n", item_text(item), item.endings[item.label])
}

/// A generator of its own for each (task, variant), so that no other one's draws move it.
fn generator(seed: u64, task: &str, variant: &str) -> ChaCha8Rng {
    let hash = blake3::Hasher::new().update(task.as_bytes()).update(&[0]).update(variant.as_bytes()).finalize();
    let mut name = [0; 8];
    name.copy_from_slice(&hash.as_bytes()[..8]);
    ChaCha8Rng::seed_from_u64(seed ^ u64::from_le_bytes(name))
}

/// `count` items, drawn round after round one of each label; a label that has run out is passed over.
fn balanced<'a>(items: &[&'a Item], count: usize, rng: &mut ChaCha8Rng) -> Vec<&'a Item> {
    let mut by_label: BTreeMap<usize, Vec<&Item>> = BTreeMap::new();
    for item in items {
        by_label.entry(item.label).or_default().push(item);
    }
    let mut labels: Vec<Vec<&Item>> = by_label.into_values().collect();
    labels.iter_mut().for_each(|items| shuffle(items, rng));
    let mut drawn = Vec::with_capacity(count);
    while drawn.len() < count && !labels.is_empty() {
        // The labels' order is drawn anew each round, so that no label is favoured when `count` is no multiple.
        shuffle(&mut labels, rng);
        for items in labels.iter_mut().take(count - drawn.len()) {
            drawn.extend(items.pop());
        }
        labels.retain(|items| !items.is_empty());
    }
    shuffle(&mut drawn, rng);
    drawn
}

/// Fisher and Yates, spelt out so that no library's choice of algorithm can move the draw.
fn shuffle<T>(values: &mut [T], rng: &mut ChaCha8Rng) {
    for last in (1..values.len()).rev() {
        let at = ((u128::from(rng.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        values.swap(last, at);
    }
}
