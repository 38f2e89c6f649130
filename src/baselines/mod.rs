//! Answers without reasoning: how often an ending's length, place, frequency or words alone give the right answer away.
//!
//! A benchmark of reasoning must leave all of these at chance, in every task, variant and depth. Each answers by a score for
//! every ending, the highest being its answer; equal ones are told apart by a digest of the item's id, which is as good as
//! a coin.

mod cues;
mod stats;
mod words;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use crate::item::Item;
use words::{Bag, Words};

pub use stats::{binomial_upper_tail, holm, wilson};

/// How a baseline answers.
#[derive(Clone, Copy)]
enum Way {
    /// By what is seen of the item.
    Seen(fn(&Item) -> Vec<f64>),
    /// By how often an ending is the right one among the training items.
    Frequent,
    /// By words learned from the training items.
    Learned(Bag),
}

/// A way of answering without reasoning.
pub struct Baseline {
    /// Its name.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    way: Way,
}

/// Every baseline there is.
pub const BASELINES: &[Baseline] = &[
    Baseline { name: "longest", about: "the ending with the most characters", way: Way::Seen(cues::longest) },
    Baseline { name: "shortest", about: "the ending with the fewest", way: Way::Seen(cues::shortest) },
    Baseline { name: "first", about: "the first ending", way: Way::Seen(cues::first) },
    Baseline { name: "frequent", about: "the ending most often right in the training items", way: Way::Frequent },
    Baseline {
        name: "mentioned",
        about: "the ending most often mentioned in the text",
        way: Way::Seen(cues::mentioned),
    },
    Baseline { name: "central", about: "the ending most like the others", way: Way::Seen(cues::central) },
    Baseline { name: "ending", about: "a bag of words of the ending", way: Way::Learned(Bag::Ending) },
    Baseline {
        name: "context",
        about: "a bag of words of the context, with those of the ending",
        way: Way::Learned(Bag::Context),
    },
    Baseline {
        name: "prompt",
        about: "a bag of words of context and question, with those of the ending",
        way: Way::Learned(Bag::Prompt),
    },
];

/// How often one baseline is right on one set of items.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Task.
    pub task: String,
    /// Variant.
    pub variant: String,
    /// Depth; none for all depths together.
    pub hops: Option<u32>,
    /// The baseline's name.
    pub baseline: &'static str,
    /// Items.
    pub n: usize,
    /// Those answered rightly.
    pub right: usize,
    /// `right / n`.
    pub acc: f64,
    /// Wilson's interval of `acc` at 95 %.
    pub interval: (f64, f64),
    /// Mean of 1 / endings.
    pub chance: f64,
    /// Exact one-sided binomial p-value of `right` or more at `chance`.
    pub p: f64,
    /// `p` after Holm's correction, over all cells of depths or over all cells of whole variants.
    pub p_holm: f64,
}

/// Every baseline on every task and variant, as a whole and by depth.
///
/// Baselines that learn do so from the items of `train` of the same task; without any of these they are left out.
#[must_use]
pub fn evaluate(items: &[Item], train: &[Item]) -> Vec<Cell> {
    let mut tasks: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for item in items {
        tasks.entry(&item.task).or_default().push(item);
    }
    let jobs: Vec<(&str, &[&Item], &Baseline)> = tasks
        .iter()
        .flat_map(|(task, items)| BASELINES.iter().map(move |baseline| (*task, &items[..], baseline)))
        .collect();
    let mut cells: Vec<Cell> = jobs
        .par_iter()
        .flat_map_iter(|(task, items, baseline)| {
            let train: Vec<&Item> = train.iter().filter(|item| item.task == *task).collect();
            answers(baseline, items, &train).map_or(Vec::new(), |right| tally(baseline, items, &right))
        })
        .collect();
    for depths in [true, false] {
        let of = |cell: &Cell| cell.hops.is_some() == depths;
        let adjusted = holm(&cells.iter().filter(|cell| of(cell)).map(|cell| cell.p).collect::<Vec<_>>());
        cells.iter_mut().filter(|cell| of(cell)).zip(adjusted).for_each(|(cell, p)| cell.p_holm = p);
    }
    cells
}

/// A score for each ending of an item.
type Scorer<'a> = dyn Fn(&Item) -> Vec<f64> + Sync + 'a;

/// Which items the baseline gets right; none where it needs training items and there are none.
fn answers(baseline: &Baseline, items: &[&Item], train: &[&Item]) -> Option<Vec<bool>> {
    let scores: Box<Scorer<'_>> = match baseline.way {
        Way::Seen(cue) => Box::new(cue),
        Way::Frequent | Way::Learned(_) if train.is_empty() => return None,
        Way::Frequent => {
            let mut right: BTreeMap<&str, f64> = BTreeMap::new();
            train.iter().for_each(|item| *right.entry(&item.endings[item.label]).or_default() += 1.0);
            Box::new(move |item| {
                item.endings.iter().map(|ending| right.get(ending.as_str()).copied().unwrap_or(0.0)).collect()
            })
        }
        Way::Learned(bag) => {
            let words = Words::learn(bag, train.iter().copied());
            Box::new(move |item| words.scores(item))
        }
    };
    Some(items.par_iter().map(|item| choice(baseline.name, item, &scores(item)) == item.label).collect())
}

/// The ending with the highest score; among equals, one that the item's id decides.
fn choice(baseline: &str, item: &Item, scores: &[f64]) -> usize {
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let tied: Vec<usize> = (0..scores.len()).filter(|at| scores[*at] == best).collect();
    let digest = blake3::hash(format!("{baseline}\0{}", item.id).as_bytes());
    let mut word = [0; 8];
    word.copy_from_slice(&digest.as_bytes()[..8]);
    tied.get((u64::from_le_bytes(word) % tied.len().max(1) as u64) as usize).copied().unwrap_or(0)
}

/// The cells of one baseline on one task.
fn tally(baseline: &Baseline, items: &[&Item], right: &[bool]) -> Vec<Cell> {
    let mut counts: BTreeMap<(&str, Option<u32>), (usize, usize, f64)> = BTreeMap::new();
    for (item, right) in items.iter().zip(right) {
        for hops in [None, Some(item.hops)] {
            let count = counts.entry((&item.variant, hops)).or_default();
            count.0 += 1;
            count.1 += usize::from(*right);
            count.2 += 1.0 / item.endings.len() as f64;
        }
    }
    let cell = |((variant, hops), (n, right, chance)): ((&str, Option<u32>), (usize, usize, f64))| {
        let chance = chance / n as f64;
        Cell {
            task: items[0].task.clone(),
            variant: variant.to_string(),
            hops,
            baseline: baseline.name,
            n,
            right,
            acc: right as f64 / n as f64,
            interval: wilson(right, n),
            chance,
            p: binomial_upper_tail(right, n, chance),
            p_holm: 1.0,
        }
    };
    counts.into_iter().map(cell).collect()
}
