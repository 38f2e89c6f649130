//! Which layers of a decoder see a window of keys only.

use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

/// `sliding_window`; `default` where the key is absent. Null means no window.
///
/// # Errors
/// If the value is no size.
pub(super) fn window(c: &Config, default: Option<usize>) -> Result<Option<usize>> {
    if c.has("sliding_window") { c.opt_usize("sliding_window") } else { Ok(default) }
}

/// Which layers are of the sliding kind: as `layer_types` says, else by the family's rule.
///
/// # Errors
/// For a list of another length, or an unknown kind of layer.
pub(super) fn sliding(c: &Config, layers: usize, rule: impl Fn(usize) -> bool) -> Result<Vec<bool>> {
    let Some(types) = c.opt_strings("layer_types")? else { return Ok((0..layers).map(rule).collect()) };
    if types.len() != layers {
        return Err(c.error("layer_types", format!("has {} entries for {layers} layers", types.len())));
    }
    let kind = |name: &String| match name.as_str() {
        "full_attention" => Ok(false),
        "sliding_attention" => Ok(true),
        other => {
            Err(c
                .error("layer_types", format!("`{other}` is not supported (full_attention and sliding_attention are)")))
        }
    };
    types.iter().map(kind).collect()
}

/// Gives the sliding layers of a spec their window.
///
/// # Errors
/// As [`sliding`]; or if `layer_types` names sliding layers where there is no window.
pub(super) fn set(
    c: &Config,
    spec: &mut DecoderSpec,
    window: Option<usize>,
    rule: impl Fn(usize) -> bool,
) -> Result<()> {
    let sliding = sliding(c, spec.layers.len(), |i| window.is_some() && rule(i))?;
    if window.is_none() && sliding.contains(&true) {
        return Err(c.error("layer_types", "names sliding layers, but the other keys say that there is no window"));
    }
    for (i, attention) in spec.attentions_mut() {
        attention.window = window.filter(|_| sliding[i]);
    }
    Ok(())
}

/// The window behind Qwen's gate: only with `use_sliding_window`.
///
/// # Errors
/// If a value is of another type.
pub(super) fn gated(c: &Config) -> Result<Option<usize>> {
    let window = window(c, Some(4096))?;
    Ok(if c.bool_or("use_sliding_window", false)? { window } else { None })
}

/// Qwen's windows: behind the gate, on the layers from `max_window_layers` on.
///
/// # Errors
/// As [`set`].
pub(super) fn set_from(c: &Config, spec: &mut DecoderSpec) -> Result<()> {
    let first = c.opt_usize("max_window_layers")?.unwrap_or(28);
    set(c, spec, gated(c)?, |i| i >= first)
}
