//! GPT-NeoX (Pythia): q, k and v fused head by head, partial rotary positions, both branches from the same residual.

use super::rope::{self, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, EmbeddingSpec, LayerSpec, LinearSpec, MlpSpec, NormSpec, OutputSpec,
    Residual, RowLayout, RowOrder, TensorName,
};

const ROPE: RopeDefaults = RopeDefaults {
    theta_key: "rotary_emb_base",
    theta: 10_000.0,
    partial_key: "rotary_pct",
    partial: 0.25,
    long: None,
};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let (hidden, heads) = (c.usize("hidden_size")?, c.usize("num_attention_heads")?);
    let (vocab, inner) = (c.usize("vocab_size")?, c.usize("intermediate_size")?);
    let head_dim = hidden / heads;
    let context_length = c.opt_usize("max_position_embeddings")?;
    let eps = c.f64_or("layer_norm_eps", 1e-5)?;
    let tied = c.bool_or("tie_word_embeddings", false)?;
    let attention_bias = c.bool_or("attention_bias", true)?;
    let activation = c.activation("hidden_act", Activation::GeluErf)?;
    let residual = if c.bool_or("use_parallel_residual", true)? { Residual::Parallel } else { Residual::Sequential };
    let rotary = rope::from_config(c, head_dim, context_length, ROPE)?;
    let weight = |n: &str| TensorName::new(format!("gpt_neox.{n}.weight"));
    let bias = |n: &str| TensorName::new(format!("gpt_neox.{n}.bias"));
    let norm = |n: &str| NormSpec::layer(weight(n), Some(bias(n)), eps);
    let linear =
        |n: &str, biased: bool, inputs, outputs| LinearSpec::plain(weight(n), biased.then(|| bias(n)), inputs, outputs);
    let layer = |i: usize| {
        let at = |n: &str| format!("layers.{i}.{n}");
        let qkv = linear(&at("attention.query_key_value"), attention_bias, hidden, 3 * hidden);
        let attention = AttentionSpec {
            rope: Some(rotary.clone()),
            ..AttentionSpec::new(
                heads,
                heads,
                head_dim,
                qkv.with_layout(RowLayout::ordered(RowOrder::per_head_qkv(heads, head_dim))),
                linear(&at("attention.dense"), attention_bias, hidden, hidden),
            )
        };
        let mlp = MlpSpec {
            inner,
            activation,
            gated: false,
            input: linear(&at("mlp.dense_h_to_4h"), true, hidden, inner),
            output: linear(&at("mlp.dense_4h_to_h"), true, inner, hidden),
        };
        let norms = (norm(&at("input_layernorm")), norm(&at("post_attention_layernorm")));
        LayerSpec { residual, ..LayerSpec::new(norms.0, attention, norms.1, mlp) }
    };
    // Files say `embed_out`; in memory, and in some files, it is `lm_head`.
    let own = TensorName(vec!["embed_out.weight".to_string(), "lm_head.weight".to_string()]);
    let (tokens, head) = TensorName::tie(weight("embed_in"), own, tied);
    Ok(DecoderSpec {
        model_type: "gpt_neox".to_string(),
        hidden,
        vocab,
        context_length,
        embedding: EmbeddingSpec::new(tokens, hidden),
        layers: (0..c.layers("num_hidden_layers")?).map(layer).collect(),
        output: OutputSpec::new(norm("final_layer_norm"), LinearSpec::plain(head, None, hidden, vocab)),
        tied,
    })
}
