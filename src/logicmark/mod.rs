//! LogicMark, the benchmark itself: how each task's items are made, and how what they claim is proved again.
//!
//! A task is one entry of [`TASKS`]: a generator, and a checker written apart from it that reads the *text* of an item
//! and shares no logic with the generator. Items follow from a seed alone, value for value and byte for byte.
//!
//! **The question decides.** Wherever a task allows it, a context admits one question for each ending, alike in form and
//! depth, and which of them is asked is drawn. Whatever reads the context or the endings alone is then right by chance.

pub mod certify;
pub mod chain;
pub mod direction;
mod draw;
pub mod english;
pub mod fol;
pub mod kinship;
mod make;
pub mod people;
pub mod release;
pub mod series;
mod split;

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::item::Item;
use crate::{Error, Result};

pub use draw::Draw;
pub use split::{APART_FROM, Signature, Split};

/// Which items of a task to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Groups for each hop depth; each has one item a variant. More groups keep the earlier ones.
    pub items: u32,
    /// Hop depths, both ends included.
    pub hops: RangeInclusive<u32>,
    /// Seed from which everything follows.
    pub seed: u64,
    /// The half of all items from which these are drawn.
    pub split: Split,
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

/// A way of wording the questions of a task.
#[derive(Debug)]
pub struct Variant {
    /// The name in an item's `variant` field and on the command line.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
}

/// The group to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Depth.
    pub hops: u32,
    /// Place among the groups of this depth, from 0: kinds of question are best dealt out by it.
    pub index: u32,
    /// Where the right ending stands.
    pub label: usize,
}

/// One item of a group, before it has an id.
#[derive(Clone, Debug, PartialEq)]
pub struct Wording {
    /// Steps that it adds to the base.
    pub extra_hops: u32,
    /// The item's context.
    pub context: String,
    /// The item's question.
    pub question: Option<String>,
    /// The item's endings; the right one stands at [`Slot::label`].
    pub endings: Vec<String>,
    /// What was proved, and how.
    pub certificate: Value,
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
    /// The variants, `base` first.
    pub variants: &'static [Variant],
    /// Endings of each item.
    pub endings: usize,
    /// Draws a group: one wording for each of `variants`, in their order. `None` if this draw leads nowhere; another will
    /// be made.
    draw: fn(&mut Draw, &Slot) -> Option<Vec<Wording>>,
    /// Proves an item again, from its text.
    pub check: fn(&Item) -> Verdict,
    /// Reads what an item is from its text.
    signature: fn(&Item) -> std::result::Result<Signature, String>,
}

/// Every task there is.
pub const TASKS: &[Task] = &[fol::TASK, kinship::TASK, series::TASK, direction::TASK, chain::TASK];

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

    /// Makes `spec.items` groups for each depth of `spec.hops`, depths ascending; a group's variants follow each other.
    ///
    /// # Errors
    /// [`Error::Usage`] if no items are asked for, if the depths are empty or beyond [`Task::hops`], or if there are not
    /// so many different groups.
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
        let depths = spec.hops.clone().map(|hops| make::depth(self, spec, hops)).collect::<Result<Vec<_>>>()?;
        Ok(depths.into_iter().flatten().collect())
    }
}
