"""DeepSeek-V3: routing by sigmoids, with a bias that chooses but does not weigh."""

import torch
from transformers import DeepseekV3Config

from fixturelib.checkpoint import Tensors, checkpoint

BF16 = torch.bfloat16
F16 = torch.float16

YARN = {
    "rope_type": "yarn",
    "rope_theta": 50.0,
    "factor": 8.0,
    "beta_fast": 4.0,
    "beta_slow": 0.5,
    "mscale": 1.0,
    "mscale_all_dim": 1.0,
    "original_max_position_embeddings": 16,
}


def config(**changes) -> DeepseekV3Config:
    """Two layers of which the first is dense, three heads of 6 + 8 with values of 5, hidden 24, 160 ids, the best
    three of two groups of four, each of two experts of width 8.
    """
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 20,
        "moe_intermediate_size": 8,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "num_key_value_heads": 3,
        "max_position_embeddings": 128,
        "q_lora_rank": 11,
        "kv_lora_rank": 10,
        "qk_nope_head_dim": 6,
        "qk_rope_head_dim": 8,
        "v_head_dim": 5,
        "first_k_dense_replace": 1,
        "n_routed_experts": 8,
        "n_shared_experts": 1,
        "num_experts_per_tok": 3,
        "n_group": 4,
        "topk_group": 2,
        "rms_norm_eps": 1e-6,
        "rope_parameters": YARN,
    }
    return DeepseekV3Config(**(base | changes))


def released(document: dict) -> None:
    """What the releases hold: no `head_dim`, `rope_interleave`, `norm_topk_prob` here, and keys that say the rule."""
    for key in ("head_dim", "rope_interleave", "qk_head_dim", "norm_topk_prob", "routed_scaling_factor"):
        document.pop(key, None)
    document |= {"topk_method": "noaux_tc", "scoring_func": "sigmoid", "moe_layer_freq": 1, "ep_size": 1}
    document["num_nextn_predict_layers"] = 1
    document["rope_scaling"]["type"] = document["rope_scaling"].pop("rope_type")


def next_token_layer(tensors: Tensors) -> Tensors:
    """The correction bias in f32, and a layer past the last, which predicts a second token and is not run."""
    for name in tensors:
        if name.endswith("e_score_correction_bias"):
            tensors[name] = tensors[name].float()
    first = {name: value for name, value in tensors.items() if name.startswith("model.layers.0.self_attn")}
    tensors |= {name.replace("layers.0", "layers.2"): value.clone() for name, value in first.items()}
    tensors["model.layers.2.eh_proj.weight"] = torch.ones(24, 48, dtype=BF16)
    tensors["model.layers.2.enorm.weight"] = torch.ones(24, dtype=BF16)
    return tensors


checkpoint(
    "deepseek-v3-groups",
    "two groups of four, three experts, renormalised, times 2.5, interleaved, yarn, dense first layer, untied, 5.x",
    config(),
    dtype=BF16,
)
checkpoint(
    "deepseek-v3-groups-hub",
    "deepseek-v3-groups as released: noaux_tc, no rope_interleave (so true), no norm_topk_prob (true), no scaling "
    "factor (2.5), f32 bias, a next-token layer in the file",
    config(),
    weights="deepseek-v3-groups",
    dtype=BF16,
    hub=True,
    edit_config=released,
    edit_tensors=next_token_layer,
)
checkpoint(
    "deepseek-v3-half-split",
    "deepseek-v3-groups with rope_interleave false and norm_topk_prob false",
    config(rope_interleave=False, norm_topk_prob=False),
    weights="deepseek-v3-groups",
    dtype=BF16,
)
checkpoint(
    "deepseek-v3-one-group",
    "q_lora_rank null, one group of five, two experts, default rope, biased attention, tied, rms_norm_eps 0.01 but "
    "1e-6 in the norm of the latent, f16",
    config(
        q_lora_rank=None,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        n_routed_experts=5,
        num_experts_per_tok=2,
        n_group=1,
        topk_group=1,
        n_shared_experts=2,
        routed_scaling_factor=1.5,
        attention_bias=True,
        rms_norm_eps=0.01,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    ),
    dtype=F16,
)
