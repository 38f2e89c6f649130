//! State-space mixers: Mamba and Mamba-2 over packed rows.
//!
//! Rows see each other in two places, the short convolution and the scan; both follow the paths of the token trie, so
//! that no token is computed twice and a row's bits depend on its own path alone:
//!
//! ```text
//! rows [n, D] ── project ──▶ [x | z]  or  [z | x, b, c | step]     (one product)
//!                mix         convolution, its activation, projections to steps, b and c;
//!                            scan of the whole pack, blocks of channels in parallel; gate
//! rows [n, D] ◀── output ──  (one product)
//! ```
//!
//! What the reference ignores is ignored here: Mamba-2 always gates before its norm, whatever `norm_before_gate` says. On
//! devices without our kernels the scan is done on the host, in f64: right, but a copy there and back for every layer.

use std::ops::Range;

use candle_core::{DType, Device, Tensor};
use rayon::prelude::*;

use super::attention::PackLayout;
use super::kernels::activation;
use super::kernels::attention::FusedRows;
use super::kernels::conv::{NONE, Taps, convolve};
use super::kernels::gate::{GroupNorm, gate};
use super::kernels::scan::{Channels, Columns, Inputs, LANES, Run, States, scan};
use super::linear::Linear;
use super::load::Loader;
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::{Activation, MambaKind, MambaSpec};
use super::{mamba_plain, mlp};
use crate::{Error, Result};

/// A state-space mixer with its weights.
#[derive(Clone, Debug)]
pub struct Mamba {
    inner: usize,
    states: usize,
    convolved: usize,
    activation: Activation,
    input: Linear,
    /// `[K, C]`.
    taps: Tensor,
    /// `[C]`.
    taps_bias: Tensor,
    channels: Vec<Channels>,
    kind: Kind,
    output: Linear,
}

#[derive(Clone, Debug)]
enum Kind {
    Selective { rank: usize, parameters: Linear, step: Linear },
    Heads { groups: usize, limits: (f32, f32), norm: Tensor, eps: f32 },
}

/// The rows of a pack as paths.
struct Walk {
    /// The row before each row, or [`NONE`].
    previous: Vec<u32>,
    runs: Vec<Run>,
}

impl Mamba {
    /// Reads the weights of a spec.
    ///
    /// # Errors
    /// If a tensor is missing, has another shape or cannot be read.
    pub fn load(loader: &Loader<'_>, spec: &MambaSpec) -> Result<Self> {
        let (kernel, convolved) = (spec.kernel, spec.convolved());
        let stored = loader.read(&spec.convolution.0, &[convolved, 1, kernel])?;
        let taps = (0..kernel * convolved).map(|i| stored[i % convolved * kernel + i / convolved]).collect();
        let taps_bias = match &spec.convolution.1 {
            Some(name) => loader.read(name, &[convolved])?,
            None => vec![0.0; convolved],
        };
        let (channels, kind) = match &spec.kind {
            MambaKind::Selective { rank, parameters, step } => {
                let rates = loader.read(&spec.rates, &[spec.inner, spec.states])?;
                let skip = loader.read(&spec.skip, &[spec.inner])?;
                let bias = vec![0.0; spec.inner];
                let (parameters, step) = (Linear::load(loader, parameters)?, Linear::load(loader, step)?);
                (channels(spec.inner, 1, &rates, &skip, &bias), Kind::Selective { rank: *rank, parameters, step })
            }
            MambaKind::Heads { heads, groups, step_bias, limits, norm } => {
                let per_head = |name| loader.read(name, &[*heads]);
                let (rates, skip, bias) = (per_head(&spec.rates)?, per_head(&spec.skip)?, per_head(step_bias)?);
                let eps = norm.1 as f32;
                let norm = loader.tensor(&norm.0, &[spec.inner])?;
                let kind = Kind::Heads { groups: *groups, limits: *limits, norm, eps };
                (channels(spec.inner, *groups, &rates, &skip, &bias), kind)
            }
        };
        Ok(Self {
            inner: spec.inner,
            states: spec.states,
            convolved,
            activation: spec.activation,
            input: Linear::load(loader, &spec.input)?,
            taps: loader.place(taps, &[kernel, convolved])?,
            taps_bias: loader.place(taps_bias, &[convolved])?,
            channels,
            kind,
            output: Linear::load(loader, &spec.output)?,
        })
    }

