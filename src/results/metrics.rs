//! Accuracies with their standard errors, over all items and per task, variant and hop depth.
//!
//! Items that failed or were skipped are counted and left out of every rate: `n` is the number of scored items.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::norm::Norm;
use super::sample::{Sample, flag};
use super::stats::{Sum, brier, stderr_of_rate};

/// Numbers over a set of items. Rates are in 0..=1 and `None` where no item was scored; standard errors are sample
/// standard deviation / √n, and `None` for n ≤ 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct M {
    /// Items scored.
    pub n: usize,
    /// Share of items where the largest log-likelihood is the right ending's.
    pub acc: Option<f64>,
    /// Standard error of `acc`.
    pub acc_stderr: Option<f64>,
    /// The same under the run's norm.
    pub acc_norm: Option<f64>,
    /// Standard error of `acc_norm`.
    pub acc_norm_stderr: Option<f64>,
    /// The same per token.
    pub acc_token: Option<f64>,
    /// The same per character.
    pub acc_char: Option<f64>,
    /// The same per byte.
    pub acc_byte: Option<f64>,
    /// The same by log-likelihood minus unconditional log-likelihood; only where all scored items have it (`--pmi`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acc_pmi: Option<f64>,
    /// Mean of 1 / endings.
    pub chance: Option<f64>,
    /// Scored items with a tie under at least one norm.
    pub ties: usize,
    /// Items that failed.
    pub errors: usize,
    /// Scored items whose context was cut.
    pub truncated: usize,
    /// Items left out as asked (`--truncate skip`); written where there are any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: usize,
    /// Mean of Σ (softmax of the log-likelihoods − one-hot)².
    pub brier: Option<f64>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// All breakdowns of a run. Tasks and variants are in byte order, hop depths in the order of numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Metrics {
    /// All items.
    pub overall: M,
    /// Per task.
    pub by_task: BTreeMap<String, M>,
    /// Per task and variant.
    pub by_variant: BTreeMap<String, BTreeMap<String, M>>,
    /// Per task and hop depth of the base question.
    pub by_hops: BTreeMap<String, BTreeMap<u32, M>>,
    /// Per task, variant and hop depth.
    pub by_variant_hops: BTreeMap<String, BTreeMap<String, BTreeMap<u32, M>>>,
}

impl Metrics {
    /// The metrics of `samples`, whose `acc_norm` ranks by `norm`.
    pub fn of(samples: &[Sample], norm: Norm) -> Self {
        let mut groups = Groups::default();
        for sample in samples {
            let Sample { task, variant, hops, .. } = sample;
            groups.overall.push(sample);
            groups.by_task.entry(task.clone()).or_default().push(sample);
            let by_variant = groups.by_variant.entry(task.clone()).or_default();
            by_variant.entry(variant.clone()).or_default().push(sample);
            groups.by_hops.entry(task.clone()).or_default().entry(*hops).or_default().push(sample);
            let by_variant_hops = groups.by_variant_hops.entry(task.clone()).or_default();
            by_variant_hops.entry(variant.clone()).or_default().entry(*hops).or_default().push(sample);
        }
        Metrics {
            overall: M::of(&groups.overall, norm),
            by_task: each(groups.by_task, |g| M::of(&g, norm)),
            by_variant: each(groups.by_variant, |v| each(v, |g| M::of(&g, norm))),
            by_hops: each(groups.by_hops, |h| each(h, |g| M::of(&g, norm))),
            by_variant_hops: each(groups.by_variant_hops, |v| each(v, |h| each(h, |g| M::of(&g, norm)))),
        }
    }
}

type Group<'a> = Vec<&'a Sample>;

#[derive(Default)]
struct Groups<'a> {
    overall: Group<'a>,
    by_task: BTreeMap<String, Group<'a>>,
    by_variant: BTreeMap<String, BTreeMap<String, Group<'a>>>,
    by_hops: BTreeMap<String, BTreeMap<u32, Group<'a>>>,
    by_variant_hops: BTreeMap<String, BTreeMap<String, BTreeMap<u32, Group<'a>>>>,
}

fn each<K: Ord, A, B>(map: BTreeMap<K, A>, f: impl Fn(A) -> B) -> BTreeMap<K, B> {
    map.into_iter().map(|(key, value)| (key, f(value))).collect()
}

impl M {
    /// The numbers of one set of samples.
    pub fn of(samples: &[&Sample], norm: Norm) -> Self {
        let scored: Vec<(&Sample, &[_])> =
            samples.iter().filter_map(|s| Some((*s, s.choice.and(s.endings.as_deref())?))).collect();
        let n = scored.len();
        let right = |norm| scored.iter().filter(|(s, _)| s.correct(norm) == Some(true)).count();
        let rate = |right: usize| (n > 0).then(|| right as f64 / n as f64);
        let (mut chance, mut loss) = (Sum::default(), Sum::default());
        for (sample, endings) in &scored {
            chance.add(1.0 / endings.len() as f64);
            loss.add(brier(endings.iter().map(|e| e.logprob), sample.label));
        }
        let has_pmi = scored.iter().all(|(s, _)| s.correct(Norm::Pmi).is_some());
        M {
            n,
            acc: rate(right(Norm::Sum)),
            acc_stderr: stderr_of_rate(right(Norm::Sum), n),
            acc_norm: rate(right(norm)),
            acc_norm_stderr: stderr_of_rate(right(norm), n),
            acc_token: rate(right(Norm::Token)),
            acc_char: rate(right(Norm::Char)),
            acc_byte: rate(right(Norm::Byte)),
            acc_pmi: rate(right(Norm::Pmi)).filter(|_| has_pmi),
            chance: chance.mean(n),
            ties: scored.iter().filter(|(s, _)| !s.ties.is_empty()).count(),
            errors: samples.iter().filter(|s| s.is_error()).count(),
            truncated: scored.iter().filter(|(s, _)| s.has_flag(flag::TRUNCATED)).count(),
            skipped: samples.iter().filter(|s| !s.is_error() && s.has_flag(flag::SKIPPED)).count(),
            brier: loss.mean(n),
        }
    }
}
