//! Rotary positions, in place, on the query and key heads of fused rows.

use crate::model::rope::{RopeLayout, RopeTable};

/// Rotates the first `table.dim()` elements of each of `heads` heads of width `head_dim`, which start at `offset` in every
/// row of `x` (rows `width` apart); `positions[i]` belongs to row i.
pub fn rotate(
    x: &mut [f32],
    width: usize,
    offset: usize,
    heads: usize,
    head_dim: usize,
    table: &RopeTable,
    positions: &[u32],
) {
    let half = table.dim() / 2;
    for (row, &position) in x.chunks_exact_mut(width).zip(positions) {
        let (cos, sin) = table.row(position as usize);
        for head in row[offset..offset + heads * head_dim].chunks_exact_mut(head_dim) {
            match table.layout() {
                RopeLayout::HalfSplit => {
                    let (a, b) = head[..2 * half].split_at_mut(half);
                    for j in 0..half {
                        let (x0, x1) = (a[j], b[j]);
                        a[j] = x0 * cos[j] - x1 * sin[j];
                        b[j] = x1 * cos[j] + x0 * sin[j];
                    }
                }
                RopeLayout::Interleaved => {
                    for (j, pair) in head[..2 * half].chunks_exact_mut(2).enumerate() {
                        let (x0, x1) = (pair[0], pair[1]);
                        pair[0] = x0 * cos[j] - x1 * sin[j];
                        pair[1] = x1 * cos[j] + x0 * sin[j];
                    }
                }
            }
        }
    }
}
