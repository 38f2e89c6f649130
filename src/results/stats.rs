//! The statistics behind the metrics: standard errors, the Brier score, McNemar's exact test. Plain functions.

/// Standard error of the mean of `n` answers of which `right` are right: sample standard deviation (n − 1) over √n,
/// which for zeros and ones is √(p(1 − p) / (n − 1)). `None` for n ≤ 1.
pub fn stderr_of_rate(right: usize, n: usize) -> Option<f64> {
    if n <= 1 {
        return None;
    }
    let p = right as f64 / n as f64;
    Some((p * (1.0 - p) / (n as f64 - 1.0)).sqrt())
}

/// Σ (softmax(scores) − one-hot(label))², from 0 (certain and right) to 2 (certain and wrong). Stable for scores of any
/// size.
pub fn brier(scores: impl Iterator<Item = f64> + Clone, label: usize) -> f64 {
    let top = scores.clone().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = scores.clone().map(|s| (s - top).exp()).sum();
    scores
        .enumerate()
        .map(|(index, score)| {
            let wanted = if index == label { 1.0 } else { 0.0 };
            ((score - top).exp() / total - wanted).powi(2)
        })
        .sum()
}

/// Two-sided exact McNemar test on `b` and `c`, the pairs in which only the first, or only the second, is right: the
/// probability, under a fair coin, of a split at least as uneven. 1 where there are no such pairs.
///
/// Sums the binomial tail from its largest term downward, that term taken in logarithms, so that thousands of pairs
/// neither overflow nor vanish early.
pub fn mcnemar_exact(b: u64, c: u64) -> f64 {
    let (few, n) = (b.min(c), b + c);
    if b == c {
        return 1.0;
    }
    // C(n, few) / 2^n in powers of two, the binomial as a product of `few` ratios.
    let log2_choose: f64 = (1..=few).map(|i| ((n - few + i) as f64 / i as f64).log2()).sum();
    let mut term = (log2_choose - n as f64).exp2();
    let mut tail = term;
    for k in (1..=few).rev() {
        term *= k as f64 / (n - k + 1) as f64;
        tail += term;
        if term < tail * f64::EPSILON * 1e-3 {
            break;
        }
    }
    (2.0 * tail).min(1.0)
}

/// Adds f64s with Neumaier's correction, so that a mean over many items does not depend on their order beyond the last
/// bit or so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    /// Adds one number.
    pub fn add(&mut self, x: f64) {
        let total = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - total) + x } else { (x - total) + self.sum };
        self.sum = total;
    }
    /// The sum so far.
    pub fn value(self) -> f64 {
        self.sum + self.lost
    }
    /// The mean of the `n` numbers added; `None` for none.
    pub fn mean(self, n: usize) -> Option<f64> {
        (n > 0).then(|| self.value() / n as f64)
    }
}
