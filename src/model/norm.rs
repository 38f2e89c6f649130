//! Norms over the residual stream.

use candle_core::{DType, Tensor};
use candle_nn::ops;

use super::kernels::norm;
use super::load::Loader;
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::{NormKind, NormSpec};
use crate::Result;

/// A norm with its weights.
#[derive(Clone, Debug)]
pub struct Norm {
    kind: NormKind,
    eps: f32,
    weight: Tensor,
    bias: Tensor,
}

impl Norm {
    /// Reads the weights of a spec, `[hidden]` each.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &NormSpec, hidden: usize) -> Result<Self> {
        let weight = loader.tensor(&spec.weight, &[hidden])?;
        let bias = match &spec.bias {
            Some(name) => loader.tensor(name, &[hidden])?,
            None => loader.place(vec![0.0; hidden], &[hidden])?,
        };
        Ok(Self { kind: spec.kind, eps: spec.eps as f32, weight, bias })
    }

    /// `[rows, D]` to `[rows, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if has_kernels(x) {
            let (elements, weight, bias) = (Elements::of(x)?, Elements::of(&self.weight)?, Elements::of(&self.bias)?);
            let out = match self.kind {
                NormKind::Rms => norm::rms_norm(&elements, &weight, self.eps),
                NormKind::Layer => norm::layer_norm(&elements, &weight, &bias, self.eps),
            };
            return from_rows(out, x.dim(0)?);
        }
        // The fused operations lack f64, which serves as a check only.
        Ok(match (self.kind, x.dtype()) {
            (NormKind::Rms, DType::F64) => ops::rms_norm_slow(x, &self.weight, self.eps)?,
            (NormKind::Layer, DType::F64) => ops::layer_norm_slow(x, &self.weight, &self.bias, self.eps)?,
            (NormKind::Rms, _) => ops::rms_norm(x, &self.weight, self.eps)?,
            (NormKind::Layer, _) => ops::layer_norm(x, &self.weight, &self.bias, self.eps)?,
        })
    }
}
