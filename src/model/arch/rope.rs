//! Rotary positions as they stand in config.json, in either dialect.

use crate::model::config::Config;
use crate::model::rope::{MAX_HEAD, RopeLayout, RopeSpec, Scaling, yarn_mscale};
use crate::{Error, Result};

/// What a family takes where its configuration is silent, and how it spells its keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct RopeDefaults {
    /// Older name of θ at the top level.
    pub(super) theta_key: &'static str,
    /// θ where it is nowhere given.
    pub(super) theta: f64,
    /// Older name of the rotary share of a head at the top level.
    pub(super) partial_key: &'static str,
    /// The share where it is nowhere given.
    pub(super) partial: f64,
    /// Phi-3's ways: `yarn` is an older name of longrope, and `original_max_position_embeddings` has a default.
    pub(super) long: Option<f64>,
}

/// Keys of llama and the families that follow it.
pub(super) const LLAMA_ROPE: RopeDefaults = RopeDefaults {
    theta_key: "rope_theta",
    theta: 10_000.0,
    partial_key: "partial_rotary_factor",
    partial: 1.0,
    long: None,
};

/// Reads half-split rotary positions from either dialect of config.json: `rope_parameters`, or `rope_theta` with
/// `rope_scaling`. `context` is `max_position_embeddings`.
///
/// # Errors
/// For a rule that is not supported, or a missing or impossible number, naming the key.
pub(super) fn from_config(
    config: &Config,
    head_dim: usize,
    context: Option<usize>,
    defaults: RopeDefaults,
) -> Result<RopeSpec> {
    // A `rope_scaling` object replaces `rope_parameters`, as in the reference.
    let (key, object) = match config.object("rope_scaling")? {
        Some(o) => ("rope_scaling", Some(o)),
        None => ("rope_parameters", config.object("rope_parameters")?),
    };
    from_object(config, key, object.as_ref(), head_dim, context, defaults)
}

/// As [`from_config`], from an object that a family has found under `key`; without one the top level alone counts.
///
/// # Errors
/// As [`from_config`].
pub(super) fn from_object(
    config: &Config,
    key: &str,
    object: Option<&Config>,
    head_dim: usize,
    context: Option<usize>,
    defaults: RopeDefaults,
) -> Result<RopeSpec> {
    let number = |inner: &str, outer: &str, default: f64| -> Result<f64> {
        let within = match object {
            Some(o) => o.opt_f64(inner)?,
            None => None,
        };
        match within {
            Some(v) => Ok(v),
            None => config.f64_or(outer, default),
        }
    };
    let theta = number("rope_theta", defaults.theta_key, defaults.theta)?;
    let partial = number("partial_rotary_factor", defaults.partial_key, defaults.partial)?;
    if !(2..=MAX_HEAD).contains(&head_dim) {
        let key = if config.has("head_dim") { "head_dim" } else { "num_attention_heads" };
        return Err(config.error(key, format!("gives heads of width {head_dim}; 2 to {MAX_HEAD} are possible")));
    }
    let most = head_dim / 2 * 2;
    let dim = (head_dim as f64 * partial) as usize;
    if !(1..=most).contains(&dim) {
        return Err(config.error(
            defaults.partial_key,
            format!("gives {dim} rotary dimensions of {head_dim}; 1 to {most} are possible"),
        ));
    }
    if theta <= 0.0 {
        return Err(config.error(defaults.theta_key, format!("must be positive, is {theta}")));
    }
    let scaling = match object {
        None => Scaling::Default,
        Some(o) => scaling_from_config(config, key, o, dim, context, defaults.long)?,
    };
    Ok(RopeSpec::new(dim, theta, RopeLayout::HalfSplit, scaling))
}

/// The rope objects of full and of sliding layers: `rope_scaling` (for full layers), or those in `rope_parameters`.
///
/// # Errors
/// If one of them is no object.
pub(super) fn by_kind(config: &Config) -> Result<(Option<Config>, Option<Config>)> {
    let parameters = config.object("rope_parameters")?;
    let kind = |name: &str| parameters.as_ref().map(|p| p.object(name)).transpose().map(Option::flatten);
    let full = match config.object("rope_scaling")? {
        Some(scaling) => Some(scaling),
        None => kind("full_attention")?,
    };
    Ok((full, kind("sliding_attention")?))
}

