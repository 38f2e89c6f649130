//! Norms: over the residual stream, and over queries and keys.

use super::{TensorName, VectorSpec};

/// A norm over the D elements of a row.
#[derive(Clone, Debug)]
pub struct NormSpec {
    /// Which formula.
    pub kind: NormKind,
    /// Added to the mean square or the variance.
    pub eps: f64,
    /// Its weight `[D]`; ones where `None`.
    pub weight: Option<TensorName>,
    /// Its bias `[D]`, for a layer norm.
    pub bias: Option<TensorName>,
    /// Whether the file holds the weight less one.
    pub plus_one: bool,
}

impl NormSpec {
    /// An RMS norm.
    pub fn rms(weight: TensorName, eps: f64) -> Self {
        Self { kind: NormKind::Rms, eps, weight: Some(weight), bias: None, plus_one: false }
    }
    /// A layer norm with a weight and, mostly, a bias.
    pub fn layer(weight: TensorName, bias: Option<TensorName>, eps: f64) -> Self {
        Self { kind: NormKind::Layer, eps, weight: Some(weight), bias, plus_one: false }
    }
}

/// The formula of a norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// `x / √(mean x² + eps) · w`.
    Rms,
    /// `(x − mean) / √(var + eps) · w + b`.
    Layer,
}

/// A norm over queries and one over keys, before the rotation.
#[derive(Clone, Debug)]
pub struct QkNormSpec {
    /// Which formula.
    pub kind: NormKind,
    /// Added to the mean square or the variance.
    pub eps: f64,
    /// What is normed together.
    pub extent: NormExtent,
    /// Weight of the queries' norm: as long as `extent` says.
    pub query: VectorSpec,
    /// Weight of the keys' norm.
    pub key: VectorSpec,
    /// Biases of the two, for a layer norm.
    pub biases: Option<(VectorSpec, VectorSpec)>,
    /// Whether the file holds the weights less one.
    pub plus_one: bool,
}

/// What a query or key norm reduces over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormExtent {
    /// Each head by itself, one weight `[d]` for all.
    Head,
    /// Each head by itself, with a weight of its own: `[heads · d]`.
    EachHead,
    /// All heads together: `[heads · d]`.
    All,
}

impl NormExtent {
    /// Length of the weight for some heads of width d.
    pub fn weight_len(self, heads: usize, head_dim: usize) -> usize {
        match self {
            NormExtent::Head => head_dim,
            NormExtent::EachHead | NormExtent::All => heads * head_dim,
        }
    }
}
