//! A question against its rewordings: how much is lost from `base` to each variant, on the same questions.
//!
//! A pair is a base item and an item of the variant with the same `group` in the same task, both scored.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::norm::Norm;
use super::sample::Sample;
use super::stats::{Sum, mcnemar_exact};

/// The variant that the others are compared with.
pub const BASE: &str = "base";

/// Base against one variant, over their pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pairing {
    /// Number of pairs, ≥ 1.
    pub pairs: usize,
    /// Accuracy of the base items.
    pub base_acc: f64,
    /// Accuracy of the variant's items.
    pub acc: f64,
    /// (base_acc − acc) / base_acc; `None` where base_acc is 0.
    pub drop: Option<f64>,
    /// 95 % interval of `drop`: a ratio of two rates over the same questions, its variance by the delta method.
    #[serde(default)]
    pub drop_interval: Option<(f64, f64)>,
    /// Share of pairs with both right.
    pub consistent: f64,
    /// McNemar's exact test, two-sided.
    pub mcnemar_p: f64,
}

/// All pairings of a run, per task and variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Robustness {
    /// Per task and variant. A task that is itself called `average` is found under `task:average`.
    #[serde(flatten)]
    pub tasks: BTreeMap<String, BTreeMap<String, Pairing>>,
    /// Mean of `drop` over the tasks and variants that have one.
    pub average: Option<f64>,
}

impl Robustness {
    /// The pairings of `samples` ranked by `norm`. Where a group has several base items, the first in the order of the
    /// data counts; each item of a variant makes a pair of its own.
    pub fn of(samples: &[Sample], norm: Norm) -> Self {
        let mut bases: HashMap<(&str, &str), bool> = HashMap::new();
        for s in samples.iter().filter(|s| s.variant == BASE) {
            if let Some(right) = s.correct(norm) {
                bases.entry((&s.task, &s.group)).or_insert(right);
            }
        }
        let mut tallies: BTreeMap<String, BTreeMap<String, Tally>> = BTreeMap::new();
        for s in samples.iter().filter(|s| s.variant != BASE) {
            let Some((right, base)) = s.correct(norm).zip(bases.get(&(&s.task[..], &s.group[..]))) else { continue };
            let task = if s.task == "average" { "task:average".to_string() } else { s.task.clone() };
            tallies.entry(task).or_default().entry(s.variant.clone()).or_default().add(*base, right);
        }
        let tasks: BTreeMap<_, BTreeMap<_, _>> = tallies
            .into_iter()
            .map(|(task, variants)| (task, variants.into_iter().map(|(v, tally)| (v, tally.pairing())).collect()))
            .collect();
        let (mut sum, mut count) = (Sum::default(), 0);
        for drop in tasks.values().flat_map(BTreeMap::values).filter_map(|p: &Pairing| p.drop) {
            sum.add(drop);
            count += 1;
        }
        Robustness { average: sum.mean(count), tasks }
    }
}

#[derive(Default)]
struct Tally {
    both: usize,
    only_base: usize,
    only_variant: usize,
    neither: usize,
}

impl Tally {
    fn add(&mut self, base: bool, variant: bool) {
        match (base, variant) {
            (true, true) => self.both += 1,
            (true, false) => self.only_base += 1,
            (false, true) => self.only_variant += 1,
            (false, false) => self.neither += 1,
        }
    }

    fn pairing(&self) -> Pairing {
        let pairs = self.both + self.only_base + self.only_variant + self.neither;
        let share = |count: usize| count as f64 / pairs as f64;
        let (base_acc, acc) = (share(self.both + self.only_base), share(self.both + self.only_variant));
        Pairing {
            pairs,
            base_acc,
            acc,
            drop: (base_acc > 0.0).then(|| (base_acc - acc) / base_acc),
            drop_interval: (base_acc > 0.0).then(|| ratio_interval(base_acc, acc, share(self.both), pairs as f64)),
            consistent: share(self.both),
            mcnemar_p: mcnemar_exact(self.only_base as u64, self.only_variant as u64),
        }
    }
}

/// 95 % interval of 1 − `acc` / `base`, rates over the same `n` questions of which `both` are right both times.
fn ratio_interval(base: f64, acc: f64, both: f64, n: f64) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    let ratio = acc / base;
    let variance = acc * (1.0 - acc) + ratio * ratio * base * (1.0 - base) - 2.0 * ratio * (both - base * acc);
    let half = Z * (variance.max(0.0) / n).sqrt() / base;
    (1.0 - ratio - half, 1.0 - ratio + half)
}
