//! What is the same about two items, and the two halves into which that divides all items there can be.

use super::Task;
use crate::item::Item;

/// What an item is, its wording, names and order aside. Both parts are read from the item's text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The shape of the reasoning: the rules of a theory up to renaming, the relations of a puzzle, the turns of a walk.
    pub structure: String,
    /// What fills the shape: lengths, starting values, which relation stands where. Never a name.
    pub instance: String,
}

/// Depth from which train and test share no structure. Below it there are too few structures to go round; there they
/// share no instance of one.
pub const APART_FROM: u32 = 3;

/// One of the two halves of a task's items. Which half an item belongs to follows from its [`Signature`] alone, so
/// that no seed of one half ever makes an item of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Items that are scored.
    Test,
    /// Items for few-shot examples and for training.
    Train,
}

impl Split {
    /// The half to which items of this depth and signature belong.
    #[must_use]
    pub fn of(hops: u32, signature: &Signature) -> Self {
        let mut hash = blake3::Hasher::new();
        hash.update(&hops.to_le_bytes()).update(signature.structure.as_bytes());
        if hops < APART_FROM {
            hash.update(&[0]).update(signature.instance.as_bytes());
        }
        if hash.finalize().as_bytes()[0] & 1 == 0 { Split::Test } else { Split::Train }
    }
}

impl Task {
    /// What this item is, read from its text.
    ///
    /// # Errors
    /// What cannot be read, where the text is not one of this task.
    pub fn signature(&self, item: &Item) -> Result<Signature, String> {
        (self.signature)(item)
    }
}
