//! Attention of a block of packed rows over the token trie.
//!
//! Keys are visited in blocks of [`KEY_BLOCK`] *absolute positions*, with a running maximum and sum (as in
//! FlashAttention): whatever runs the trie is cut into, a row reduces over the same blocks in the same order, so its
//! bits depend on its own request alone. A block of keys that lies on the path of many rows is gathered once and
//! multiplied with all of them.

use std::ops::Range;

use super::gemm::{View, matmul_into};
use super::math::{self, Kernel};
use crate::model::spec::Alibi;

/// Absolute positions in a block of keys.
pub const KEY_BLOCK: usize = 128;

/// Fewest keys in a product: below this the product takes paths of its own, with other rounding.
const MIN_KEYS: usize = 8;

/// A block of keys of consecutive positions, and the rows that look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyBlock {
    /// Position of the first key, a multiple of [`KEY_BLOCK`].
    pub start: u32,
    /// Number of keys, at most [`KEY_BLOCK`].
    pub len: u32,
    /// Where the keys are: ranges of packed rows, in the order of positions.
    pub rows: Vec<Range<u32>>,
    /// Packed rows whose queries look at it, each at the keys up to its own position.
    pub queries: Range<u32>,
}

/// Fused rows of a pack, `[q | k | v]` here, in blocks of `block` rows.
#[derive(Clone, Copy)]
pub struct FusedRows<'a> {
    /// The blocks, each `[block, width]` (the last may be shorter).
    pub blocks: &'a [&'a [f32]],
    /// Rows a block.
    pub block: usize,
    /// Width of a row.
    pub width: usize,
}

impl<'a> FusedRows<'a> {
    /// Row `r` of the pack.
    pub fn row(&self, r: usize) -> &'a [f32] {
        &self.blocks[r / self.block][r % self.block * self.width..][..self.width]
    }
}

/// Shape of an attention layer, and what it does to its scores.
#[derive(Clone, Copy, Debug)]
pub struct HeadShape<'a> {
    /// Query heads H.
    pub heads: usize,
    /// Key/value heads K.
    pub kv_heads: usize,
    /// Width d of queries and keys.
    pub head_dim: usize,
    /// Width e of values.
    pub value_dim: usize,
    /// Factor on the scores.
    pub scale: f32,
    /// Keys seen by a query, itself included; all where `None`.
    pub window: Option<usize>,
    /// c in `c · tanh(score / c)`, before the bias by position.
    pub softcap: Option<f32>,
    /// A bias on the scores by the key's position.
    pub alibi: Option<&'a Alibi>,
    /// A logit for each head that takes its share of the softmax and gives nothing.
    pub sinks: Option<&'a [f32]>,
}

/// State of the running softmax of the rows of one key/value head.
struct Running {
    max: Vec<f32>,
    sum: Vec<f32>,
    /// `[rows, e]`, not yet divided by the sums.
    out: Vec<f32>,
}

/// Attention of packed rows `tile`: `[rows, H·e]`. `key_blocks` must hold all blocks that any of the rows looks at, in the
/// order of positions along each path; `positions` are those of the whole pack.
pub fn attend(
    tile: Range<usize>,
    key_blocks: &[&KeyBlock],
    rows: FusedRows<'_>,
    positions: &[u32],
    shape: HeadShape<'_>,
) -> Vec<f32> {
    let (group, d, e) = (shape.heads / shape.kv_heads, shape.head_dim, shape.value_dim);
    let count = tile.len();
    let mut result = vec![0f32; count * shape.heads * e];
    let mut queries = vec![0f32; count * group * d];
    let mut scores = Vec::new();
    let mut gathered = (Vec::new(), Vec::new());
    let mut biases = Vec::new();
    for head in 0..shape.kv_heads {
        for (query, r) in queries.chunks_exact_mut(group * d).zip(tile.clone()) {
            for (q, v) in query.iter_mut().zip(&rows.row(r)[head * group * d..]) {
                *q = v * shape.scale;
            }
        }
        let mut state = Running {
            max: vec![f32::NEG_INFINITY; count * group],
            sum: vec![0.0; count * group],
            out: vec![0.0; count * group * e],
        };
        if let Some(sinks) = shape.sinks {
            for (i, (max, sum)) in state.max.iter_mut().zip(&mut state.sum).enumerate() {
                (*max, *sum) = (sinks[head * group + i % group], 1.0);
            }
        }
        for block in key_blocks {
            let from = (block.queries.start as usize).max(tile.start);
            let to = (block.queries.end as usize).min(tile.end);
            if from >= to || out_of_window(block, &positions[from..to], shape.window) {
                continue;
            }
            let key_at = (shape.heads + head) * d;
            let value_at = (shape.heads + shape.kv_heads) * d + head * e;
            gather(block, rows, key_at..key_at + d, value_at..value_at + e, &mut gathered);
            let keys = gathered.0.len() / d;
            let some = (from - tile.start) * group..(to - tile.start) * group;
            scores.resize(some.len() * keys, 0.0);
            let q = View::new(&queries[some.start * d..some.end * d], some.len(), d, d);
            matmul_into(&mut scores, keys, false, q, View::new(&gathered.0, keys, d, d).t());
            if let Some(cap) = shape.softcap {
                math::vectorized(Cap(&mut scores, cap));
            }
            if let Some(alibi) = shape.alibi {
                let start = block.start as usize;
                for (i, (row, query)) in scores.chunks_mut(group * keys).zip(&positions[from..to]).enumerate() {
                    if i == 0 || alibi.from_query {
                        let bias = |i| alibi.bias(head * group + i / keys, start + i % keys, *query as usize);
                        biases.clear();
                        biases.extend((0..group * keys).map(bias));
                    }
                    row.iter_mut().zip(&biases).for_each(|(s, b)| *s += b);
                }
            }
            math::vectorized(Soften {
                scores: &mut scores,
                keys,
                block,
                positions: &positions[from..to],
                group,
                window: shape.window,
                state: &mut state,
                first: some.start,
                e,
            });
            let p = View::new(&scores, some.len(), keys, keys);
            matmul_into(&mut state.out[some.start * e..some.end * e], e, true, p, View::new(&gathered.1, keys, e, e));
        }
        for (i, out) in state.out.chunks_exact(e).enumerate() {
            let at = (i / group * shape.heads + head * group + i % group) * e;
            let scale = 1.0 / state.sum[i];
            for (r, o) in result[at..at + e].iter_mut().zip(out) {
                *r = o * scale;
            }
        }
    }
    result
}