fn scaling_from_config(
    config: &Config,
    key: &str,
    o: &Config,
    dim: usize,
    context: Option<usize>,
    default_original: Option<f64>,
) -> Result<Scaling> {
    let rule = match o.first(&["rope_type", "type"]) {
        None => return Ok(Scaling::Default),
        Some(k) => o.opt_str(k)?.unwrap_or("default"),
    };
    let rule = if rule == "yarn" && default_original.is_some() { "longrope" } else { rule };
    let required =
        |k: &str| o.opt_f64(k)?.ok_or_else(|| o.error(k, format!("is missing, and rope type `{rule}` needs it")));
    let positive = |k: &str, v: f64| if v > 0.0 { Ok(v) } else { Err(o.error(k, format!("must be positive, is {v}"))) };
    let original = || -> Result<Option<f64>> {
        // A class's default stands at the top level, and so wins over the object's own.
        match config.opt_f64("original_max_position_embeddings")?.or(default_original) {
            Some(v) => Ok(Some(v)),
            None => Ok(o.opt_f64("original_max_position_embeddings")?.or(context.map(|c| c as f64))),
        }
    };
    let need_original = |v: Option<f64>| match v {
        Some(v) => positive("original_max_position_embeddings", v),
        None => Err(o.error("original_max_position_embeddings", "is missing")),
    };
    match rule {
        // Multimodal models say `mrope`; on text alone it is the plain rule.
        "default" | "mrope" => Ok(Scaling::Default),
        "linear" => Ok(Scaling::Linear { factor: positive("factor", required("factor")?)? }),
        "llama3" => Ok(Scaling::Llama3 {
            factor: positive("factor", required("factor")?)?,
            low: required("low_freq_factor")?,
            high: required("high_freq_factor")?,
            original: need_original(original()?)?,
        }),
        "yarn" => {
            let original = need_original(original()?)?;
            let factor = match (o.opt_f64("factor")?, context) {
                (Some(f), _) => positive("factor", f)?,
                (None, Some(c)) => c as f64 / original,
                (None, None) => return Err(o.error("factor", "is missing")),
            };
            // A zero counts as unset, as it does in the reference.
            let set = |k: &str| Ok::<_, Error>(o.opt_f64(k)?.filter(|v| *v != 0.0));
            let attention_factor = match (o.opt_f64("attention_factor")?, set("mscale")?, set("mscale_all_dim")?) {
                (Some(a), _, _) => a,
                (None, Some(m), Some(all)) => yarn_mscale(factor, m) / yarn_mscale(factor, all),
                _ => yarn_mscale(factor, 1.0),
            };
            Ok(Scaling::Yarn {
                factor,
                original,
                beta_fast: set("beta_fast")?.unwrap_or(32.0),
                beta_slow: set("beta_slow")?.unwrap_or(1.0),
                truncate: o.bool_or("truncate", true)?,
                attention_factor,
            })
        }
        "dynamic" => {
            let original = context.ok_or_else(|| config.error("max_position_embeddings", "is missing"))?;
            if dim < 4 {
                return Err(o.error("rope_type", format!("`dynamic` needs 4 rotary dimensions or more, not {dim}")));
            }
            Ok(Scaling::Dynamic { factor: positive("factor", required("factor")?)?, original })
        }
        "longrope" | "su" => long(config, o, dim, context, original()?),
        other => Err(config.error(
            key,
            format!("rope type `{other}` is not supported (default, linear, dynamic, yarn, llama3 and longrope are)"),
        )),
    }
}

/// Longrope: lists of divisors, and a factor that follows from the extension.
fn long(config: &Config, o: &Config, dim: usize, context: Option<usize>, original: Option<f64>) -> Result<Scaling> {
    let original =
        original.filter(|n| *n >= 1.0).ok_or_else(|| o.error("original_max_position_embeddings", "is missing"))?;
    let divisors = |key: &str| -> Result<Vec<f64>> {
        let list = o.opt_numbers(key)?.ok_or_else(|| o.error(key, "is missing, and longrope needs it"))?;
        if list.len() != dim / 2 {
            return Err(o.error(key, format!("has {} entries for {} pairs of rotary dimensions", list.len(), dim / 2)));
        }
        match list.iter().find(|d| !(d.is_finite() && **d > 0.0)) {
            Some(d) => Err(o.error(key, format!("holds {d}; positive numbers are needed"))),
            None => Ok(list),
        }
    };
    let factor = match (o.opt_f64("factor")?, context) {
        (Some(f), _) => f,
        (None, Some(c)) => c as f64 / original,
        (None, None) => return Err(config.error("max_position_embeddings", "is missing")),
    };
    let attention_factor = match o.opt_f64("attention_factor")? {
        Some(a) => a,
        None if factor <= 1.0 => 1.0,
        None => (1.0 + factor.ln() / original.ln()).sqrt(),
    };
    let (short, long) = (divisors("short_factor")?, divisors("long_factor")?);
    Ok(Scaling::Long { short, long, original: original as usize, attention_factor })
}
