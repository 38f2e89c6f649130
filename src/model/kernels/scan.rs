//! The selective scan of a state-space block, along the paths of the token trie.
//!
//! Every channel has a state of N numbers, which fades, takes in the input, and is read:
//!
//! ```text
//! Δ = softplus(step), within limits      h[n] = e^(Δ·a[n]) · h[n] + Δ·x · b[n]      y = d·x + Σ h[n] · c[n]
//! ```
//!
//! Channels do not see each other, so that [`LANES`] of them go through a pack together, position by position, and
//! blocks of channels can be computed in parallel. A run of the trie starts from a copy of the state that its parent ended
//! with; states of the runs on the path to the current one are all that is kept.

use std::ops::Range;

use super::attention::FusedRows;
use super::math::{self, Kernel, exp, ln_1p};

/// Channels that are computed together.
pub const LANES: usize = 32;

/// A run of packed rows, and the run before it on its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its rows.
    pub rows: Range<usize>,
    /// Index of the run whose last row comes before its first; `None` at position 0.
    pub parent: Option<usize>,
}

/// End states of the runs on the path to the current one.
pub struct States<T> {
    size: usize,
    open: Vec<usize>,
    values: Vec<T>,
}

impl<T: Copy + Default> States<T> {
    /// For states of `size` numbers.
    pub fn new(size: usize) -> Self {
        Self { size, open: Vec::new(), values: Vec::new() }
    }
    /// The state in which a run begins, to be carried through it in place: a copy of its parent's, or zeros. Runs must come
    /// depth-first. Where the parent has been left already, `None`.
    pub fn enter(&mut self, run: usize, parent: Option<usize>) -> Option<&mut [T]> {
        while self.open.last().copied() != parent {
            self.open.pop()?;
            self.values.truncate(self.open.len() * self.size);
        }
        let from = self.values.len();
        match parent {
            Some(_) => self.values.extend_from_within(from - self.size..from),
            None => self.values.resize(self.size, T::default()),
        }
        self.open.push(run);
        Some(&mut self.values[from..])
    }
}

/// Some columns of packed rows.
#[derive(Clone, Copy)]
pub struct Columns<'a> {
    /// The rows.
    pub rows: FusedRows<'a>,
    /// The first column.
    pub from: usize,
}

impl<'a> Columns<'a> {
    #[inline(always)]
    fn row(&self, r: usize, width: usize) -> &'a [f32] {
        &self.rows.row(r)[self.from..self.from + width]
    }
}

/// What all blocks of channels share.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The runs of the pack, depth-first.
    pub runs: &'a [Run],
    /// Numbers N in a channel's state.
    pub states: usize,
    /// x: one column a channel.
    pub x: Columns<'a>,
    /// Time steps before the softplus: one column a head.
    pub steps: Columns<'a>,
    /// b: N columns a group.
    pub b: Columns<'a>,
    /// c: N columns a group.
    pub c: Columns<'a>,
    /// Least and largest Δ.
    pub limits: (f32, f32),
}

/// At most [`LANES`] channels of one group, and their parameters; lanes that are not used hold zeros.
#[derive(Clone, Debug, PartialEq)]
pub struct Channels {
    /// The first channel.
    pub from: usize,
    /// Number of channels.
    pub width: usize,
    /// Their group.
    pub group: usize,
    /// Their heads: columns of the time steps.
    pub heads: [usize; LANES],
    /// Added to the time steps.
    pub bias: [f32; LANES],
    /// a, negative: `[N, LANES]`, or `[1, LANES]` where all numbers of a state fade alike.
    pub rates: Vec<[f32; LANES]>,
    /// d.
    pub skip: [f32; LANES],
}

/// Scans a pack; `out` takes `[rows, LANES]`.
pub fn scan(inputs: Inputs<'_>, channels: &Channels, out: &mut [f32]) {
    if channels.rates.len() == 1 {
        math::vectorized(Scan::<false> { inputs, channels, out });
    } else {
        math::vectorized(Scan::<true> { inputs, channels, out });
    }
}

