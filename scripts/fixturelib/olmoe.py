"""OLMoE: norms over all queries and keys, then clipping; every layer has experts of the full width."""

import torch
from transformers import OlmoeConfig

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> OlmoeConfig:
    """Two layers, four query heads on two key heads, hidden 24, 160 ids, two of five experts of width 12."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "num_experts": 5,
        "num_experts_per_tok": 2,
        "rms_norm_eps": 1e-5,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    }
    return OlmoeConfig(**(base | changes))


def minimal(document: dict) -> None:
    """Leaves out what has a default: K = H, no renormalising, no clipping, no biases, theta 1e4, untied."""
    for key in (
        "num_key_value_heads", "norm_topk_prob", "clip_qkv", "attention_bias", "rope_theta", "rope_scaling",
        "tie_word_embeddings", "rms_norm_eps",
    ):  # fmt: skip
        del document[key]


checkpoint("olmoe-plain", "two of five experts, not renormalised, no clipping, K < H, 5.x config", config(), dtype=BF16)
checkpoint(
    "olmoe-clip-hub",
    "olmoe-plain with clip_qkv 0.8 after the norms, and norm_topk_prob true",
    config(clip_qkv=0.8, norm_topk_prob=True),
    weights="olmoe-plain",
    dtype=BF16,
    hub=True,
)
checkpoint(
    "olmoe-minimal-hub",
    "three heads of 8, three of seven experts; no K (so K = H), norm_topk_prob (false), clip_qkv, bias or tie key",
    config(num_attention_heads=3, num_key_value_heads=3, num_experts=7, num_experts_per_tok=3),
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "olmoe-bias-tied",
    "attention_bias, clip_qkv 1.0, norm_topk_prob, tied, six heads on three, theta 500, f16",
    config(
        num_hidden_layers=3,
        num_attention_heads=6,
        num_key_value_heads=3,
        num_experts=4,
        attention_bias=True,
        clip_qkv=1.0,
        norm_topk_prob=True,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    ),
    dtype=F16,
)
