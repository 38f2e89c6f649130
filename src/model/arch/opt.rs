//! OPT: learned positions that begin at row 2, biases everywhere; the 350m model norms after its branches and has an
//! embedding of another width.

use super::gpt_shape::{Ends, Heads, Names, lm_head};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{Activation, DecoderSpec, LayerSpec, LinearSpec, NormKind, NormSpec, PositionsSpec, Residual};

/// The reference takes no other from a configuration.
const EPS: f64 = 1e-5;
/// Row of position 0.
const OFFSET: usize = 2;
const QKVO: [&str; 4] = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj"];

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Heads::even(c, &["hidden_size"], &["num_attention_heads"])?;
    let (hidden, inner) = (shape.hidden, c.usize("ffn_dim")?);
    let positions = c.usize("max_position_embeddings")?;
    let width = c.opt_usize("word_embed_proj_dim")?.unwrap_or(hidden);
    let biased = c.bool_or("enable_bias", true)?;
    let before = c.bool_or("do_layer_norm_before", true)?;
    let last = before && !c.bool_or("_remove_final_layer_norm", false)?;
    let weighted = c.bool_or("layer_norm_elementwise_affine", true)?;
    let activation = c.activation("activation_function", Activation::Relu)?;
    let names = Names::new(&["model.decoder.", "decoder."]);
    let norm = |at: &Names, module: &str| match weighted {
        true => at.norm(module, EPS),
        false => NormSpec { kind: NormKind::Layer, eps: EPS, weight: None, bias: None, plus_one: false },
    };
    let layer = |i: usize| {
        let at = names.layer("layers", i);
        LayerSpec {
            residual: if before { Residual::Sequential } else { Residual::PostNorm },
            ..LayerSpec::new(
                norm(&at, "self_attn_layer_norm"),
                shape.separate(&at, QKVO, [biased; 2]),
                norm(&at, "final_layer_norm"),
                at.mlp(["fc1", "fc2"], biased, activation, [hidden, inner]),
            )
        }
    };
    let ends = Ends {
        model_type: "opt",
        hidden,
        context_length: Some(positions),
        tokens: names.weight("embed_tokens"),
        norm: norm(&names, "final_layer_norm"),
        head: lm_head(),
        tied: true,
    };
    let mut spec = ends.around(c, (0..c.layers("num_hidden_layers")?).map(layer).collect())?;
    spec.embedding.positions =
        Some(PositionsSpec { table: names.weight("embed_positions"), rows: positions + OFFSET, offset: OFFSET });
    if !last {
        spec.output.norm = None;
    }
    if width != hidden {
        spec.embedding.width = width;
        spec.embedding.projection = Some(names.linear("project_in", false, width, hidden));
        spec.output.projection = Some(names.linear("project_out", false, hidden, width));
        spec.output.head = LinearSpec { inputs: width, ..spec.output.head };
    }
    Ok(spec)
}
