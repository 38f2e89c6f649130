//! GPT-Neo: learned positions, scores without a scale, layers that see a window or everything.

use serde_json::Value;

use super::gpt_shape::{Ends, Heads, Names, layers, lm_head};
use crate::Result;
use crate::model::config::{Config, MAX_LAYERS};
use crate::model::spec::{Activation, AttentionSpec, DecoderSpec, LayerSpec, PositionsSpec};

const QKVO: [&str; 4] =
    ["attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj", "attn.attention.out_proj"];

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Heads::even(c, &["hidden_size"], &["num_heads", "num_attention_heads"])?;
    let hidden = shape.hidden;
    let positions = c.usize("max_position_embeddings")?;
    let inner = c.opt_usize("intermediate_size")?.unwrap_or(4 * hidden);
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let activation = c.activation("activation_function", Activation::GeluTanh)?;
    let windows = windows(c, layers(c, &["num_layers", "num_hidden_layers"])?)?;
    let names = Names::new(&["transformer.", ""]);
    let layer = |(i, window): (usize, &Option<usize>)| {
        let at = names.layer("h", i);
        let attention = AttentionSpec { scale: 1.0, window: *window, ..shape.separate(&at, QKVO, [false, true]) };
        let mlp = at.mlp(["mlp.c_fc", "mlp.c_proj"], true, activation, [hidden, inner]);
        LayerSpec::new(at.norm("ln_1", eps), attention, at.norm("ln_2", eps), mlp)
    };
    let ends = Ends {
        model_type: "gpt_neo",
        hidden,
        context_length: Some(positions),
        tokens: names.weight("wte"),
        norm: names.norm("ln_f", eps),
        head: lm_head(),
        tied: true,
    };
    let mut spec = ends.around(c, windows.iter().enumerate().map(layer).collect())?;
    spec.embedding.positions = Some(PositionsSpec { table: names.weight("wpe"), rows: positions, offset: 0 });
    Ok(spec)
}

/// The window of each layer.
fn windows(c: &Config, layers: usize) -> Result<Vec<Option<usize>>> {
    // `attention_layers` names them one by one and counts where both are given, as in the reference.
    let (key, kinds) = match c.opt_strings("attention_layers")? {
        Some(kinds) => ("attention_layers", kinds),
        None => ("attention_types", repeated_kinds(c)?),
    };
    if kinds.len() != layers {
        return Err(c.error(key, format!("gives {} kinds for {layers} layers", kinds.len())));
    }
    let window = c.opt_usize("window_size")?.unwrap_or(256);
    let kind = |kind: &String| match kind.as_str() {
        "global" => Ok(None),
        "local" => Ok(Some(window)),
        other => Err(c.error(key, format!("`{other}` is not supported (global and local are)"))),
    };
    kinds.iter().map(kind).collect()
}

/// `attention_types`: a list of pairs of a pattern and how often it is repeated.
fn repeated_kinds(c: &Config) -> Result<Vec<String>> {
    const KEY: &str = "attention_types";
    let Some(value) = c.get(KEY) else {
        return Ok(["global", "local"].into_iter().cycle().take(24).map(String::from).collect());
    };
    let pair = |pair: &Value| -> Option<(Vec<String>, usize)> {
        let pattern: Option<Vec<String>> =
            pair.get(0)?.as_array()?.iter().map(|k| Some(k.as_str()?.to_string())).collect();
        Some((pattern?, usize::try_from(pair.get(1)?.as_u64()?).ok()?))
    };
    let pairs: Option<Vec<_>> = value.as_array().and_then(|pairs| pairs.iter().map(pair).collect());
    let pairs = pairs.ok_or_else(|| c.error(KEY, "must be a list of pairs [[kinds], times]"))?;
    let kinds = pairs.into_iter().filter(|(pattern, _)| !pattern.is_empty());
    // No more than any model has, whatever the file says.
    Ok(kinds.flat_map(|(pattern, times)| std::iter::repeat_n(pattern, times).flatten()).take(MAX_LAYERS + 1).collect())
}
