//! What follows the scan of a state-space block: the gate, and Mamba-2's norm over it.

use std::ops::Range;

use super::attention::FusedRows;
use super::math::{self, Kernel, exp, sum};
use super::scan::{Channels, LANES};

/// An RMS norm over each of some groups of channels.
#[derive(Clone, Copy)]
pub struct GroupNorm<'a> {
    /// `[I]`.
    pub weight: &'a [f32],
    /// Number of groups.
    pub groups: usize,
    /// Added to the mean square.
    pub eps: f32,
}

/// Rows `tile` of a scan times `silu` of columns `from..from + inner` of the packed rows, then the norm: `[rows, inner]`.
/// `scanned` holds, for each of the blocks of channels, `[pack rows, LANES]`.
pub fn gate(
    tile: Range<usize>,
    scanned: &[f32],
    blocks: &[Channels],
    rows: FusedRows<'_>,
    from: usize,
    inner: usize,
    norm: Option<GroupNorm<'_>>,
) -> Vec<f32> {
    math::vectorized(Gate { tile, scanned, blocks, rows, from, inner, norm })
}

struct Gate<'a> {
    tile: Range<usize>,
    scanned: &'a [f32],
    blocks: &'a [Channels],
    rows: FusedRows<'a>,
    from: usize,
    inner: usize,
    norm: Option<GroupNorm<'a>>,
}

impl Kernel for Gate<'_> {
    type Output = Vec<f32>;
    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let Gate { tile, scanned, blocks, rows, from, inner, norm } = self;
        let pack = scanned.len() / (blocks.len() * LANES).max(1);
        let mut out = vec![0f32; tile.len() * inner];
        for (out, row) in out.chunks_exact_mut(inner).zip(tile) {
            for (i, block) in blocks.iter().enumerate() {
                let values = &scanned[(i * pack + row) * LANES..][..block.width];
                out[block.from..block.from + block.width].copy_from_slice(values);
            }
            for (o, z) in out.iter_mut().zip(&rows.row(row)[from..from + inner]) {
                *o *= z / (1.0 + exp(-z));
            }
            if let Some(norm) = norm {
                let width = inner / norm.groups;
                for (group, weight) in out.chunks_exact_mut(width).zip(norm.weight.chunks_exact(width)) {
                    let scale = 1.0 / (sum(group, |v| v * v) / width as f32 + norm.eps).sqrt();
                    for (o, w) in group.iter_mut().zip(weight) {
                        *o = w * (*o * scale);
                    }
                }
            }
        }
        out
    }
}
