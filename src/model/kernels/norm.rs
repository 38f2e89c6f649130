//! RMS norm and layer norm of rows, and of parts of rows.

use std::ops::Range;

use super::math::{self, Kernel, sum};
use crate::model::spec::NormKind;

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

/// A norm: its formula, its weight and its bias.
#[derive(Clone, Copy)]
pub struct Norming<'a> {
    /// The formula.
    pub kind: NormKind,
    /// Added to the mean square or the variance.
    pub eps: f32,
    /// As long as a vector, or as all vectors of a row.
    pub weight: &'a [f32],
    /// As long as the weight.
    pub bias: Option<&'a [f32]>,
}

/// Norms, in each row of `row` elements of `x`, the vectors of `vector` elements that `part` divides into.
pub fn in_place(x: &mut [f32], row: usize, part: Range<usize>, vector: usize, norm: Norming<'_>) {
    math::vectorized(InPlace { x, row, part, vector, norm });
}

struct InPlace<'a> {
    x: &'a mut [f32],
    row: usize,
    part: Range<usize>,
    vector: usize,
    norm: Norming<'a>,
}

impl Kernel for InPlace<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Norming { kind, eps, weight, bias } = self.norm;
        let width = self.vector as f32;
        for row in self.x.chunks_exact_mut(self.row) {
            for (i, x) in row[self.part.clone()].chunks_exact_mut(self.vector).enumerate() {
                let at = i * self.vector % weight.len();
                let (mean, power) = match kind {
                    NormKind::Rms => (0.0, sum(x, |v| v * v) / width),
                    NormKind::Layer => {
                        let mean = sum(x, |v| v) / width;
                        (mean, sum(x, |v| (v - mean) * (v - mean)) / width)
                    }
                };
                let scale = 1.0 / (power + eps).sqrt();
                for (v, w) in x.iter_mut().zip(&weight[at..]) {
                    *v = (*v - mean) * scale * w;
                }
                if let Some(bias) = bias {
                    x.iter_mut().zip(&bias[at..]).for_each(|(v, b)| *v += b);
                }
            }
        }
    }
}
