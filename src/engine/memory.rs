//! How much memory a run needs, and what is free.

use crate::model::spec::DecoderSpec;

/// Bytes of residual rows that a streamed batch may hold.
pub const STREAM_ROWS: usize = 160 << 20;
/// Bytes of the unembedding, or of the embedding, that are read at a time when streamed.
pub const STREAM_HEAD: usize = 32 << 20;
/// Bytes that the buffers of a pack may take; decides the default token budget.
const WORKSPACE: usize = 256 << 20;
/// Largest and smallest default token budget.
const BUDGETS: std::ops::RangeInclusive<usize> = 512..=16_384;

/// Bytes of the buffers of one row of a pack: residual (old and new) and fused projections.
fn row_bytes(spec: &DecoderSpec, element: usize) -> usize {
    let fused = spec.layers.iter().map(|l| l.attention.qkv_width()).max().unwrap_or(0);
    element * (2 * spec.hidden + fused)
}

/// Tokens in a pack where none are asked for: what fits into the workspace.
pub fn default_budget(spec: &DecoderSpec, element: usize) -> usize {
    (WORKSPACE / row_bytes(spec, element).max(1)).clamp(*BUDGETS.start(), *BUDGETS.end())
}

/// What a run needs, in bytes, beside the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// With resident weights.
    pub resident: usize,
    /// With streamed weights.
    pub streamed: usize,
}

/// Estimates the need of a model with elements of `element` bytes and packs of `budget` tokens.
pub fn need(spec: &DecoderSpec, element: usize, budget: usize) -> Need {
    let pack = budget * row_bytes(spec, element);
    let per_layer = spec.layers.iter().map(|l| {
        [&l.attention.qkv, &l.attention.output, &l.mlp.input, &l.mlp.output]
            .iter()
            .map(|s| s.parameters())
            .sum::<usize>()
    });
    let layer = per_layer.max().unwrap_or(0) * element;
    Need { resident: spec.parameters() * element + pack, streamed: 2 * layer + STREAM_ROWS + 2 * STREAM_HEAD + pack }
}

/// Bytes that are free on this machine, a container's limit included.
pub fn free() -> usize {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let free =
        system.cgroup_limits().map_or(system.available_memory(), |c| c.free_memory.min(system.available_memory()));
    usize::try_from(free).unwrap_or(usize::MAX)
}
