//! Norms: over the residual stream, and over queries and keys.

use candle_core::{D, DType, Tensor};
use candle_nn::ops;

use super::kernels::norm::{self, Norming};
use super::load::Loader;
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::{NormExtent, NormKind, NormSpec, QkNormSpec};
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
        let mut weight = match &spec.weight {
            Some(name) => loader.read(name, &[hidden])?,
            None => vec![1.0; hidden],
        };
        add_one(&mut weight, spec.plus_one);
        let bias = match &spec.bias {
            Some(name) => loader.read(name, &[hidden])?,
            None => vec![0.0; hidden],
        };
        let (weight, bias) = (loader.place(weight, &[hidden])?, loader.place(bias, &[hidden])?);
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

fn add_one(weight: &mut [f32], plus_one: bool) {
    if plus_one {
        weight.iter_mut().for_each(|w| *w += 1.0);
    }
}

/// The norms of queries and keys, on fused rows [q | k | v].
#[derive(Clone, Debug)]
pub struct QkNorm {
    kind: NormKind,
    eps: f32,
    /// Queries first.
    sides: [Side; 2],
}

/// The norm of the queries, or of the keys.
#[derive(Clone, Debug)]
struct Side {
    /// First element in a fused row.
    offset: usize,
    /// Vectors that are normed, and their width.
    vectors: usize,
    width: usize,
    /// `[width]`, or one for each vector.
    weight: Tensor,
    bias: Option<Tensor>,
}

impl QkNorm {
    /// Reads the weights of a spec for H query and K key heads of width d.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &QkNormSpec, heads: usize, kv_heads: usize, d: usize) -> Result<Self> {
        let side = |offset: usize, heads: usize, weight, bias: Option<_>| -> Result<Side> {
            let (vectors, width) = match spec.extent {
                NormExtent::Head | NormExtent::EachHead => (heads, d),
                NormExtent::All => (1, heads * d),
            };
            let mut weight = loader.vector(weight)?;
            add_one(&mut weight, spec.plus_one);
            let n = weight.len();
            let bias = bias.map(|b| loader.place(loader.vector(b)?, &[n])).transpose()?;
            Ok(Side { offset, vectors, width, weight: loader.place(weight, &[n])?, bias })
        };
        let biases = spec.biases.as_ref();
        let query = side(0, heads, &spec.query, biases.map(|b| &b.0))?;
        let key = side(heads * d, kv_heads, &spec.key, biases.map(|b| &b.1))?;
        Ok(Self { kind: spec.kind, eps: spec.eps as f32, sides: [query, key] })
    }

    /// Norms queries and keys of rows of width `width` in place.
    ///
    /// # Errors
    /// If a weight is no CPU tensor.
    pub fn apply(&self, rows: &mut [f32], width: usize) -> Result<()> {
        for side in &self.sides {
            let weight = Elements::of(&side.weight)?;
            let bias = side.bias.as_ref().map(Elements::of).transpose()?;
            let how = Norming { kind: self.kind, eps: self.eps, weight: &weight, bias: bias.as_deref() };
            norm::in_place(rows, width, side.offset..side.offset + side.vectors * side.width, side.width, how);
        }
        Ok(())
    }

    /// Norms queries and keys of fused rows `[rows, width]` by tensor operations.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward(&self, fused: &Tensor) -> Result<Tensor> {
        let (rows, width) = fused.dims2()?;
        let mut parts = Vec::new();
        for side in &self.sides {
            let n = side.vectors * side.width;
            let x = fused.narrow(1, side.offset, n)?.contiguous()?.reshape((rows, side.vectors, side.width))?;
            let x = if x.dtype() == DType::F64 { x } else { x.to_dtype(DType::F32)? };
            let centred = match self.kind {
                NormKind::Rms => x,
                NormKind::Layer => x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?,
            };
            let spread = (centred.sqr()?.mean_keepdim(D::Minus1)? + f64::from(self.eps))?.sqrt()?;
            let own = |w: &Tensor| w.reshape(((), side.width));
            let normed = centred.broadcast_div(&spread)?.to_dtype(fused.dtype())?.broadcast_mul(&own(&side.weight)?)?;
            let normed = match &side.bias {
                Some(b) => normed.broadcast_add(&own(b)?)?,
                None => normed,
            };
            parts.push(normed.reshape((rows, n))?);
        }
        let done: usize = self.sides.iter().map(|s| s.vectors * s.width).sum();
        parts.push(fused.narrow(1, done, width - done)?.contiguous()?);
        Ok(Tensor::cat(&parts, 1)?)
    }
}