    /// Normed rows `[rows, D]` to projected rows.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn project(&self, x: &Tensor) -> Result<Tensor> {
        self.input.forward(x)
    }

    /// All blocks of projected rows of a pack, each of `block` rows but the last, to gated rows `[rows, I]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn mix(&self, projected: &[Tensor], block: usize, layout: &PackLayout) -> Result<Vec<Tensor>> {
        let walk = Walk::of(layout)?;
        if !projected.iter().all(has_kernels) {
            return self.mix_plain(projected, block, &walk);
        }
        let pack = walk.previous.len();
        let tiles: Vec<Range<usize>> = (0..pack).step_by(block).map(|from| from..(from + block).min(pack)).collect();
        let guards = elements(projected)?;
        let slices: Vec<&[f32]> = guards.iter().map(|g| &**g).collect();
        let projected = FusedRows { blocks: &slices, block, width: self.input.weight().dim(0)? };
        let scanned = self.scan(&tiles, projected, &walk)?;
        let norm_weight = match &self.kind {
            Kind::Heads { norm, .. } => Some(Elements::of(norm)?),
            Kind::Selective { .. } => None,
        };
        let norm = match (&self.kind, &norm_weight) {
            (Kind::Heads { groups, eps, .. }, Some(weight)) => Some(GroupNorm { weight, groups: *groups, eps: *eps }),
            _ => None,
        };
        let z = self.columns().z;
        let gated = tiles.into_par_iter().map(|tile| {
            let rows = tile.len();
            from_rows(gate(tile, &scanned, &self.channels, projected, z, self.inner, norm), rows)
        });
        gated.collect()
    }

    /// The convolution and the scan by our kernels: `[pack rows, LANES]` for each block of channels.
    fn scan(&self, tiles: &[Range<usize>], projected: FusedRows<'_>, walk: &Walk) -> Result<Vec<f32>> {
        let (weight, bias) = (Elements::of(&self.taps)?, Elements::of(&self.taps_bias)?);
        let taps = Taps { weight: &weight, bias: &bias };
        let columns = self.columns();
        let convolved = tiles.par_iter().map(|tile| {
            let mut x = convolve(tile.clone(), &walk.previous, projected, columns.x, taps);
            activation::activate(&mut x, self.activation);
            from_rows(x, tile.len())
        });
        let convolved = convolved.collect::<Result<Vec<_>>>()?;
        let derived = match &self.kind {
            Kind::Selective { rank, parameters, step } => {
                let derive = |x: &Tensor| -> Result<(Tensor, Tensor)> {
                    let parameters = parameters.forward(x)?;
                    let low = parameters.narrow(1, 0, *rank)?.contiguous()?;
                    Ok((step.forward(&low)?, parameters))
                };
                convolved.par_iter().map(derive).collect::<Result<Vec<_>>>()?
            }
            Kind::Heads { .. } => Vec::new(),
        };
        let (steps, parameters): (Vec<Tensor>, Vec<Tensor>) = derived.into_iter().unzip();
        let guards = [elements(&convolved)?, elements(&steps)?, elements(&parameters)?];
        let slices = guards.each_ref().map(|g| g.iter().map(|e| &**e).collect::<Vec<&[f32]>>());
        let rows = |blocks, width| FusedRows { blocks, block: projected.block, width };
        let x = rows(&slices[0], self.convolved);
        let (steps, vectors, limits) = match &self.kind {
            Kind::Selective { rank, .. } => {
                let steps = Columns { rows: rows(&slices[1], self.inner), from: 0 };
                let vectors = Columns { rows: rows(&slices[2], rank + 2 * self.states), from: *rank };
                (steps, vectors, (0.0, f32::INFINITY))
            }
            Kind::Heads { limits, .. } => {
                let steps = Columns { rows: projected, from: columns.steps };
                (steps, Columns { rows: x, from: self.inner }, *limits)
            }
        };
        let inputs = Inputs {
            runs: &walk.runs,
            states: self.states,
            x: Columns { rows: x, from: 0 },
            steps,
            b: vectors,
            c: Columns { from: vectors.from + self.groups() * self.states, ..vectors },
            limits,
        };
        let size = walk.previous.len() * LANES;
        let mut out = vec![0f32; self.channels.len() * size];
        out.par_chunks_mut(size.max(1)).zip(&self.channels).for_each(|(out, channels)| scan(inputs, channels, out));
        Ok(out)
    }

    /// [`Mamba::mix`] by tensor operations, the scan on the host.
    fn mix_plain(&self, projected: &[Tensor], block: usize, walk: &Walk) -> Result<Vec<Tensor>> {
        let all = Tensor::cat(projected, 0)?;
        let (device, dtype, pack) = (all.device(), all.dtype(), all.dim(0)?);
        let columns = self.columns();
        let x = all.narrow(1, columns.x, self.convolved)?.contiguous()?;
        let padded = Tensor::cat(&[&x, &Tensor::zeros((1, self.convolved), dtype, device)?], 0)?;
        let mut sum = self.taps_bias.broadcast_as(x.shape())?.contiguous()?;
        let mut at: Vec<u32> = (0..pack as u32).collect();
        for k in (0..self.taps.dim(0)?).rev() {
            let seen = padded.index_select(&Tensor::from_slice(&at, pack, device)?, 0)?;
            sum = (sum + seen.broadcast_mul(&self.taps.narrow(0, k, 1)?)?)?;
            for row in &mut at {
                *row = walk.previous.get(*row as usize).copied().unwrap_or(NONE).min(pack as u32);
            }
        }
        let x = mlp::plain(&sum, self.activation)?;
        let (steps, vectors, limits) = match &self.kind {
            Kind::Selective { rank, parameters, step } => {
                let parameters = parameters.forward(&x)?;
                let steps = step.forward(&parameters.narrow(1, 0, *rank)?.contiguous()?)?;
                (steps, parameters.narrow(1, *rank, 2 * self.states)?, (0.0, f32::INFINITY))
            }
            Kind::Heads { limits, .. } => {
                let heads = all.dim(1)? - columns.steps;
                let vectors = x.narrow(1, self.inner, self.convolved - self.inner)?;
                (all.narrow(1, columns.steps, heads)?, vectors, *limits)
            }
        };
        let y = mamba_plain::scan(
            &walk.runs,
            &self.channels,
            &host(&x.narrow(1, 0, self.inner)?)?,
            &host(&steps)?,
            &host(&vectors)?,
            limits,
        );
        // Gate and norm in f32 at least, as in the reference: squares leave the range of f16.
        let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
        let y = Tensor::from_vec(y, (pack, self.inner), &Device::Cpu)?.to_dtype(wide)?.to_device(device)?;
        let z = all.narrow(1, columns.z, self.inner)?.contiguous()?.to_dtype(wide)?;
        let mut y = (y * z.silu()?)?;
        if let Kind::Heads { groups, norm, eps, .. } = &self.kind {
            let grouped = y.reshape((pack, *groups, self.inner / groups))?;
            let scale = (grouped.sqr()?.mean_keepdim(2)? + f64::from(*eps))?.sqrt()?;
            let normed = grouped.broadcast_div(&scale)?.reshape((pack, self.inner))?;
            y = normed.broadcast_mul(&norm.to_dtype(wide)?)?;
        }
        let y = y.to_dtype(dtype)?;
        let tiles = (0..pack).step_by(block).map(|from| Ok(y.narrow(0, from, block.min(pack - from))?.contiguous()?));
        tiles.collect()
    }

    /// The projection of gated rows, to `[rows, D]`.
    pub fn output(&self) -> &Linear {
        &self.output
    }

    fn groups(&self) -> usize {
        match &self.kind {
            Kind::Selective { .. } => 1,
            Kind::Heads { groups, .. } => *groups,
        }
    }

    /// Where the parts of a projected row begin.
    fn columns(&self) -> Parts {
        match &self.kind {
            Kind::Selective { .. } => Parts { x: 0, z: self.inner, steps: 2 * self.inner },
            Kind::Heads { .. } => Parts { z: 0, x: self.inner, steps: self.inner + self.convolved },
        }
    }
}

