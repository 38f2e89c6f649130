//! DeepSeek-V2 and V3: latent attention. The matrix that expands the latent is stored whole in older files, in newer ones as
//! two, by head, that of the keys transposed.

use serde_json::{Value, json};

use super::keys::Keys;
use super::llama::ends;
use super::{mixtures, rope};
use crate::Result;
use crate::model::spec::{DecoderSpec, LinearPart, Projection, RowLayout, Slice, TensorName};
use crate::model::weights::{GgufFile, TensorSource};

/// Softmax and sigmoid, as `expert_gating_func` numbers them.
const SOFTMAX: usize = 1;
const SIGMOID: usize = 2;

pub(super) fn deepseek(k: &mut Keys<'_>) -> Result<()> {
    const GATING: &str = "expert_gating_func";
    let sigmoid = match k.integer(GATING)? {
        // Files of DeepSeek-V2 that are older than the key.
        None | Some(0 | SOFTMAX) => false,
        Some(SIGMOID) => true,
        Some(other) => return Err(k.error(GATING, format!("{other} is not supported here; 1 and 2 are"))),
    };
    k.set("model_type", if sigmoid { "deepseek_v3" } else { "deepseek_v2" });
    k.copy_size("embedding_length", "hidden_size")?;
    k.copy_size("block_count", "num_hidden_layers")?;
    k.copy_size("attention.head_count", "num_attention_heads")?;
    // Says how the cache is laid out.
    k.ignore("attention.head_count_kv");
    k.copy_size("feed_forward_length", "intermediate_size")?;
    k.copy_required("attention.layer_norm_rms_epsilon", "rms_norm_eps")?;
    let context = k.integer("context_length")?;
    k.set_from("context_length", "max_position_embeddings", context);
    ends(k)?;
    widths(k)?;
    experts(k, sigmoid)
}

/// Widths of heads and latents, and the positions.
fn widths(k: &mut Keys<'_>) -> Result<()> {
    let rotary = k.copy_size("rope.dimension_count", "qk_rope_head_dim")?;
    let mut width = |part: &str, to: &str| -> Result<usize> {
        let own = format!("attention.{part}_length_mla");
        let key = if k.integer(&own)?.is_some_and(|n| n > 0) { own } else { format!("attention.{part}_length") };
        k.copy_size(&key, to)
    };
    let (key, _) = (width("key", "qk_head_dim")?, width("value", "v_head_dim")?);
    let Some(rest) = key.checked_sub(rotary).filter(|n| *n > 0) else {
        return Err(k.error("rope.dimension_count", format!("{rotary} rotary dimensions of {key} are impossible")));
    };
    k.set_from("attention.key_length_mla", "qk_nope_head_dim", rest);
    k.copy_size("attention.kv_lora_rank", "kv_lora_rank")?;
    let narrow = k.integer("attention.q_lora_rank")?.filter(|n| *n > 0);
    k.set_from("attention.q_lora_rank", "q_lora_rank", narrow);
    rope::set(k, rotary)?;
    // The converter stores a tenth of it; the other factor of the rule has no key, and is the same in all releases.
    if let Some(log) = k.number("rope.scaling.yarn_log_multiplier")?.filter(|v| *v != 0.0) {
        let scale = json!(log * 10.0);
        k.set_in("rope_parameters", "mscale_all_dim", scale.clone());
        k.set_in("rope_parameters", "mscale", scale);
    }
    Ok(())
}

fn experts(k: &mut Keys<'_>, sigmoid: bool) -> Result<()> {
    mixtures::counts(k, "n_routed_experts")?;
    k.copy_size("expert_feed_forward_length", "moe_intermediate_size")?;
    k.copy_size("expert_shared_count", "n_shared_experts")?;
    let dense = k.integer("leading_dense_block_count")?.unwrap_or(0);
    k.set_from("leading_dense_block_count", "first_k_dense_replace", dense);
    let scale = k.number("expert_weights_scale")?.filter(|v| *v != 0.0).unwrap_or(1.0);
    k.set_from("expert_weights_scale", "routed_scaling_factor", scale);
    let normed = k.flag("expert_weights_norm")?.unwrap_or(false);
    k.set_from("expert_weights_norm", "norm_topk_prob", normed);
    let groups = [k.integer("expert_group_count")?, k.integer("expert_group_used_count")?];
    let groups = match groups {
        [Some(count), Some(kept)] if count > 1 => Some([count, kept]),
        [None, _] | [_, None] if sigmoid => {
            return Err(k.error(
                "expert_group_count",
                "is missing, and the choice of experts depends on it; convert the model again",
            ));
        }
        _ => None,
    };
    let [count, kept] = groups.unwrap_or([1, 1]);
    k.set_from("expert_group_count", "n_group", count);
    k.set_from("expert_group_used_count", "topk_group", kept);
    k.set("topk_method", if groups.is_some() { "group_limited_greedy" } else { "greedy" });
    if sigmoid {
        k.set("topk_method", Value::Null);
    }
    Ok(())
}

/// Reads the expansion of keys and of values from two tensors where the file has them so.
pub(super) fn adapt(spec: &mut DecoderSpec, file: &GgufFile) {
    for (i, attention) in spec.attentions_mut() {
        let name = |n: &str| TensorName::new(format!("blk.{i}.{n}.weight"));
        let Projection::Latent(latent) = &mut attention.qkv else { continue };
        if !file.contains(&name("attn_k_b").0[0]) {
            continue;
        }
        let (count, keys) = (attention.heads, attention.head_dim - latent.rope_dim);
        let by_head = |n: &str, rows: usize, layout: RowLayout| {
            let tensor = name(n);
            (0..count).map(move |index| LinearPart {
                layout,
                slice: Some(Slice { index, count }),
                ..LinearPart::new(tensor.clone(), None, rows)
            })
        };
        let values = by_head("attn_v_b", attention.value_dim, RowLayout::OUT_IN);
        latent.expand.parts = by_head("attn_k_b", keys, RowLayout::IN_OUT).chain(values).collect();
    }
}
