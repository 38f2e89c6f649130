//! The feed-forward branch: one MLP, or a mixture of them.

use super::{LinearPart, LinearSpec, Slice, TensorName};

/// The feed-forward branch of a block.
#[derive(Clone, Debug)]
pub enum FeedForward {
    /// One MLP.
    Dense(MlpSpec),
    /// A mixture of experts.
    Experts(Box<ExpertsSpec>),
}

/// An MLP of inner width I.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Activation {
    /// `x · σ(x)`.
    Silu,
    /// `x · Φ(x)`, exactly.
    GeluErf,
    /// The tanh approximation of gelu (`gelu_new`, `gelu_pytorch_tanh`).
    GeluTanh,
    /// `x · σ(1.702 x)`.
    QuickGelu,
    /// `max(x, 0)`.
    Relu,
    /// `max(x, 0)²`.
    Relu2,
    /// Gated only: `(u + 1) · g · σ(α g)` with `g = min(gate, limit)` and u = up clamped to ± limit.
    ClampedSwiGlu {
        /// α.
        alpha: f32,
        /// The limit.
        limit: f32,
    },
}

/// A mixture of experts: each row goes through the k experts that the router gives it, and, where there is one, through the
/// shared expert.
#[derive(Clone, Debug)]
pub struct ExpertsSpec {
    /// Which experts a row goes to, and with which weights.
    pub router: RouterSpec,
    /// The experts.
    pub experts: Vec<MlpSpec>,
    /// An expert for every row.
    pub shared: Option<SharedExpert>,
    /// Tensors that hold all experts in one, as some files do: `[E, 2I, D]` with each expert's [gate; up], and `[E, D, I]`.
    pub stacked: Option<(TensorName, TensorName)>,
}

impl ExpertsSpec {
    /// Reads the experts from the stacked tensors.
    pub(super) fn use_stacked(&mut self) {
        let Some((input, output)) = &self.stacked else { return };
        let count = self.experts.len();
        for (index, expert) in self.experts.iter_mut().enumerate() {
            for (linear, name) in [(&mut expert.input, input), (&mut expert.output, output)] {
                let part = LinearPart::new(name.clone(), None, linear.outputs());
                linear.parts = vec![LinearPart { slice: Some(Slice { index, count }), ..part }];
            }
        }
    }
}

/// An expert for every row.
#[derive(Clone, Debug)]
pub struct SharedExpert {
    /// The expert.
    pub mlp: MlpSpec,
    /// Its output is multiplied by σ of this `[1, D]` layer's, where there is one.
    pub gate: Option<LinearSpec>,
}

/// How experts are chosen and weighed.
#[derive(Clone, Debug)]
pub struct RouterSpec {
    /// `[E, D]`: a logit for each expert.
    pub weight: LinearSpec,
    /// From logits to scores.
    pub scoring: Scoring,
    /// Added to the scores for the choice only, `[E]`.
    pub choice_bias: Option<TensorName>,
    /// Experts in groups, of which the best are kept before experts are chosen.
    pub groups: Option<ExpertGroups>,
    /// k: experts a row.
    pub top_k: usize,
    /// Whether the chosen scores are divided by their sum; the number is added to the sum.
    pub renormalise: Option<f32>,
    /// Factor on the weights.
    pub scale: f32,
}

/// From router logits to scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// Softmax over all experts.
    Softmax,
    /// σ of each.
    Sigmoid,
    /// The logits choose; the weights are a softmax over the chosen.
    SoftmaxOfChosen,
}

/// Choice of experts in two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpertGroups {
    /// Number of groups, equal in size.
    pub count: usize,
    /// Groups kept.
    pub keep: usize,
    /// A group's rank is the sum of its so many best scores.
    pub best: usize,
}
