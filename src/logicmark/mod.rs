//! LogicMark, the benchmark itself: how each task's items are made, and how what they claim is proved again.
//!
//! A task is one entry of [`TASKS`]: a generator, and a checker written apart from it that reads the *text* of an item
//! and shares no logic with the generator. Items follow from a seed alone, value for value and byte for byte.

pub mod chain;
mod draw;

use std::ops::RangeInclusive;

use crate::item::Item;
use crate::{Error, Result};

pub use draw::Draw;

/// Which items of a task to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Items for each hop depth. More items keep the earlier ones.
    pub items: u32,
    /// Hop depths, both ends included.
    pub hops: RangeInclusive<u32>,
    /// Seed from which everything follows.
    pub seed: u64,
}

/// What a checker found about one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Label, depth and certificate are all as the text entails.
    Proved,
    /// Something the item claims does not hold; the reason says what.
    False(String),
    /// The text, variant or certificate is not one that this checker can read; the reason says what.
    Unchecked(String),
}

/// A task of the benchmark.
#[derive(Debug)]
pub struct Task {
    /// The name in an item's `task` field and on the command line.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Hop depths that the generator can make.
    pub hops: RangeInclusive<u32>,
    /// Makes the items: `spec.items` for each depth, depths ascending.
    generate: fn(&Spec) -> Vec<Item>,
    /// Proves an item again, from its text.
    pub check: fn(&Item) -> Verdict,
}

/// Every task there is.
pub const TASKS: &[Task] = &[chain::TASK];

impl Task {
    /// The task of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Task> {
        TASKS.iter().find(|task| task.name == name)
    }

    /// The names of all tasks, for messages.
    #[must_use]
    pub fn names() -> String {
        TASKS.iter().map(|task| format!("`{}`", task.name)).collect::<Vec<_>>().join(", ")
    }

    /// Makes `spec.items` items for each depth of `spec.hops`, depths ascending.
    ///
    /// # Errors
    /// [`Error::Usage`] if no items are asked for, or the depths are empty or beyond [`Task::hops`].
    pub fn items(&self, spec: &Spec) -> Result<Vec<Item>> {
        if spec.items == 0 {
            return Err(Error::usage("`--items 0` makes nothing; give at least 1"));
        }
        let (low, high) = (*spec.hops.start(), *spec.hops.end());
        if low > high || !self.hops.contains(&low) || !self.hops.contains(&high) {
            return Err(Error::usage(format!(
                "`--hops {low}..{high}` is not possible for task `{}`; give depths from {} to {}, the smaller first",
                self.name,
                self.hops.start(),
                self.hops.end()
            )));
        }
        Ok((self.generate)(spec))
    }
}
