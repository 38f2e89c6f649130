//! RMS norm and layer norm of rows.

use pulp::Arch;

use super::math::sum;

/// `x · weight / √(mean(x²) + eps)` for each row of `x` (rows as long as `weight`).
pub fn rms_norm(x: &[f32], weight: &[f32], eps: f32) -> Vec<f32> {
    let width = weight.len();
    let mut out = vec![0f32; x.len()];
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for (row, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                let scale = 1.0 / (sum(row, |v| v * v) / width as f32 + eps).sqrt();
                for ((o, v), w) in out.iter_mut().zip(row).zip(weight) {
                    *o = w * (v * scale);
                }
            }
        },
    );
    out
}

/// `(x − mean) / √(variance + eps) · weight + bias` for each row of `x`, with the biased variance.
pub fn layer_norm(x: &[f32], weight: &[f32], bias: &[f32], eps: f32) -> Vec<f32> {
    let width = weight.len();
    let mut out = vec![0f32; x.len()];
    Arch::new().dispatch(
        #[inline(always)]
        || {
            for (row, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
                let mean = sum(row, |v| v) / width as f32;
                let variance = sum(row, |v| (v - mean) * (v - mean)) / width as f32;
                let scale = 1.0 / (variance + eps).sqrt();
                for (((o, v), w), b) in out.iter_mut().zip(row).zip(weight).zip(bias) {
                    *o = (v - mean) * scale * w + b;
                }
            }
        },
    );
    out
}
