//! Layer-major execution: every pack through a layer before the next layer, or every layer for a pack before the next
//! pack. Resident weights stay; streamed weights are read layer by layer and dropped.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use candle_core::Tensor;
use rayon::prelude::*;

use super::head::{HeadRows, Stretch, TokenScore};
use super::pack::{Pack, Plan};
use super::{Engine, WeightsMode};
use crate::Result;
use crate::model::decoder::{Layer, rope_tables};
use crate::model::ends::{Entry, Exit};
use crate::model::linear::Linear;
use crate::model::load::Loader;
use crate::model::rope::RopeTable;

/// Weights that stay in memory.
pub(super) struct Resident {
    embedding: Tensor,
    positions: Option<Tensor>,
    entry: Entry,
    layers: Vec<Layer>,
    head: Linear,
}

/// The rotary tables of each layer, by length class.
type Ropes = BTreeMap<usize, Vec<Option<Arc<RopeTable>>>>;

/// A pack on its way through the network: residual rows in blocks.
struct Flow<'p> {
    pack: &'p Pack,
    block: usize,
    blocks: Vec<Tensor>,
}

/// Scores of a plan's slots, one column a tap.
#[derive(Clone, Debug)]
pub struct Scores {
    taps: usize,
    scores: Vec<TokenScore>,
}

impl Scores {
    /// Scores of a slot: one for each tap, in the order of the taps.
    pub fn slot(&self, slot: usize) -> &[TokenScore] {
        &self.scores[slot * self.taps..(slot + 1) * self.taps]
    }
}

/// What has just been finished.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// Packs finished so far: the slots of `plan.packs[..packs]` are scored.
    pub packs: usize,
    /// Tokens computed so far, as a share of each streamed layer where weights are streamed.
    pub tokens: usize,
}

impl Resident {
    pub(super) fn load(engine: &Engine, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Self> {
        let (spec, loader) = (&engine.model.spec, engine.loader());
        let count = spec.layers.len() + 1;
        let finished = std::sync::atomic::AtomicUsize::new(0);
        let tick = || progress(finished.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, count);
        let embedding = loader.tensor(&spec.embedding.tokens, &[spec.vocab, spec.embedding.width])?;
        let positions = match &spec.embedding.positions {
            Some(p) => Some(loader.tensor(&p.table, &[p.rows, spec.hidden])?),
            None => None,
        };
        let entry = Entry::load(&loader, &spec.embedding, spec.hidden)?;
        let head = match spec.output.head.parts.first().filter(|_| spec.tied) {
            Some(part) => {
                let bias = part.bias.as_ref().map(|b| loader.tensor(b, &[part.outputs])).transpose()?;
                Linear::new(embedding.clone(), bias)
            }
            None => Linear::load(&loader, &spec.output.head)?,
        };
        tick();
        let layers = engine.pool.install(|| {
            spec.layers
                .par_iter()
                .map(|l| {
                    let layer = Layer::load(&loader, l, spec.hidden);
                    tick();
                    layer
                })
                .collect::<Result<Vec<_>>>()
        })?;
        Ok(Self { embedding, positions, entry, layers, head })
    }
}

impl Engine {
    /// Scores every slot of a plan after each of the layers `taps` (0: the embedding; L: the model's own output), each
    /// through the final norm and the unembedding. `done` hears of progress, and may stop the run with an error.
    ///
    /// # Errors
    /// What `done` returns; a tensor that cannot be read (streamed weights); a tensor operation that fails.
    pub fn run(
        &self,
        plan: &Plan,
        taps: &[usize],
        done: &mut dyn FnMut(Done, &Scores) -> Result<()>,
    ) -> Result<Scores> {
        let started = Instant::now();
        let empty = TokenScore { logprob: f64::NAN, greedy: false };
        let mut scores = Scores { taps: taps.len(), scores: vec![empty; plan.scored() * taps.len()] };
        let mut ropes = Ropes::new();
        for pack in &plan.packs {
            let tables = || rope_tables(&self.model.spec, pack.class, plan.positions.max(1));
            ropes.entry(pack.class).or_insert_with(tables);
        }
        let exit = Exit::load(&self.loader(), &self.model.spec)?;
        let mut from = 0;
        while from < plan.packs.len() {
            let to = from + self.batch(&plan.packs[from..]);
            self.run_batch(plan, from..to, taps, &ropes, &exit, &mut scores, done)?;
            from = to;
        }
        tracing::debug!(seconds = started.elapsed().as_secs_f64(), packs = plan.packs.len(), "run finished");
        Ok(scores)
    }

