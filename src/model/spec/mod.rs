//! What a decoder-only transformer can be, as plain data.
//!
//! A family's file in [`super::arch`] turns a configuration into a [`DecoderSpec`]; [`super::decoder`] is the one
//! forward pass that reads it. A weight matrix is described as a stack of [`LinearPart`]s: which tensor, in which layout
//! its rows are stored, so that fused, transposed and permuted files all load into the same `[out, in]` matrix.

mod attention;
mod inventory;
mod linear;
mod mamba;
mod mlp;
mod norm;
mod visit;

pub use attention::{Alibi, AttentionSpec, LatentSpec, Projection};
pub use linear::{LinearPart, LinearSpec, RowLayout, RowOrder, Slice, TensorName, VectorSpec};
pub use mamba::{MambaKind, MambaSpec};
pub use mlp::{Activation, ExpertGroups, ExpertsSpec, FeedForward, MlpSpec, RouterSpec, Scoring, SharedExpert};
pub use norm::{NormExtent, NormKind, NormSpec, QkNormSpec};

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
    /// The last residual to logits.
    pub output: OutputSpec,
    /// Whether the unembedding is the embedding matrix (then the tensor is stored, and counted, once).
    pub tied: bool,
}

/// Token embedding `[V, E]`, and what turns its rows into the first residual, in this order.
#[derive(Clone, Debug)]
pub struct EmbeddingSpec {
    /// The token embedding.
    pub tokens: TensorName,
    /// E; D but for a few models.
    pub width: usize,
    /// `[D, E]`, where E is not D.
    pub projection: Option<LinearSpec>,
    /// Factor on the rows.
    pub scale: f32,
    /// Learned positions, added.
    pub positions: Option<PositionsSpec>,
    /// A norm.
    pub norm: Option<NormSpec>,
}

impl EmbeddingSpec {
    /// Rows of width D as they are.
    pub fn new(tokens: TensorName, hidden: usize) -> Self {
        Self { tokens, width: hidden, projection: None, scale: 1.0, positions: None, norm: None }
    }
}

/// Learned positions `[rows, D]`; the token at position p gets row p + `offset`.
#[derive(Clone, Debug)]
pub struct PositionsSpec {
    /// The table.
    pub table: TensorName,
    /// Its rows.
    pub rows: usize,
    /// The row of position 0.
    pub offset: usize,
}

impl PositionsSpec {
    /// Number of positions that the table serves.
    pub fn len(&self) -> usize {
        self.rows - self.offset
    }
    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.rows == self.offset
    }
}

/// The last residual to logits: norm, projection, unembedding, factor, cap.
#[derive(Clone, Debug)]
pub struct OutputSpec {
    /// Norm before the unembedding.
    pub norm: Option<NormSpec>,
    /// `[E, D]`, where the unembedding is narrower than the residual.
    pub projection: Option<LinearSpec>,
    /// The unembedding; its weight has V rows.
    pub head: LinearSpec,
    /// Factor on the logits.
    pub scale: f32,
    /// c in `c · tanh(logit / c)`.
    pub softcap: Option<f32>,
}

impl OutputSpec {
    /// Norm and unembedding only.
    pub fn new(norm: NormSpec, head: LinearSpec) -> Self {
        Self { norm: Some(norm), projection: None, head, scale: 1.0, softcap: None }
    }
}

/// One block.
#[derive(Clone, Debug)]
pub struct LayerSpec {
    /// How the branches join the residual stream.
    pub residual: Residual,
    /// Norm of the first branch: on its input, or where [`Residual`] says.
    pub mixer_norm: Option<NormSpec>,
    /// Norm on the first branch's output, before it is added.
    pub mixer_post_norm: Option<NormSpec>,
    /// The branch in which tokens see each other.
    pub mixer: Mixer,
    /// Norm of the MLP; a parallel block without one gives both branches the same input.
    pub mlp_norm: Option<NormSpec>,
    /// Norm on the MLP's output, before it is added.
    pub mlp_post_norm: Option<NormSpec>,
    /// The feed-forward branch, where there is one.
    pub mlp: Option<FeedForward>,
}

