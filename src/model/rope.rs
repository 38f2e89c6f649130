//! Rotary positions: their frequencies under each scaling rule, and the tables of cosines and sines.
//!
//! Frequencies, angles and tables are f32 whatever the dtype of the model, as in the reference (half-precision tables
//! drift after some hundred positions).

use std::borrow::Cow;

use candle_core::{Device, Tensor};

use crate::Result;

/// Rotary positions of a layer: which dimensions rotate, in what layout and how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeSpec {
    /// Name of the scaling rule, for people.
    pub rule: &'static str,
    /// Base θ of the frequencies before scaling, for people.
    pub theta: f64,
    /// The rule's numbers, for people.
    pub scaling: Scaling,
    /// Which dimensions form a pair.
    pub layout: RopeLayout,
    /// Radians per position of each pair; the first `2 · len` dimensions of a head rotate.
    pub frequencies: Vec<f32>,
    /// Factor on cosines and sines (yarn, longrope).
    pub attention_factor: f32,
    /// What changes with the length of a request.
    pub by_length: Option<ByLength>,
}

/// A rule that depends on the number n of ids of a request, its last one included.
#[derive(Clone, Debug, PartialEq)]
pub enum ByLength {
    /// Longrope: other frequencies where n > `above`.
    Other {
        /// Longest request with the usual frequencies.
        above: usize,
        /// The frequencies of longer ones.
        frequencies: Vec<f32>,
    },
    /// Dynamic NTK: θ grows with n where n > `above`.
    Dynamic {
        /// Longest request with the usual frequencies.
        above: usize,
        /// θ of the usual frequencies.
        theta: f64,
        /// f in θ · (f·n/M − (f − 1))^(r/(r−2)).
        factor: f64,
    },
}

/// Which dimensions of a head of r rotary dimensions form a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RopeLayout {
    /// (j, j + r/2).
    HalfSplit,
    /// (2j, 2j + 1).
    Interleaved,
}

/// A scaling rule with its numbers, as they stand in config.json or in a GGUF's metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Scaling {
    /// No scaling.
    Default,
    /// Every frequency divided by a factor.
    Linear {
        /// The factor.
        factor: f64,
    },
    /// Llama 3's: long wavelengths divided, short ones kept, a ramp between.
    Llama3 {
        /// Divisor of the long wavelengths.
        factor: f64,
        /// Wavelengths above `original / low` are divided.
        low: f64,
        /// Wavelengths below `original / high` are kept.
        high: f64,
        /// Context length before the extension.
        original: f64,
    },
    /// YaRN (Peng et al. 2023): a ramp over dimensions, and a factor on the scores.
    Yarn {
        /// Divisor of the slow dimensions.
        factor: f64,
        /// Context length before the extension.
        original: f64,
        /// Rotations at which the ramp begins.
        beta_fast: f64,
        /// Rotations at which it ends.
        beta_slow: f64,
        /// Whether the ramp's ends are rounded to whole dimensions.
        truncate: bool,
        /// Factor on cosines and sines.
        attention_factor: f64,
    },
    /// Dynamic NTK: θ grows with the length of requests longer than `original`.
    Dynamic {
        /// The factor f of the rule.
        factor: f64,
        /// Longest request with the usual frequencies.
        original: usize,
    },
    /// LongRoPE (Ding et al. 2024): a divisor for each frequency, others for requests longer than `original`.
    Long {
        /// Divisors of short requests, r/2.
        short: Vec<f64>,
        /// Divisors of long ones, r/2.
        long: Vec<f64>,
        /// Longest request that is short.
        original: usize,
        /// Factor on cosines and sines, of short requests too.
        attention_factor: f64,
    },
}

/// `θ^(2j/r)`. As the reference: exponent, power and reciprocal each rounded to f32.
fn powers(dim: usize, theta: f64) -> Vec<f32> {
    // An odd number rotates one dimension more, as in the reference.
    (0..dim.div_ceil(2)).map(|j| (theta as f32).powf((2 * j) as f32 / dim as f32)).collect()
}

/// `θ^(−2j/r)`.
fn plain(dim: usize, theta: f64) -> Vec<f32> {
    powers(dim, theta).into_iter().map(|p| 1.0 / p).collect()
}

/// Wider than the heads of any model.
pub const MAX_HEAD: usize = 1 << 13;

/// YaRN's factor on cosines and sines for an extension by `factor`.
pub fn yarn_mscale(factor: f64, mscale: f64) -> f64 {
    if factor <= 1.0 { 1.0 } else { 0.1 * mscale * factor.ln() + 1.0 }
}

