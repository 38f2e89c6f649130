//! The statistics of right answers against chance.

/// Probability of `right` or more successes in `n` independent trials that each succeed with probability `p`: the exact
/// one-sided binomial test. 1 for `right` = 0; `p` strictly between 0 and 1, or nothing is a surprise.
#[must_use]
pub fn binomial_upper_tail(right: usize, n: usize, p: f64) -> f64 {
    if right == 0 || p >= 1.0 {
        return 1.0;
    }
    if p <= 0.0 {
        return 0.0;
    }
    // Every term in logarithms, so that none vanishes on the way to the larger ones.
    let choose: f64 = (1..=right).map(|i| ((n - right + i) as f64 / i as f64).ln()).sum();
    let mut term = choose + right as f64 * p.ln() + (n - right) as f64 * (1.0 - p).ln();
    let mut tail = term.exp();
    for k in right..n {
        term += ((n - k) as f64 / (k + 1) as f64 * p / (1.0 - p)).ln();
        tail += term.exp();
    }
    tail.min(1.0)
}

/// Wilson's interval for a rate of `right` in `n`, at 95 %. (0, 1) for `n` = 0.
#[must_use]
pub fn wilson(right: usize, n: usize) -> (f64, f64) {
    const Z: f64 = 1.959_963_984_540_054;
    if n == 0 {
        return (0.0, 1.0);
    }
    let (count, rate) = (n as f64, right as f64 / n as f64);
    let centre = rate + Z * Z / (2.0 * count);
    let half = Z * (rate * (1.0 - rate) / count + Z * Z / (4.0 * count * count)).sqrt();
    let scale = 1.0 + Z * Z / count;
    (((centre - half) / scale).max(0.0), ((centre + half) / scale).min(1.0))
}

/// Holm's correction: p-values adjusted so that rejecting those below α keeps the chance of any false rejection among all
/// of them below α (S. Holm, 1979). In the order of the input.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut least: f64 = 0.0;
    for (rank, &at) in order.iter().enumerate() {
        least = least.max((p[at] * (p.len() - rank) as f64).min(1.0));
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::{binomial_upper_tail, holm, wilson};

    #[test]
    fn values_by_hand() {
        // 1 − (3/4)^2 − 2·(1/4)(3/4)… for two trials at a quarter.
        assert!((binomial_upper_tail(1, 2, 0.25) - 0.4375).abs() < 1e-12);
        assert!((binomial_upper_tail(2, 2, 0.25) - 0.0625).abs() < 1e-12);
        assert!((binomial_upper_tail(0, 2, 0.25) - 1.0).abs() < 1e-12);
        assert_eq!(holm(&[0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]);
        let (low, high) = wilson(5, 10);
        assert!((low - 0.236_59).abs() < 1e-4 && (high - 0.763_41).abs() < 1e-4, "{low} {high}");
    }

    #[test]
    fn tails_sum_to_one_for_many_trials() {
        for (n, p) in [(48, 0.25), (288, 1.0 / 3.0), (5000, 0.25)] {
            for right in [1, n / 4, n / 2, n] {
                let below = 1.0 - binomial_upper_tail(right, n, p);
                let above = binomial_upper_tail(n - right + 1, n, 1.0 - p);
                assert!((below - above).abs() < 1e-9, "{n} {right}: {below} {above}");
            }
        }
    }
}
