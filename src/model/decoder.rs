//! The one forward pass: what a [`DecoderSpec`] says, done to rows of packed tokens.
//!
//! A block of the network falls into two halves with the mixing of rows between them, because that is the only place where
//! rows see each other. The engine runs the halves on blocks of rows in parallel:
//!
//! ```text
//! rows [n, D] ── project ──▶ [q | k | v]      (norm, one product, rotation)
//!                              mix             (state spaces: the convolution and the scan of the whole pack)
//!                              attend          (attention: reads the keys of the whole pack)
//! rows [n, D] ◀── finish ──                    (output product, norm, MLP, residuals)
//! ```

use std::sync::Arc;

use candle_core::Tensor;

use super::attention::{Attention, PackLayout};
use super::experts::Experts;
use super::load::Loader;
use super::mamba::Mamba;
use super::mlp::Mlp;
use super::norm::Norm;
use super::rope::{RopeSpec, RopeTable};
use super::spec::{DecoderSpec, FeedForward, LayerSpec, Mixer as MixerSpec, NormSpec, Residual};
use crate::Result;

/// One block with its weights.
#[derive(Clone, Debug)]
pub struct Layer {
    residual: Residual,
    mixer_norm: Option<Norm>,
    mixer_post_norm: Option<Norm>,
    mixer: Mixer,
    mlp_norm: Option<Norm>,
    mlp_post_norm: Option<Norm>,
    mlp: Option<Branch>,
}

/// The branch in which rows see each other.
#[derive(Clone, Debug)]
enum Mixer {
    Attention(Box<Attention>),
    Mamba(Mamba),
}

/// The feed-forward branch.
#[derive(Clone, Debug)]
enum Branch {
    Dense(Mlp),
    Experts(Box<Experts>),
}

impl Layer {
    /// Reads the weights of a block.
    ///
    /// # Errors
    /// If a tensor is missing, has another shape or cannot be read.
    pub fn load(loader: &Loader<'_>, spec: &LayerSpec, hidden: usize) -> Result<Self> {
        let norm = |n: &Option<NormSpec>| n.as_ref().map(|n| Norm::load(loader, n, hidden)).transpose();
        Ok(Self {
            residual: spec.residual,
            mixer_norm: norm(&spec.mixer_norm)?,
            mixer_post_norm: norm(&spec.mixer_post_norm)?,
            mixer: match &spec.mixer {
                MixerSpec::Attention(attention) => Mixer::Attention(Box::new(Attention::load(loader, attention)?)),
                MixerSpec::Mamba(mamba) => Mixer::Mamba(Mamba::load(loader, mamba)?),
            },
            mlp_norm: norm(&spec.mlp_norm)?,
            mlp_post_norm: norm(&spec.mlp_post_norm)?,
            mlp: match &spec.mlp {
                None => None,
                Some(FeedForward::Dense(mlp)) => Some(Branch::Dense(Mlp::load(loader, mlp)?)),
                Some(FeedForward::Experts(e)) => Some(Branch::Experts(Box::new(Experts::load(loader, e)?))),
            },
        })
    }