/// First columns of what is convolved, of the gate, and of the time steps.
struct Parts {
    x: usize,
    z: usize,
    steps: usize,
}

impl Walk {
    fn of(layout: &PackLayout) -> Result<Self> {
        let mut previous: Vec<u32> =
            (0..layout.positions.len() as u32).map(|r| r.checked_sub(1).unwrap_or(NONE)).collect();
        let mut runs: Vec<Run> = Vec::with_capacity(layout.runs.len());
        let mut order = States::<u8>::new(0);
        let broken = || Error::Tensor(candle_core::Error::msg("the runs of a pack are not in depth-first order"));
        for (i, run) in layout.runs.iter().enumerate() {
            let rows = run.rows.start as usize..run.rows.end as usize;
            let before = run.path.iter().rev().nth(1).map(|ancestor| ancestor.end - 1);
            let parent = before.map(|row| runs.partition_point(|r| r.rows.end <= row as usize));
            order.enter(i, parent).ok_or_else(broken)?;
            *previous.get_mut(rows.start).ok_or_else(broken)? = before.unwrap_or(NONE);
            runs.push(Run { rows, parent });
        }
        Ok(Self { previous, runs })
    }
}

/// Channels in blocks, none of which goes over the end of a group. `rates` are logarithms, `[heads, N or 1]`; heads are as
/// many as there are skips.
fn channels(inner: usize, groups: usize, rates: &[f32], skip: &[f32], bias: &[f32]) -> Vec<Channels> {
    let (heads, width) = (skip.len(), inner / groups);
    let (per_head, states) = (inner / heads, rates.len() / heads);
    let mut blocks = Vec::new();
    for group in 0..groups {
        for from in (group * width..(group + 1) * width).step_by(LANES) {
            let used = LANES.min((group + 1) * width - from);
            let head = |l: usize| (from + l) / per_head;
            let lanes =
                |value: &dyn Fn(usize) -> f32| std::array::from_fn(|l| if l < used { value(head(l)) } else { 0.0 });
            blocks.push(Channels {
                from,
                width: used,
                group,
                heads: std::array::from_fn(|l| if l < used { head(l) } else { 0 }),
                bias: lanes(&|h| bias[h]),
                rates: (0..states).map(|n| lanes(&|h| -rates[h * states + n].exp())).collect(),
                skip: lanes(&|h| skip[h]),
            });
        }
    }
    blocks
}

fn elements(tensors: &[Tensor]) -> Result<Vec<Elements<'_>>> {
    tensors.iter().map(Elements::of).collect()
}

/// A matrix's elements on the host.
fn host(x: &Tensor) -> Result<Vec<f64>> {
    Ok(x.to_device(&Device::Cpu)?.to_dtype(DType::F64)?.contiguous()?.flatten_all()?.to_vec1()?)
}
