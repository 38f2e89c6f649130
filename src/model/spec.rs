//! What a decoder-only transformer can be, as plain data.
//!
//! A family's file in [`super::arch`] turns a configuration into a [`DecoderSpec`]; [`super::decoder`] is the one
//! forward pass that reads it. A weight matrix is described as a stack of [`LinearPart`]s: which tensor, in which layout
//! its rows are stored, so that fused, transposed and permuted files all load into the same `[out, in]` matrix.

pub mod mamba;

use super::rope::RopeSpec;

/// A decoder-only transformer.
#[derive(Clone, Debug)]
pub struct DecoderSpec {
    /// `model_type` of config.json, or `general.architecture` of a GGUF.
    pub model_type: String,
    /// Width D of the residual stream.
    pub hidden: usize,
    /// Rows V of the unembedding.
    pub vocab: usize,
    /// Longest input in tokens that the positions allow or the configuration states.
    pub context_length: Option<usize>,
    /// Tokens (and learned positions) to the first residual.
    pub embedding: EmbeddingSpec,
    /// The blocks, first to last.
    pub layers: Vec<LayerSpec>,
    /// Norm before the unembedding.
    pub final_norm: NormSpec,
    /// The unembedding; its weight has V rows.
    pub head: LinearSpec,
    /// Whether the unembedding is the embedding matrix (then the tensor is stored, and counted, once).
    pub tied: bool,
}

/// Names under which a tensor may be stored; the first that exists is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorName(pub Vec<String>);

impl TensorName {
    /// One name only.
    pub fn new(name: impl Into<String>) -> Self {
        Self(vec![name.into()])
    }
    /// Names of the embedding and of the head: where they are tied, either serves for both, its own name first.
    pub fn tie(embedding: Self, head: Self, tied: bool) -> (Self, Self) {
        if !tied {
            return (embedding, head);
        }
        let both = |a: &Self, b: &Self| Self(a.0.iter().chain(&b.0).cloned().collect());
        (both(&embedding, &head), both(&head, &embedding))
    }
    /// The same name under each of some prefixes.
    pub fn under(prefixes: &[&str], name: &str) -> Self {
        Self(prefixes.iter().map(|p| format!("{p}{name}")).collect())
    }
}

/// Token embedding `[V, D]` and, where positions are learned, their table `[rows, D]`.
#[derive(Clone, Debug)]
pub struct EmbeddingSpec {
    /// The token embedding.
    pub tokens: TensorName,
    /// Learned positions and their number of rows.
    pub positions: Option<(TensorName, usize)>,
}

/// One block.
#[derive(Clone, Debug)]
pub struct LayerSpec {
    /// How the two branches join the residual stream.
    pub residual: Residual,
    /// Norm on the attention's input.
    pub attention_norm: NormSpec,
    /// Norm on the MLP's input.
    pub mlp_norm: NormSpec,
    /// The attention branch.
    pub attention: AttentionSpec,
    /// The MLP branch.
    pub mlp: MlpSpec,
}

/// How attention and MLP join the residual stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residual {
    /// `x += attention(norm₁ x)`, then `x += mlp(norm₂ x)`.
    Sequential,
    /// `x + attention(norm₁ x) + mlp(norm₂ x)`.
    Parallel,
}

/// A norm over D.
#[derive(Clone, Debug)]
pub struct NormSpec {
    /// Which formula.
    pub kind: NormKind,
    /// Added to the mean square or the variance.
    pub eps: f64,
    /// Its weight `[D]`.
    pub weight: TensorName,
    /// Its bias `[D]`, for a layer norm.
    pub bias: Option<TensorName>,
}

/// The formula of a norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormKind {
    /// `x / √(mean x² + eps) · w`.
    Rms,
    /// `(x − mean) / √(var + eps) · w + b`.
    Layer,
}

