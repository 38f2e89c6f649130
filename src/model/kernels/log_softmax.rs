//! The log-softmax of rows of logits that arrive tile by tile, so that no row of the whole vocabulary is ever stored.

use super::math::{self, Kernel};

/// Running log-sum-exp and argmax of one row.
#[derive(Clone, Copy, Debug)]
pub struct RowState {
    max: f32,
    argmax: u32,
    /// `Σ exp(logit − max)`, in f64 across tiles.
    sum: f64,
    finite: bool,
}

impl Default for RowState {
    fn default() -> Self {
        Self { max: f32::NEG_INFINITY, argmax: 0, sum: 0.0, finite: true }
    }
}

impl RowState {
    /// Takes in the logits of ids `first..first + tile.len()`.
    pub fn absorb(&mut self, tile: &[f32], first: u32) {
        let (max, finite) = math::vectorized(Scan(tile));
        self.finite &= finite;
        if !finite {
            return;
        }
        if max > self.max {
            self.sum *= f64::from(math::exp(self.max - max));
            self.max = max;
            let at = tile.iter().position(|&v| v == max).unwrap_or_default();
            self.argmax = first + at as u32;
        }
        let top = self.max;
        self.sum += f64::from(math::vectorized(SumExp(tile, top)));
    }
    /// Takes in what a device has computed of some logits: the largest, its id, `Σ exp(logit − max)`, and whether all were
    /// finite.
    pub fn merge(&mut self, max: f32, argmax: u32, sum: f64, finite: bool) {
        self.finite &= finite;
        if !self.finite {
            return;
        }
        if max > self.max {
            self.sum = self.sum * f64::from(self.max - max).exp() + sum;
            (self.max, self.argmax) = (max, argmax);
        } else {
            self.sum += sum * f64::from(max - self.max).exp();
        }
    }
    /// `logit − log Σ exp(logits)`, in nats; NaN if any logit of the row was NaN or infinite.
    pub fn log_prob(&self, logit: f32) -> f64 {
        if self.finite { f64::from(logit) - f64::from(self.max) - self.sum.ln() } else { f64::NAN }
    }
    /// The id with the largest logit (the lowest id where several are equal).
    pub fn argmax(&self) -> u32 {
        self.argmax
    }
}

/// The largest element, and whether all are finite: 0 · x is 0 for finite x and NaN otherwise, so one sum tells.
struct Scan<'a>(&'a [f32]);

impl Kernel for Scan<'_> {
    type Output = (f32, bool);
    #[inline(always)]
    fn run(self) -> (f32, bool) {
        (math::max(self.0), math::sum(self.0, |v| v * 0.0) == 0.0)
    }
}

/// `Σ exp(x − top)`.
struct SumExp<'a>(&'a [f32], f32);

impl Kernel for SumExp<'_> {
    type Output = f32;
    #[inline(always)]
    fn run(self) -> f32 {
        math::sum(self.0, |v| math::exp(v - self.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_give_the_log_softmax_of_the_whole_row() {
        let row: Vec<f32> = (0..1000).map(|i| ((i * 7919) % 1013) as f32 / 40.0 - 12.0).collect();
        let exact: f64 = row.iter().map(|v| f64::from(*v).exp()).sum::<f64>().ln();
        let mut state = RowState::default();
        for (i, tile) in row.chunks(137).enumerate() {
            state.absorb(tile, (i * 137) as u32);
        }
        assert!((state.log_prob(row[5]) - (f64::from(row[5]) - exact)).abs() < 1e-6);
        let best = (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b]).then(b.cmp(a)));
        assert_eq!(Some(state.argmax() as usize), best);
    }

    #[test]
    fn one_nan_or_infinity_spoils_the_row() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut row = vec![0.5f32; 100];
            row[77] = bad;
            let mut state = RowState::default();
            state.absorb(&row, 0);
            state.absorb(&[1.0; 50], 100);
            assert!(state.log_prob(0.5).is_nan(), "{bad}");
        }
    }
}
