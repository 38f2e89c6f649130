//! A mixture of experts: the router's choice, and the experts on the rows that were given to them.
//!
//! A row's experts are added up in the order of their numbers, so that its bits do not depend on the rows around it. Where
//! two scores are equal the lower number is chosen.

use candle_core::{DType, Tensor};
use candle_nn::ops;

use super::linear::Linear;
use super::load::Loader;
use super::mlp::Mlp;
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::{ExpertsSpec, RouterSpec, Scoring};
use crate::Result;

/// A mixture of experts with its weights.
#[derive(Clone, Debug)]
pub struct Experts {
    spec: RouterSpec,
    router: Linear,
    choice_bias: Vec<f32>,
    experts: Vec<Mlp>,
    shared: Option<(Mlp, Option<Linear>)>,
}

impl Experts {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing or has another shape.
    pub fn load(loader: &Loader<'_>, spec: &ExpertsSpec) -> Result<Self> {
        let shared = match &spec.shared {
            Some(shared) => Some((
                Mlp::load(loader, &shared.mlp)?,
                shared.gate.as_ref().map(|g| Linear::load(loader, g)).transpose()?,
            )),
            None => None,
        };
        let bias = spec.router.choice_bias.as_ref();
        Ok(Self {
            router: Linear::load(loader, &spec.router.weight)?,
            choice_bias: bias.map(|name| loader.read(name, &[spec.experts.len()])).transpose()?.unwrap_or_default(),
            experts: spec.experts.iter().map(|e| Mlp::load(loader, e)).collect::<Result<_>>()?,
            shared,
            spec: spec.router.clone(),
        })
    }

    /// `[rows, D]` to `[rows, D]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let logits = self.router.forward(x)?.to_dtype(DType::F64)?.to_vec2::<f64>()?;
        let mut given: Vec<Vec<(u32, f64)>> = vec![Vec::new(); self.experts.len()];
        for (row, logits) in logits.iter().enumerate() {
            for (expert, weight) in choose(&self.spec, &self.choice_bias, logits) {
                given[expert].push((row as u32, weight));
            }
        }
        let mut out = x.zeros_like()?;
        let mut sums = if has_kernels(x) { Some(vec![0f32; x.elem_count()]) } else { None };
        for (expert, given) in self.experts.iter().zip(given).filter(|(_, given)| !given.is_empty()) {
            let (rows, weights): (Vec<u32>, Vec<f64>) = given.into_iter().unzip();
            let at = Tensor::from_slice(&rows, rows.len(), x.device())?;
            let y = expert.forward(&x.index_select(&at, 0)?)?;
            match &mut sums {
                Some(sums) => add_rows(sums, &y, &rows, &weights)?,
                None => {
                    let weights = Tensor::from_slice(&weights, (rows.len(), 1), x.device())?.to_dtype(x.dtype())?;
                    out = out.index_add(&at, &y.broadcast_mul(&weights)?, 0)?;
                }
            }
        }
        if let Some(sums) = sums {
            out = from_rows(sums, x.dim(0)?)?;
        }
        Ok(match &self.shared {
            None => out,
            Some((mlp, None)) => (out + mlp.forward(x)?)?,
            Some((mlp, Some(gate))) => (out + mlp.forward(x)?.broadcast_mul(&ops::sigmoid(&gate.forward(x)?)?)?)?,
        })
    }
}

/// Adds weighted rows of an expert's output to the rows that they belong to.
fn add_rows(sums: &mut [f32], y: &Tensor, rows: &[u32], weights: &[f64]) -> Result<()> {
    let width = y.dim(1)?;
    let y = Elements::of(y)?;
    for ((y, row), weight) in y.chunks_exact(width).zip(rows).zip(weights) {
        let weight = *weight as f32;
        let sum = &mut sums[*row as usize * width..][..width];
        sum.iter_mut().zip(y).for_each(|(s, v)| *s += weight * v);
    }
    Ok(())
}

/// The experts of a row and their weights, best first.
fn choose(spec: &RouterSpec, choice_bias: &[f32], logits: &[f64]) -> Vec<(usize, f64)> {
    let scores = match spec.scoring {
        Scoring::Softmax => softmax(logits),
        Scoring::Sigmoid => logits.iter().map(|l| 1.0 / (1.0 + (-l).exp())).collect(),
        Scoring::SoftmaxOfChosen => logits.to_vec(),
    };
    let mut rank: Vec<f64> = scores.clone();
    rank.iter_mut().zip(choice_bias).for_each(|(r, b)| *r += f64::from(*b));
    if let Some(groups) = spec.groups {
        let size = rank.len() / groups.count;
        let worth: Vec<f64> =
            rank.chunks(size).map(|group| best(group, groups.best).into_iter().map(|i| group[i]).sum()).collect();
        let kept = best(&worth, groups.keep);
        for (_, ranks) in rank.chunks_mut(size).enumerate().filter(|(group, _)| !kept.contains(group)) {
            ranks.fill(f64::NEG_INFINITY);
        }
    }
    let chosen = best(&rank, spec.top_k);
    let mut weights: Vec<f64> = chosen.iter().map(|i| scores[*i]).collect();
    if spec.scoring == Scoring::SoftmaxOfChosen {
        weights = softmax(&weights);
    }
    if let Some(epsilon) = spec.renormalise {
        let sum = weights.iter().sum::<f64>() + f64::from(epsilon);
        weights.iter_mut().for_each(|w| *w /= sum);
    }
    chosen.into_iter().zip(weights.into_iter().map(|w| w * f64::from(spec.scale))).collect()
}

/// The numbers of the `n` largest values, largest first, the lower number first where two are equal.
fn best(values: &[f64], n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]).then(a.cmp(b)));
    order.truncate(n);
    order
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = logits.iter().map(|l| (l - top).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|s| s / sum).collect()
}
