//! One line of `samples.jsonl`: what was measured on an item, and which ending each norm picks.
//!
//! A sample is scored, failed (it has an `error`) or skipped (over-long under `--truncate skip`; flag `skipped`). Every
//! choice can be recomputed from the numbers beside it. No non-finite number reaches a sample: an item with one is a
//! failed item.

use serde::{Deserialize, Serialize};

use super::norm::Norm;
use crate::item::Item;

/// The names that `flags` may hold.
pub mod flag {
    /// A token spans the join of context and ending, and was scored with the ending.
    pub const BOUNDARY_MERGE: &str = "boundary_merge";
    /// Some of the text has no token of its own and was read as the tokenizer's unknown token.
    pub const UNKNOWN_TOKEN: &str = "unknown_token";
    /// The context was cut from the left to fit (`--truncate left`).
    pub const TRUNCATED: &str = "truncated";
    /// The item is over-long and was left out as asked (`--truncate skip`).
    pub const SKIPPED: &str = "skipped";
}

/// One ending's score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndingScore {
    /// Natural-log sum over the ending's tokens, finite, ≤ 0 up to rounding.
    pub logprob: f64,
    /// Tokens scored, ≥ 1.
    pub tokens: usize,
    /// Unicode scalar values of the ending without the delimiter, ≥ 1.
    pub chars: usize,
    /// UTF-8 bytes of the ending without the delimiter, ≥ 1.
    pub bytes: usize,
    /// Whether each of the ending's tokens was the most likely one.
    pub greedy: bool,
    /// With `--pmi`: log-likelihood of the ending after the text `Answer:` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconditional: Option<f64>,
    /// With `--log-tokens`: the ids of the ending's tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<u32>>,
    /// With `--log-tokens`: the log-probability of each of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<Vec<f64>>,
    /// With `--log-tokens`: the context's ids, where a merge across the join makes them differ from the sample's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_ids: Option<Vec<u32>>,
}

impl EndingScore {
    /// A score for the ending `text` (without the delimiter), whose characters and bytes are counted here.
    pub fn new(text: &str, logprob: f64, tokens: usize, greedy: bool) -> Self {
        EndingScore {
            logprob,
            tokens,
            chars: text.chars().count(),
            bytes: text.len(),
            greedy,
            unconditional: None,
            ids: None,
            logprobs: None,
            context_ids: None,
        }
    }

    /// Why this ending cannot be ranked, if so.
    fn defect(&self) -> Option<&'static str> {
        let finite = |x: &f64| x.is_finite();
        if !finite(&self.logprob) || !self.logprobs.iter().flatten().all(finite) {
            Some("its log-likelihood is not a finite number")
        } else if !self.unconditional.iter().all(finite) {
            Some("its unconditional log-likelihood is not a finite number")
        } else if self.tokens == 0 || self.chars == 0 {
            Some("it is empty")
        } else {
            None
        }
    }
}

/// The index of the ending that each norm picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Largest `logprob`.
    pub sum: usize,
    /// Largest `logprob / tokens`.
    pub token: usize,
    /// Largest `logprob / chars`.
    pub char: usize,
    /// Largest `logprob / bytes`.
    pub byte: usize,
    /// Largest `logprob - unconditional`, with `--pmi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pmi: Option<usize>,
}

impl Choice {
    /// The index that `norm` picks; `None` only for [`Norm::Pmi`] without `--pmi`.
    pub fn get(&self, norm: Norm) -> Option<usize> {
        match norm {
            Norm::Sum => Some(self.sum),
            Norm::Token => Some(self.token),
            Norm::Char => Some(self.char),
            Norm::Byte => Some(self.byte),
            Norm::Pmi => self.pmi,
        }
    }
}

