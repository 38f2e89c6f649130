//! Attention by tensor operations, for devices and dtypes without our kernel.

use std::ops::Range;

use candle_core::{DType, Device, Tensor};
use candle_nn::ops::softmax_last_dim;

use super::attention::{PackLayout, RunPath};
use super::spec::AttentionSpec;
use crate::Result;

/// Scores held at once.
const SCORES: usize = 1 << 24;

/// Runs that are computed together, padded to common lengths.
struct Batch {
    runs: usize,
    /// Query rows a run.
    q: usize,
    /// Key rows a run.
    l: usize,
    query_rows: Vec<u32>,
    key_rows: Vec<u32>,
    /// Position of each of `query_rows`.
    positions: Vec<usize>,
    /// `[runs, q, l]`: 0 where a query sees a key, −∞ elsewhere.
    mask: Vec<f32>,
    /// Rows of `[runs · q]` that are no padding.
    kept: Vec<u32>,
}

/// Attention of the rows `tile` over the fused rows of a pack, `[rows, H·e]`.
pub fn plain(
    fused: &Tensor,
    spec: &AttentionSpec,
    sinks: Option<&Tensor>,
    layout: &PackLayout,
    tile: Range<usize>,
) -> Result<Tensor> {
    let touches = |r: &&RunPath| (r.rows.start as usize) < tile.end && (r.rows.end as usize) > tile.start;
    let runs: Vec<&RunPath> = layout.runs.iter().filter(touches).collect();
    let mut outputs = Vec::new();
    let mut rest = runs.as_slice();
    while !rest.is_empty() {
        let (some, more) = rest.split_at(together(rest, spec.heads));
        rest = more;
        outputs.push(attend(fused, spec, sinks, batch(some, spec, layout))?);
    }
    if outputs.is_empty() {
        return Ok(Tensor::zeros((0, spec.heads * spec.value_dim), fused.dtype(), &Device::Cpu)?);
    }
    // Runs are in the order of their rows, so that the outputs are too; the first may begin before the tile.
    let first = runs.first().map_or(0, |r| r.rows.start as usize);
    Ok(Tensor::cat(&outputs, 0)?.narrow(0, tile.start - first, tile.len())?)
}

/// Number of rows on a run's path, its own included.
fn path_len(run: &RunPath) -> usize {
    run.path.iter().map(|r| r.len()).sum()
}

/// How many of the first runs are computed together.
fn together(runs: &[&RunPath], heads: usize) -> usize {
    let (mut take, mut q, mut l) = (0, 0, 0);
    for run in runs {
        (q, l) = (q.max(run.rows.len()), l.max(path_len(run)));
        if take > 0 && (take + 1) * heads * q * l > SCORES {
            break;
        }
        take += 1;
    }
    take
}

fn batch(runs: &[&RunPath], spec: &AttentionSpec, layout: &PackLayout) -> Batch {
    let q = runs.iter().map(|r| r.rows.len()).max().unwrap_or(0);
    let l = runs.iter().map(|r| path_len(r)).max().unwrap_or(0);
    let mut batch = Batch {
        runs: runs.len(),
        q,
        l,
        query_rows: Vec::with_capacity(runs.len() * q),
        positions: Vec::with_capacity(runs.len() * q),
        key_rows: Vec::with_capacity(runs.len() * l),
        mask: Vec::with_capacity(runs.len() * q * l),
        kept: Vec::new(),
    };
    for (i, run) in runs.iter().enumerate() {
        let keys: Vec<u32> = run.path.iter().cloned().flatten().collect();
        let last = keys.len().saturating_sub(1);
        batch.key_rows.extend((0..l).map(|j| keys[j.min(last)]));
        for j in 0..q {
            let row = (run.rows.start + j as u32).min(run.rows.end - 1);
            batch.query_rows.push(row);
            if j < run.rows.len() {
                batch.kept.push((i * q + j) as u32);
            }
            let position = layout.positions[row as usize] as usize;
            batch.positions.push(position);
            let low = spec.window.map_or(0, |w| (position + 1).saturating_sub(w));
            let sees = |key: usize| key <= position && key >= low;
            batch.mask.extend((0..l).map(|key| if sees(key) { 0f32 } else { f32::NEG_INFINITY }));
        }
    }
    batch
}

fn attend(fused: &Tensor, spec: &AttentionSpec, sinks: Option<&Tensor>, batch: Batch) -> Result<Tensor> {
    let (h, k, d, e) = (spec.heads, spec.kv_heads, spec.head_dim, spec.value_dim);
    let Batch { runs, q, l, .. } = batch;
    let device = fused.device();
    let pick = |rows: Vec<u32>| -> Result<Tensor> {
        let n = rows.len();
        Ok(fused.index_select(&Tensor::from_vec(rows, n, device)?, 0)?)
    };
    let part = |t: &Tensor, n: usize, from: usize, heads: usize, width: usize| -> Result<Tensor> {
        // [runs·n, heads·width] → [runs, heads, n, width]
        let part = t.narrow(1, from, heads * width)?.reshape((runs, n, heads, width))?;
        Ok(part.transpose(1, 2)?.contiguous()?)
    };
    let (queries, keys) = (pick(batch.query_rows)?, pick(batch.key_rows)?);
    let query = part(&queries, q, 0, h, d)?.reshape((runs, k, h / k * q, d))?;
    let (key, value) = (part(&keys, l, h * d, k, d)?, part(&keys, l, (h + k) * d, k, e)?);
    // From here to the weights in f32, as the reference: a sum of many small shares is beyond half precision.
    let scores = query.matmul(&key.t()?)?;
    let scores = if scores.dtype() == DType::F64 { scores } else { scores.to_dtype(DType::F32)? };
    let mut scores = (scores * f64::from(spec.scale))?.reshape((runs, k, h / k, q, l))?;
    if let Some(cap) = spec.softcap {
        scores = ((scores / f64::from(cap))?.tanh()? * f64::from(cap))?;
    }
    if let Some(alibi) = &spec.alibi {
        // Key j of a path is the one at position j.
        let (n, queries) = if alibi.from_query { (runs * q, &batch.positions[..]) } else { (1, &[0][..]) };
        let bias: Vec<f32> = (0..n * h * l).map(|i| alibi.bias(i / l % h, i % l, queries[i / (l * h)])).collect();
        let shape = if alibi.from_query { (runs, q, k, h / k, l) } else { (1, 1, k, h / k, l) };
        let bias = Tensor::from_vec(bias, shape, device)?.permute((0, 2, 3, 1, 4))?.to_dtype(scores.dtype())?;
        scores = scores.broadcast_add(&bias)?;
    }
    let mask = Tensor::from_vec(batch.mask, (runs, 1, 1, q, l), device)?.to_dtype(scores.dtype())?;
    scores = scores.broadcast_add(&mask)?;
    let weights = match sinks {
        None => softmax_last_dim(&scores)?,
        Some(sinks) => {
            let column = sinks.to_dtype(scores.dtype())?.reshape((1, k, h / k, 1, 1))?;
            let column = column.broadcast_as((runs, k, h / k, q, 1))?.contiguous()?;
            softmax_last_dim(&Tensor::cat(&[scores, column], 4)?)?.narrow(4, 0, l)?.contiguous()?
        }
    };
    let weights = weights.reshape((runs, k, h / k * q, l))?.to_dtype(value.dtype())?;
    let out = weights.matmul(&value)?.reshape((runs, h, q, e))?.transpose(1, 2)?.reshape((runs * q, h * e))?;
    let n = batch.kept.len();
    Ok(out.index_select(&Tensor::from_vec(batch.kept, n, device)?, 0)?)
}
