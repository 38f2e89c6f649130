//! Self-attention over packed rows: the projections, the rotation, and the choice between our kernel and tensor
//! operations.
//!
//! Where a run finds the keys and values of its ancestors is decided by a [`PackLayout`] alone: ranges of rows.

use std::ops::Range;

use candle_core::{DType, Device, Tensor};
use candle_nn::ops::softmax_last_dim;
use candle_nn::rotary_emb;

use super::kernels::attention::{self as kernel, FusedRows, HeadShape, KeyBlock};
use super::kernels::rope as rope_kernel;
use super::linear::Linear;
use super::load::Loader;
use super::rope::{RopeLayout, RopeTable};
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::AttentionSpec;
use crate::Result;

/// Where the rows of a pack stand: their positions, and which rows each of them sees.
#[derive(Clone, Debug, Default)]
pub struct PackLayout {
    /// Absolute position of each row.
    pub positions: Vec<u32>,
    /// Blocks of keys in the order of positions along each path, for the CPU kernel.
    pub key_blocks: Vec<KeyBlock>,
    /// The runs and their paths, for tensor operations.
    pub runs: Vec<RunPath>,
}

/// A run's rows, and the rows of its ancestors and itself in the order of positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPath {
    /// The run's own rows.
    pub rows: Range<u32>,
    /// Rows of every position up to the run's last, root first.
    pub path: Vec<Range<u32>>,
}

/// An attention layer with its weights.
#[derive(Clone, Debug)]
pub struct Attention {
    shape: HeadShape,
    qkv: Linear,
    output: Linear,
}

impl Attention {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &AttentionSpec) -> Result<Self> {
        let shape = HeadShape {
            heads: spec.heads,
            kv_heads: spec.kv_heads,
            head_dim: spec.head_dim,
            scale: spec.scale,
            window: spec.window,
        };
        Ok(Self { shape, qkv: Linear::load(loader, &spec.qkv)?, output: Linear::load(loader, &spec.output)? })
    }

    /// Rows `[q | k | v]` of some rows `[rows, D]`, rotated.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn project(&self, x: &Tensor, rope: Option<&RopeTable>, positions: &[u32]) -> Result<Tensor> {
        let fused = self.qkv.forward(x)?;
        let Some(rope) = rope else { return Ok(fused) };
        let (rows, width) = fused.dims2()?;
        let rotated = self.shape.heads + self.shape.kv_heads;
        if has_kernels(&fused) {
            let mut elements = Elements::of(&fused)?.to_vec();
            rope_kernel::rotate(&mut elements, width, 0, rotated, self.shape.head_dim, rope, positions);
            return from_rows(elements, rows);
        }
        let d = self.shape.head_dim;
        let heads = fused
            .narrow(1, 0, rotated * d)?
            .reshape((rows, rotated, d))?
            .transpose(0, 1)?
            .unsqueeze(0)?
            .contiguous()?;
        let r = rope.dim();
        let part = heads.narrow(3, 0, r)?.contiguous()?;
        let (cos, sin) = rope.gather(positions, x.device())?;
        let (cos, sin) = (cos.to_dtype(x.dtype())?, sin.to_dtype(x.dtype())?);
        let part = match rope.layout() {
            RopeLayout::HalfSplit => rotary_emb::rope(&part, &cos, &sin)?,
            RopeLayout::Interleaved => rotary_emb::rope_i(&part, &cos, &sin)?,
        };
        let heads = if r < d { Tensor::cat(&[part, heads.narrow(3, r, d - r)?.contiguous()?], 3)? } else { part };
        let heads = heads.squeeze(0)?.transpose(0, 1)?.reshape((rows, rotated * d))?;
        let values = fused.narrow(1, rotated * d, width - rotated * d)?.contiguous()?;
        Ok(Tensor::cat(&[heads.contiguous()?, values], 1)?)
    }

    /// Attention of the rows of block `index`, `[rows, H·d]`; `fused` are all blocks of the pack, each of `block` rows but
    /// the last.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn attend(&self, index: usize, block: usize, fused: &[Tensor], layout: &PackLayout) -> Result<Tensor> {
        let from = index * block;
        let rows = fused[index].dim(0)?;
        if !has_kernels(&fused[index]) {
            let all = Tensor::cat(fused, 0)?;
            return plain(&all, self.shape, layout, from..from + rows);
        }
        let guards = fused.iter().map(Elements::of).collect::<Result<Vec<_>>>()?;
        let blocks: Vec<&[f32]> = guards.iter().map(|g| &**g).collect();
        let tile = from..from + rows;
        let relevant: Vec<&KeyBlock> = layout
            .key_blocks
            .iter()
            .filter(|b| (b.queries.start as usize) < tile.end && (b.queries.end as usize) > tile.start)
            .collect();
        let fused = FusedRows { blocks: &blocks, block, width: fused[index].dim(1)? };
        from_rows(kernel::attend(tile, &relevant, fused, &layout.positions, self.shape), rows)
    }

    /// `residual + output projection`, `[rows, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn output_onto(&self, residual: &Tensor, attended: &Tensor) -> Result<Tensor> {
        self.output.forward_onto(residual, attended)
    }
}

