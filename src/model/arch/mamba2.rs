//! Mamba-2: a state space with one time step and one rate of decay a head, and a norm after the gate.
//!
//! The reference always norms, by groups and after the gate, so that `rms_norm` and `norm_before_gate` change nothing;
//! nor does `chunk_size`, which is how it computes and not what.

use super::mamba::{Shape, mixer_name};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, MambaKind};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Shape::read(c, 128)?;
    let (heads, head_dim) = (c.usize_or("num_heads", 128)?, c.usize_or("head_dim", 64)?);
    let groups = c.usize_or("n_groups", 8)?;
    let inner = c.size("head_dim", heads * head_dim)?;
    if inner != shape.expanded {
        let expanded = shape.expanded;
        return Err(c.contradiction(format!(
            "keys `num_heads` and `head_dim`: {heads} heads of {head_dim} channels are not the {expanded} channels that \
             `hidden_size` and `expand` give"
        )));
    }
    if heads % groups != 0 {
        return Err(c.error("n_groups", format!("{heads} heads do not divide into {groups} groups")));
    }
    let limits = match c.opt_numbers("time_step_limit")?.as_deref() {
        None => (0.0, f32::INFINITY),
        Some([least, most]) if least <= most => (*least as f32, *most as f32),
        Some(_) => return Err(c.error("time_step_limit", "must be two numbers, the smaller one first")),
    };
    let vectors = c.size("state_size", (2 * groups).saturating_mul(shape.states))?;
    c.size("state_size", inner * shape.states)?;
    let mixer = |i: usize| {
        let kind = MambaKind::Heads {
            heads,
            groups,
            step_bias: mixer_name(i, "dt_bias"),
            limits,
            norm: (mixer_name(i, "norm.weight"), shape.eps),
        };
        shape.mixer(i, inner, 2 * inner + vectors + heads, kind)
    };
    shape.spec(c, "mamba2", c.bool_or("tie_word_embeddings", false)?, mixer)
}
