//! A state-space block (Mamba, Mamba-2) as data.

use super::{Activation, LinearSpec, TensorName};

/// A state-space mixer: I channels, each with a state of N numbers.
#[derive(Clone, Debug)]
pub struct MambaSpec {
    /// I.
    pub inner: usize,
    /// N.
    pub states: usize,
    /// Positions K that the convolution sees.
    pub kernel: usize,
    /// Applied to the convolution's output.
    pub activation: Activation,
    /// Rows [x; z] of 2·I (Mamba), or [z; x, b, c; step] of 2·I + 2·G·N + H (Mamba-2).
    pub input: LinearSpec,
    /// Weight `[C, 1, K]` and bias `[C]` of the convolution; see [`MambaSpec::convolved`] for C.
    pub convolution: (TensorName, Option<TensorName>),
    /// Logarithms of the rates of decay: `[I, N]` (Mamba) or `[H]` (Mamba-2).
    pub rates: TensorName,
    /// What of x passes by the state: `[I]` (Mamba) or `[H]` (Mamba-2).
    pub skip: TensorName,
    /// Where time steps and the vectors b and c come from.
    pub kind: MambaKind,
    /// `[D, I]`.
    pub output: LinearSpec,
}

/// What the two generations differ in.
#[derive(Clone, Debug)]
pub enum MambaKind {
    /// Mamba: steps, b and c are projections of the convolved x; every state has a rate of its own.
    Selective {
        /// Rank R of the time steps.
        rank: usize,
        /// Rows [step; b; c], R + 2·N of them, `[.., I]`.
        parameters: LinearSpec,
        /// `[I, R]`, from the low rank to a time step for each channel.
        step: LinearSpec,
    },
    /// Mamba-2: H heads of I / H channels with one time step and one rate each; b and c are shared by H / G heads.
    Heads {
        /// H; divides I.
        heads: usize,
        /// G; divides H.
        groups: usize,
        /// Added to the time steps, `[H]`.
        step_bias: TensorName,
        /// Least and largest time step after the softplus.
        limits: (f32, f32),
        /// Weight `[I]` of the RMS norm of the gated output over each group, and what is added to the mean square.
        norm: (TensorName, f64),
    },
}

impl MambaSpec {
    /// Channels C that are convolved: I, and 2·G·N more in Mamba-2.
    pub fn convolved(&self) -> usize {
        match &self.kind {
            MambaKind::Selective { .. } => self.inner,
            MambaKind::Heads { groups, .. } => self.inner + 2 * groups * self.states,
        }
    }
    /// The linear layers.
    pub fn linears(&self) -> Vec<&LinearSpec> {
        match &self.kind {
            MambaKind::Selective { parameters, step, .. } => vec![&self.input, parameters, step, &self.output],
            MambaKind::Heads { .. } => vec![&self.input, &self.output],
        }
    }
    /// The tensors beside the linear layers, with their shapes on disk.
    pub fn tensors(&self) -> Vec<(&TensorName, Vec<usize>)> {
        let convolved = self.convolved();
        let mut out = vec![(&self.convolution.0, vec![convolved, 1, self.kernel])];
        out.extend(self.convolution.1.as_ref().map(|bias| (bias, vec![convolved])));
        match &self.kind {
            MambaKind::Selective { .. } => {
                out.extend([(&self.rates, vec![self.inner, self.states]), (&self.skip, vec![self.inner])]);
            }
            MambaKind::Heads { heads, step_bias, norm, .. } => {
                out.extend([&self.rates, &self.skip, step_bias].map(|name| (name, vec![*heads])));
                out.push((&norm.0, vec![self.inner]));
            }
        }
        out
    }
    /// Floating-point operations for one token (two a multiply-add; an exponential counts as one).
    pub fn flops(&self) -> usize {
        let linear: usize = self.linears().iter().map(|l| 2 * l.inputs * l.outputs()).sum();
        linear + 2 * self.kernel * self.convolved() + 6 * self.inner * self.states
    }
    /// Numbers that a row of a pack takes while the block is computed, at their most: its projections, and the convolved x,
    /// time steps and output of the scan.
    pub fn row_width(&self) -> usize {
        let steps = match &self.kind {
            MambaKind::Selective { rank, .. } => self.inner + rank + 2 * self.states,
            MambaKind::Heads { .. } => 0,
        };
        self.input.outputs() + self.convolved() + steps + self.inner
    }
}
