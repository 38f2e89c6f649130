//! OLMo 3: OLMo 2 with windows on three layers of four; scaled positions concern the others.

use super::llama_shape::Defaults;
use super::olmo2::{self, OLMO2};
use super::rope::{self, LLAMA_ROPE, RopeDefaults};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

const ROPE: RopeDefaults = RopeDefaults { theta: 5e5, ..LLAMA_ROPE };
/// The sliding layers' θ has no key of its own at the top level: the class's default stays, as in the reference.
const SLIDING: RopeDefaults = RopeDefaults { theta_key: "", partial_key: "", ..ROPE };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let mut spec = olmo2::read(c, "olmo3", &Defaults { rope: ROPE, ..OLMO2 })?;
    windows::set(c, &mut spec, windows::window(c, Some(4096))?, |i| (i + 1) % 4 != 0)?;
    let (scaled, sliding) = rope::by_kind(c)?;
    let context = spec.context_length;
    for (_, attention) in spec.attentions_mut() {
        let (object, defaults) = if attention.window.is_some() { (&sliding, SLIDING) } else { (&scaled, ROPE) };
        let rope = rope::from_object(c, "rope_parameters", object.as_ref(), attention.head_dim, context, defaults)?;
        attention.rope = Some(rope);
    }
    Ok(spec)
}
