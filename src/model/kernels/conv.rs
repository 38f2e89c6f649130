//! The short causal convolution of a state-space block, channel by channel along the paths of the token trie.

use std::ops::Range;

use super::attention::FusedRows;
use super::math::{self, Kernel};

/// What [`convolve`] finds before the first token of a path.
pub const NONE: u32 = u32::MAX;

/// A depthwise convolution over the last K positions, of C channels.
#[derive(Clone, Copy)]
pub struct Taps<'a> {
    /// `[K, C]`; the last row weighs the position itself.
    pub weight: &'a [f32],
    /// `[C]`.
    pub bias: &'a [f32],
}

/// Convolves columns `from..from + C` of the packed rows `tile`: `[rows, C]`. `previous` names, for each row of the pack,
/// the row before it on its path, or [`NONE`]; positions before the first count as zeros.
pub fn convolve(tile: Range<usize>, previous: &[u32], rows: FusedRows<'_>, from: usize, taps: Taps<'_>) -> Vec<f32> {
    math::vectorized(Convolve { tile, previous, rows, from, taps })
}

struct Convolve<'a> {
    tile: Range<usize>,
    previous: &'a [u32],
    rows: FusedRows<'a>,
    from: usize,
    taps: Taps<'a>,
}

impl Kernel for Convolve<'_> {
    type Output = Vec<f32>;
    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let channels = self.taps.bias.len();
        let mut out = Vec::with_capacity(self.tile.len() * channels);
        for row in self.tile {
            let start = out.len();
            out.extend_from_slice(self.taps.bias);
            let sum = &mut out[start..];
            // From the position itself backwards, always in that order.
            let mut at = row as u32;
            for weight in self.taps.weight.chunks_exact(channels).rev() {
                let x = &self.rows.row(at as usize)[self.from..self.from + channels];
                for ((s, w), x) in sum.iter_mut().zip(weight).zip(x) {
                    *s += w * x;
                }
                at = self.previous[at as usize];
                if at == NONE {
                    break;
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_convolved_as_if_it_stood_alone() {
        // Two channels in three columns, blocks of two rows. Rows 0 1 2, then 3 after 1, then 4 with nothing before it.
        let values: Vec<f32> = (0..15).map(|i| (i * i % 7) as f32 - 2.0).collect();
        let blocks = [&values[..6], &values[6..12], &values[12..]];
        let rows = FusedRows { blocks: &blocks, block: 2, width: 3 };
        let previous = [NONE, 0, 1, 1, NONE];
        let (weight, bias) = ([0.5f32, -1.0, 2.0, 3.0, 1.0, -0.25], [10.0f32, 20.0]);
        let out = convolve(1..5, &previous, rows, 1, Taps { weight: &weight, bias: &bias });
        let paths: [&[usize]; 4] = [&[0, 1], &[0, 1, 2], &[0, 1, 3], &[4]];
        for (i, path) in paths.iter().enumerate() {
            for c in 0..2 {
                let sum: f32 =
                    path.iter().rev().enumerate().map(|(k, r)| weight[(2 - k) * 2 + c] * values[r * 3 + 1 + c]).sum();
                assert_eq!(out[i * 2 + c], bias[c] + sum, "row {i}, channel {c}");
            }
        }
    }
}
