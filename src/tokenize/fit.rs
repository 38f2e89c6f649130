//! Requests that are longer than the model can take.
//!
//! A request of n ids needs n − 1 inputs, since nothing is predicted from its last id. What happens to an item with an
//! over-long request is a setting; all its endings are treated alike, so that they stay comparable.

use serde::Serialize;

use super::EncodedPair;
use crate::{Error, Result};

/// What to do with an item whose longest request does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Truncate {
    /// An error of that item.
    #[default]
    Error,
    /// Cut the context from the left, keeping BOS, by the same number of tokens for every ending.
    Left,
    /// Leave the item out, and count it.
    Skip,
}

/// What was done to an item's requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All fitted.
    Kept,
    /// This many tokens were cut from the left of each request, behind BOS.
    Truncated {
        /// Tokens cut from each request.
        cut: usize,
    },
    /// The item is to be left out; its requests are untouched.
    Skipped,
}

/// Makes the requests of one item fit into `max_inputs` inputs each; `None` is no limit.
///
/// `keep(ids)` is how many leading ids (BOS) must stay.
///
/// # Errors
/// [`Error::Usage`], meant as that item's error: over-long in mode [`Truncate::Error`]; or, cutting, if an ending alone
/// does not fit behind BOS (or behind one context token where there is no BOS).
pub(super) fn fit(
    pairs: &mut [EncodedPair],
    max_inputs: Option<usize>,
    mode: Truncate,
    keep: impl Fn(&[u32]) -> usize,
) -> Result<Fit> {
    let Some(max) = max_inputs else { return Ok(Fit::Kept) };
    let inputs = pairs.iter().map(|p| p.ids.len().saturating_sub(1)).max().unwrap_or(0);
    if inputs <= max {
        return Ok(Fit::Kept);
    }
    let cut = inputs - max;
    match mode {
        Truncate::Skip => Ok(Fit::Skipped),
        Truncate::Error => Err(Error::usage(format!(
            "the longest request needs {inputs} input tokens, {cut} more than the limit of {max}; shorten the item, raise \
             `--max-length`, or choose `--truncate left` or `--truncate skip`"
        ))),
        Truncate::Left => {
            let kept: Vec<usize> = pairs.iter().map(|p| keep(&p.ids).min(p.context_len)).collect();
            for (index, (pair, kept)) in pairs.iter().zip(&kept).enumerate() {
                // The ending's first token needs something to be predicted from.
                if pair.context_len < cut + (*kept).max(1) {
                    return Err(Error::usage(format!(
                        "{cut} tokens must be cut for the longest request to fit the limit of {max} inputs, but ending \
                         {index} has only {} context tokens to cut; shorten the endings or raise `--max-length`",
                        pair.context_len - kept.max(&1).min(&pair.context_len)
                    )));
                }
            }
            for (pair, kept) in pairs.iter_mut().zip(kept) {
                pair.ids.drain(kept..kept + cut);
                pair.context_len -= cut;
            }
            Ok(Fit::Truncated { cut })
        }
    }
}
