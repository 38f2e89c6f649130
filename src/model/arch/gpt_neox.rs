//! GPT-NeoX (Pythia): q, k and v fused head by head, partial rotary positions, both branches from the same residual.

use super::rope::{self, RopeDefaults};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, EmbeddingSpec, LayerSpec, LinearPart, LinearSpec, MlpSpec, NormKind,
    NormSpec, Residual, RowLayout, TensorName,
};

const ROPE: RopeDefaults =
    RopeDefaults { theta_key: "rotary_emb_base", theta: 10_000.0, partial_key: "rotary_pct", partial: 0.25 };

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
    let norm = |n: &str| NormSpec { kind: NormKind::Layer, eps, weight: weight(n), bias: Some(bias(n)) };
    let linear =
        |n: &str, biased: bool, inputs, outputs| LinearSpec::plain(weight(n), biased.then(|| bias(n)), inputs, outputs);
    let layer = |i: usize| {
        let at = |n: &str| format!("layers.{i}.{n}");
        let qkv = at("attention.query_key_value");
        LayerSpec {
            residual,
            attention_norm: norm(&at("input_layernorm")),
            mlp_norm: norm(&at("post_attention_layernorm")),
            attention: AttentionSpec {
                heads,
                kv_heads: heads,
                head_dim,
                scale: 1.0 / (head_dim as f32).sqrt(),
                window: None,
                rope: Some(rotary.clone()),
                qkv: LinearSpec {
                    inputs: hidden,
                    parts: vec![LinearPart {
                        weight: weight(&qkv),
                        bias: attention_bias.then(|| bias(&qkv)),
                        outputs: 3 * hidden,
                        layout: RowLayout::PerHeadQkv { heads },
                    }],
                },
                output: linear(&at("attention.dense"), attention_bias, hidden, hidden),
            },
            mlp: MlpSpec {
                inner,
                activation,
                gated: false,
                input: linear(&at("mlp.dense_h_to_4h"), true, hidden, inner),
                output: linear(&at("mlp.dense_4h_to_h"), true, inner, hidden),
            },
        }
    };
    // Files say `embed_out`; in memory, and in some files, it is `lm_head`.
    let own = TensorName(vec!["embed_out.weight".to_string(), "lm_head.weight".to_string()]);
    let (tokens, head) = TensorName::tie(weight("embed_in"), own, tied);
    Ok(DecoderSpec {
        model_type: "gpt_neox".to_string(),
        hidden,
        vocab,
        context_length,
        embedding: EmbeddingSpec { tokens, positions: None },
        layers: (0..c.layers("num_hidden_layers")?).map(layer).collect(),
        final_norm: norm("final_layer_norm"),
        head: LinearSpec::plain(head, None, hidden, vocab),
        tied,
    })
}
