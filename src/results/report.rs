//! `results.json`: the manifest, the cost and the answers of a run in one document.

use serde::{Deserialize, Serialize};

use super::attempts::{Attempt, Tokens};
use super::manifest::Manifest;
use super::metrics::Metrics;
use super::robustness::Robustness;
use super::sample::Sample;

/// The value of `schema` in every `results.json` of this form.
pub const SCHEMA: &str = "llscore.results/1";

/// A run's results. Field order is the order in which it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: String,
    /// The run's manifest.
    pub manifest: Manifest,
    /// Wall-clock seconds, summed over the attempts.
    pub seconds: f64,
    /// Tokens, summed over the attempts.
    pub tokens: Tokens,
    /// Accuracies and the like.
    pub metrics: Metrics,
    /// Base against variants, pair by pair.
    pub robustness: Robustness,
}

impl Results {
    /// The results of `samples`, all those of a run, ranked by the norm in the manifest; `cost` is the sum over the
    /// attempts.
    pub fn new(manifest: Manifest, cost: Attempt, samples: &[Sample]) -> Self {
        let norm = manifest.environment.norm;
        Results {
            schema: SCHEMA.to_string(),
            manifest,
            seconds: cost.seconds,
            tokens: cost.tokens,
            metrics: Metrics::of(samples, norm),
            robustness: Robustness::of(samples, norm),
        }
    }
}