/// One line of `samples.jsonl`. Field order is the order in which it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The item's id.
    pub id: String,
    /// The item's task.
    pub task: String,
    /// The item's group: the same for all wordings of one question.
    pub group: String,
    /// The item's variant.
    pub variant: String,
    /// Inference steps of the base question.
    pub hops: u32,
    /// Steps that the obfuscation adds.
    pub extra_hops: u32,
    /// Index of the right ending.
    pub label: usize,
    /// Tokens of the context, BOS included; absent where the item was not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<usize>,
    /// One score an ending, in the item's order; absent where the item was not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endings: Option<Vec<EndingScore>>,
    /// The picks; absent where the item was not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// The norms under which the best score is shared by several endings.
    #[serde(default)]
    pub ties: Vec<Norm>,
    /// What the reader should know about this item: see [`flag`].
    #[serde(default)]
    pub flags: Vec<String>,
    /// With `--log-tokens`: the context's ids, BOS included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_ids: Option<Vec<u32>>,
    /// Why the item has no score. Such items are tried again when the run is repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Sample {
    fn unscored(item: &Item) -> Self {
        Sample {
            id: item.id.clone(),
            task: item.task.clone(),
            group: item.group.clone(),
            variant: item.variant.clone(),
            hops: item.hops,
            extra_hops: item.extra_hops,
            label: item.label,
            context_tokens: None,
            endings: None,
            choice: None,
            ties: Vec::new(),
            flags: Vec::new(),
            context_ids: None,
            error: None,
        }
    }

    /// The sample of an item that was scored: `endings` in the item's order, with `unconditional` on all of them or on
    /// none (`--pmi`). Picks the endings and lists the ties. A non-finite number, an empty ending, or a count of
    /// endings other than the item's makes it a failed sample.
    pub fn scored(item: &Item, context_tokens: usize, endings: Vec<EndingScore>, flags: Vec<String>) -> Self {
        if endings.len() != item.endings.len() {
            let message = format!("{} scores for {} endings", endings.len(), item.endings.len());
            return Sample::failed(item, message, flags);
        }
        if let Some((index, why)) = endings.iter().enumerate().find_map(|(i, e)| Some((i, e.defect()?))) {
            return Sample::failed(item, format!("ending {index} cannot be ranked: {why}"), flags);
        }
        let mut ties = Vec::new();
        let mut pick = |norm: Norm| {
            let (index, tied) = norm.choose(&endings)?;
            if tied {
                ties.push(norm);
            }
            Some(index)
        };
        let picks = (pick(Norm::Sum), pick(Norm::Token), pick(Norm::Char), pick(Norm::Byte), pick(Norm::Pmi));
        let (Some(sum), Some(token), Some(char), Some(byte), pmi) = picks else {
            return Sample::failed(item, "no endings to choose from", flags);
        };
        let choice = Choice { sum, token, char, byte, pmi };
        Sample {
            context_tokens: Some(context_tokens),
            endings: Some(endings),
            choice: Some(choice),
            ties,
            flags,
            ..Sample::unscored(item)
        }
    }

    /// The sample of an item that could not be scored; `error` says why and what to do.
    pub fn failed(item: &Item, error: impl Into<String>, flags: Vec<String>) -> Self {
        Sample { error: Some(error.into()), flags, ..Sample::unscored(item) }
    }

    /// The sample of an over-long item that was left out as asked: flag `skipped`, no score, no error.
    pub fn skipped(item: &Item) -> Self {
        Sample { flags: vec![flag::SKIPPED.to_string()], ..Sample::unscored(item) }
    }

    /// Whether the item failed, and is to be tried again.
    pub fn is_error(&self) -> bool {
        self.error.is_some()
    }

    /// Whether `name` is among the flags.
    pub fn has_flag(&self, name: &str) -> bool {
        self.flags.iter().any(|f| f == name)
    }

    /// Whether `norm` picks the right ending; `None` where the item was not scored, or has no such norm.
    pub fn correct(&self, norm: Norm) -> Option<bool> {
        Some(self.choice?.get(norm)? == self.label)
    }

    /// The line as written, with its newline.
    ///
    /// # Errors
    /// Whatever the serialiser reports; none in practice.
    pub fn to_line(&self) -> serde_json::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        Ok(line)
    }
}
