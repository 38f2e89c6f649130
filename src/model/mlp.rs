//! The feed-forward branch.

use candle_core::Tensor;
use candle_nn::ops;

use super::kernels::activation;
use super::linear::Linear;
use super::load::Loader;
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::{Activation, MlpSpec};
use crate::Result;

/// An MLP with its weights.
#[derive(Clone, Debug)]
pub struct Mlp {
    inner: usize,
    activation: Activation,
    gated: bool,
    input: Linear,
    output: Linear,
}

impl Mlp {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &MlpSpec) -> Result<Self> {
        let (input, output) = (Linear::load(loader, &spec.input)?, Linear::load(loader, &spec.output)?);
        Ok(Self { inner: spec.inner, activation: spec.activation, gated: spec.gated, input, output })
    }

    /// `mlp(x)`, `[rows, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let wide = self.input.forward(x)?;
        self.output.forward(&self.activate(&wide)?)
    }

    /// `residual + mlp(x)`, both `[rows, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward_onto(&self, residual: &Tensor, x: &Tensor) -> Result<Tensor> {
        let wide = self.input.forward(x)?;
        self.output.forward_onto(residual, &self.activate(&wide)?)
    }

    /// `[rows, I or 2I]` to `[rows, I]`.
    fn activate(&self, wide: &Tensor) -> Result<Tensor> {
        if has_kernels(wide) {
            let elements = Elements::of(wide)?;
            let out = if self.gated {
                activation::gated(&elements, self.inner, self.activation)
            } else {
                let mut copy = elements.to_vec();
                activation::activate(&mut copy, self.activation);
                copy
            };
            return from_rows(out, wide.dim(0)?);
        }
        if self.gated {
            let gate = plain(&wide.narrow(1, 0, self.inner)?.contiguous()?, self.activation)?;
            let up = wide.narrow(1, self.inner, self.inner)?.contiguous()?;
            let up = match self.activation {
                Activation::ClampedSwiGlu { limit, .. } => (up.clamp(-limit, limit)? + 1.0)?,
                _ => up,
            };
            Ok((gate * up)?)
        } else {
            plain(wide, self.activation)
        }
    }
}

/// The activation by tensor operations.
pub(super) fn plain(x: &Tensor, activation: Activation) -> Result<Tensor> {
    Ok(match activation {
        Activation::Silu => x.silu()?,
        Activation::GeluErf => x.gelu_erf()?,
        Activation::GeluTanh => x.gelu()?,
        Activation::QuickGelu => (x * ops::sigmoid(&(x * 1.702)?)?)?,
        Activation::Relu => x.relu()?,
        Activation::Relu2 => x.relu()?.sqr()?,
        Activation::ClampedSwiGlu { alpha, limit } => {
            let x = x.minimum(limit)?;
            (&x * ops::sigmoid(&(&x * f64::from(alpha))?)?)?
        }
    })
}