    /// Packs that go through the network together: one with resident weights; with streamed weights as many as their
    /// residual rows have room for.
    fn batch(&self, packs: &[Pack]) -> usize {
        if self.mode == WeightsMode::Resident {
            return 1;
        }
        let row = self.model.spec.hidden * self.model.dtype.size_in_bytes();
        let mut bytes = 0;
        let fitting = packs.iter().take_while(|p| {
            bytes += p.tokens.len() * row;
            bytes <= super::memory::STREAM_ROWS
        });
        fitting.count().max(1)
    }

    #[expect(clippy::too_many_arguments, reason = "the state of one run, used in one place")]
    fn run_batch(
        &self,
        plan: &Plan,
        range: std::ops::Range<usize>,
        taps: &[usize],
        ropes: &Ropes,
        exit: &Exit,
        scores: &mut Scores,
        done: &mut dyn FnMut(Done, &Scores) -> Result<()>,
    ) -> Result<()> {
        let layers = self.model.spec.layers.len();
        let before: usize = plan.packs[..range.start].iter().map(|p| p.tokens.len()).sum();
        let tokens: usize = plan.packs[range.clone()].iter().map(|p| p.tokens.len()).sum();
        let mut flows = self.embed(&plan.packs[range.clone()])?;
        for depth in 0..=layers {
            if depth > 0 {
                let layer = self.layer(depth - 1)?;
                for flow in &mut flows {
                    let rope = ropes.get(&flow.pack.class).and_then(|tables| tables[depth - 1].as_deref());
                    self.advance(&layer, rope, flow)?;
                }
                done(Done { packs: range.start, tokens: before + tokens * depth / (layers + 1) }, scores)?;
            }
            for (tap, _) in taps.iter().enumerate().filter(|(_, t)| **t == depth) {
                self.score(&flows, exit, |slot, score| scores.scores[slot as usize * taps.len() + tap] = score)?;
            }
        }
        done(Done { packs: range.end, tokens: before + tokens }, scores)
    }

    /// One pack through one layer.
    fn advance(&self, layer: &Layer, rope: Option<&RopeTable>, flow: &mut Flow<'_>) -> Result<()> {
        let layout = &flow.pack.layout;
        let block = flow.block;
        self.pool.install(|| {
            let fused = flow
                .blocks
                .par_iter()
                .zip(layout.positions.par_chunks(block))
                .map(|(x, positions)| layer.project(x, rope, positions))
                .collect::<Result<Vec<_>>>()?;
            let fused = layer.mix(fused, block, layout)?;
            flow.blocks = flow
                .blocks
                .par_iter()
                .enumerate()
                .map(|(i, x)| layer.finish(x, i, block, &fused, layout))
                .collect::<Result<Vec<_>>>()?;
            Ok(())
        })
    }

    /// A layer's weights: those that stay, or freshly read ones.
    fn layer(&self, i: usize) -> Result<std::borrow::Cow<'_, Layer>> {
        match &self.resident {
            Some(r) => Ok(std::borrow::Cow::Borrowed(&r.layers[i])),
            None => Ok(std::borrow::Cow::Owned(Layer::load(
                &self.loader(),
                &self.model.spec.layers[i],
                self.model.spec.hidden,
            )?)),
        }
    }

