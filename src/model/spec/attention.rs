//! Self-attention.

use super::{LinearSpec, NormSpec, QkNormSpec, TensorName};
use crate::model::rope::RopeSpec;

/// Self-attention with H query heads and K key/value heads, queries and keys of width d, values of width e.
#[derive(Clone, Debug)]
pub struct AttentionSpec {
    /// H.
    pub heads: usize,
    /// K; divides H.
    pub kv_heads: usize,
    /// d.
    pub head_dim: usize,
    /// e; d for all but latent attention.
    pub value_dim: usize,
    /// Factor on the products of queries and keys, `d^-½` mostly.
    pub scale: f32,
    /// A query at position q sees keys at k with q − w < k ≤ q; all keys up to q where `None`.
    pub window: Option<usize>,
    /// Rotary positions, where the layer has them.
    pub rope: Option<RopeSpec>,
    /// A bias by position on the scores, where the layer has one.
    pub alibi: Option<Alibi>,
    /// c in `c · tanh(score / c)`, after the scale and before the mask.
    pub softcap: Option<f32>,
    /// One more logit for each head `[H]`, which takes its share of the softmax and gives nothing.
    pub sinks: Option<TensorName>,
    /// Norms of queries and keys, before the rotation.
    pub qk_norm: Option<QkNormSpec>,
    /// Queries, keys and values are clamped to ± this, after the norms.
    pub clip: Option<f32>,
    /// Rows [q; k; v].
    pub qkv: Projection,
    /// `[D, H·e]`.
    pub output: LinearSpec,
}

impl AttentionSpec {
    /// The plain kind: scale `d^-½`, no positions, norms, clips or caps.
    pub fn new(heads: usize, kv_heads: usize, head_dim: usize, qkv: LinearSpec, output: LinearSpec) -> Self {
        Self {
            heads,
            kv_heads,
            head_dim,
            value_dim: head_dim,
            scale: 1.0 / (head_dim as f32).sqrt(),
            window: None,
            rope: None,
            alibi: None,
            softcap: None,
            sinks: None,
            qk_norm: None,
            clip: None,
            qkv: Projection::Joint(qkv),
            output,
        }
    }
    /// Width of a fused row [q | k | v].
    pub fn qkv_width(&self) -> usize {
        (self.heads + self.kv_heads) * self.head_dim + self.kv_heads * self.value_dim
    }
}

/// Attention with linear biases (Press et al. 2022): `slope · position of the key` on the scores of each head.
#[derive(Clone, Debug, PartialEq)]
pub struct Alibi {
    /// One for each head.
    pub slopes: Vec<f32>,
    /// Factor on slope times position.
    pub scale: f32,
    /// Whether slope, position and their product are rounded to bf16, as the reference does for falcon.
    pub rounded: bool,
    /// Whether positions count back from the query's. It changes the rounding only: the smaller numbers are closer to a
    /// reference that counts from the end of the text.
    pub from_query: bool,
}

impl Alibi {
    /// The bias on a head's scores of a key at a position as seen from a query's.
    pub fn bias(&self, head: usize, key: usize, query: usize) -> f32 {
        let (slope, position) =
            (self.slopes[head], if self.from_query { key as f32 - query as f32 } else { key as f32 });
        if !self.rounded {
            return slope * position * self.scale;
        }
        let round = |v: f32| half::bf16::from_f32(v).to_f32();
        round(round(slope) * round(position)) * self.scale
    }
}

/// How queries, keys and values come from the normed residual.
#[derive(Clone, Debug)]
pub enum Projection {
    /// One product, `(H + K)·d + K·e` rows.
    Joint(LinearSpec),
    /// Multi-head latent attention.
    Latent(Box<LatentSpec>),
}

/// Multi-head latent attention (DeepSeek-V2): keys and values of all heads from one narrow vector, and one rotated key
/// part that all heads share. Queries and keys are used as [rotated | not rotated].
#[derive(Clone, Debug)]
pub struct LatentSpec {
    /// Width of the rotated part.
    pub rope_dim: usize,
    /// Queries, `H·d` rows: from the residual, or from a narrow vector with a norm of its own.
    pub query: LinearSpec,
    /// That vector and its norm.
    pub query_latent: Option<(LinearSpec, NormSpec)>,
    /// Rows [latent | the shared rotated key].
    pub compress: LinearSpec,
    /// Norm of the latent.
    pub latent_norm: NormSpec,
    /// From the latent: rows [all heads' unrotated keys | all heads' values].
    pub expand: LinearSpec,
}