/// Whether no query of the block sees any of its keys.
fn out_of_window(block: &KeyBlock, positions: &[u32], window: Option<usize>) -> bool {
    let Some(window) = window else { return false };
    let lowest = positions.iter().min().copied().unwrap_or(0) as usize;
    (block.start + block.len) as usize + window <= lowest + 1
}

/// Copies the keys and values of a block to matrices `[keys, d]` and `[keys, e]`, padded with zeros to [`MIN_KEYS`].
fn gather(
    block: &KeyBlock,
    rows: FusedRows<'_>,
    key: Range<usize>,
    value: Range<usize>,
    into: &mut (Vec<f32>, Vec<f32>),
) {
    into.0.clear();
    into.1.clear();
    for range in &block.rows {
        for r in range.clone() {
            let row = rows.row(r as usize);
            into.0.extend_from_slice(&row[key.clone()]);
            into.1.extend_from_slice(&row[value.clone()]);
        }
    }
    let keys = (block.len as usize).max(MIN_KEYS);
    into.0.resize(keys * key.len(), 0.0);
    into.1.resize(keys * value.len(), 0.0);
}

/// `c · tanh(score / c)`.
struct Cap<'a>(&'a mut [f32], f32);

impl Kernel for Cap<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.0.iter_mut().for_each(|v| *v = math::tanh(*v / self.1) * self.1);
    }
}

/// Turns scores into unnormalised probabilities under the running maximum, and rescales what was summed before.
struct Soften<'a> {
    /// `[rows, keys]`.
    scores: &'a mut [f32],
    keys: usize,
    block: &'a KeyBlock,
    positions: &'a [u32],
    group: usize,
    window: Option<usize>,
    state: &'a mut Running,
    /// The first of the rows in `state`.
    first: usize,
    /// Width of a row of `state.out`.
    e: usize,
}

impl Kernel for Soften<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Soften { scores, keys, block, positions, group, window, state, first, e } = self;
        for (i, row) in scores.chunks_exact_mut(keys).enumerate() {
            let position = positions[i / group];
            let high = (position + 1 - block.start).min(block.len) as usize;
            let low = window.map_or(0, |w| (position as usize + 1).saturating_sub(w + block.start as usize)).min(high);
            let at = first + i;
            if low == high {
                row.fill(0.0);
                continue;
            }
            let top = math::max(&row[low..high]);
            let old = state.max[at];
            if top > old {
                state.max[at] = top;
                let shrink = math::exp(old - top);
                state.sum[at] *= shrink;
                for o in &mut state.out[at * e..(at + 1) * e] {
                    *o *= shrink;
                }
            }
            let top = state.max[at];
            for v in row.iter_mut() {
                *v = math::exp(*v - top);
            }
            row[..low].fill(0.0);
            row[high..].fill(0.0);
            // By the lane of each key's place in its block, so that zeros beyond the last key change nothing.
            state.sum[at] += math::sum(row, |v| v);
        }
    }
}