    /// The first residual rows of some packs.
    fn embed<'p>(&self, packs: &'p [Pack]) -> Result<Vec<Flow<'p>>> {
        let spec = &self.model.spec;
        let entry = match &self.resident {
            Some(r) => r.entry.clone(),
            None => Entry::load(&self.loader(), &spec.embedding, spec.hidden)?,
        };
        packs
            .iter()
            .map(|pack| {
                let shape = [spec.vocab, spec.embedding.width];
                let tokens = match &self.resident {
                    Some(r) => r.embedding.index_select(&self.ids(&pack.tokens)?, 0)?,
                    None => gather_rows(&self.loader(), &spec.embedding.tokens, &shape, &pack.tokens)?,
                };
                let positions = match &spec.embedding.positions {
                    None => None,
                    Some(p) => {
                        let rows: Vec<u32> = pack.layout.positions.iter().map(|i| i + p.offset as u32).collect();
                        Some(match self.resident.as_ref().and_then(|r| r.positions.as_ref()) {
                            Some(t) => t.index_select(&self.ids(&rows)?, 0)?,
                            None => gather_rows(&self.loader(), &p.table, &[p.rows, spec.hidden], &rows)?,
                        })
                    }
                };
                let rows = entry.forward(tokens, positions)?;
                let block = self.block(pack.tokens.len());
                let blocks = (0..pack.tokens.len())
                    .step_by(block)
                    .map(|from| rows.narrow(0, from, block.min(pack.tokens.len() - from)))
                    .collect::<candle_core::Result<Vec<_>>>()?;
                Ok(Flow { pack, block, blocks })
            })
            .collect()
    }

    fn ids(&self, ids: &[u32]) -> Result<Tensor> {
        Ok(Tensor::new(ids, &self.model.device)?)
    }

    /// Scored rows of some packs through the head; `put` takes each slot's score.
    fn score(&self, flows: &[Flow<'_>], exit: &Exit, mut put: impl FnMut(u32, TokenScore)) -> Result<()> {
        let flows: Vec<&Flow<'_>> = flows.iter().filter(|f| !f.pack.scored.is_empty()).collect();
        let mut heads = flows
            .iter()
            .map(|f| HeadRows::new(&f.blocks, f.block, &f.pack.scored, exit))
            .collect::<Result<Vec<_>>>()?;
        let mut absorb = |stretch: &Stretch<'_>| -> Result<()> {
            self.pool.install(|| heads.iter_mut().try_for_each(|h| h.absorb(stretch)))
        };
        match &self.resident {
            Some(r) => absorb(&Stretch { first: 0, weight: r.head.weight(), bias: r.head.bias() })?,
            None => self.stream_head(&mut absorb)?,
        }
        for (flow, head) in flows.iter().zip(&heads) {
            for (scored, score) in flow.pack.scored.iter().zip(head.scores()) {
                scored.slots.iter().for_each(|s| put(*s, score));
            }
        }
        Ok(())
    }

    /// The unembedding, a stretch of ids at a time.
    fn stream_head(&self, absorb: &mut dyn FnMut(&Stretch<'_>) -> Result<()>) -> Result<()> {
        let (spec, loader) = (&self.model.spec, self.loader());
        let tile = HeadRows::tile();
        let head = &spec.output.head;
        let rows = (super::memory::STREAM_HEAD / (4 * head.inputs) / tile).max(1) * tile;
        // A head is one part in the order of use; its rows can be read some at a time.
        for part in &head.parts {
            for first in (0..part.outputs).step_by(rows) {
                let n = rows.min(part.outputs - first);
                let weight = loader.read_rows(&part.weight, &[part.outputs, head.inputs], first..first + n)?;
                let weight = loader.place(weight, &[n, head.inputs])?;
                let bias = match &part.bias {
                    Some(name) => {
                        Some(loader.place(loader.read(name, &[part.outputs])?[first..first + n].to_vec(), &[n])?)
                    }
                    None => None,
                };
                absorb(&Stretch { first, weight: &weight, bias: bias.as_ref() })?;
            }
        }
        Ok(())
    }
}

/// Rows `wanted` of a matrix that is read a stretch at a time.
fn gather_rows(
    loader: &Loader<'_>,
    name: &crate::model::spec::TensorName,
    shape: &[usize; 2],
    wanted: &[u32],
) -> Result<Tensor> {
    let [rows, width] = *shape;
    let at_once = (super::memory::STREAM_HEAD / (4 * width)).max(1);
    let mut out = vec![0f32; wanted.len() * width];
    for first in (0..rows).step_by(at_once) {
        let n = at_once.min(rows - first);
        let inside = |id: u32| (id as usize).checked_sub(first).filter(|i| *i < n);
        if !wanted.iter().any(|id| inside(*id).is_some()) {
            continue;
        }
        let stretch = loader.read_rows(name, shape, first..first + n)?;
        for (o, id) in out.chunks_exact_mut(width).zip(wanted) {
            if let Some(i) = inside(*id) {
                o.copy_from_slice(&stretch[i * width..(i + 1) * width]);
            }
        }
    }
    loader.place(out, &[wanted.len(), width])
}
