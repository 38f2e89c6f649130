//! RMS norm and layer norm of rows.

use super::math::{self, Kernel, sum};

/// `x · weight / √(mean(x²) + eps)` for each row of `x` (rows as long as `weight`).
pub fn rms_norm(x: &[f32], weight: &[f32], eps: f32) -> Vec<f32> {
    math::vectorized(RmsNorm { x, weight, eps })
}

struct RmsNorm<'a> {
    x: &'a [f32],
    weight: &'a [f32],
    eps: f32,
}

impl Kernel for RmsNorm<'_> {
    type Output = Vec<f32>;
    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let width = self.weight.len();
        let mut out = vec![0f32; self.x.len()];
        for (row, out) in self.x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let scale = 1.0 / (sum(row, |v| v * v) / width as f32 + self.eps).sqrt();
            for ((o, v), w) in out.iter_mut().zip(row).zip(self.weight) {
                *o = w * (v * scale);
            }
        }
        out
    }
}

/// `(x − mean) / √(variance + eps) · weight + bias` for each row of `x`, with the biased variance.
pub fn layer_norm(x: &[f32], weight: &[f32], bias: &[f32], eps: f32) -> Vec<f32> {
    math::vectorized(LayerNorm { x, weight, bias, eps })
}

struct LayerNorm<'a> {
    x: &'a [f32],
    weight: &'a [f32],
    bias: &'a [f32],
    eps: f32,
}

impl Kernel for LayerNorm<'_> {
    type Output = Vec<f32>;
    #[inline(always)]
    fn run(self) -> Vec<f32> {
        let width = self.weight.len();
        let mut out = vec![0f32; self.x.len()];
        for (row, out) in self.x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            let mean = sum(row, |v| v) / width as f32;
            let variance = sum(row, |v| (v - mean) * (v - mean)) / width as f32;
            let scale = 1.0 / (variance + self.eps).sqrt();
            for (((o, v), w), b) in out.iter_mut().zip(row).zip(self.weight).zip(self.bias) {
                *o = (v - mean) * scale * w + b;
            }
        }
        out
    }
}
