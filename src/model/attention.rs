//! Self-attention over packed rows: the projections, norms of queries and keys, the rotation, and the choice between our
//! kernel and tensor operations.
//!
//! Where a run finds the keys and values of its ancestors is decided by a [`PackLayout`] alone: ranges of rows.

use std::ops::Range;

use candle_core::Tensor;
use candle_nn::rotary_emb;

use super::attention_ops::plain;
use super::kernels::attention::{self as kernel, FusedRows, HeadShape, KeyBlock};
use super::kernels::rope as rope_kernel;
use super::latent::Latent;
use super::linear::Linear;
use super::load::Loader;
use super::norm::QkNorm;
use super::rope::{RopeLayout, RopeTable};
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::{AttentionSpec, Projection};
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

/// Where queries, keys and values come from.
#[derive(Clone, Debug)]
enum Source {
    Joint(Linear),
    Latent(Box<Latent>),
}

/// An attention layer with its weights.
#[derive(Clone, Debug)]
pub struct Attention {
    spec: AttentionSpec,
    source: Source,
    qk_norm: Option<QkNorm>,
    /// `[H]`.
    sinks: Option<Tensor>,
    output: Linear,
}

impl Attention {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &AttentionSpec) -> Result<Self> {
        let source = match &spec.qkv {
            Projection::Joint(linear) => Source::Joint(Linear::load(loader, linear)?),
            Projection::Latent(latent) => Source::Latent(Box::new(Latent::load(loader, latent, spec)?)),
        };
        let norm = |n| QkNorm::load(loader, n, spec.heads, spec.kv_heads, spec.head_dim);
        Ok(Self {
            source,
            qk_norm: spec.qk_norm.as_ref().map(norm).transpose()?,
            sinks: spec.sinks.as_ref().map(|name| loader.tensor(name, &[spec.heads])).transpose()?,
            output: Linear::load(loader, &spec.output)?,
            spec: spec.clone(),
        })
    }

    /// Rows `[q | k | v]` of some rows `[rows, D]`, normed, clamped and rotated.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn project(&self, x: &Tensor, rope: Option<&RopeTable>, positions: &[u32]) -> Result<Tensor> {
        let fused = match &self.source {
            Source::Joint(linear) => linear.forward(x)?,
            Source::Latent(latent) => latent.project(x)?,
        };
        if rope.is_none() && self.qk_norm.is_none() && self.spec.clip.is_none() {
            return Ok(fused);
        }
        let (rows, width) = fused.dims2()?;
        let rotated = self.spec.heads + self.spec.kv_heads;
        if !has_kernels(&fused) {
            return self.prepare(fused, rope, positions);
        }
        let mut elements = Elements::of(&fused)?.to_vec();
        if let Some(norm) = &self.qk_norm {
            norm.apply(&mut elements, width)?;
        }
        if let Some(clip) = self.spec.clip {
            elements.iter_mut().for_each(|v| *v = v.clamp(-clip, clip));
        }
        if let Some(rope) = rope {
            rope_kernel::rotate(&mut elements, width, 0, rotated, self.spec.head_dim, rope, positions);
        }
        from_rows(elements, rows)
    }

    /// Norms, clamps and rotates fused rows by tensor operations.
    fn prepare(&self, mut fused: Tensor, rope: Option<&RopeTable>, positions: &[u32]) -> Result<Tensor> {
        let (rows, width) = fused.dims2()?;
        if let Some(norm) = &self.qk_norm {
            fused = norm.forward(&fused)?;
        }
        if let Some(clip) = self.spec.clip {
            fused = fused.clamp(-clip, clip)?;
        }
        let Some(rope) = rope else { return Ok(fused) };
        let (d, rotated) = (self.spec.head_dim, self.spec.heads + self.spec.kv_heads);
        let heads = fused
            .narrow(1, 0, rotated * d)?
            .reshape((rows, rotated, d))?
            .transpose(0, 1)?
            .unsqueeze(0)?
            .contiguous()?;
        let r = rope.dim();
        let part = heads.narrow(3, 0, r)?.contiguous()?;
        let (cos, sin) = rope.gather(positions, fused.device())?;
        let (cos, sin) = (cos.to_dtype(fused.dtype())?, sin.to_dtype(fused.dtype())?);
        let part = match rope.layout() {
            RopeLayout::HalfSplit => rotary_emb::rope(&part, &cos, &sin)?,
            RopeLayout::Interleaved => rotary_emb::rope_i(&part, &cos, &sin)?,
        };
        let heads = if r < d { Tensor::cat(&[part, heads.narrow(3, r, d - r)?.contiguous()?], 3)? } else { part };
        let heads = heads.squeeze(0)?.transpose(0, 1)?.reshape((rows, rotated * d))?;
        let values = fused.narrow(1, rotated * d, width - rotated * d)?.contiguous()?;
        Ok(Tensor::cat(&[heads.contiguous()?, values], 1)?)
    }

    /// Attention of the rows of block `index`, `[rows, H·e]`; `fused` are all blocks of the pack, each of `block` rows but
    /// the last.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn attend(&self, index: usize, block: usize, fused: &[Tensor], layout: &PackLayout) -> Result<Tensor> {
        let from = index * block;
        let rows = fused[index].dim(0)?;
        let tile = from..from + rows;
        if !has_kernels(&fused[index]) {
            return plain(&Tensor::cat(fused, 0)?, &self.spec, self.sinks.as_ref(), layout, tile);
        }
        let guards = fused.iter().map(Elements::of).collect::<Result<Vec<_>>>()?;
        let blocks: Vec<&[f32]> = guards.iter().map(|g| &**g).collect();
        let relevant: Vec<&KeyBlock> = layout
            .key_blocks
            .iter()
            .filter(|b| (b.queries.start as usize) < tile.end && (b.queries.end as usize) > tile.start)
            .collect();
        let fused = FusedRows { blocks: &blocks, block, width: fused[index].dim(1)? };
        let sinks = self.sinks.as_ref().map(Elements::of).transpose()?;
        let shape = HeadShape {
            heads: self.spec.heads,
            kv_heads: self.spec.kv_heads,
            head_dim: self.spec.head_dim,
            value_dim: self.spec.value_dim,
            scale: self.spec.scale,
            window: self.spec.window,
            softcap: self.spec.softcap,
            alibi: self.spec.alibi.as_ref(),
            sinks: sinks.as_deref(),
        };
        from_rows(kernel::attend(tile, &relevant, fused, &layout.positions, shape), rows)
    }

    /// The output projection of attended rows, `[rows, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn output(&self, attended: &Tensor) -> Result<Tensor> {
        self.output.forward(attended)
    }

    /// `residual + output projection`, `[rows, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn output_onto(&self, residual: &Tensor, attended: &Tensor) -> Result<Tensor> {
        self.output.forward_onto(residual, attended)
    }
}
