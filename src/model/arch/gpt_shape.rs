//! What the families in GPT's shape have in common: layer norms, fused or separate projections, plain MLPs; and how their
//! parts are put together.

use serde_json::Value;

use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, EmbeddingSpec, LayerSpec, LinearSpec, MlpSpec, NormSpec, OutputSpec,
    RowLayout, TensorName,
};

/// Prefixes under which tensors may be stored, in the order in which they are looked for.
pub(super) struct Names(Vec<String>);

impl Names {
    /// Under any of some prefixes; files of base models lack some.
    pub(super) fn new(prefixes: &[&str]) -> Self {
        Self(prefixes.iter().map(ToString::to_string).collect())
    }
    /// The names of layer `i`, e.g. `transformer.h.0.`.
    pub(super) fn layer(&self, stem: &str, i: usize) -> Self {
        Self(self.0.iter().map(|p| format!("{p}{stem}.{i}.")).collect())
    }
    /// A module's weight.
    pub(super) fn weight(&self, module: &str) -> TensorName {
        self.tensor(&format!("{module}.weight"))
    }
    /// A module's bias, where it has one.
    pub(super) fn bias(&self, module: &str, has: bool) -> Option<TensorName> {
        has.then(|| self.tensor(&format!("{module}.bias")))
    }
    /// A tensor.
    pub(super) fn tensor(&self, name: &str) -> TensorName {
        TensorName(self.0.iter().map(|p| format!("{p}{name}")).collect())
    }
    /// A layer norm with weight and bias.
    pub(super) fn norm(&self, module: &str, eps: f64) -> NormSpec {
        NormSpec::layer(self.weight(module), self.bias(module, true), eps)
    }
    /// A layer norm with a weight alone.
    pub(super) fn norm_without_bias(&self, module: &str, eps: f64) -> NormSpec {
        NormSpec::layer(self.weight(module), None, eps)
    }
    /// One matrix `[outputs, inputs]`.
    pub(super) fn linear(&self, module: &str, biased: bool, inputs: usize, outputs: usize) -> LinearSpec {
        LinearSpec::plain(self.weight(module), self.bias(module, biased), inputs, outputs)
    }
    /// `down(act(up x))`.
    pub(super) fn mlp(
        &self,
        [up, down]: [&str; 2],
        biased: bool,
        activation: Activation,
        [hidden, inner]: [usize; 2],
    ) -> MlpSpec {
        MlpSpec {
            inner,
            activation,
            gated: false,
            input: self.linear(up, biased, hidden, inner),
            output: self.linear(down, biased, inner, hidden),
        }
    }
    /// `down(act(gate x) ⊙ up x)` under llama's names, without biases.
    pub(super) fn gated_mlp(&self, activation: Activation, [hidden, inner]: [usize; 2]) -> MlpSpec {
        let mut input = self.linear("mlp.gate_proj", false, hidden, inner);
        input.parts.extend(self.linear("mlp.up_proj", false, hidden, inner).parts);
        MlpSpec { inner, activation, gated: true, input, output: self.linear("mlp.down_proj", false, inner, hidden) }
    }
}

/// Sizes of an attention layer.
#[derive(Clone, Copy)]
pub(super) struct Heads {
    /// D.
    pub(super) hidden: usize,
    /// H.
    pub(super) heads: usize,
    /// K.
    pub(super) kv_heads: usize,
    /// d.
    pub(super) head_dim: usize,
}

/// More heads than any model has: each may have numbers of its own in every layer.
const MAX_HEADS: usize = 1 << 12;

