//! Both ends of the network: rows of the embedding to the first residual, and the last residual to what the unembedding
//! reads.

use candle_core::Tensor;

use super::linear::Linear;
use super::load::Loader;
use super::norm::Norm;
use super::spec::{DecoderSpec, EmbeddingSpec, OutputSpec};
use crate::Result;

/// What is done to rows of the token embedding, and to their sum with the positions.
#[derive(Clone, Debug)]
pub struct Entry {
    projection: Option<Linear>,
    scale: f32,
    norm: Option<Norm>,
}

impl Entry {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &EmbeddingSpec, hidden: usize) -> Result<Self> {
        Ok(Self {
            projection: spec.projection.as_ref().map(|p| Linear::load(loader, p)).transpose()?,
            scale: spec.scale,
            norm: spec.norm.as_ref().map(|n| Norm::load(loader, n, hidden)).transpose()?,
        })
    }

    /// Rows `[n, E]` of the token embedding, and rows `[n, D]` of the positions, to residual rows `[n, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward(&self, tokens: Tensor, positions: Option<Tensor>) -> Result<Tensor> {
        let mut rows = match &self.projection {
            Some(projection) => projection.forward(&tokens)?,
            None => tokens,
        };
        if self.scale != 1.0 {
            rows = (rows * f64::from(self.scale))?;
        }
        if let Some(positions) = positions {
            rows = (rows + positions)?;
        }
        match &self.norm {
            Some(norm) => norm.forward(&rows),
            None => Ok(rows),
        }
    }
}

/// What is done to residual rows before the unembedding, and to the logits after it.
#[derive(Clone, Debug)]
pub struct Exit {
    norm: Option<Norm>,
    projection: Option<Linear>,
    /// Factor on the logits.
    pub scale: f32,
    /// c in `c · tanh(logit / c)`.
    pub softcap: Option<f32>,
}

impl Exit {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &DecoderSpec) -> Result<Self> {
        let OutputSpec { norm, projection, scale, softcap, .. } = &spec.output;
        Ok(Self {
            norm: norm.as_ref().map(|n| Norm::load(loader, n, spec.hidden)).transpose()?,
            projection: projection.as_ref().map(|p| Linear::load(loader, p)).transpose()?,
            scale: *scale,
            softcap: *softcap,
        })
    }

    /// Residual rows `[n, D]` to rows `[n, E]` for the unembedding.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward(&self, rows: &Tensor) -> Result<Tensor> {
        let rows = match &self.norm {
            Some(norm) => norm.forward(rows)?,
            None => rows.clone(),
        };
        match &self.projection {
            Some(projection) => projection.forward(&rows),
            None => Ok(rows),
        }
    }

    /// Whether logits are used as they come.
    pub fn keeps_logits(&self) -> bool {
        self.scale == 1.0 && self.softcap.is_none()
    }
}
