"""Qwen2-MoE: routed experts, a gated shared one, dense layers between, and windows by a rule of their own."""

import torch
from transformers import Qwen2MoeConfig

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> Qwen2MoeConfig:
    """Two layers, four query heads on two key heads, hidden 24, 160 ids, two of five experts of width 12."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 20,
        "moe_intermediate_size": 12,
        "shared_expert_intermediate_size": 14,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "num_experts": 5,
        "num_experts_per_tok": 2,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
        "tie_word_embeddings": False,
    }
    return Qwen2MoeConfig(**(base | changes))


def released(document: dict) -> None:
    """What released checkpoints hold: a window that is off, no `layer_types`, no `qkv_bias`, no `mlp_only_layers`."""
    document["sliding_window"] = 8
    document["max_window_layers"] = 2
    for key in ("layer_types", "qkv_bias", "mlp_only_layers", "norm_topk_prob"):
        del document[key]


def by_rule(document: dict) -> None:
    """No `layer_types`: even layers below `max_window_layers`."""
    del document["layer_types"]


checkpoint(
    "qwen2-moe-sparse", "two of five experts, weights not renormalised, untied, 5.x config", config(), dtype=BF16
)
checkpoint(
    "qwen2-moe-sparse-hub",
    "qwen2-moe-sparse as released: sliding_window 8 but off, no qkv_bias (so true), no norm_topk_prob (false)",
    config(),
    weights="qwen2-moe-sparse",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "qwen2-moe-norm-topk",
    "qwen2-moe-sparse with norm_topk_prob true",
    config(norm_topk_prob=True),
    weights="qwen2-moe-sparse",
    dtype=BF16,
)
checkpoint(
    "qwen2-moe-step-hub",
    "five layers, decoder_sparse_step 2 (so 1 and 3 are sparse) but 3 in mlp_only_layers, tied, no qkv bias, window of "
    "8 on layers 0 and 2 (even and below max_window_layers 4), f16",
    config(
        num_hidden_layers=5,
        hidden_size=24,
        num_attention_heads=3,
        num_key_value_heads=1,
        decoder_sparse_step=2,
        mlp_only_layers=[3],
        norm_topk_prob=True,
        qkv_bias=False,
        use_sliding_window=True,
        sliding_window=8,
        max_window_layers=4,
        tie_word_embeddings=True,
    ),
    dtype=F16,
    hub=True,
    edit_config=by_rule,
)
