//! Scalar functions and reductions written so that the compiler turns loops over them into vector code (no calls, no
//! branches).

use pulp::{Arch, Simd, WithSimd};

/// `e^x` in f32: range reduction by ln 2 in two parts, then a Taylor polynomial of degree 7 (relative error below 2e-7).
/// Below −87.3 the result is 0, above 88.7 infinity; NaN stays NaN.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    const LOG2E: f32 = std::f32::consts::LOG2_E;
    // ln 2 = HI + LO, HI with few enough bits that n·HI is exact for |n| ≤ 128.
    const HI: f32 = 0.693_359_4;
    const LO: f32 = -2.121_944_4e-4;
    // Adding and subtracting 1.5·2²³ rounds to the nearest integer.
    const ROUND: f32 = 12_582_912.0;
    let clamped = if x > 88.8 { 88.8 } else { x };
    let clamped = if clamped < -87.4 { -87.4 } else { clamped };
    let shifted = clamped * LOG2E + ROUND;
    let n = shifted - ROUND;
    let r = (clamped - n * HI) - n * LO;
    let p = 1.984_127e-4;
    let p = p * r + 1.388_888_9e-3;
    let p = p * r + 8.333_334e-3;
    let p = p * r + 4.166_666_8e-2;
    let p = p * r + 1.666_666_7e-1;
    let p = p * r + 5.0e-1;
    let p = p * r + 1.0;
    let p = p * r + 1.0;
    // The low bits of the shifted number are n as an integer: no conversion, which would not turn into vector code.
    // 2ⁿ in two factors, since n may be 128, where 2ⁿ alone overflows. NaN gives some n and stays in `p`.
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let half = n >> 1;
    let y = p * f32::from_bits(((half + 127) << 23) as u32) * f32::from_bits(((n - half + 127) << 23) as u32);
    if x < -87.3 { 0.0 } else { y }
}

/// `tanh(x)` in f32 by [`exp`].
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let magnitude = x.abs();
    let e = exp(-2.0 * magnitude);
    let big = (1.0 - e) / (1.0 + e);
    // Near zero the quotient cancels; the series is exact to f32 there.
    let x2 = x * x;
    let small = magnitude * (1.0 - x2 * (1.0 / 3.0 - x2 * (2.0 / 15.0 - x2 * (17.0 / 315.0))));
    let y = if magnitude < 0.25 { small } else { big };
    if x < 0.0 { -y } else { y }
}

/// `erf(x)` in f32: Abramowitz and Stegun 7.1.26 (absolute error below 2e-7 before rounding).
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let a = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * a);
    let p = 1.061_405_4;
    let p = p * t - 1.453_152;
    let p = p * t + 1.421_413_7;
    let p = p * t - 0.284_496_74;
    let p = p * t + 0.254_829_6;
    let y = 1.0 - p * t * exp(-a * a);
    if x < 0.0 { -y } else { y }
}

/// `ln(1 + x)` in f32 for 0 ≤ x ≤ 1 (relative error below 2e-7): twice the inverse hyperbolic tangent of x / (2 + x).
#[inline(always)]
pub fn ln_1p(x: f32) -> f32 {
    let s = x / (2.0 + x);
    let s2 = s * s;
    let p = 1.0 / 13.0;
    let p = p * s2 + 1.0 / 11.0;
    let p = p * s2 + 1.0 / 9.0;
    let p = p * s2 + 1.0 / 7.0;
    let p = p * s2 + 1.0 / 5.0;
    let p = p * s2 + 1.0 / 3.0;
    2.0 * s + 2.0 * s * (p * s2)
}

/// A computation to be compiled for each instruction set; its `run` must be `#[inline(always)]`, and so must what it calls.
/// (A closure would do, were closures reliably inlined into the code for an instruction set.)
pub trait Kernel {
    /// What it computes.
    type Output;
    /// Computes it.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the best instruction set that the processor has.
pub fn vectorized<K: Kernel>(kernel: K) -> K::Output {
    struct Best<K>(K);
    impl<K: Kernel> WithSimd for Best<K> {
        type Output = K::Output;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> K::Output {
            self.0.run()
        }
    }
    Arch::new().dispatch(Best(kernel))
}

/// Lanes of the partial results: fixed, so that a sum has the same bits on every instruction set.
const LANES: usize = 16;

/// `Σ f(x)`, each element in the lane of its place, the lanes added up at the end.
#[inline(always)]
pub fn sum(x: &[f32], f: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0f32; LANES];
    let chunks = x.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l += f(*v);
        }
    }
    for (l, v) in lanes.iter_mut().zip(rest) {
        *l += f(*v);
    }
    lanes.iter().sum()
}

/// The largest element; NaN is passed over.
#[inline(always)]
pub fn max(x: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let chunks = x.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l = if *v > *l { *v } else { *l };
        }
    }
    for (l, v) in lanes.iter_mut().zip(rest) {
        *l = if *v > *l { *v } else { *l };
    }
    lanes.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_accurate_over_its_range_and_keeps_the_special_values() {
        for i in -87_000..88_000 {
            let x = i as f32 / 1000.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 3e-7, "{x}: {} {exact}", exp(x));
        }
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn tanh_and_erf_are_accurate() {
        // erf by its series in f64, an independent computation.
        let erf64 = |x: f64| {
            let (mut term, mut sum) = (x, x);
            for n in 1..200 {
                term *= -x * x / n as f64;
                sum += term / (2 * n + 1) as f64;
            }
            sum * 2.0 / std::f64::consts::PI.sqrt()
        };
        for i in -4000..4000 {
            let x = i as f32 / 1000.0;
            assert!((f64::from(tanh(x)) - f64::from(x).tanh()).abs() < 3e-7, "tanh {x}");
            assert!(
                (f64::from(erf(x)) - erf64(f64::from(x))).abs() < 5e-7,
                "erf {x}: {} {}",
                erf(x),
                erf64(f64::from(x))
            );
        }
        assert_eq!(erf(10.0), 1.0);
        assert_eq!(tanh(-20.0), -1.0);
        assert!(tanh(f32::NAN).is_nan() && erf(f32::NAN).is_nan());
    }
}
