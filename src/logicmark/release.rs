//! What is published: the items of LogicMark v1, all of which follow from what stands here.

use super::{Spec, Split, Task};

/// The release's name, and that of its folder in `data/`.
pub const NAME: &str = "logicmark-v1";

/// Seed of the items that are scored.
pub const SEED: u64 = 2026;

/// One part of the release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its folder within that of the release; empty for the release's own.
    pub folder: &'static str,
    /// Which half of all items it is drawn from.
    pub split: Split,
    /// Groups for each hop depth of each task.
    pub items: u32,
    /// Its seed.
    pub seed: u64,
}

/// The items that are scored.
pub const TEST: Part = Part { folder: "", split: Split::Test, items: 48, seed: SEED };
/// The items for few-shot examples and for training.
pub const TRAIN: Part = Part { folder: "train", split: Split::Train, items: 24, seed: SEED + 1 };

/// All parts.
pub const PARTS: [Part; 2] = [TEST, TRAIN];

impl Part {
    /// What to make of a task.
    #[must_use]
    pub fn spec(&self, task: &Task) -> Spec {
        Spec { items: self.items, hops: task.hops.clone(), seed: self.seed, split: self.split }
    }

    /// The file of a task, within the folder of the release.
    #[must_use]
    pub fn file(&self, task: &Task) -> std::path::PathBuf {
        std::path::Path::new(self.folder).join(format!("{}.jsonl", task.name))
    }
}
