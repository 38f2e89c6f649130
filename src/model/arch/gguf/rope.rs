//! Rotary positions as they stand in a GGUF file: metadata under `rope.`, and tensors with divisors of the frequencies.

use serde_json::{Map, Value, json};

use super::keys::Keys;
use crate::Result;
use crate::model::rope::{MAX_HEAD, yarn_mscale};
use crate::model::spec::DecoderSpec;
use crate::model::weights::TensorSource;

/// Llama 3's rule: a divisor for each frequency.
const DIVISORS: &str = "rope_freqs.weight";
/// Longrope: divisors for short requests, and for long ones.
const FACTORS: [&str; 2] = ["rope_factors_short.weight", "rope_factors_long.weight"];

/// Sets `rope_parameters` from the metadata, for heads of width `head_dim`.
pub(super) fn set(k: &mut Keys<'_>, head_dim: usize) -> Result<()> {
    let parameters = parameters(k, head_dim)?;
    k.set("rope_parameters", Value::Object(parameters));
    Ok(())
}

/// As [`set`], with plain positions of their own for the layers with a window: of base θ `rope.freq_base_swa`, else
/// `local`, else that of the others.
pub(super) fn set_by_kind(k: &mut Keys<'_>, head_dim: usize, local: Option<f64>) -> Result<()> {
    let full = parameters(k, head_dim)?;
    let theta = match (k.number("rope.freq_base_swa")?, local) {
        (Some(theta), _) | (None, Some(theta)) => json!(theta),
        (None, None) => full["rope_theta"].clone(),
    };
    let sliding = json!({"rope_type": "default", "rope_theta": theta});
    k.set("rope_parameters", json!({"full_attention": full, "sliding_attention": sliding}));
    Ok(())
}

fn parameters(k: &mut Keys<'_>, head_dim: usize) -> Result<Map<String, Value>> {
    let dim = k.integer("rope.dimension_count")?.unwrap_or(head_dim);
    if dim == 0 || dim % 2 != 0 || dim > head_dim || head_dim > MAX_HEAD {
        return Err(k.error("rope.dimension_count", format!("{dim} rotary dimensions of {head_dim} are impossible")));
    }
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| out.insert(key.to_string(), value);
    put("rope_theta", json!(k.number("rope.freq_base")?.unwrap_or(10_000.0)));
    // Half a dimension more, so that the share times the width is not below a whole number.
    put("partial_rotary_factor", json!(if dim == head_dim { 1.0 } else { (dim as f64 + 0.5) / head_dim as f64 }));
    let factor = match k.number("rope.scaling.factor")? {
        Some(f) => Some(f),
        None => k.number("rope.scale_linear")?,
    };
    let kind = match k.text("rope.scaling.type")? {
        Some(kind) => kind,
        None if k.has(FACTORS[1]) => "longrope",
        // What a factor without a type means.
        None if factor.is_some_and(|f| f != 0.0 && f != 1.0) => "linear",
        None => "none",
    };
    let original = k.number("rope.scaling.original_context_length")?;
    for (key, value) in [("factor", factor), ("original_max_position_embeddings", original)] {
        if kind != "none"
            && let Some(v) = value
        {
            put(key, json!(v));
        }
    }
    match kind {
        "none" => put("rope_type", json!("default")),
        "linear" => put("rope_type", json!("linear")),
        "yarn" => {
            for (from, to) in [("yarn_beta_fast", "beta_fast"), ("yarn_beta_slow", "beta_slow")] {
                if let Some(v) = k.number(&format!("rope.scaling.{from}"))? {
                    put(to, json!(v));
                }
            }
            // One multiplies the rule's own factor on the scores, the other replaces it.
            if let Some(v) = k.number("rope.scaling.attn_factor")?.filter(|v| *v != 1.0) {
                put("attention_factor", json!(yarn_mscale(factor.unwrap_or(1.0), 1.0) * v));
            }
            if let Some(v) = k.number("rope.scaling.yarn_attn_factor")?.filter(|v| *v != 1.0) {
                put("attention_factor", json!(v));
            }
            if let Some(v) = k.number("rope.scaling.yarn_ext_factor")?.filter(|v| *v != 1.0 && *v >= 0.0) {
                return Err(k.error("rope.scaling.yarn_ext_factor", format!("{v} is not supported; only 1 is")));
            }
            put("rope_type", json!("yarn"))
        }
        "longrope" => {
            for (tensor, key) in FACTORS.into_iter().zip(["short_factor", "long_factor"]) {
                put(key, json!(k.file().read_f32(tensor, &[dim / 2])?));
            }
            // The factor on the scores follows from the lengths unless the file says it.
            if let Some(v) = k.number("rope.scaling.attn_factor")? {
                put("attention_factor", json!(v));
            }
            put("rope_type", json!("longrope"))
        }
        other => {
            let why = format!("rope type `{other}` is not supported (none, linear, yarn and longrope are)");
            return Err(k.error("rope.scaling.type", why));
        }
    };
    for (to, from) in [
        ("rope_theta", "freq_base"),
        ("partial_rotary_factor", "dimension_count"),
        ("factor", "scaling.factor"),
        ("original_max_position_embeddings", "scaling.original_context_length"),
        ("beta_fast", "scaling.yarn_beta_fast"),
        ("beta_slow", "scaling.yarn_beta_slow"),
    ] {
        for object in ["", "rope_parameters.", "rope_parameters.full_attention."] {
            k.origin(&format!("rope.{from}"), &format!("{object}{to}"));
        }
    }
    Ok(out)
}

/// Divides the frequencies by what the file holds, if it does.
pub(super) fn divide(file: &dyn TensorSource, spec: &mut DecoderSpec) -> Result<()> {
    if !file.contains(DIVISORS) {
        return Ok(());
    }
    for (_, attention) in spec.attentions_mut() {
        if let Some(rope) = &mut attention.rope {
            let divisors = file.read_f32(DIVISORS, &[rope.frequencies.len()])?;
            rope.frequencies.iter_mut().zip(divisors).for_each(|(w, d)| *w /= d);
            rope.rule = "llama3";
        }
    }
    Ok(())
}