struct Scan<'a, const RATE_PER_STATE: bool> {
    inputs: Inputs<'a>,
    channels: &'a Channels,
    out: &'a mut [f32],
}

impl<const RATE_PER_STATE: bool> Kernel for Scan<'_, RATE_PER_STATE> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Inputs { runs, states, x, steps, b, c, limits } = self.inputs;
        let Channels { from, width, group, heads, bias, rates, skip } = self.channels;
        // Arrays by value, and a loop for each step: the compiler sees that nothing overlaps and makes vector code of it.
        let (bias, skip, rate) = (*bias, *skip, rates[0]);
        let (least, most) = limits;
        let head_columns = heads.iter().max().map_or(0, |h| h + 1);
        let out = self.out.as_chunks_mut::<LANES>().0;
        let mut kept = States::<[f32; LANES]>::new(states);
        for (index, run) in runs.iter().enumerate() {
            let Some(state) = kept.enter(index, run.parent) else { return };
            for row in run.rows.clone() {
                let mut input = [0f32; LANES];
                input[..*width].copy_from_slice(&x.row(row, from + width)[*from..]);
                let step_row = steps.row(row, head_columns);
                let mut delta = [0f32; LANES];
                for l in 0..*width {
                    delta[l] = step_row[heads[l]];
                }
                for l in 0..LANES {
                    let d = softplus(delta[l] + bias[l]);
                    let d = if d < least { least } else { d };
                    delta[l] = if d > most { most } else { d };
                }
                let mut fade = [0f32; LANES];
                if !RATE_PER_STATE {
                    for l in 0..LANES {
                        fade[l] = exp(delta[l] * rate[l]);
                    }
                }
                let (mut taken, mut y) = ([0f32; LANES], [0f32; LANES]);
                for l in 0..LANES {
                    taken[l] = delta[l] * input[l];
                    y[l] = skip[l] * input[l];
                }
                let b = &b.row(row, (group + 1) * states)[group * states..];
                let c = &c.row(row, (group + 1) * states)[group * states..];
                for n in 0..states {
                    let (mut h, b, c) = (state[n], b[n], c[n]);
                    if RATE_PER_STATE {
                        let rate = rates[n];
                        for l in 0..LANES {
                            fade[l] = exp(delta[l] * rate[l]);
                        }
                    }
                    for l in 0..LANES {
                        h[l] = fade[l] * h[l] + taken[l] * b;
                    }
                    for l in 0..LANES {
                        y[l] += h[l] * c;
                    }
                    state[n] = h;
                }
                out[row] = y;
            }
        }
    }
}

