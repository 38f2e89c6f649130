//! Architectures with a mixture of experts in every layer.

use super::keys::Keys;
use super::llama::body;
use crate::Result;
use crate::model::spec::{DecoderSpec, FeedForward, LinearPart, RowLayout, Slice, TensorName};
use crate::model::weights::{GgufFile, TensorSource};

/// How many experts there are, and how many a token goes to.
pub(super) fn counts(k: &mut Keys<'_>, count: &str) -> Result<()> {
    k.copy_size("expert_count", count)?;
    k.copy_size("expert_used_count", "num_experts_per_tok").map(drop)
}

/// Width of the experts, of which the metadata do not always tell.
fn expert_width(k: &mut Keys<'_>, tensor: &str, key: &str, to: &str) -> Result<()> {
    let shape = k.file().shape(tensor)?;
    let width = shape.iter().rev().nth(1).copied().unwrap_or_default();
    if let Some(said) = k.integer(key)?.filter(|n| *n > 0 && *n != width) {
        return Err(k.error(key, format!("is {said}, but tensor `{tensor}` has shape {shape:?}")));
    }
    k.set_from(key, to, width);
    Ok(())
}

/// Whether the weights of the chosen experts add up to one: as the file says, else as the architecture has it.
fn weights(k: &mut Keys<'_>, default: bool) -> Result<()> {
    let said = k.flag("expert_weights_norm")?.unwrap_or(default);
    k.set_from("expert_weights_norm", "norm_topk_prob", said);
    match k.integer("expert_gating_func")? {
        None | Some(0 | 1) => Ok(()),
        Some(other) => Err(k.error("expert_gating_func", format!("{other} is not supported here; 1 (softmax) is"))),
    }
}

pub(super) fn qwen2(k: &mut Keys<'_>) -> Result<()> {
    body(k, "qwen2_moe")?;
    counts(k, "num_experts")?;
    weights(k, false)?;
    let biased = k.has("blk.0.attn_q.bias");
    k.set("qkv_bias", biased);
    expert_width(k, "blk.0.ffn_gate_exps.weight", "expert_feed_forward_length", "moe_intermediate_size")?;
    expert_width(
        k,
        "blk.0.ffn_gate_shexp.weight",
        "expert_shared_feed_forward_length",
        "shared_expert_intermediate_size",
    )
}

pub(super) fn qwen3(k: &mut Keys<'_>) -> Result<()> {
    body(k, "qwen3_moe")?;
    counts(k, "num_experts")?;
    weights(k, true)?;
    expert_width(k, "blk.0.ffn_gate_exps.weight", "expert_feed_forward_length", "moe_intermediate_size")
}

pub(super) fn olmoe(k: &mut Keys<'_>) -> Result<()> {
    body(k, "olmoe")?;
    counts(k, "num_experts")?;
    weights(k, false)?;
    expert_width(k, "blk.0.ffn_gate_exps.weight", "expert_feed_forward_length", "intermediate_size")?;
    k.copy_number("attention.clamp_kqv", "clip_qkv").map(drop)
}

pub(super) fn gpt_oss(k: &mut Keys<'_>) -> Result<()> {
    body(k, "gpt_oss")?;
    counts(k, "num_local_experts")?;
    let biased = k.has("blk.0.attn_q.bias");
    k.set("attention_bias", biased);
    expert_width(k, "blk.0.ffn_gate_exps.weight", "expert_feed_forward_length", "intermediate_size")?;
    match k.integer("expert_gating_func")? {
        None | Some(0 | 3) => {}
        Some(other) => {
            return Err(k.error("expert_gating_func", format!("{other} is not supported here; 3 is")));
        }
    }
    // No key says that the ramp's ends are not rounded; they are not in this family.
    k.set_in("rope_parameters", "truncate", false);
    let window = k.window()?;
    k.sliding_layers(window, 2)
}

/// GPT-OSS's experts: gate and up in tensors of their own, `[E, out, in]`.
pub(super) fn apart(spec: &mut DecoderSpec, _: &GgufFile) {
    for (i, layer) in spec.layers.iter_mut().enumerate() {
        let Some(FeedForward::Experts(mixture)) = &mut layer.mlp else { continue };
        let count = mixture.experts.len();
        for (index, mlp) in mixture.experts.iter_mut().enumerate() {
            let part = |name: &str, outputs: usize| {
                let tensor = |ending: &str| TensorName::new(format!("blk.{i}.{name}.{ending}"));
                LinearPart {
                    layout: RowLayout::OUT_IN,
                    slice: Some(Slice { index, count }),
                    ..LinearPart::new(tensor("weight"), Some(tensor("bias")), outputs)
                }
            };
            let hidden = mlp.output.outputs();
            mlp.input.parts = vec![part("ffn_gate_exps", mlp.inner), part("ffn_up_exps", mlp.inner)];
            mlp.output.parts = vec![part("ffn_down_exps", hidden)];
        }
    }
}
