//! What DeepSeek-V2 and V3 have in common: latent attention, dense first layers, shared experts.

use super::experts::{self, USUAL, name};
use super::llama_shape::{LLAMA, LlamaShape};
use super::rope::{self, LLAMA_ROPE};
use crate::Result;
use crate::model::config::Config;
use crate::model::rope::{RopeLayout, RopeSpec, yarn_mscale};
use crate::model::spec::{
    AttentionSpec, DecoderSpec, ExpertGroups, FeedForward, LatentSpec, LayerSpec, LinearSpec, Mixer, NormSpec,
    Projection, RowLayout, RowOrder, Scoring, SharedExpert,
};

/// The mixtures of a model.
pub(super) struct Routing {
    pub scoring: Scoring,
    /// Whether the choice has a bias (`e_score_correction_bias`).
    pub choice_bias: bool,
    pub groups: Option<ExpertGroups>,
    pub renormalise: Option<f32>,
    pub scale: f32,
    pub experts: usize,
    pub top_k: usize,
    /// Width of an expert.
    pub inner: usize,
    /// Shared experts, which are one MLP of so many times the width.
    pub shared: usize,
    /// First layers without a mixture.
    pub dense: usize,
    /// Whether the dense and the shared MLPs have biases.
    pub mlp_bias: bool,
}

/// Norms of latents have an epsilon of their own in the reference.
const LATENT_EPS: f64 = 1e-6;

/// config.json to a spec.
pub(super) fn read(c: &Config, model_type: &str, interleaved: bool, routing: Routing) -> Result<DecoderSpec> {
    // The shape's own attention is replaced, `head_dim` and all.
    let mlp_bias = routing.mlp_bias;
    let shape = LlamaShape { mlp_bias, ..LlamaShape::from_config(c, &LLAMA)? };
    let (hidden, heads, activation) = (shape.hidden, shape.heads, shape.activation);
    let biased = c.bool_or("attention_bias", false)?;
    let nope = c.usize_or("qk_nope_head_dim", Some(128))?;
    let rope_dim = c.usize_or("qk_rope_head_dim", Some(64))?;
    let value_dim = c.usize_or("v_head_dim", Some(128))?;
    let latent = c.usize_or("kv_lora_rank", Some(512))?;
    let query_latent = if c.has("q_lora_rank") { c.opt_usize("q_lora_rank")? } else { Some(1536) };
    let mut rotary = rope::from_config(c, rope_dim, shape.context_length, LLAMA_ROPE)?;
    rotary.layout = if interleaved { RopeLayout::Interleaved } else { RopeLayout::HalfSplit };
    let scale = scale(c, &rotary, nope + rope_dim)?;
    let mut spec = shape.decoder(model_type);
    for i in 0..spec.layers.len() {
        let linear = |n: &str, biased: bool, inputs: usize, outputs: usize| {
            let bias = biased.then(|| name(i, &format!("self_attn.{n}.bias")));
            LinearSpec::plain(name(i, &format!("self_attn.{n}.weight")), bias, inputs, outputs)
        };
        let norm = |n: &str| NormSpec::rms(name(i, &format!("self_attn.{n}.weight")), LATENT_EPS);
        let width = heads * (nope + rope_dim);
        let rope_first = RowLayout::ordered(RowOrder::TailFirst { heads, tail: rope_dim });
        let by_part = RowLayout::ordered(RowOrder::Grouped { groups: heads, widths: [nope, value_dim, 0] });
        let (query, query_latent) = match query_latent {
            None => (linear("q_proj", false, hidden, width), None),
            Some(rank) => {
                let narrow = (linear("q_a_proj", biased, hidden, rank), norm("q_a_layernorm"));
                (linear("q_b_proj", false, rank, width), Some(narrow))
            }
        };
        let projection = LatentSpec {
            rope_dim,
            query: query.with_layout(rope_first),
            query_latent,
            compress: linear("kv_a_proj_with_mqa", biased, hidden, latent + rope_dim),
            latent_norm: norm("kv_a_layernorm"),
            expand: linear("kv_b_proj", false, latent, heads * (nope + value_dim)).with_layout(by_part),
        };
        let output = linear("o_proj", biased, heads * value_dim, hidden);
        let usual = AttentionSpec::new(heads, heads, nope + rope_dim, LinearSpec::stack(hidden, Vec::new()), output);
        spec.layers[i].mixer = Mixer::Attention(AttentionSpec {
            value_dim,
            scale,
            rope: Some(rotary.clone()),
            qkv: Projection::Latent(Box::new(projection)),
            ..usual
        });
        if i >= routing.dense {
            put_mixture(&mut spec.layers[i], i, &routing, hidden, activation, mlp_bias);
        }
    }
    Ok(spec)
}

/// Factor on the scores, with yarn's correction where the file asks for it.
fn scale(c: &Config, rope: &RopeSpec, width: usize) -> Result<f32> {
    let scale = (width as f64).powf(-0.5);
    let object = match c.object("rope_scaling")? {
        Some(o) => Some(o),
        None => c.object("rope_parameters")?,
    };
    let (Some(o), true) = (object, rope.rule != "default") else { return Ok(scale as f32) };
    let all = o.f64_or("mscale_all_dim", 0.0)?;
    if all == 0.0 {
        return Ok(scale as f32);
    }
    let m = yarn_mscale(o.opt_f64("factor")?.ok_or_else(|| o.error("factor", "is missing"))?, all);
    Ok((scale * m * m) as f32)
}

fn put_mixture(
    layer: &mut LayerSpec,
    i: usize,
    routing: &Routing,
    hidden: usize,
    activation: crate::model::spec::Activation,
    biased: bool,
) {
    let sizes = [hidden, routing.inner];
    let mut mixture = experts::mixture(&USUAL, i, routing.experts, sizes, activation, routing.top_k, routing.scoring);
    mixture.router.choice_bias = routing.choice_bias.then(|| name(i, "mlp.gate.e_score_correction_bias"));
    mixture.router.groups = routing.groups;
    mixture.router.renormalise = routing.renormalise;
    mixture.router.scale = routing.scale;
    let mut shared =
        experts::mlp(i, "mlp.shared_experts", &USUAL, [hidden, routing.inner * routing.shared], activation);
    if biased {
        experts::add_biases(&mut shared);
    }
    mixture.shared = Some(SharedExpert { mlp: shared, gate: None });
    layer.mlp = Some(FeedForward::Experts(Box::new(mixture)));
}
