//! What the engine is asked: token ids whose last ones are to be scored.

use crate::{Error, Result};

/// Ids of a context followed by those of an ending; each id from `context_len` on is scored given all before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    ids: Vec<u32>,
    context_len: usize,
}

impl Request {
    /// A request that scores `ids[context_len..]`.
    ///
    /// # Errors
    /// If there is nothing to score, or nothing before it.
    pub fn new(ids: Vec<u32>, context_len: usize) -> Result<Self> {
        if context_len == 0 || context_len >= ids.len() {
            return Err(Error::usage(format!(
                "a request of {} ids with {context_len} of context has nothing to score, or nothing before it",
                ids.len()
            )));
        }
        Ok(Self { ids, context_len })
    }
    /// All ids.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }
    /// Number of ids before the first scored one.
    pub fn context_len(&self) -> usize {
        self.context_len
    }
    /// The ids that the model reads: all but the last.
    pub fn inputs(&self) -> &[u32] {
        &self.ids[..self.ids.len() - 1]
    }
    /// The scored ids.
    pub fn targets(&self) -> &[u32] {
        &self.ids[self.context_len..]
    }
}
