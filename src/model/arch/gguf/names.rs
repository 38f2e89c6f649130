//! llama.cpp's names of tensors, for a spec that has transformers'.

use crate::model::spec::{DecoderSpec, FeedForward, LinearPart, Slice, TensorName};

/// transformers' names within a layer (of several families, which do not clash) and llama.cpp's. A name with its ending goes
/// before one without.
const LAYER: &[(&str, &str)] = &[
    ("input_layernorm", "attn_norm"),
    ("ln_1", "attn_norm"),
    ("norm_1", "attn_norm"),
    ("ln_mlp", "attn_norm"),
    ("ln_attn", "attn_norm_2"),
    ("norm", "attn_norm"),
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.qkv_proj", "attn_qkv"),
    ("attn.c_attn", "attn_qkv"),
    ("attn.Wqkv", "attn_qkv"),
    ("attention.query_key_value", "attn_qkv"),
    ("self_attention.query_key_value", "attn_qkv"),
    ("self_attn.o_proj", "attn_output"),
    ("self_attn.dense", "attn_output"),
    ("attn.c_proj", "attn_output"),
    ("attn.out_proj", "attn_output"),
    ("attention.dense", "attn_output"),
    ("self_attention.dense", "attn_output"),
    ("self_attn.q_norm", "attn_q_norm"),
    ("self_attn.k_norm", "attn_k_norm"),
    ("self_attn.sinks", "attn_sinks.weight"),
    ("self_attn.q_a_proj", "attn_q_a"),
    ("self_attn.q_a_layernorm", "attn_q_a_norm"),
    ("self_attn.q_b_proj", "attn_q_b"),
    ("self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"),
    ("self_attn.kv_a_layernorm", "attn_kv_a_norm"),
    ("self_attn.kv_b_proj", "attn_kv_b"),
    ("post_attention_layernorm", "ffn_norm"),
    ("pre_feedforward_layernorm", "ffn_norm"),
    ("ln_2", "ffn_norm"),
    ("norm_2", "ffn_norm"),
    ("post_self_attn_layernorm", "post_attention_norm"),
    ("post_feedforward_layernorm", "post_ffw_norm"),
    ("post_mlp_layernorm", "post_ffw_norm"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.gate_up_proj", "ffn_up"),
    ("mlp.c_fc", "ffn_up"),
    ("mlp.fc1", "ffn_up"),
    ("mlp.dense_h_to_4h", "ffn_up"),
    ("ffn.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
    ("mlp.c_proj", "ffn_down"),
    ("mlp.fc2", "ffn_down"),
    ("mlp.dense_4h_to_h", "ffn_down"),
    ("ffn.down_proj", "ffn_down"),
    ("mlp.gate.e_score_correction_bias", "exp_probs_b.bias"),
    ("mlp.gate", "ffn_gate_inp"),
    ("mlp.router", "ffn_gate_inp"),
    ("block_sparse_moe.gate", "ffn_gate_inp"),
    ("experts.gate_proj", "ffn_gate_exps"),
    ("experts.up_proj", "ffn_up_exps"),
    ("experts.down_proj", "ffn_down_exps"),
    ("experts.w1", "ffn_gate_exps"),
    ("experts.w3", "ffn_up_exps"),
    ("experts.w2", "ffn_down_exps"),
    ("mlp.shared_expert.gate_proj", "ffn_gate_shexp"),
    ("mlp.shared_expert.up_proj", "ffn_up_shexp"),
    ("mlp.shared_expert.down_proj", "ffn_down_shexp"),
    ("mlp.shared_expert_gate", "ffn_gate_inp_shexp"),
    ("mlp.shared_experts.gate_proj", "ffn_gate_shexp"),
    ("mlp.shared_experts.up_proj", "ffn_up_shexp"),
    ("mlp.shared_experts.down_proj", "ffn_down_shexp"),
    ("mixer.in_proj", "ssm_in"),
    ("mixer.conv1d", "ssm_conv1d"),
    ("mixer.x_proj", "ssm_x"),
    ("mixer.dt_proj", "ssm_dt"),
    ("mixer.A_log", "ssm_a"),
    ("mixer.D", "ssm_d"),
    ("mixer.out_proj", "ssm_out"),
];

/// Where the norm of this name is on the attention's output.
pub(super) const POST_NORM: &[(&str, &str)] = &[("post_attention_layernorm", "post_attention_norm")];

/// Names outside the layers.
const ENDS: &[(&str, &str)] = &[
    ("embed_tokens", "token_embd"),
    ("wte", "token_embd"),
    ("embed_in", "token_embd"),
    ("embeddings", "token_embd"),
    ("word_embeddings", "token_embd"),
    ("word_embeddings_layernorm", "token_embd_norm"),
    ("wpe", "position_embd"),
    ("norm", "output_norm"),
    ("ln_f", "output_norm"),
    ("norm_f", "output_norm"),
    ("final_layernorm", "output_norm"),
    ("final_layer_norm", "output_norm"),
    ("lm_head", "output"),
    ("embed_out", "output"),
];

/// A name of llama.cpp's, and which expert it is of.
struct Renamed {
    name: String,
    expert: Option<usize>,
}

/// llama.cpp's name for one of transformers'; `own` are names particular to an architecture.
fn rename(name: &str, own: &[(&str, &str)]) -> Option<Renamed> {
    if name.starts_with("blk.") {
        return Some(Renamed { name: name.to_string(), expert: None });
    }
    let parts: Vec<&str> = name.split('.').collect();
    let layer =
        parts.windows(2).position(|w| matches!(w[0], "layers" | "h" | "blocks") && w[1].parse::<usize>().is_ok());
    let Some(at) = layer else {
        let [.., module, ending] = parts[..] else { return None };
        let (_, to) = ENDS.iter().find(|(from, _)| *from == module)?;
        return Some(Renamed { name: format!("{to}.{ending}"), expert: None });
    };
    let mut rest = parts[at + 2..].to_vec();
    let mut expert = None;
    if let Some(e) = rest.windows(2).position(|w| w[0] == "experts" && w[1].parse::<usize>().is_ok()) {
        expert = rest[e + 1].parse().ok();
        rest.remove(e + 1);
        rest.drain(..e);
    }
    let find = |name: &str| own.iter().chain(LAYER).find(|(from, _)| *from == name).map(|(_, to)| *to);
    let whole = rest.join(".");
    let tail = match (find(&whole), whole.rsplit_once('.')) {
        (Some(to), _) => to.to_string(),
        (None, Some((module, ending))) => format!("{}.{ending}", find(module)?),
        (None, None) => return None,
    };
    Some(Renamed { name: format!("blk.{}.{tail}", parts[at + 1]), expert })
}

/// Gives every tensor of a spec llama.cpp's name. Experts become slices of one tensor; linear layers get the biases that the
/// file `contains`, beside those that they must have.
///
/// # Errors
/// A name that llama.cpp has no counterpart of.
pub(super) fn apply(
    spec: &mut DecoderSpec,
    own: &[(&str, &str)],
    contains: impl Fn(&str) -> bool,
) -> Result<(), String> {
    let mut unknown = None;
    let mut each = |names: &TensorName| -> (TensorName, Option<usize>) {
        let mut found: Vec<Renamed> = names.0.iter().filter_map(|n| rename(n, own)).collect();
        let expert = found.first().and_then(|r| r.expert);
        if found.is_empty() {
            unknown = names.0.first().cloned();
        }
        found.dedup_by(|a, b| a.name == b.name);
        (TensorName(found.into_iter().map(|r| r.name).collect()), expert)
    };
    for layer in &mut spec.layers {
        if let Some(FeedForward::Experts(experts)) = &mut layer.mlp {
            experts.stacked = None;
            let count = experts.experts.len();
            for mlp in &mut experts.experts {
                for part in mlp.input.parts.iter_mut().chain(&mut mlp.output.parts) {
                    // Those that are slices already know which.
                    part.slice.get_or_insert(Slice { index: 0, count });
                }
            }
        }
    }
    spec.for_each_part(&mut |part: &mut LinearPart| {
        let (weight, expert) = each(&part.weight);
        if let (Some(slice), Some(index)) = (&mut part.slice, expert) {
            slice.index = index;
        }
        let bias =
            weight.0.first().map(|w| w.replace(".weight", ".bias")).filter(|b| part.bias.is_some() || contains(b));
        (part.weight, part.bias) = (weight, bias.map(TensorName::new));
    });
    spec.for_each_name(&mut |name: &mut TensorName| *name = each(name).0);
    unknown.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_layers_ends_and_experts() {
        let of = |name: &str| rename(name, POST_NORM).map(|r| (r.name, r.expert));
        let plain = |name: &str| Some((name.to_string(), None));
        assert_eq!(of("model.embed_tokens.weight"), plain("token_embd.weight"));
        assert_eq!(of("lm_head.weight"), plain("output.weight"));
        assert_eq!(of("transformer.h.11.attn.c_proj.bias"), plain("blk.11.attn_output.bias"));
        assert_eq!(of("model.layers.2.post_attention_layernorm.weight"), plain("blk.2.post_attention_norm.weight"));
        assert_eq!(rename("layers.2.post_attention_layernorm.weight", &[]).unwrap().name, "blk.2.ffn_norm.weight");
        assert_eq!(of("model.layers.0.self_attn.sinks"), plain("blk.0.attn_sinks.weight"));
        let expert = Some(("blk.3.ffn_down_exps.weight".to_string(), Some(12)));
        assert_eq!(of("model.layers.3.mlp.experts.12.down_proj.weight"), expert);
        assert_eq!(of("model.layers.3.block_sparse_moe.experts.12.w2.weight"), expert);
        assert_eq!(of("model.layers.3.self_attn.nothing.weight"), None);
        assert_eq!(of("nothing.weight"), None);
    }
}