/// Scores held at once by [`plain`].
const PLAIN_SCORES: usize = 1 << 24;

/// Attention by tensor operations, for devices without our kernel: runs are padded to a common length and taken some at
/// a time. `tile` are the rows asked for.
fn plain(fused: &Tensor, shape: HeadShape, layout: &PackLayout, tile: Range<usize>) -> Result<Tensor> {
    let (h, k, d) = (shape.heads, shape.kv_heads, shape.head_dim);
    let device = fused.device();
    let runs: Vec<&RunPath> = layout
        .runs
        .iter()
        .filter(|r| (r.rows.start as usize) < tile.end && (r.rows.end as usize) > tile.start)
        .collect();
    let mut order: Vec<u32> = Vec::new();
    let mut outputs = Vec::new();
    let mut rest = runs.as_slice();
    while !rest.is_empty() {
        let (mut take, mut q, mut l) = (0, 0, 0);
        while take < rest.len() {
            let (nq, nl) = (
                q.max(rest[take].rows.len()),
                l.max(rest[take].rows.end as usize - rest[take].rows.start as usize + before(rest[take])),
            );
            if take > 0 && (take + 1) * h * nq * nl > PLAIN_SCORES {
                break;
            }
            (q, l, take) = (nq, nl, take + 1);
        }
        let (some, more) = rest.split_at(take);
        rest = more;
        let mut query_rows = Vec::with_capacity(take * q);
        let mut key_rows = Vec::with_capacity(take * l);
        let mut mask = Vec::with_capacity(take * q * l);
        for (i, run) in some.iter().enumerate() {
            let keys: Vec<u32> = run.path.iter().cloned().flatten().collect();
            let last = keys.len().saturating_sub(1);
            key_rows.extend((0..l).map(|j| keys[j.min(last)]));
            for j in 0..q {
                let row = (run.rows.start + j as u32).min(run.rows.end - 1);
                query_rows.push(row);
                if j < run.rows.len() {
                    order.push((i * q + j) as u32);
                }
                let position = layout.positions[row as usize] as usize;
                let low = shape.window.map_or(0, |w| (position + 1).saturating_sub(w));
                mask.extend((0..l).map(|key| if key <= position && key >= low { 0f32 } else { f32::NEG_INFINITY }));
            }
        }
        let pick = |rows: Vec<u32>| -> Result<Tensor> {
            let n = rows.len();
            Ok(fused.index_select(&Tensor::from_vec(rows, n, device)?, 0)?)
        };
        let part = |t: &Tensor, n: usize, first: usize, heads: usize| -> Result<Tensor> {
            // [take·n, heads·d] → [take, heads, n, d]
            Ok(t.narrow(1, first * d, heads * d)?.reshape((take, n, heads, d))?.transpose(1, 2)?.contiguous()?)
        };
        let (queries, keys) = (pick(query_rows)?, pick(key_rows)?);
        let query = part(&queries, q, 0, h)?.reshape((take, k, h / k * q, d))?;
        let (key, value) = (part(&keys, l, h, k)?, part(&keys, l, h + k, k)?);
        let mask = Tensor::from_vec(mask, (take, 1, 1, q, l), device)?.to_dtype(DType::F32)?;
        let scores = (query.matmul(&key.t()?)? * f64::from(shape.scale))?.reshape((take, k, h / k, q, l))?;
        let mask = mask.to_dtype(scores.dtype())?;
        let weights = softmax_last_dim(&scores.broadcast_add(&mask)?)?.reshape((take, k, h / k * q, l))?;
        let out = weights.matmul(&value)?.reshape((take, h, q, d))?.transpose(1, 2)?.reshape((take * q, h * d))?;
        let kept = std::mem::take(&mut order);
        let n = kept.len();
        outputs.push(out.index_select(&Tensor::from_vec(kept, n, device)?, 0)?);
    }
    // Runs are in the order of their rows, so that the outputs are too; the first may begin before the tile.
    let first = runs.first().map_or(0, |r| r.rows.start as usize);
    if outputs.is_empty() {
        return Ok(Tensor::zeros((0, h * d), fused.dtype(), &Device::Cpu)?);
    }
    Ok(Tensor::cat(&outputs, 0)?.narrow(0, tile.start - first, tile.len())?)
}

/// Number of rows on a run's path before its own.
fn before(run: &RunPath) -> usize {
    run.path.iter().map(|r| r.len()).sum::<usize>() - run.rows.len()
}
