//! Final norm, unembedding and log-softmax of the scored rows only. `[rows, V]` never exists: logits live for a tile of
//! rows and ids at a time.

use candle_core::{DType, Tensor};
use rayon::prelude::*;

use super::pack::ScoredRow;
use crate::Result;
use crate::model::ends::Exit;
use crate::model::kernels::gemm::{View, matmul_into};
use crate::model::kernels::log_softmax::RowState;
use crate::model::kernels::math::{self, Kernel};
use crate::model::slices::{Elements, has_kernels};

/// Rows in a tile of logits.
const ROW_TILE: usize = 256;
/// Ids in a tile of logits. Fixed, so that a row's sum has the same terms in the same order in every run.
const ID_TILE: usize = 1024;
/// Logits held at once on devices without our kernel.
const PLAIN_LOGITS: usize = 1 << 26;

/// Factor and cap of logits.
struct Finish<'a>(&'a mut [f32], f32, Option<f32>);

impl Kernel for Finish<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.0.iter_mut().for_each(|v| *v *= self.1);
        if let Some(cap) = self.2 {
            self.0.iter_mut().for_each(|v| *v = math::tanh(*v / cap) * cap);
        }
    }
}

/// A stretch of the unembedding: ids `first..first + rows`.
pub struct Stretch<'a> {
    /// First id.
    pub first: usize,
    /// `[ids, D]`.
    pub weight: &'a Tensor,
    /// `[ids]`.
    pub bias: Option<&'a Tensor>,
}

/// The scored rows of a pack on their way through the unembedding.
pub struct HeadRows {
    /// Rows `[n, E]` as the unembedding reads them.
    rows: Tensor,
    exit: Exit,
    /// For each row, the targets: indices into `targets`.
    of_row: Vec<std::ops::Range<usize>>,
    /// Ids asked for.
    ids: Vec<u32>,
    states: Vec<RowState>,
    /// Logit of each target.
    logits: Vec<f32>,
}

/// Log-probability of a target, and whether it had the largest logit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TokenScore {
    /// In nats; NaN if the row held NaN or infinity.
    pub logprob: f64,
    /// Whether the target was the argmax.
    pub greedy: bool,
}

