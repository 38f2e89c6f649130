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

/// What a family takes where its configuration is silent.
#[derive(Clone, Copy)]
pub(super) struct Defaults {
    pub eps: f64,
    /// Required where `None`.
    pub vocab: Option<usize>,
    /// Required where `None`.
    pub heads: Option<usize>,
    /// As many as query heads where `None`, and where the key is null.
    pub kv_heads: Option<usize>,
    /// Width divided by heads where `None`, and where the key is null.
    pub head_dim: Option<usize>,
    /// Context length, where released files leave it out.
    pub context: Option<usize>,
    pub tied: bool,
    pub activation_key: &'static str,
    pub activation: Activation,
    pub rope: RopeDefaults,
}

/// Llama's.
pub(super) const LLAMA: Defaults = Defaults {
    eps: 1e-6,
    vocab: None,
    heads: None,
    kv_heads: None,
    head_dim: None,
    context: None,
    tied: false,
    activation_key: "hidden_act",
    activation: Activation::Silu,
    rope: LLAMA_ROPE,
};

/// Names of a llama-shaped decoder's tensors, `{i}` standing for the layer.
pub(super) struct LlamaNames {
    /// Prefixes of all names but the head's; base-model files have none.
    pub prefixes: &'static [&'static str],
    pub embedding: &'static str,
    pub attention_norm: &'static str,
    pub qkv: [&'static str; 3],
    pub attention_output: &'static str,
    pub mlp_norm: &'static str,
    pub gate: &'static str,
    pub up: &'static str,
    pub down: &'static str,
    pub final_norm: &'static str,
    /// Names of the head.
    pub head: &'static [&'static str],
}

/// As transformers writes them.
pub(super) const TRANSFORMERS: LlamaNames = LlamaNames {
    prefixes: &["model.", ""],
    embedding: "embed_tokens",
    attention_norm: "layers.{i}.input_layernorm",
    qkv: ["layers.{i}.self_attn.q_proj", "layers.{i}.self_attn.k_proj", "layers.{i}.self_attn.v_proj"],
    attention_output: "layers.{i}.self_attn.o_proj",
    mlp_norm: "layers.{i}.post_attention_layernorm",
    gate: "layers.{i}.mlp.gate_proj",
    up: "layers.{i}.mlp.up_proj",
    down: "layers.{i}.mlp.down_proj",
    final_norm: "norm",
    head: &["lm_head"],
};

impl LlamaShape {
    /// Reads the keys that llama-shaped configurations have in common; biases are off.
    pub(super) fn from_config(c: &Config, defaults: &Defaults) -> Result<Self> {
        let (hidden, heads) = (c.usize("hidden_size")?, c.usize_or("num_attention_heads", defaults.heads)?);
        let given = |key: &str, default: Option<usize>| -> Result<Option<usize>> {
            if c.has(key) { c.opt_usize(key) } else { Ok(default) }
        };
        let head_dim = given("head_dim", defaults.head_dim)?.unwrap_or(hidden / heads);
        let context_length = c.opt_usize("max_position_embeddings")?.or(defaults.context);
        Ok(Self {
            hidden,
            vocab: c.usize_or("vocab_size", defaults.vocab)?,
            layers: c.layers("num_hidden_layers")?,
            heads,
            kv_heads: given("num_key_value_heads", defaults.kv_heads)?.unwrap_or(heads),
            head_dim,
            inner: c.usize("intermediate_size")?,
            eps: c.f64_or("rms_norm_eps", defaults.eps)?,
            activation: c.activation(defaults.activation_key, defaults.activation)?,
            rope: rope::from_config(c, head_dim, context_length, defaults.rope)?,
            qkv_bias: false,
            output_bias: false,
            mlp_bias: false,
            tied: c.bool_or("tie_word_embeddings", defaults.tied)?,
            context_length,
        })
    }

    /// Turns the biases of all attention projections on or off.
    pub(super) fn attention_bias(self, has: bool) -> Self {
        Self { qkv_bias: has, output_bias: has, ..self }
    }

    /// The spec with transformers' names.
    pub(super) fn decoder(self, model_type: &str) -> DecoderSpec {
        self.spec(model_type, &TRANSFORMERS, [RowOrder::AsUsed; 3])
    }

    /// The spec under given tensor names; `orders` are those of the rows of q, k and v.
    pub(super) fn spec(self, model_type: &str, names: &LlamaNames, orders: [RowOrder; 3]) -> DecoderSpec {
        let weight = |name: &str| TensorName::under(names.prefixes, &format!("{name}.weight"));
        let bias = |name: &str, has: bool| has.then(|| TensorName::under(names.prefixes, &format!("{name}.bias")));
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
        let head = TensorName(names.head.iter().map(|n| format!("{n}.weight")).collect());
        let (tokens, head) = TensorName::tie(weight(names.embedding), head, self.tied);
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
