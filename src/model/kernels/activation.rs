//! The nonlinearity of the MLP, in place or fused with the gate's product.

use super::math::{self, Kernel};
use crate::model::spec::Activation;

/// Applies `f` to every element.
#[inline(always)]
fn map(x: &mut [f32], f: impl Fn(f32) -> f32) {
    for v in x {
        *v = f(*v);
    }
}

#[inline(always)]
fn silu(x: f32) -> f32 {
    x / (1.0 + math::exp(-x))
}

#[inline(always)]
fn gelu_erf(x: f32) -> f32 {
    0.5 * x * (1.0 + math::erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

#[inline(always)]
fn gelu_tanh(x: f32) -> f32 {
    const SQRT_2_OVER_PI: f32 = 0.797_884_6;
    0.5 * x * (1.0 + math::tanh(SQRT_2_OVER_PI * (x + 0.044_715 * x * x * x)))
}

#[inline(always)]
fn quick_gelu(x: f32) -> f32 {
    x / (1.0 + math::exp(-1.702 * x))
}

#[inline(always)]
fn relu(x: f32) -> f32 {
    // NaN stays.
    if x < 0.0 { 0.0 } else { x }
}

/// Applies the activation to every element of `x`.
pub fn activate(x: &mut [f32], activation: Activation) {
    math::vectorized(Activate(x, activation));
}

struct Activate<'a>(&'a mut [f32], Activation);

impl Kernel for Activate<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        match self.1 {
            Activation::Silu => map(self.0, silu),
            Activation::GeluErf => map(self.0, gelu_erf),
            Activation::GeluTanh => map(self.0, gelu_tanh),
            Activation::QuickGelu => map(self.0, quick_gelu),
            Activation::Relu => map(self.0, relu),
            Activation::Relu2 => map(self.0, |v| relu(v) * relu(v)),
            // Its gate alone; `gated` adds the rest.
            Activation::ClampedSwiGlu { alpha, limit } => map(self.0, |v| {
                let v = if v > limit { limit } else { v };
                v / (1.0 + math::exp(-alpha * v))
            }),
        }
    }
}

/// From rows `[gate | up]` of width `2 · inner`, the rows `activation(gate) · up` of width `inner`.
pub fn gated(gate_up: &[f32], inner: usize, activation: Activation) -> Vec<f32> {
    let mut out = vec![0f32; gate_up.len() / 2];
    for (row, out) in gate_up.chunks_exact(2 * inner).zip(out.chunks_exact_mut(inner)) {
        let (gate, up) = row.split_at(inner);
        out.copy_from_slice(gate);
        activate(out, activation);
        if let Activation::ClampedSwiGlu { limit, .. } = activation {
            out.iter_mut().zip(up).for_each(|(o, u)| *o *= u.clamp(-limit, limit) + 1.0);
        } else {
            out.iter_mut().zip(up).for_each(|(o, u)| *o *= u);
        }
    }
    out
}
