//! Multi-head latent attention's projections (DeepSeek-V2, section 2.1): keys and values of all heads come from one narrow
//! vector. Here they are expanded to full heads, so that the attention itself is the usual one.

use candle_core::Tensor;

use super::linear::Linear;
use super::load::Loader;
use super::norm::Norm;
use super::spec::{AttentionSpec, LatentSpec};
use crate::Result;

/// The projections with their weights.
#[derive(Clone, Debug)]
pub struct Latent {
    heads: usize,
    /// Width of the rotated part of a key, and of the rest.
    rope: usize,
    rest: usize,
    value: usize,
    query: Linear,
    query_latent: Option<(Linear, Norm)>,
    compress: Linear,
    norm: Norm,
    expand: Linear,
}

impl Latent {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &LatentSpec, attention: &AttentionSpec) -> Result<Self> {
        let query_latent = match &spec.query_latent {
            Some((linear, norm)) => Some((Linear::load(loader, linear)?, Norm::load(loader, norm, linear.outputs())?)),
            None => None,
        };
        Ok(Self {
            heads: attention.heads,
            rope: spec.rope_dim,
            rest: attention.head_dim - spec.rope_dim,
            value: attention.value_dim,
            query: Linear::load(loader, &spec.query)?,
            query_latent,
            compress: Linear::load(loader, &spec.compress)?,
            norm: Norm::load(loader, &spec.latent_norm, spec.expand.inputs)?,
            expand: Linear::load(loader, &spec.expand)?,
        })
    }

    /// Rows `[rows, D]` to fused rows [q | k | v], each head's rotated part first, not yet rotated.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn project(&self, x: &Tensor) -> Result<Tensor> {
        let rows = x.dim(0)?;
        let query = match &self.query_latent {
            Some((linear, norm)) => self.query.forward(&norm.forward(&linear.forward(x)?)?)?,
            None => self.query.forward(x)?,
        };
        let narrow = self.compress.forward(x)?;
        let latent = narrow.dim(1)? - self.rope;
        let shared = narrow.narrow(1, latent, self.rope)?.reshape((rows, 1, self.rope))?;
        let shared = shared.broadcast_as((rows, self.heads, self.rope))?.contiguous()?;
        let wide = self.expand.forward(&self.norm.forward(&narrow.narrow(1, 0, latent)?.contiguous()?)?)?;
        let key = wide.narrow(1, 0, self.heads * self.rest)?.reshape((rows, self.heads, self.rest))?;
        let key = Tensor::cat(&[shared, key.contiguous()?], 2)?.reshape((rows, ()))?;
        let value = wide.narrow(1, self.heads * self.rest, self.heads * self.value)?.contiguous()?;
        Ok(Tensor::cat(&[query, key, value], 1)?)
    }
}