/// Self-attention with H query heads and K key/value heads of width d.
#[derive(Clone, Debug)]
pub struct AttentionSpec {
    /// H.
    pub heads: usize,
    /// K; divides H.
    pub kv_heads: usize,
    /// d.
    pub head_dim: usize,
    /// Factor on the scores, `d^-½` mostly.
    pub scale: f32,
    /// A query at position q sees keys at k with q − w < k ≤ q; all keys up to q where `None`.
    pub window: Option<usize>,
    /// Rotary positions, where the layer has them.
    pub rope: Option<RopeSpec>,
    /// Rows [q; k; v], `(H + 2K)·d` of them.
    pub qkv: LinearSpec,
    /// `[D, H·d]`.
    pub output: LinearSpec,
}

impl AttentionSpec {
    /// Width of a fused row [q; k; v].
    pub fn qkv_width(&self) -> usize {
        (self.heads + 2 * self.kv_heads) * self.head_dim
    }
}

/// The feed-forward branch of inner width I.
#[derive(Clone, Debug)]
pub struct MlpSpec {
    /// I.
    pub inner: usize,
    /// The nonlinearity.
    pub activation: Activation,
    /// `down(act(gate x) ⊙ up x)` with `input` = [gate; up] if gated, else `down(act(up x))`.
    pub gated: bool,
    /// `[I or 2I, D]`.
    pub input: LinearSpec,
    /// `[D, I]`.
    pub output: LinearSpec,
}

/// The nonlinearity of an MLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `x · σ(x)`.
    Silu,
    /// `x · Φ(x)`, exactly.
    GeluErf,
    /// The tanh approximation of gelu (`gelu_new`, `gelu_pytorch_tanh`).
    GeluTanh,
    /// `max(x, 0)`.
    Relu,
}

/// A linear layer whose `[out, in]` weight is a stack of parts.
#[derive(Clone, Debug)]
pub struct LinearSpec {
    /// Input width.
    pub inputs: usize,
    /// Parts, top to bottom.
    pub parts: Vec<LinearPart>,
}

impl LinearSpec {
    /// One part, rows stored as they are used.
    pub fn plain(weight: TensorName, bias: Option<TensorName>, inputs: usize, outputs: usize) -> Self {
        Self { inputs, parts: vec![LinearPart { weight, bias, outputs, layout: RowLayout::OutIn }] }
    }
    /// Output width.
    pub fn outputs(&self) -> usize {
        self.parts.iter().map(|p| p.outputs).sum()
    }
    /// Number of stored values.
    pub fn parameters(&self) -> usize {
        self.parts.iter().map(|p| p.outputs * (self.inputs + usize::from(p.bias.is_some()))).sum()
    }
}

/// Some rows of a linear layer: one tensor of the file.
#[derive(Clone, Debug)]
pub struct LinearPart {
    /// The tensor.
    pub weight: TensorName,
    /// Its bias `[outputs]`, stored in the same row order.
    pub bias: Option<TensorName>,
    /// Number of rows.
    pub outputs: usize,
    /// How the rows are stored.
    pub layout: RowLayout,
}

/// How the rows of a weight are stored in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLayout {
    /// `[out, in]`, rows in the order of use.
    OutIn,
    /// `[in, out]`: GPT-2's Conv1D.
    InOut,
    /// `[out, in]` with rows (head, q|k|v, d); used as (q|k|v, head, d).
    PerHeadQkv {
        /// Number of heads.
        heads: usize,
    },
    /// `[out, in]` with the d rows of each head in pairs (2j, 2j + 1) for interleaved rope, as llama.cpp stores llama's q
    /// and k; used as (j, j + d/2).
    RopePairs {
        /// Number of heads.
        heads: usize,
    },
}

impl RowLayout {
    /// For each row in the order of use, the row of the file.
    pub fn source_rows(self, rows: usize) -> Option<Vec<usize>> {
        match self {
            RowLayout::OutIn | RowLayout::InOut => None,
            RowLayout::PerHeadQkv { heads } => {
                let d = rows / (3 * heads);
                Some((0..rows).map(|r| ((r / d) % heads * 3 + r / (d * heads)) * d + r % d).collect())
            }
            RowLayout::RopePairs { heads } => {
                let d = rows / heads;
                Some((0..rows).map(|r| r / d * d + 2 * (r % (d / 2)) + (r % d) / (d / 2)).collect())
            }
        }
    }
}

