//! What a description says of positions, windows and experts, in the words and numbers of a report.

use serde::Serialize;
use serde_json::{Value, json};

use super::Inspection;
use crate::model::config::Config;
use crate::model::rope::{ByLength, RopeLayout, RopeSpec, Scaling};
use crate::model::spec::{DecoderSpec, ExpertsSpec, FeedForward};

/// Rotary positions of some layers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rope {
    /// Scaling rule: `default`, `linear`, `dynamic`, `yarn`, `llama3`, `longrope`.
    pub rule: &'static str,
    /// Base θ.
    pub theta: f64,
    /// Rotary dimensions of a head.
    pub dims: usize,
    /// `half-split` or `interleaved`.
    pub layout: &'static str,
    /// Factor on cosines and sines.
    pub attention_factor: f32,
    /// The rule's numbers; `None` where it has none.
    pub scaling: Option<Value>,
    /// What changes with the length of a request.
    pub by_length: Option<RopeChange>,
    /// The layers, from 0.
    pub layers: Vec<usize>,
}

/// A change of the frequencies for long requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RopeChange {
    /// Requests of more ids than this, the last one included, have other frequencies.
    pub above: usize,
    /// `other divisors` (longrope), or `theta grows` (dynamic).
    pub how: &'static str,
}

/// A mixture of experts, as the first layer that has one has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Experts {
    /// Number of experts of a layer.
    pub count: usize,
    /// Experts that a token goes to.
    pub chosen: usize,
    /// Inner width of an expert.
    pub inner: usize,
    /// Inner width of the expert that every token goes to, where there is one.
    pub shared: Option<usize>,
    /// The layers, from 0; the others have one MLP.
    pub layers: Vec<usize>,
}

impl Inspection {
    /// Takes what a description says.
    pub(super) fn shape(&mut self, spec: &DecoderSpec) {
        self.parameters = Some(spec.parameters());
        self.layers = Some(spec.layers.len());
        self.hidden_size = Some(spec.hidden);
        self.vocab_rows = Some(spec.vocab);
        self.context_length = spec.context_length;
        self.tied = Some(spec.tied);
        if let Some(attention) = spec.layers.iter().find_map(|l| l.attention()) {
            self.heads = Some(attention.heads);
            self.kv_heads = Some(attention.kv_heads);
            self.head_dim = Some(attention.head_dim);
            self.value_dim = Some(attention.value_dim);
        }
        self.windows = Some(spec.layers.iter().map(|l| l.attention().and_then(|a| a.window)).collect());
        let ropes = ropes(spec);
        self.rope = ropes.first().cloned();
        if ropes.len() > 1 {
            self.ropes = ropes;
        }
        self.positions = Some(positions(spec));
        self.experts = experts(spec);
    }
}

/// The kinds of rotary positions, in the order in which layers use them.
fn ropes(spec: &DecoderSpec) -> Vec<Rope> {
    let mut kinds: Vec<(&RopeSpec, Vec<usize>)> = Vec::new();
    for (i, layer) in spec.layers.iter().enumerate() {
        let Some(rope) = layer.attention().and_then(|a| a.rope.as_ref()) else { continue };
        match kinds.iter_mut().find(|(kind, _)| *kind == rope) {
            Some((_, layers)) => layers.push(i),
            None => kinds.push((rope, vec![i])),
        }
    }
    kinds.into_iter().map(|(rope, layers)| describe(rope, layers)).collect()
}

fn describe(rope: &RopeSpec, layers: Vec<usize>) -> Rope {
    let by_length = rope.by_length.as_ref().map(|change| match change {
        ByLength::Other { above, .. } => RopeChange { above: *above, how: "other divisors" },
        ByLength::Dynamic { above, .. } => RopeChange { above: *above, how: "theta grows" },
    });
    Rope {
        rule: rope.rule,
        theta: rope.theta,
        dims: rope.dim(),
        layout: match rope.layout {
            RopeLayout::HalfSplit => "half-split",
            RopeLayout::Interleaved => "interleaved",
        },
        attention_factor: rope.attention_factor,
        scaling: numbers(&rope.scaling),
        by_length,
        layers,
    }
}

/// A rule's numbers under the names that config.json has for them.
fn numbers(scaling: &Scaling) -> Option<Value> {
    Some(match scaling {
        Scaling::Default => return None,
        Scaling::Linear { factor } => json!({"factor": factor}),
        Scaling::Llama3 { factor, low, high, original } => json!({
            "factor": factor,
            "low_freq_factor": low,
            "high_freq_factor": high,
            "original_max_position_embeddings": original,
        }),
        Scaling::Yarn { factor, original, beta_fast, beta_slow, truncate, .. } => json!({
            "factor": factor,
            "original_max_position_embeddings": original,
            "beta_fast": beta_fast,
            "beta_slow": beta_slow,
            "truncate": truncate,
        }),
        Scaling::Dynamic { factor, original } => {
            json!({"factor": factor, "original_max_position_embeddings": original})
        }
        Scaling::Long { original, .. } => json!({"original_max_position_embeddings": original}),
    })
}

/// How the model knows the order of its tokens.
fn positions(spec: &DecoderSpec) -> String {
    let attentions = || spec.layers.iter().filter_map(|l| l.attention());
    let mut all = Vec::new();
    if spec.embedding.positions.is_some() {
        all.push("learned");
    }
    if attentions().any(|a| a.rope.is_some()) {
        all.push("rope");
    }
    if attentions().any(|a| a.alibi.is_some()) {
        all.push("alibi");
    }
    if attentions().next().is_none() {
        all.push("recurrent");
    }
    if all.is_empty() { "none".to_string() } else { all.join(" and ") }
}

fn experts(spec: &DecoderSpec) -> Option<Experts> {
    let mixtures: Vec<(usize, &ExpertsSpec)> = (spec.layers.iter().enumerate())
        .filter_map(|(i, layer)| match &layer.mlp {
            Some(FeedForward::Experts(experts)) => Some((i, &**experts)),
            _ => None,
        })
        .collect();
    let (_, first) = mixtures.first()?;
    Some(Experts {
        count: first.experts.len(),
        chosen: first.router.top_k,
        inner: first.experts.first().map_or(0, |e| e.inner),
        shared: first.shared.as_ref().map(|s| s.mlp.inner),
        layers: mixtures.iter().map(|(i, _)| *i).collect(),
    })
}

/// The type of the weights that config.json states, as llscore names types.
pub(super) fn stated_dtype(config: &Config) -> Option<String> {
    let of = |c: &Config| {
        let key = c.first(&["dtype", "torch_dtype"])?;
        c.opt_str(key).ok().flatten().map(str::to_string)
    };
    let inner = config.object("text_config").ok().flatten();
    let stated = of(config).or_else(|| inner.as_ref().and_then(of))?;
    Some(match stated.trim_start_matches("torch.") {
        "float32" | "float" => "f32".to_string(),
        "float16" | "half" => "f16".to_string(),
        "bfloat16" => "bf16".to_string(),
        "float64" | "double" => "f64".to_string(),
        other => other.to_string(),
    })
}
