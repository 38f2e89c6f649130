//! The selective scan of a state-space block in f64, channel by channel: for devices and dtypes that our kernels do not
//! serve, and as a check on them.

use rayon::prelude::*;

use super::kernels::scan::{Channels, Run, States};

/// Scans all channels of a pack; formulas are those of [`super::kernels::scan`]. Row-major: `x` `[rows, I]`, `steps`
/// `[rows, H]`, `vectors` `[rows, 2·G·N]` with b before c; the output is `[rows, I]`.
pub(super) fn scan(
    runs: &[Run],
    channels: &[Channels],
    x: &[f64],
    steps: &[f64],
    vectors: &[f64],
    limits: (f32, f32),
) -> Vec<f64> {
    let rows = runs.last().map_or(0, |r| r.rows.end);
    let (inner, heads, width) = (x.len() / rows.max(1), steps.len() / rows.max(1), vectors.len() / rows.max(1));
    let groups = channels.last().map_or(1, |c| c.group + 1);
    let states = width / (2 * groups);
    let one = |block: &Channels, lane: usize| -> Vec<f64> {
        let mut kept = States::<f64>::new(states);
        let mut out = vec![f64::NAN; rows];
        let rate = |n: usize| f64::from(block.rates[n.min(block.rates.len() - 1)][lane]);
        for (index, run) in runs.iter().enumerate() {
            let Some(h) = kept.enter(index, run.parent) else { return out };
            for row in run.rows.clone() {
                let step = steps[row * heads + block.heads[lane]] + f64::from(block.bias[lane]);
                let softplus = step.max(0.0) + (-step.abs()).exp().ln_1p();
                let delta =
                    if softplus.is_nan() { softplus } else { softplus.max(limits.0.into()).min(limits.1.into()) };
                let input = x[row * inner + block.from + lane];
                let (b, c) = vectors[row * width..(row + 1) * width].split_at(width / 2);
                let mut y = f64::from(block.skip[lane]) * input;
                for n in 0..states {
                    h[n] = (delta * rate(n)).exp() * h[n] + delta * input * b[block.group * states + n];
                    y += h[n] * c[block.group * states + n];
                }
                out[row] = y;
            }
        }
        out
    };
    let lanes: Vec<(&Channels, usize)> = channels.iter().flat_map(|b| (0..b.width).map(move |l| (b, l))).collect();
    let columns: Vec<Vec<f64>> = lanes.par_iter().map(|(block, lane)| one(block, *lane)).collect();
    (0..rows * inner).map(|i| columns[i % inner][i / inner]).collect()
}