impl RopeSpec {
    /// Rotary positions of base θ over the first `dim` dimensions of a head.
    pub fn new(dim: usize, theta: f64, layout: RopeLayout, scaling: Scaling) -> Self {
        let plain = plain(dim, theta);
        let mut by_length = None;
        let (rule, frequencies, attention_factor) = match scaling.clone() {
            Scaling::Default => ("default", plain, 1.0),
            Scaling::Linear { factor } => ("linear", plain.iter().map(|w| w / factor as f32).collect(), 1.0),
            Scaling::Llama3 { factor, low, high, original } => {
                let (factor, low, high, original) = (factor as f32, low as f32, high as f32, original as f32);
                let scaled = |w: &f32| {
                    let wavelength = 2.0 * std::f32::consts::PI / w;
                    if wavelength > original / low {
                        w / factor
                    } else if wavelength < original / high {
                        *w
                    } else {
                        let s = (original / wavelength - low) / (high - low);
                        (1.0 - s) * w / factor + s * w
                    }
                };
                ("llama3", plain.iter().map(scaled).collect(), 1.0)
            }
            Scaling::Yarn { factor, original, beta_fast, beta_slow, truncate, attention_factor } => {
                let at = |turns: f64| {
                    dim as f64 * (original / (turns * 2.0 * std::f64::consts::PI)).ln() / (2.0 * theta.ln())
                };
                let (mut low, mut high) = (at(beta_fast), at(beta_slow));
                if truncate {
                    (low, high) = (low.floor(), high.ceil());
                }
                (low, high) = (low.max(0.0), high.min(dim as f64 - 1.0));
                if low == high {
                    high += 0.001;
                }
                let scaled = |(j, w): (usize, &f32)| {
                    let ramp = (((j as f64 - low) / (high - low)) as f32).clamp(0.0, 1.0);
                    let keep = 1.0 - ramp;
                    (w / factor as f32) * (1.0 - keep) + w * keep
                };
                ("yarn", plain.iter().enumerate().map(scaled).collect(), attention_factor)
            }
            Scaling::Dynamic { factor, original } => {
                by_length = Some(ByLength::Dynamic { above: original, theta, factor });
                ("dynamic", plain, 1.0)
            }
            Scaling::Long { short, long, original, attention_factor } => {
                let powers = powers(dim, theta);
                let divided =
                    |by: &[f64]| -> Vec<f32> { powers.iter().zip(by).map(|(p, e)| 1.0 / (*e as f32 * p)).collect() };
                by_length = Some(ByLength::Other { above: original, frequencies: divided(&long) });
                ("longrope", divided(&short), attention_factor)
            }
        };
        Self { rule, theta, scaling, layout, frequencies, attention_factor: attention_factor as f32, by_length }
    }

    /// The class of a request of `n` ids: the length at which [`RopeSpec::frequencies_at`] is to be asked. 0 where the
    /// usual frequencies hold.
    pub fn length_class(&self, n: usize) -> usize {
        match &self.by_length {
            Some(ByLength::Other { above, .. }) if n > *above => above + 1,
            Some(ByLength::Dynamic { above, .. }) if n > *above => n,
            _ => 0,
        }
    }

    /// Frequencies for requests of `n` ids.
    pub fn frequencies_at(&self, n: usize) -> Cow<'_, [f32]> {
        match &self.by_length {
            Some(ByLength::Other { above, frequencies }) if n > *above => Cow::Borrowed(frequencies),
            Some(ByLength::Dynamic { above, theta, factor }) if n > *above => {
                let r = self.dim() as f64;
                let stretch = factor * n as f64 / *above as f64 - (factor - 1.0);
                Cow::Owned(plain(self.dim(), theta * stretch.powf(r / (r - 2.0))))
            }
            _ => Cow::Borrowed(&self.frequencies),
        }
    }

    /// Rotary dimensions r.
    pub fn dim(&self) -> usize {
        2 * self.frequencies.len()
    }
}

/// Cosines and sines of positions 0 … n−1, f32.
#[derive(Debug)]
pub struct RopeTable {
    layout: RopeLayout,
    half: usize,
    /// `[n, r/2]`, row-major.
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl RopeTable {
    /// The table of `n` positions for requests of a length class.
    pub fn new(spec: &RopeSpec, class: usize, n: usize) -> Self {
        let frequencies = spec.frequencies_at(class);
        let half = frequencies.len();
        let (mut cos, mut sin) = (Vec::with_capacity(n * half), Vec::with_capacity(n * half));
        for position in 0..n {
            for w in frequencies.iter() {
                // The angle is rounded to f32 as in the reference; its cosine and sine are exact to f32.
                let (s, c) = f64::from(position as f32 * w).sin_cos();
                cos.push(c as f32 * spec.attention_factor);
                sin.push(s as f32 * spec.attention_factor);
            }
        }
        Self { layout: spec.layout, half, cos, sin }
    }
    /// Rotary dimensions r.
    pub fn dim(&self) -> usize {
        2 * self.half
    }
    /// Which dimensions form a pair.
    pub fn layout(&self) -> RopeLayout {
        self.layout
    }
    /// Cosines and sines of a position, r/2 each.
    pub fn row(&self, position: usize) -> (&[f32], &[f32]) {
        let at = position * self.half..(position + 1) * self.half;
        (&self.cos[at.clone()], &self.sin[at])
    }
    /// Cosines and sines of some positions as tensors `[positions, r/2]`.
    ///
    /// # Errors
    /// If the device cannot hold them.
    pub fn gather(&self, positions: &[u32], device: &Device) -> Result<(Tensor, Tensor)> {
        let pick = |table: &[f32]| {
            let rows = positions.iter().flat_map(|&p| &table[p as usize * self.half..(p as usize + 1) * self.half]);
            Tensor::from_vec(rows.copied().collect::<Vec<f32>>(), (positions.len(), self.half), device)
        };
        Ok((pick(&self.cos)?, pick(&self.sin)?))
    }
}