impl HeadRows {
    /// Picks the scored rows out of blocks of `block` residual rows.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn new(blocks: &[Tensor], block: usize, scored: &[ScoredRow], exit: &Exit) -> Result<Self> {
        let mut picks: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
        let mut of_row: Vec<std::ops::Range<usize>> = Vec::new();
        let mut last = None;
        for (i, s) in scored.iter().enumerate() {
            if last == Some(s.row) {
                if let Some(range) = of_row.last_mut() {
                    range.end = i + 1;
                }
                continue;
            }
            last = Some(s.row);
            of_row.push(i..i + 1);
            picks[s.row as usize / block].push((s.row as usize % block) as u32);
        }
        let picked = blocks
            .iter()
            .zip(picks)
            .filter(|(_, p)| !p.is_empty())
            .map(|(b, p)| {
                let n = p.len();
                exit.forward(&b.index_select(&Tensor::from_vec(p, n, b.device())?, 0)?)
            })
            .collect::<Result<Vec<_>>>()?;
        let rows = Tensor::cat(&picked, 0)?;
        let (n, targets) = (of_row.len(), scored.len());
        let ids = scored.iter().map(|s| s.target).collect();
        Ok(Self {
            rows,
            of_row,
            ids,
            states: vec![RowState::default(); n],
            logits: vec![f32::NAN; targets],
            exit: exit.clone(),
        })
    }

    /// Takes in the logits of a stretch of ids. Stretches must come in order and begin at multiples of the id tile.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn absorb(&mut self, stretch: &Stretch<'_>) -> Result<()> {
        if has_kernels(&self.rows) { self.absorb_tiles(stretch) } else { self.absorb_plain(stretch) }
    }

    fn absorb_tiles(&mut self, stretch: &Stretch<'_>) -> Result<()> {
        let (ids, hidden) = stretch.weight.dims2()?;
        let (rows, weight) = (Elements::of(&self.rows)?, Elements::of(stretch.weight)?);
        let bias = stretch.bias.map(Elements::of).transpose()?;
        let (rows, weight, bias): (&[f32], &[f32], Option<&[f32]>) = (&rows, &weight, bias.as_deref());
        let (targets, exit) = (&self.ids, &self.exit);
        let found: Vec<Vec<(usize, f32)>> = self
            .states
            .par_chunks_mut(ROW_TILE)
            .zip(self.of_row.par_chunks(ROW_TILE))
            .zip(rows.par_chunks(ROW_TILE * hidden))
            .map(|((states, of_row), rows)| {
                let mut found = Vec::new();
                let mut logits = vec![0f32; states.len() * ID_TILE.min(ids)];
                for from in (0..ids).step_by(ID_TILE) {
                    let n = ID_TILE.min(ids - from);
                    let first = stretch.first + from;
                    let w = View::new(&weight[from * hidden..(from + n) * hidden], n, hidden, hidden);
                    matmul_into(&mut logits, n, false, View::new(rows, states.len(), hidden, hidden), w.t());
                    if !exit.keeps_logits() && bias.is_none() {
                        math::vectorized(Finish(&mut logits[..states.len() * n], exit.scale, exit.softcap));
                    }
                    for ((state, row), range) in states.iter_mut().zip(logits.chunks_exact_mut(n)).zip(of_row) {
                        if let Some(bias) = &bias {
                            row.iter_mut().zip(&bias[from..from + n]).for_each(|(l, b)| *l += b);
                            if !exit.keeps_logits() {
                                math::vectorized(Finish(row, exit.scale, exit.softcap));
                            }
                        }
                        state.absorb(row, first as u32);
                        for t in range.clone() {
                            if let Some(&logit) = (targets[t] as usize).checked_sub(first).and_then(|i| row.get(i)) {
                                found.push((t, logit));
                            }
                        }
                    }
                }
                found
            })
            .collect();
        for (t, logit) in found.into_iter().flatten() {
            self.logits[t] = logit;
        }
        Ok(())
    }

    /// By tensor operations: per row, the largest logit, its id and the sum of exponentials come back from the device.
    fn absorb_plain(&mut self, stretch: &Stretch<'_>) -> Result<()> {
        let ids = stretch.weight.dim(0)?;
        let at_once = (PLAIN_LOGITS / ids).max(1);
        for from in (0..self.of_row.len()).step_by(at_once) {
            let n = at_once.min(self.of_row.len() - from);
            let mut logits = self.rows.narrow(0, from, n)?.matmul(&stretch.weight.t()?)?;
            if let Some(bias) = stretch.bias {
                logits = logits.broadcast_add(bias)?;
            }
            if self.exit.scale != 1.0 {
                logits = (logits * f64::from(self.exit.scale))?;
            }
            if let Some(cap) = self.exit.softcap {
                logits = ((logits / f64::from(cap))?.tanh()? * f64::from(cap))?;
            }
            let logits = if logits.dtype() == DType::F64 { logits } else { logits.to_dtype(DType::F32)? };
            let top = logits.max_keepdim(1)?;
            let sums = logits.broadcast_sub(&top)?.exp()?.sum(1)?.to_dtype(DType::F64)?.to_vec1::<f64>()?;
            let tops = top.squeeze(1)?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
            let best = logits.argmax(1)?.to_vec1::<u32>()?;
            // NaN times zero is NaN: one sum a row tells whether all its logits are finite.
            let odd = (&logits * 0.0)?.sum(1)?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
            let mut wanted = Vec::new();
            for row in 0..n {
                self.states[from + row].merge(tops[row], best[row] + stretch.first as u32, sums[row], odd[row] == 0.0);
                for t in self.of_row[from + row].clone() {
                    if let Some(id) = (self.ids[t] as usize).checked_sub(stretch.first).filter(|i| *i < ids) {
                        wanted.push((t, (row * ids + id) as u32));
                    }
                }
            }
            if wanted.is_empty() {
                continue;
            }
            let (slots, flat): (Vec<usize>, Vec<u32>) = wanted.into_iter().unzip();
            let count = flat.len();
            let picked = logits.flatten_all()?.index_select(&Tensor::from_vec(flat, count, logits.device())?, 0)?;
            for (t, logit) in slots.into_iter().zip(picked.to_dtype(DType::F32)?.to_vec1::<f32>()?) {
                self.logits[t] = logit;
            }
        }
        Ok(())
    }

    /// The score of each target, in the order of the pack's scored rows.
    pub fn scores(&self) -> Vec<TokenScore> {
        let mut scores = Vec::with_capacity(self.ids.len());
        for (state, range) in self.states.iter().zip(&self.of_row) {
            for t in range.clone() {
                let greedy = state.argmax() == self.ids[t];
                scores.push(TokenScore { logprob: state.log_prob(self.logits[t]), greedy });
            }
        }
        scores
    }

    /// The number of ids in a tile; stretches begin at its multiples.
    pub const fn tile() -> usize {
        ID_TILE
    }
}
