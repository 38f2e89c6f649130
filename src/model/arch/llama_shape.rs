//! The shape that many families share: RMS norms before each branch, rotary positions, a gated MLP.

use super::rope::{self, LLAMA_ROPE, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::rope::RopeSpec;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, EmbeddingSpec, LayerSpec, LinearPart, LinearSpec, MlpSpec, NormSpec,
    OutputSpec, RowLayout, RowOrder, TensorName,
};

/// The sizes and switches of a llama-shaped decoder.
pub(super) struct LlamaShape {
    pub hidden: usize,
    pub vocab: usize,
    pub layers: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub head_dim: usize,
    pub inner: usize,
    pub eps: f64,
    pub activation: Activation,
    pub rope: RopeSpec,
    pub qkv_bias: bool,
    pub output_bias: bool,
    pub mlp_bias: bool,
    pub tied: bool,
    pub context_length: Option<usize>,
}

/// Names of a llama-shaped decoder's tensors, `{i}` standing for the layer.
pub(super) struct LlamaNames {
    pub embedding: &'static str,
    pub attention_norm: &'static str,
    pub qkv: [&'static str; 3],
    pub attention_output: &'static str,
    pub mlp_norm: &'static str,
    pub gate: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub final_norm: &'static str,
    pub head: &'static str,
}

/// As transformers writes them.
pub(super) const TRANSFORMERS: LlamaNames = LlamaNames {
    embedding: "model.embed_tokens",
    attention_norm: "model.layers.{i}.input_layernorm",
    qkv: [
        "model.layers.{i}.self_attn.q_proj",
        "model.layers.{i}.self_attn.k_proj",
        "model.layers.{i}.self_attn.v_proj",
    ],
    attention_output: "model.layers.{i}.self_attn.o_proj",
    mlp_norm: "model.layers.{i}.post_attention_layernorm",
    gate: "model.layers.{i}.mlp.gate_proj",
    up: "model.layers.{i}.mlp.up_proj",
    down: "model.layers.{i}.mlp.down_proj",
    final_norm: "model.norm",
    head: "lm_head",
};

impl LlamaShape {
    /// Reads the keys that llama-shaped configurations have in common; biases are off.
    pub(super) fn from_config(c: &Config, default_eps: f64) -> Result<Self> {
        Self::with_rope(c, default_eps, LLAMA_ROPE)
    }

    /// As [`LlamaShape::from_config`], with a family's own defaults of the rotary positions.
    pub(super) fn with_rope(c: &Config, default_eps: f64, defaults: RopeDefaults) -> Result<Self> {
        let (hidden, heads) = (c.usize("hidden_size")?, c.usize("num_attention_heads")?);
        let head_dim = c.opt_usize("head_dim")?.unwrap_or(hidden / heads);
        let context_length = c.opt_usize("max_position_embeddings")?;
        Ok(Self {
            hidden,
            vocab: c.usize("vocab_size")?,
            layers: c.layers("num_hidden_layers")?,
            heads,
            kv_heads: c.opt_usize("num_key_value_heads")?.unwrap_or(heads),
            head_dim,
            inner: c.usize("intermediate_size")?,
            eps: c.f64_or("rms_norm_eps", default_eps)?,
            activation: c.activation("hidden_act", Activation::Silu)?,
            rope: rope::from_config(c, head_dim, context_length, defaults)?,
            qkv_bias: false,
            output_bias: false,
            mlp_bias: false,
            tied: c.bool_or("tie_word_embeddings", false)?,
            context_length,
        })
    }

    /// The spec under given tensor names; `orders` are those of the rows of q, k and v.
    pub(super) fn spec(self, model_type: &str, names: &LlamaNames, orders: [RowOrder; 3]) -> DecoderSpec {
        let weight = |name: &str| TensorName::new(format!("{name}.weight"));
        let bias = |name: &str, has: bool| has.then(|| TensorName::new(format!("{name}.bias")));
        let norm = |name: &str| NormSpec::rms(weight(name), self.eps);
        let layer = |i: usize| {
            let at = |name: &str| name.replace("{i}", &i.to_string());
            let linear = |name: &str, has: bool, inputs: usize, outputs: usize| {
                LinearSpec::plain(weight(&at(name)), bias(&at(name), has), inputs, outputs)
            };
            let sizes = [self.heads, self.kv_heads, self.kv_heads].map(|h| h * self.head_dim);
            let part = |j: usize| LinearPart {
                layout: RowLayout::ordered(orders[j]),
                ..LinearPart::new(weight(&at(names.qkv[j])), bias(&at(names.qkv[j]), self.qkv_bias), sizes[j])
            };
            let attention = AttentionSpec {
                rope: Some(self.rope.clone()),
                ..AttentionSpec::new(
                    self.heads,
                    self.kv_heads,
                    self.head_dim,
                    LinearSpec::stack(self.hidden, (0..3).map(part).collect()),
                    linear(names.attention_output, self.output_bias, self.heads * self.head_dim, self.hidden),
                )
            };
            let mut gate_up = linear(names.gate, self.mlp_bias, self.hidden, self.inner);
            gate_up.parts.extend(linear(names.up, self.mlp_bias, self.hidden, self.inner).parts);
            let mlp = MlpSpec {
                inner: self.inner,
                activation: self.activation,
                gated: true,
                input: gate_up,
                output: linear(names.down, self.mlp_bias, self.inner, self.hidden),
            };
            LayerSpec::new(norm(&at(names.attention_norm)), attention, norm(&at(names.mlp_norm)), mlp)
        };
        let (tokens, head) = TensorName::tie(weight(names.embedding), weight(names.head), self.tied);
        DecoderSpec {
            model_type: model_type.to_string(),
            hidden: self.hidden,
            vocab: self.vocab,
            context_length: self.context_length,
            embedding: EmbeddingSpec::new(tokens, self.hidden),
            layers: (0..self.layers).map(layer).collect(),
            output: OutputSpec::new(norm(names.final_norm), LinearSpec::plain(head, None, self.hidden, self.vocab)),
            tied: self.tied,
        }
    }
}
