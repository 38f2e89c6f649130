//! The one forward pass: what a [`DecoderSpec`] says, done to rows of packed tokens.
//!
//! A block of the network falls into two halves with attention between them, because attention is the only place where
//! rows see each other. The engine runs the halves on blocks of rows in parallel:
//!
//! ```text
//! rows [n, D] ── project ──▶ [q | k | v]      (norm, one product, rotation)
//!                              attend          (reads the keys of the whole pack)
//! rows [n, D] ◀── finish ──                    (output product, norm, MLP, residuals)
//! ```

use std::sync::Arc;

use candle_core::Tensor;

use super::attention::{Attention, PackLayout};
use super::load::Loader;
use super::mlp::Mlp;
use super::norm::Norm;
use super::rope::{RopeSpec, RopeTable};
use super::spec::{DecoderSpec, LayerSpec, Residual};
use crate::Result;

/// One block with its weights.
#[derive(Clone, Debug)]
pub struct Layer {
    residual: Residual,
    attention_norm: Norm,
    mlp_norm: Norm,
    attention: Attention,
    mlp: Mlp,
}

impl Layer {
    /// Reads the weights of a block.
    ///
    /// # Errors
    /// If a tensor is missing, has another shape or cannot be read.
    pub fn load(loader: &Loader<'_>, spec: &LayerSpec, hidden: usize) -> Result<Self> {
        Ok(Self {
            residual: spec.residual,
            attention_norm: Norm::load(loader, &spec.attention_norm, hidden)?,
            mlp_norm: Norm::load(loader, &spec.mlp_norm, hidden)?,
            attention: Attention::load(loader, &spec.attention)?,
            mlp: Mlp::load(loader, &spec.mlp)?,
        })
    }

    /// Residual rows `[n, D]` to fused rows `[n, (H + 2K)·d]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn project(&self, x: &Tensor, rope: Option<&RopeTable>, positions: &[u32]) -> Result<Tensor> {
        self.attention.project(&self.attention_norm.forward(x)?, rope, positions)
    }

    /// The rows of block `index` after this layer: attention over the fused rows of the whole pack, then the MLP.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn finish(
        &self,
        x: &Tensor,
        index: usize,
        block: usize,
        fused: &[Tensor],
        layout: &PackLayout,
    ) -> Result<Tensor> {
        let attended = self.attention.attend(index, block, fused, layout)?;
        let after = self.attention.output_onto(x, &attended)?;
        match self.residual {
            Residual::Sequential => self.mlp.forward_onto(&after, &self.mlp_norm.forward(&after)?),
            Residual::Parallel => self.mlp.forward_onto(&after, &self.mlp_norm.forward(x)?),
        }
    }
}

/// The rotary table of each layer for positions 0 … n−1; layers with the same rotation share one.
pub fn rope_tables(spec: &DecoderSpec, n: usize) -> Vec<Option<Arc<RopeTable>>> {
    let mut made: Vec<(&RopeSpec, Arc<RopeTable>)> = Vec::new();
    let mut tables = Vec::with_capacity(spec.layers.len());
    for layer in &spec.layers {
        tables.push(layer.attention.rope.as_ref().map(|rope| {
            if let Some((_, table)) = made.iter().find(|(made_for, _)| *made_for == rope) {
                return table.clone();
            }
            let table = Arc::new(RopeTable::new(rope, n));
            made.push((rope, table.clone()));
            table
        }));
    }
    tables
}