impl LayerSpec {
    /// A sequential block with a norm before each branch.
    pub fn new(mixer_norm: NormSpec, attention: AttentionSpec, mlp_norm: NormSpec, mlp: MlpSpec) -> Self {
        Self {
            residual: Residual::Sequential,
            mixer_norm: Some(mixer_norm),
            mixer_post_norm: None,
            mixer: Mixer::Attention(attention),
            mlp_norm: Some(mlp_norm),
            mlp_post_norm: None,
            mlp: Some(FeedForward::Dense(mlp)),
        }
    }
    /// The attention, where the block has one.
    pub fn attention(&self) -> Option<&AttentionSpec> {
        match &self.mixer {
            Mixer::Attention(attention) => Some(attention),
            Mixer::Mamba(_) => None,
        }
    }
    /// The attention, to be changed.
    pub fn attention_mut(&mut self) -> Option<&mut AttentionSpec> {
        match &mut self.mixer {
            Mixer::Attention(attention) => Some(attention),
            Mixer::Mamba(_) => None,
        }
    }
    /// Numbers that a row of a pack takes between the mixer's first half and its second.
    pub fn mixer_width(&self) -> usize {
        match &self.mixer {
            Mixer::Attention(attention) => attention.qkv_width(),
            Mixer::Mamba(mamba) => mamba.row_width(),
        }
    }
}

/// The branch of a block in which tokens see each other.
#[derive(Clone, Debug)]
pub enum Mixer {
    /// Self-attention.
    Attention(AttentionSpec),
    /// A state space.
    Mamba(MambaSpec),
}

/// How the branches of a block join the residual stream. norm₁ is `mixer_norm`, norm₂ `mlp_norm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residual {
    /// `x += mixer(norm₁ x)`, then `x += mlp(norm₂ x)`.
    Sequential,
    /// `x + mixer(norm₁ x) + mlp(norm₂ x)`.
    Parallel,
    /// `x = norm₁(x + mixer(x))`, then `x = norm₂(x + mlp(x))`.
    PostNorm,
    /// `x = norm₁ x + mixer(norm₁ x)`, then `x = norm₂ x + mlp(norm₂ x)`.
    FromNorm,
}

impl DecoderSpec {
    /// Follows the files where they may hold the same model in two ways.
    ///
    /// A tied unembedding is untied where the files hold one of its own: the reference uses it then, whatever the
    /// configuration says. (A tied head lists its own name before the embedding's, and a tied embedding the head's after
    /// its own.) Experts are read from one tensor for all where there is one.
    pub fn adapt_to(&mut self, contains: impl Fn(&str) -> bool) {
        let stored = |name: &TensorName| name.0.iter().find(|n| contains(n)).cloned();
        for layer in &mut self.layers {
            if let Some(FeedForward::Experts(experts)) = &mut layer.mlp
                && experts.stacked.as_ref().is_some_and(|(input, _)| stored(input).is_some())
            {
                experts.use_stacked();
            }
        }
        let embedding = stored(&self.embedding.tokens);
        if self.tied && self.output.head.parts.iter().any(|p| stored(&p.weight) != embedding) {
            self.tied = false;
        }
    }
    /// The attention of each layer that has one, with the layer's number, to be changed.
    pub fn attentions_mut(&mut self) -> impl Iterator<Item = (usize, &mut AttentionSpec)> {
        self.layers.iter_mut().enumerate().filter_map(|(i, l)| Some((i, l.attention_mut()?)))
    }
    /// The class of a request of `n` ids: requests of one class see the same positions, those of different classes share no
    /// computation (rope rules that depend on the length). 0 where the length does not matter.
    pub fn length_class(&self, n: usize) -> usize {
        let ropes = self.layers.iter().filter_map(|l| l.attention()?.rope.as_ref());
        ropes.map(|r| r.length_class(n)).max().unwrap_or(0)
    }
    /// An identity of the description: blake3, in hexadecimal, of all its values. Two specs that compute something else
    /// have other digests.
    pub fn digest(&self) -> String {
        // The derived form prints every field, and numbers so that they read back exactly.
        blake3::hash(format!("{self:?}").as_bytes()).to_hex().to_string()
    }
}