impl Heads {
    /// A key head for each of the heads, which share the width D evenly. Each size is read from the first of its keys that is set.
    pub(super) fn even(c: &Config, hidden: &[&str], heads: &[&str]) -> Result<Self> {
        let key = c.first(heads).unwrap_or(heads[0]);
        let (hidden, heads) = (any(c, hidden)?, any(c, heads)?);
        if heads > MAX_HEADS {
            return Err(c.error(key, format!("{heads} heads are more than any model has; the file is damaged")));
        }
        if hidden % heads != 0 {
            return Err(c.error(key, format!("a width of {hidden} does not divide into {heads} heads")));
        }
        Ok(Self { hidden, heads, kv_heads: heads, head_dim: hidden / heads })
    }
    /// The usual keys: `hidden_size`, `num_attention_heads`, `num_key_value_heads` (H if absent) and `head_dim` (D/H if
    /// absent).
    pub(super) fn usual(c: &Config) -> Result<Self> {
        let kv_heads = c.opt_usize("num_key_value_heads")?;
        let heads = match c.opt_usize("head_dim")? {
            None => Self::even(c, &["hidden_size"], &["num_attention_heads"])?,
            Some(_) => {
                let heads = c.usize("num_attention_heads")?;
                Self { hidden: c.usize("hidden_size")?, heads, kv_heads: heads, head_dim: c.usize("head_dim")? }
            }
        };
        Ok(Self { kv_heads: kv_heads.unwrap_or(heads.heads), ..heads })
    }
    /// Rows of [q; k; v].
    fn widths(&self) -> [usize; 3] {
        [self.heads, self.kv_heads, self.kv_heads].map(|h| h * self.head_dim)
    }
    /// Queries, keys and values in one matrix; all biased or none.
    pub(super) fn fused(&self, at: &Names, modules: [&str; 2], biased: bool, layout: RowLayout) -> AttentionSpec {
        let [qkv, output] = modules;
        let qkv = at.linear(qkv, biased, self.hidden, self.widths().iter().sum()).with_layout(layout);
        self.attention(qkv, at.linear(output, biased, self.heads * self.head_dim, self.hidden))
    }
    /// Queries, keys, values and output in a matrix each; biases on the first three, and on the output.
    pub(super) fn separate(&self, at: &Names, modules: [&str; 4], biased: [bool; 2]) -> AttentionSpec {
        let parts =
            modules.into_iter().zip(self.widths()).flat_map(|(m, n)| at.linear(m, biased[0], self.hidden, n).parts);
        let qkv = LinearSpec::stack(self.hidden, parts.collect());
        self.attention(qkv, at.linear(modules[3], biased[1], self.heads * self.head_dim, self.hidden))
    }
    fn attention(&self, qkv: LinearSpec, output: LinearSpec) -> AttentionSpec {
        AttentionSpec::new(self.heads, self.kv_heads, self.head_dim, qkv, output)
    }
}

/// Modules of llama's attention.
pub(super) const QKVO: [&str; 4] = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj"];

/// What comes before the blocks and after them.
pub(super) struct Ends {
    pub(super) model_type: &'static str,
    pub(super) hidden: usize,
    pub(super) context_length: Option<usize>,
    pub(super) tokens: TensorName,
    pub(super) norm: NormSpec,
    pub(super) head: TensorName,
    /// Whether the head is the embedding where the configuration is silent.
    pub(super) tied: bool,
}

impl Ends {
    /// The decoder with these blocks between its ends.
    pub(super) fn around(self, c: &Config, layers: Vec<LayerSpec>) -> Result<DecoderSpec> {
        let tied = c.bool_or("tie_word_embeddings", self.tied)?;
        let vocab = c.usize("vocab_size")?;
        let (tokens, head) = TensorName::tie(self.tokens, self.head, tied);
        Ok(DecoderSpec {
            model_type: self.model_type.to_string(),
            hidden: self.hidden,
            vocab,
            context_length: self.context_length,
            embedding: EmbeddingSpec::new(tokens, self.hidden),
            layers,
            output: OutputSpec::new(self.norm, LinearSpec::plain(head, None, self.hidden, vocab)),
            tied,
        })
    }
}

/// The head's own name in most families.
pub(super) fn lm_head() -> TensorName {
    TensorName::new("lm_head.weight")
}

/// A size under the first of several keys that is set; two that are set must agree.
pub(super) fn any(c: &Config, keys: &[&str]) -> Result<usize> {
    let first = c.first(keys).unwrap_or(keys[0]);
    let size = c.usize(first)?;
    for key in keys {
        if c.opt_usize(key)?.is_some_and(|n| n != size) {
            return Err(c.error(key, format!("contradicts `{first}`, which is {size}")));
        }
    }
    Ok(size)
}

/// As [`any`], of the number of layers.
pub(super) fn layers(c: &Config, keys: &[&str]) -> Result<usize> {
    any(c, keys)?;
    c.layers(c.first(keys).unwrap_or(keys[0]))
}

/// A switch whose null means false: where it is absent, `absent` holds.
pub(super) fn flag(c: &Config, key: &str, absent: bool) -> Result<bool> {
    c.bool_or(key, absent && !c.has(key))
}

/// Refuses any value of a key but one: the others describe a model that is not computed.
pub(super) fn must_be(c: &Config, key: &str, computed: impl Into<Value>) -> Result<()> {
    let computed = computed.into();
    match c.get(key) {
        Some(v) if *v != computed && (v.as_f64().is_none() || v.as_f64() != computed.as_f64()) => {
            Err(c.error(key, format!("{v} is not supported, only {computed} is")))
        }
        _ => Ok(()),
    }
}

/// Refuses a key that is set: it describes a model that is not computed.
pub(super) fn unset(c: &Config, key: &str) -> Result<()> {
    match c.get(key) {
        Some(v) => Err(c.error(key, format!("{v} is not supported; only null is"))),
        None => Ok(()),
    }
}
