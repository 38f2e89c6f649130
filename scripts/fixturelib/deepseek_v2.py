"""DeepSeek-V2: keys and values from a latent, rotation on a part of its own, routed and shared experts, groups."""

import torch
from transformers import DeepseekV2Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16

YARN = {
    "rope_type": "yarn",
    "rope_theta": 50.0,
    "factor": 4.0,
    "beta_fast": 4.0,
    "beta_slow": 0.5,
    "mscale": 0.707,
    "mscale_all_dim": 0.707,
    "original_max_position_embeddings": 32,
}


def config(**changes) -> DeepseekV2Config:
    """Three layers of which the first is dense, three heads of 6 + 8 with values of 5, hidden 24, 160 ids, two of five
    experts of width 12.
    """
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 20,
        "moe_intermediate_size": 12,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
        "num_key_value_heads": 3,
        "max_position_embeddings": 128,
        "q_lora_rank": None,
        "kv_lora_rank": 10,
        "qk_nope_head_dim": 6,
        "qk_rope_head_dim": 8,
        "v_head_dim": 5,
        "first_k_dense_replace": 1,
        "n_routed_experts": 5,
        "n_shared_experts": 2,
        "num_experts_per_tok": 2,
        "topk_method": "greedy",
        "rms_norm_eps": 1e-6,
        "rope_parameters": YARN,
    }
    return DeepseekV2Config(**(base | changes))


GROUPS = {
    "q_lora_rank": 11,
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "topk_method": "group_limited_greedy",
    "n_group": 4,
    "topk_group": 2,
    "routed_scaling_factor": 3.0,
    "moe_intermediate_size": 8,
    "n_shared_experts": 1,
}


def released(document: dict) -> None:
    """What the releases hold: no `head_dim`, one group, keys of training, the older `type`."""
    for key in ("head_dim", "mlp_bias", "qk_head_dim"):
        document.pop(key, None)
    for key in ("n_group", "topk_group", "moe_layer_freq", "ep_size"):
        document[key] = 1
    document |= {"scoring_func": "softmax", "seq_aux": True, "aux_loss_alpha": 0.001}
    document["rope_scaling"]["type"] = document["rope_scaling"].pop("rope_type")


def groups(document: dict) -> None:
    """The releases with groups, and `norm_topk_prob`, which is not used."""
    for key in ("head_dim", "mlp_bias", "qk_head_dim"):
        document.pop(key, None)
    document["norm_topk_prob"] = True
    document["scoring_func"] = "softmax"


def minimal(document: dict) -> None:
    """Leaves out what has a default: all layers sparse, greedy, scaling 1, two shared experts, theta 1e4, K = H."""
    for key in (
        "first_k_dense_replace", "topk_method", "routed_scaling_factor", "n_shared_experts", "num_key_value_heads",
        "head_dim", "n_group", "topk_group", "norm_topk_prob", "rope_theta", "rope_scaling", "attention_bias",
        "mlp_bias", "rms_norm_eps", "tie_word_embeddings",
    ):  # fmt: skip
        del document[key]


checkpoint(
    "deepseek-v2-lite",
    "q_lora_rank null, greedy, dense first layer, two shared experts, yarn with equal mscales, untied, 5.x config",
    config(),
    dtype=BF16,
)
checkpoint(
    "deepseek-v2-lite-hub",
    "deepseek-v2-lite as released: no head_dim, one group of experts, `type` for rope_type",
    config(),
    weights="deepseek-v2-lite",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "deepseek-v2-mscale",
    "deepseek-v2-lite with mscale 1.0 and mscale_all_dim 0.5: the tables are scaled too",
    config(rope_parameters=YARN | {"mscale": 1.0, "mscale_all_dim": 0.5}),
    weights="deepseek-v2-lite",
    dtype=BF16,
)
checkpoint(
    "deepseek-v2-groups-hub",
    "q_lora_rank 11, the best three of two groups of four, weights times 3, norm_topk_prob true (not used), no scaling",
    config(**GROUPS, num_hidden_layers=2, rope_parameters={"rope_type": "default", "rope_theta": 10000.0}),
    dtype=BF16,
    hub=True,
    edit_config=groups,
)
checkpoint(
    "deepseek-v2-bias",
    "attention_bias and mlp_bias, q_lora_rank 11, groups, tied, four heads, rms_norm_eps 0.01 but 1e-6 in the norms of "
    "the latents, f16",
    config(
        **GROUPS,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        attention_bias=True,
        mlp_bias=True,
        rms_norm_eps=0.01,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    ),
    dtype=F16,
)
checkpoint(
    "deepseek-v2-minimal-hub",
    "no first_k_dense_replace (so 0), topk_method (greedy), shared count (2), K, head_dim, rope, bias or tie keys",
    config(
        num_hidden_layers=2,
        first_k_dense_replace=0,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    ),
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
