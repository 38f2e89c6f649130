//! GPT-OSS: attention sinks, windows on every other layer, and experts stacked in one tensor with gate and up in turn.

use super::experts::{self, ExpertNames, USUAL};
use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::rope::{LLAMA_ROPE, RopeDefaults};
use super::windows;
use crate::Result;
use crate::model::config::Config;
use crate::model::rope::{RopeLayout, RopeSpec, Scaling, yarn_mscale};
use crate::model::spec::{
    Activation, DecoderSpec, ExpertsSpec, LinearPart, LinearSpec, MlpSpec, RowLayout, RowOrder, Scoring, Slice,
};

const DEFAULTS: Defaults = Defaults {
    eps: 1e-5,
    kv_heads: Some(8),
    head_dim: Some(64),
    rope: RopeDefaults { theta: 150_000.0, ..LLAMA_ROPE },
    ..LLAMA
};
const NAMES: ExpertNames = ExpertNames { router: &["mlp.router"], ..USUAL };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let mut shape = LlamaShape::from_config(c, &DEFAULTS)?.attention_bias(c.bool_or("attention_bias", true)?);
    if c.get("rope_parameters").is_none() && c.get("rope_scaling").is_none() {
        let yarn = Scaling::Yarn {
            factor: 32.0,
            original: 4096.0,
            beta_fast: 32.0,
            beta_slow: 1.0,
            truncate: false,
            attention_factor: yarn_mscale(32.0, 1.0),
        };
        let theta = c.f64_or("rope_theta", DEFAULTS.rope.theta)?;
        shape.rope = RopeSpec::new(shape.head_dim, theta, RopeLayout::HalfSplit, yarn);
    }
    let inner = shape.inner;
    let mut spec = shape.decoder("gpt_oss");
    windows::set(c, &mut spec, windows::window(c, Some(128))?, |i| i % 2 == 0)?;
    for (i, attention) in spec.attentions_mut() {
        attention.sinks = Some(experts::name(i, "self_attn.sinks"));
    }
    let activation = Activation::ClampedSwiGlu {
        alpha: c.f64_or("swiglu_alpha", 1.702)? as f32,
        limit: c.f64_or("swiglu_limit", 7.0)? as f32,
    };
    let count = experts::count(c, &["num_local_experts", "num_experts"], 128, spec.layers.len())?;
    let top_k =
        c.usize_or(c.first(&["num_experts_per_tok", "experts_per_token"]).unwrap_or("num_experts_per_tok"), Some(4))?;
    for i in 0..spec.layers.len() {
        let sizes = [spec.hidden, inner];
        let mut mixture = experts::mixture(&NAMES, i, count, sizes, activation, top_k, Scoring::SoftmaxOfChosen);
        mixture.router.weight.parts[0].bias = Some(experts::name(i, "mlp.router.bias"));
        stack(&mut mixture, i, sizes, activation);
        experts::put(&mut spec, i, mixture);
    }
    Ok(spec)
}

/// Experts as slices of `[E, in, out]` tensors, with biases, and the columns of gate and up in turn.
fn stack(mixture: &mut ExpertsSpec, i: usize, [hidden, inner]: [usize; 2], activation: Activation) {
    let count = mixture.experts.len();
    mixture.stacked = None;
    let linear = |index: usize, name: &str, inputs: usize, outputs: usize, order: RowOrder| {
        let (weight, bias) = (experts::name(i, name), experts::name(i, &format!("{name}_bias")));
        let part = LinearPart {
            layout: RowLayout { transposed: true, order },
            slice: Some(Slice { index, count }),
            ..LinearPart::new(weight, Some(bias), outputs)
        };
        LinearSpec::stack(inputs, vec![part])
    };
    let in_turn = RowOrder::Grouped { groups: inner, widths: [1, 1, 0] };
    for (index, expert) in mixture.experts.iter_mut().enumerate() {
        *expert = MlpSpec {
            inner,
            activation,
            gated: true,
            input: linear(index, "mlp.experts.gate_up_proj", hidden, 2 * inner, in_turn),
            output: linear(index, "mlp.experts.down_proj", inner, hidden, RowOrder::AsUsed),
        };
    }
}
