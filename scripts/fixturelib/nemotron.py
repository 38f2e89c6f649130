"""Nemotron: norms that multiply by one plus their weight, partial rotation, squared relu without a gate."""

import torch
from transformers import NemotronConfig

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(theta: float = 10000.0, share: float = 0.5, **changes) -> NemotronConfig:
    """Three layers, four heads of eight on two, half of which rotates, hidden 32, 144 ids."""
    base = {
        "vocab_size": 144,
        "hidden_size": 32,
        "intermediate_size": 28,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "rope_parameters": {"rope_type": "default", "rope_theta": theta, "partial_rotary_factor": share},
    }
    return NemotronConfig(**(base | changes))


checkpoint("nemotron-untied", "half rotates, K < H, head of its own, 5.x config", config(), long=100, dtype=BF16)
checkpoint(
    "nemotron-untied-hub",
    "nemotron-untied without partial_rotary_factor (then 0.5; rope_percent counts for nothing), head_dim and flags",
    config(),
    weights="nemotron-untied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited(
        "partial_rotary_factor", "head_dim", "attention_bias", "mlp_bias", "norm_eps", "hidden_act",
        "tie_word_embeddings", "rope_theta", "rope_scaling", rope_percent=0.25,
    ),
)  # fmt: skip
checkpoint(
    "nemotron-bias-tied-hub",
    "attention_bias and mlp_bias, tied, head_dim 12 so that H*d = 36 and D = 24, three heads, a quarter rotates",
    config(
        theta=500.0, share=0.25, hidden_size=24, num_attention_heads=3, num_key_value_heads=1, head_dim=12,
        num_hidden_layers=2, attention_bias=True, mlp_bias=True, tie_word_embeddings=True,
    ),
    dtype=F16,
    hub=True,
    edit_config=edited(kv_channels=12),
)  # fmt: skip
checkpoint(
    "nemotron-odd-rotary",
    "half of heads of ten is five: three frequencies over five, six dimensions rotate",
    config(hidden_size=30, num_attention_heads=3, num_key_value_heads=3, num_hidden_layers=2),
    dtype=BF16,
)
