//! The four ways to compare endings of different length, and the rule that picks one.
//!
//! Decided here: what each norm divides by, and what a tie is. Used when a sample is made, and when its answers are
//! counted.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::sample::EndingScore;

/// What an ending's log-likelihood is divided by before endings are compared.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Norm {
    /// Nothing: the sum of the log-probabilities (the common harness's `acc`).
    Sum,
    /// The number of the ending's tokens.
    Token,
    /// The number of Unicode scalar values of the ending, as Python's `len` counts (the common harness's `acc_norm`).
    #[default]
    Char,
    /// The number of UTF-8 bytes of the ending.
    Byte,
    /// Not a length: the log-likelihood minus that after an empty question. Present in samples made with `--pmi`; not
    /// a choice for `--norm`.
    #[value(skip)]
    Pmi,
}

impl Norm {
    /// The norms that every sample is ranked by, in the order in which they are written.
    pub const LENGTHS: [Norm; 4] = [Norm::Sum, Norm::Token, Norm::Char, Norm::Byte];

    /// The name used in flags and files.
    pub fn name(self) -> &'static str {
        match self {
            Norm::Sum => "sum",
            Norm::Token => "token",
            Norm::Char => "char",
            Norm::Byte => "byte",
            Norm::Pmi => "pmi",
        }
    }

    /// The number that ranks an ending under this norm; larger is better. `None` for [`Norm::Pmi`] where the ending
    /// has no unconditional score.
    pub fn score(self, ending: &EndingScore) -> Option<f64> {
        Some(match self {
            Norm::Sum => ending.logprob,
            Norm::Token => ending.logprob / ending.tokens as f64,
            Norm::Char => ending.logprob / ending.chars as f64,
            Norm::Byte => ending.logprob / ending.bytes as f64,
            Norm::Pmi => ending.logprob - ending.unconditional?,
        })
    }

    /// The index of the best ending and whether others score exactly the same f64; the lowest index wins a tie.
    /// `None` without endings, or where a score is missing.
    pub fn choose(self, endings: &[EndingScore]) -> Option<(usize, bool)> {
        let mut best: Option<(usize, f64)> = None;
        let mut tied = false;
        for (index, ending) in endings.iter().enumerate() {
            let score = self.score(ending)?;
            match best {
                Some((_, top)) if score < top => {}
                Some((_, top)) if score == top => tied = true,
                _ => (best, tied) = (Some((index, score)), false),
            }
        }
        best.map(|(index, _)| (index, tied))
    }
}

impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Norm {
    type Err = String;

    /// Reads one of the four length norms, the values of `--norm`.
    fn from_str(text: &str) -> Result<Self, String> {
        Norm::LENGTHS
            .into_iter()
            .find(|norm| norm.name() == text)
            .ok_or_else(|| format!("unknown norm `{text}`; one of sum, token, char, byte"))
    }
}
