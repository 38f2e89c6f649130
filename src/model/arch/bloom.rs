//! BLOOM: linear biases by position, q, k and v fused head by head, a norm on the embedding.

use super::alibi::bloom_slopes;
use super::gpt_shape::{Ends, Heads, Names, layers, lm_head, must_be};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, Alibi, AttentionSpec, DecoderSpec, LayerSpec, Residual, RowLayout, RowOrder};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Heads::even(c, &["n_embed", "hidden_size"], &["n_head", "num_attention_heads"])?;
    let Heads { hidden, heads, head_dim, .. } = shape;
    must_be(c, "n_inner", 4 * hidden)?;
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let from_norm = c.bool_or("apply_residual_connection_post_layernorm", false)?;
    let order = RowLayout::ordered(RowOrder::per_head_qkv(heads, head_dim));
    let alibi = Alibi { slopes: bloom_slopes(heads), scale: 1.0, rounded: false, from_query: false };
    let names = Names::new(&["transformer.", ""]);
    let layer = |i: usize| {
        let at = names.layer("h", i);
        let modules = ["self_attention.query_key_value", "self_attention.dense"];
        let attention = AttentionSpec { alibi: Some(alibi.clone()), ..shape.fused(&at, modules, true, order) };
        let mlp = at.mlp(["mlp.dense_h_to_4h", "mlp.dense_4h_to_h"], true, Activation::GeluTanh, [hidden, 4 * hidden]);
        let norms = (at.norm("input_layernorm", eps), at.norm("post_attention_layernorm", eps));
        LayerSpec {
            residual: if from_norm { Residual::FromNorm } else { Residual::Sequential },
            ..LayerSpec::new(norms.0, attention, norms.1, mlp)
        }
    };
    let ends = Ends {
        model_type: "bloom",
        hidden,
        context_length: None,
        tokens: names.weight("word_embeddings"),
        norm: names.norm("ln_f", eps),
        head: lm_head(),
        tied: true,
    };
    let mut spec = ends.around(c, (0..layers(c, &["n_layer", "num_hidden_layers"])?).map(layer).collect())?;
    spec.embedding.norm = Some(names.norm("word_embeddings_layernorm", eps));
    Ok(spec)
}
