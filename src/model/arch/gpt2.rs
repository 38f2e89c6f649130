//! GPT-2: learned positions, Conv1D weights stored `[in, out]`, a plain MLP.

use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, AttentionSpec, DecoderSpec, EmbeddingSpec, LayerSpec, LinearSpec, MlpSpec, NormSpec, OutputSpec,
    PositionsSpec, RowLayout, TensorName,
};

/// Base-model files lack the prefix.
const PREFIXES: &[&str] = &["transformer.", ""];

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let (hidden, heads) = (c.usize("n_embd")?, c.usize("n_head")?);
    let (vocab, positions) = (c.usize("vocab_size")?, c.usize("n_positions")?);
    let inner = c.opt_usize("n_inner")?.unwrap_or(4 * hidden);
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let tied = c.bool_or("tie_word_embeddings", true)?;
    let head_dim = hidden / heads;
    let scaled = c.bool_or("scale_attn_weights", true)?;
    let by_layer = c.bool_or("scale_attn_by_inverse_layer_idx", false)?;
    let activation = c.activation("activation_function", Activation::GeluTanh)?;
    let name = |n: String| TensorName::under(PREFIXES, &n);
    let pair = |n: &str| (name(format!("{n}.weight")), Some(name(format!("{n}.bias"))));
    let norm = |n: String| {
        let (weight, bias) = pair(&n);
        NormSpec::layer(weight, bias, eps)
    };
    let conv = |n: String, inputs: usize, outputs: usize| {
        let (weight, bias) = pair(&n);
        LinearSpec::plain(weight, bias, inputs, outputs).with_layout(RowLayout::IN_OUT)
    };
    let layer = |i: usize| {
        let scale = if scaled { 1.0 / (head_dim as f32).sqrt() } else { 1.0 };
        let attention = AttentionSpec {
            scale: if by_layer { scale / (i + 1) as f32 } else { scale },
            ..AttentionSpec::new(
                heads,
                heads,
                head_dim,
                conv(format!("h.{i}.attn.c_attn"), hidden, 3 * hidden),
                conv(format!("h.{i}.attn.c_proj"), hidden, hidden),
            )
        };
        let mlp = MlpSpec {
            inner,
            activation,
            gated: false,
            input: conv(format!("h.{i}.mlp.c_fc"), hidden, inner),
            output: conv(format!("h.{i}.mlp.c_proj"), inner, hidden),
        };
        LayerSpec::new(norm(format!("h.{i}.ln_1")), attention, norm(format!("h.{i}.ln_2")), mlp)
    };
    let (tokens, head) = TensorName::tie(name("wte.weight".to_string()), TensorName::new("lm_head.weight"), tied);
    Ok(DecoderSpec {
        model_type: "gpt2".to_string(),
        hidden,
        vocab,
        context_length: Some(positions),
        embedding: EmbeddingSpec {
            positions: Some(PositionsSpec { table: name("wpe.weight".to_string()), rows: positions, offset: 0 }),
            ..EmbeddingSpec::new(tokens, hidden)
        },
        layers: (0..c.layers("n_layer")?).map(layer).collect(),
        output: OutputSpec::new(norm("ln_f".to_string()), LinearSpec::plain(head, None, hidden, vocab)),
        tied,
    })
}