    /// Residual rows `[n, D]` to the rows that the mixer works on: `[q | k | v]` for attention.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn project(&self, x: &Tensor, rope: Option<&RopeTable>, positions: &[u32]) -> Result<Tensor> {
        let input = match self.residual {
            Residual::PostNorm => x.clone(),
            Residual::Sequential | Residual::Parallel | Residual::FromNorm => normed(&self.mixer_norm, x)?,
        };
        match &self.mixer {
            Mixer::Attention(attention) => attention.project(&input, rope, positions),
            Mixer::Mamba(mamba) => mamba.project(&input),
        }
    }

    /// All blocks of projected rows of a pack to what [`Layer::finish`] works on: as they are for attention, mixed along
    /// their paths for a state space. Starts threads of the current pool.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn mix(&self, projected: Vec<Tensor>, block: usize, layout: &PackLayout) -> Result<Vec<Tensor>> {
        match &self.mixer {
            Mixer::Attention(_) => Ok(projected),
            Mixer::Mamba(mamba) => mamba.mix(&projected, block, layout),
        }
    }

    /// The rows of block `index` after this layer: the mixer over the projected rows of the whole pack, then the MLP.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn finish(
        &self,
        x: &Tensor,
        index: usize,
        block: usize,
        projected: &[Tensor],
        layout: &PackLayout,
    ) -> Result<Tensor> {
        let mixed = match &self.mixer {
            Mixer::Attention(attention) => attention.attend(index, block, projected, layout)?,
            Mixer::Mamba(_) => projected[index].clone(),
        };
        match self.residual {
            Residual::Sequential => {
                let x = self.add_mixer(x, &mixed)?;
                self.add_mlp(&x, || normed(&self.mlp_norm, &x))
            }
            Residual::Parallel => {
                let own = if self.mlp_norm.is_some() { &self.mlp_norm } else { &self.mixer_norm };
                self.add_mlp(&self.add_mixer(x, &mixed)?, || normed(own, x))
            }
            Residual::PostNorm => {
                let x = normed(&self.mixer_norm, &self.add_mixer(x, &mixed)?)?;
                normed(&self.mlp_norm, &self.add_mlp(&x, || Ok(x.clone()))?)
            }
            Residual::FromNorm => {
                let x = self.add_mixer(&normed(&self.mixer_norm, x)?, &mixed)?;
                let x = normed(&self.mlp_norm, &x)?;
                self.add_mlp(&x, || Ok(x.clone()))
            }
        }
    }

    /// `onto + the mixer's output`, normed first where the block says so.
    fn add_mixer(&self, onto: &Tensor, mixed: &Tensor) -> Result<Tensor> {
        match (&self.mixer, &self.mixer_post_norm) {
            (Mixer::Attention(attention), None) => attention.output_onto(onto, mixed),
            (Mixer::Attention(attention), Some(norm)) => Ok((onto + norm.forward(&attention.output(mixed)?)?)?),
            (Mixer::Mamba(mamba), None) => mamba.output().forward_onto(onto, mixed),
            (Mixer::Mamba(mamba), Some(norm)) => Ok((onto + norm.forward(&mamba.output().forward(mixed)?)?)?),
        }
    }

    /// `onto + mlp(input)`, normed before the addition where the block says so.
    fn add_mlp(&self, onto: &Tensor, input: impl Fn() -> Result<Tensor>) -> Result<Tensor> {
        let output = match (&self.mlp, &self.mlp_post_norm) {
            (None, _) => return Ok(onto.clone()),
            (Some(Branch::Dense(mlp)), None) => return mlp.forward_onto(onto, &input()?),
            (Some(Branch::Dense(mlp)), Some(_)) => mlp.forward(&input()?)?,
            (Some(Branch::Experts(experts)), _) => experts.forward(&input()?)?,
        };
        Ok((onto + normed(&self.mlp_post_norm, &output)?)?)
    }
}

/// `norm(x)`, or x where there is no norm.
fn normed(norm: &Option<Norm>, x: &Tensor) -> Result<Tensor> {
    match norm {
        Some(norm) => norm.forward(x),
        None => Ok(x.clone()),
    }
}

/// The rotary table of each layer for positions 0 … n−1 of requests of a length class; layers with the same rotation share
/// one.
pub fn rope_tables(spec: &DecoderSpec, class: usize, n: usize) -> Vec<Option<Arc<RopeTable>>> {
    let mut made: Vec<(&RopeSpec, Arc<RopeTable>)> = Vec::new();
    let mut tables = Vec::with_capacity(spec.layers.len());
    for layer in &spec.layers {
        tables.push(layer.attention().and_then(|a| a.rope.as_ref()).map(|rope| {
            if let Some((_, table)) = made.iter().find(|(made_for, _)| *made_for == rope) {
                return table.clone();
            }
            let table = Arc::new(RopeTable::new(rope, class, n));
            made.push((rope, table.clone()));
            table
        }));
    }
    tables
}
