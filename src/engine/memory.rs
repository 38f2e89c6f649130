//! How much memory a run needs, and what is free.

use serde::Serialize;

use super::{Model, WeightsMode};
use crate::model::spec::{DecoderSpec, LayerSpec};

/// Bytes of residual rows that a streamed batch may hold.
pub const STREAM_ROWS: usize = 160 << 20;
/// Bytes of the unembedding, or of the embedding, that are read at a time when streamed.
pub const STREAM_HEAD: usize = 32 << 20;
/// Bytes that the buffers of a pack may take.
const WORKSPACE: usize = 256 << 20;
/// Operations in a pack on the CPU: half a minute or so, since a pack is what an interrupted run loses.
const PACK_FLOPS: usize = 4_000_000_000_000;
/// Largest and smallest default token budget.
const BUDGETS: std::ops::RangeInclusive<usize> = 512..=16_384;
/// Requests of the greatest length for which a pack has room, so that a shared prefix is not computed again and again.
const LONGEST: usize = 8;

/// Bytes of the buffers of one row of a pack: residual (old and new) and fused projections.
fn row_bytes(spec: &DecoderSpec, element: usize) -> usize {
    let fused = spec.layers.iter().map(LayerSpec::mixer_width).max().unwrap_or(0);
    element.saturating_mul(fused.saturating_add(2 * spec.hidden))
}

/// Tokens in a pack where none are asked for: what fits into the workspace and is computed in reasonable time, but room
/// for some requests of `longest` inputs.
pub fn default_budget(model: &Model, longest: usize) -> usize {
    budget(&model.spec, model.dtype.size_in_bytes(), model.device.is_cpu(), longest)
}

/// As [`default_budget`], of a description alone, for elements of `element` bytes.
pub fn budget(spec: &DecoderSpec, element: usize, on_cpu: bool, longest: usize) -> usize {
    let room = WORKSPACE / row_bytes(spec, element).max(1);
    let time = if on_cpu { PACK_FLOPS / spec.flops_per_token().max(1) } else { usize::MAX };
    room.min(time).clamp(*BUDGETS.start(), *BUDGETS.end()).max(LONGEST * longest)
}

/// What a run needs, in bytes, beside the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// With resident weights.
    pub resident: usize,
    /// With streamed weights.
    pub streamed: usize,
}

/// Estimates the need of a model with elements of `element` bytes and packs of `budget` tokens.
pub fn need(spec: &DecoderSpec, element: usize, budget: usize) -> Need {
    let pack = budget.saturating_mul(row_bytes(spec, element));
    let layer = spec.layers.iter().map(|l| l.parameters(spec.hidden)).max().unwrap_or(0).saturating_mul(element);
    Need {
        resident: spec.parameters().saturating_mul(element).saturating_add(pack),
        streamed: layer.saturating_mul(2).saturating_add(STREAM_ROWS + 2 * STREAM_HEAD).saturating_add(pack),
    }
}

/// Bytes that are free on this machine, a container's limit included.
pub fn free() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let free =
        system.cgroup_limits().map_or(system.available_memory(), |c| c.free_memory.min(system.available_memory()));
    usize::try_from(free).unwrap_or(usize::MAX)
}

/// The weights mode of a model where none is asked for: resident if that fits into free memory, with some to spare.
pub fn choose(model: &Model, budget: usize) -> WeightsMode {
    let need = need(&model.spec, model.dtype.size_in_bytes(), budget).resident;
    if !model.device.is_cpu() || need < free() / 10 * 9 { WeightsMode::Resident } else { WeightsMode::Stream }
}