/// `ln(1 + e^x)`.
#[inline(always)]
fn softplus(x: f32) -> f32 {
    let positive = if x > 0.0 { x } else { 0.0 };
    positive + ln_1p(exp(-x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(n: usize, seed: u64) -> Vec<f32> {
        let mut s = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 40) as f32 / (1u64 << 23) as f32 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }

    /// Rows 0–2, then 3–4 and 5–5 after 2, 6–7 after 5, 8–8 after 2, and a second tree 9–10.
    fn runs() -> Vec<Run> {
        let run = |rows, parent| Run { rows, parent };
        vec![
            run(0..3, None),
            run(3..5, Some(0)),
            run(5..6, Some(0)),
            run(6..8, Some(2)),
            run(8..9, Some(0)),
            run(9..11, None),
        ]
    }

    /// The rows up to and with `row`, in the order of positions.
    fn path(runs: &[Run], row: usize) -> Vec<usize> {
        let mut at = runs.iter().position(|r| r.rows.contains(&row));
        let mut rows = Vec::new();
        while let Some(i) = at {
            rows.splice(0..0, runs[i].rows.clone());
            at = runs[i].parent;
        }
        rows.retain(|r| *r <= row);
        rows
    }

    /// The definition in f64 for one channel at the end of one path: `step` and x at each row, a, b and c at each row.
    fn naive(
        path: &[usize],
        a: &[f64],
        input: impl Fn(usize) -> (f64, f64),
        vectors: impl Fn(usize, usize) -> (f64, f64),
        skip: f64,
        limits: (f32, f32),
    ) -> f64 {
        let mut h = vec![0f64; a.len()];
        let mut y = 0.0;
        for &t in path {
            let (step, x) = input(t);
            let delta = step.exp().ln_1p().clamp(f64::from(limits.0), f64::from(limits.1));
            y = skip * x;
            for (n, h) in h.iter_mut().enumerate() {
                let (b, c) = vectors(t, n);
                *h = (delta * a[n]).exp() * *h + delta * b * x;
                y += *h * c;
            }
        }
        y
    }

    #[test]
    fn every_row_is_scanned_as_if_its_path_stood_alone() {
        let (runs, rows) = (runs(), 11);
        for (states, per_state, width, group, limits) in [
            (5, true, 32, 0, (0.0, f32::INFINITY)),
            (16, true, 7, 0, (0.0, f32::INFINITY)),
            (8, false, 20, 1, (0.3, 0.9)),
        ] {
            let (x, steps) = (fill(rows * 40, 1), fill(rows * 6, 2));
            let (b, c) = (fill(rows * 2 * states, 3), fill(rows * 2 * states, 4));
            let all = |values, width| FusedRows { blocks: values, block: rows, width };
            let (xs, ss, bs, cs) = ([&x[..]], [&steps[..]], [&b[..]], [&c[..]]);
            let inputs = Inputs {
                runs: &runs,
                states,
                x: Columns { rows: all(&xs, 40), from: 3 },
                steps: Columns { rows: all(&ss, 6), from: 1 },
                b: Columns { rows: all(&bs, 2 * states), from: 0 },
                c: Columns { rows: all(&cs, 2 * states), from: 0 },
                limits,
            };
            let lane = |seed| -> [f32; LANES] { std::array::from_fn(|l| fill(LANES, seed)[l]) };
            let rate = |n: u64| lane(10 + n).map(|v| -0.2 - v.abs());
            let channels = Channels {
                from: 2,
                width,
                group,
                heads: std::array::from_fn(|l| l % 5),
                bias: lane(5),
                rates: (0..if per_state { states as u64 } else { 1 }).map(rate).collect(),
                skip: lane(6),
            };
            let mut out = vec![0f32; rows * LANES];
            scan(inputs, &channels, &mut out);
            for row in 0..rows {
                for l in 0..width {
                    let a: Vec<f64> =
                        (0..states).map(|n| channels.rates[if per_state { n } else { 0 }][l].into()).collect();
                    let step = |t: usize| f64::from(steps[t * 6 + 1 + l % 5]) + f64::from(channels.bias[l]);
                    let at = |t: usize, n: usize| (t * 2 + group) * states + n;
                    let want = naive(
                        &path(&runs, row),
                        &a,
                        |t| (step(t), x[t * 40 + 3 + 2 + l].into()),
                        |t, n| (b[at(t, n)].into(), c[at(t, n)].into()),
                        channels.skip[l].into(),
                        limits,
                    );
                    let got = f64::from(out[row * LANES + l]);
                    assert!((got - want).abs() < 3e-6, "{states} states, row {row}, lane {l}: {got} {want}");
                }
            }
        }
    }

    #[test]
    fn a_parent_that_was_left_is_not_found() {
        let mut states = States::<f32>::new(2);
        states.enter(0, None).unwrap().fill(1.0);
        assert_eq!(states.enter(1, Some(0)).unwrap(), &[1.0, 1.0]);
        assert_eq!(states.enter(2, Some(0)).unwrap(), &[1.0, 1.0]);
        assert!(states.enter(3, Some(1)).is_none());
    }

    #[test]
    fn softplus_is_accurate_and_keeps_the_special_values() {
        for i in -60_000..60_000 {
            let x = i as f32 / 1000.0;
            let exact = f64::from(x).exp().ln_1p();
            assert!((f64::from(softplus(x)) / exact - 1.0).abs() < 4e-7, "{x}");
        }
        assert_eq!(softplus(f32::INFINITY), f32::INFINITY);
        assert_eq!(softplus(f32::NEG_INFINITY), 0.0);
        assert!(softplus(f32::NAN).is_nan());
    }
}
