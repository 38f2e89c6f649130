//! Falcon in its three shapes: one key head for all (7b), groups of heads with a key head each (40b, 11b), and a key head
//! for each head (the RefinedWeb models); rotary positions or linear biases.

use super::alibi::bloom_slopes;
use super::gpt_shape::{Ends, Heads, Names, flag, lm_head, must_be};
use super::rope::{self, LLAMA_ROPE};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, Alibi, AttentionSpec, DecoderSpec, LayerSpec, Residual, RowLayout, RowOrder};

/// How many norms a block has, and how its branches join.
#[derive(Clone, Copy, PartialEq)]
enum Block {
    /// One norm for both branches.
    OneNorm,
    /// A norm for each.
    TwoNorms,
    /// One after the other.
    Sequential,
}

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let mut shape = Heads::even(c, &["n_embed", "hidden_size"], &["num_attention_heads"])?;
    let Heads { hidden, heads, head_dim, .. } = shape;
    let new = c.bool_or("new_decoder_architecture", false)?;
    let order = if new {
        shape.kv_heads = c.opt_usize("num_kv_heads")?.unwrap_or(heads);
        if shape.kv_heads == 0 || heads % shape.kv_heads != 0 {
            return Err(c.error("num_kv_heads", format!("{heads} heads cannot share {}", shape.kv_heads)));
        }
        RowOrder::Grouped { groups: shape.kv_heads, widths: [heads / shape.kv_heads * head_dim, head_dim, head_dim] }
    } else if flag(c, "multi_query", true)? {
        shape.kv_heads = 1;
        RowOrder::AsUsed
    } else {
        must_be(c, "num_kv_heads", heads)?;
        RowOrder::per_head_qkv(heads, head_dim)
    };
    must_be(c, "apply_residual_connection_post_layernorm", false)?;
    let block = block(c, new)?;
    let inner = c.opt_usize("ffn_hidden_size")?.unwrap_or(4 * hidden);
    let eps = c.f64_or("layer_norm_epsilon", 1e-5)?;
    let biased = c.bool_or("bias", false)?;
    let activation = c.activation("activation", Activation::GeluErf)?;
    let context_length = c.opt_usize("max_position_embeddings")?;
    let scale = 1.0 / (head_dim as f32).sqrt();
    let (rotary, alibi) = if c.bool_or("alibi", false)? {
        // The biases are added before the scale, and rounded.
        (None, Some(Alibi { slopes: bloom_slopes(heads), scale, rounded: true, from_query: false }))
    } else {
        (Some(rope::from_config(c, head_dim, context_length, LLAMA_ROPE)?), None)
    };
    let names = Names::new(&["transformer.", ""]);
    let layer = |i: usize| {
        let at = names.layer("h", i);
        let modules = ["self_attention.query_key_value", "self_attention.dense"];
        let attention = AttentionSpec {
            rope: rotary.clone(),
            alibi: alibi.clone(),
            ..shape.fused(&at, modules, biased, RowLayout::ordered(order))
        };
        let mlp = at.mlp(["mlp.dense_h_to_4h", "mlp.dense_4h_to_h"], biased, activation, [hidden, inner]);
        let [first, second] = match block {
            Block::TwoNorms => ["ln_attn", "ln_mlp"],
            Block::OneNorm | Block::Sequential => ["input_layernorm", "post_attention_layernorm"],
        };
        let mut layer = LayerSpec::new(at.norm(first, eps), attention, at.norm(second, eps), mlp);
        if block != Block::Sequential {
            layer.residual = Residual::Parallel;
        }
        if block == Block::OneNorm {
            layer.mlp_norm = None;
        }
        layer
    };
    let ends = Ends {
        model_type: "falcon",
        hidden,
        context_length,
        tokens: names.weight("word_embeddings"),
        norm: names.norm("ln_f", eps),
        head: lm_head(),
        tied: true,
    };
    ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())
}

fn block(c: &Config, new: bool) -> Result<Block> {
    let parallel = flag(c, "parallel_attn", true)?;
    let norms = c.opt_usize("num_ln_in_parallel_attn")?;
    match (new, parallel, norms) {
        (true, true, None | Some(2)) => Ok(Block::TwoNorms),
        (_, true, None | Some(1)) => Ok(Block::OneNorm),
        (false, false, None | Some(1)) => Ok(Block::Sequential),
        (true, false, _) => Err(c.error("parallel_attn", "false is not supported with `new_decoder_architecture`")),
        (_, _, Some(n)) => {
            Err(c.error("num_ln_in_parallel_attn", format!("{n} norms are not supported in this shape of block")))
        }
    }
}