impl DecoderSpec {
    /// Unties the unembedding where the files hold one of its own: the reference uses it then, whatever the configuration
    /// says. A tied head lists its own name before the embedding's, and a tied embedding the head's after its own.
    pub fn use_own_head(&mut self, contains: impl Fn(&str) -> bool) {
        let stored = |name: &TensorName| name.0.iter().find(|n| contains(n)).cloned();
        let embedding = stored(&self.embedding.tokens);
        if self.tied && self.head.parts.iter().any(|p| stored(&p.weight) != embedding) {
            self.tied = false;
        }
    }
    /// Every tensor that a forward pass reads, with its shape on disk.
    pub fn tensors(&self) -> Vec<(&TensorName, Vec<usize>)> {
        fn norm<'a>(n: &'a NormSpec, hidden: usize, out: &mut Vec<(&'a TensorName, Vec<usize>)>) {
            out.extend([Some(&n.weight), n.bias.as_ref()].into_iter().flatten().map(|name| (name, vec![hidden])));
        }
        fn linear<'a>(l: &'a LinearSpec, out: &mut Vec<(&'a TensorName, Vec<usize>)>) {
            for part in &l.parts {
                let shape = match part.layout {
                    RowLayout::InOut => vec![l.inputs, part.outputs],
                    _ => vec![part.outputs, l.inputs],
                };
                out.push((&part.weight, shape));
                out.extend(part.bias.as_ref().map(|name| (name, vec![part.outputs])));
            }
        }
        let mut out = vec![(&self.embedding.tokens, vec![self.vocab, self.hidden])];
        out.extend(self.embedding.positions.as_ref().map(|(name, rows)| (name, vec![*rows, self.hidden])));
        for layer in &self.layers {
            norm(&layer.attention_norm, self.hidden, &mut out);
            norm(&layer.mlp_norm, self.hidden, &mut out);
            for part in [&layer.attention.qkv, &layer.attention.output, &layer.mlp.input, &layer.mlp.output] {
                linear(part, &mut out);
            }
        }
        norm(&self.final_norm, self.hidden, &mut out);
        if !self.tied {
            linear(&self.head, &mut out);
        }
        out
    }
    /// Number of parameters, tied weights once.
    pub fn parameters(&self) -> usize {
        let norm = |n: &NormSpec| self.hidden * (1 + usize::from(n.bias.is_some()));
        let layer = |l: &LayerSpec| {
            norm(&l.attention_norm)
                + norm(&l.mlp_norm)
                + [&l.attention.qkv, &l.attention.output, &l.mlp.input, &l.mlp.output]
                    .iter()
                    .map(|s| s.parameters())
                    .sum::<usize>()
        };
        let positions = self.embedding.positions.as_ref().map_or(0, |(_, rows)| rows * self.hidden);
        let head = if self.tied { 0 } else { self.head.parameters() };
        self.vocab * self.hidden
            + positions
            + self.layers.iter().map(layer).sum::<usize>()
            + norm(&self.final_norm)
            + head
    }
    /// An identity of the description: blake3, in hexadecimal, of all its values. Two specs that compute something else
    /// have other digests.
    pub fn digest(&self) -> String {
        // The derived form prints every field, and numbers so that they read back exactly.
        blake3::hash(format!("{self:?}").as_bytes()).to_hex().to_string()
    }
    /// Floating-point operations of the blocks' linear layers for one token (two a multiply-add).
    pub fn flops_per_token(&self) -> usize {
        let linear = |s: &LinearSpec| 2 * s.inputs * s.outputs();
        let layer = |l: &LayerSpec| {
            linear(&l.attention.qkv) + linear(&l.attention.output) + linear(&l.mlp.input) + linear(&l.mlp.output)
        };
        self.layers.iter().map(layer).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_head_rows_are_gathered_into_three_blocks() {
        // two heads of width 2: file rows q0 q0' k0 k0' v0 v0' q1 q1' k1 …
        let rows = RowLayout::PerHeadQkv { heads: 2 }.source_rows(12);
        assert_eq!(rows, Some(vec![0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]));
    }

    #[test]
    fn rope_pairs_become_two_halves() {
        let rows = RowLayout::RopePairs { heads: 2 }.source_rows(8);
        assert_eq!(rows, Some(vec![0, 2, 1, 3, 4, 6, 5, 7]));
    }
}
