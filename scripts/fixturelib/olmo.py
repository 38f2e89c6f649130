"""OLMo: norms without parameters, and clipped queries, keys and values."""

import torch
from transformers import OlmoConfig

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> OlmoConfig:
    """Three layers, four query heads on two key heads, hidden 32, 160 ids."""
    base = {
        "vocab_size": 160,
        "hidden_size": 32,
        "intermediate_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    }
    return OlmoConfig(**(base | changes))


def released(document: dict) -> None:
    """No `num_key_value_heads` (so as many as heads)."""
    del document["num_key_value_heads"]


def minimal(document: dict) -> None:
    """Leaves out what has a default: no clipping, no biases, untied, theta 1e4."""
    for key in ("clip_qkv", "attention_bias", "tie_word_embeddings", "rope_theta", "rope_scaling", "hidden_act"):
        del document[key]


checkpoint("olmo-plain", "no norm weights, clip_qkv null, K < H, untied, 5.x config", config(), dtype=BF16)
checkpoint(
    "olmo-minimal-hub",
    "olmo-plain without clip_qkv, attention_bias, tie or rope keys",
    config(),
    weights="olmo-plain",
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
checkpoint("olmo-clip", "olmo-plain with clip_qkv 0.8", config(clip_qkv=0.8), weights="olmo-plain", dtype=BF16)
checkpoint(
    "olmo-clip-hub",
    "clip_qkv 1.0, three heads of 8, no num_key_value_heads (so K = H), tied",
    config(
        hidden_size=24,
        num_attention_heads=3,
        num_key_value_heads=3,
        clip_qkv=1.0,
        tie_word_embeddings=True,
    ),
    dtype=BF16,
    long=90,
    hub=True,
    edit_config=released,
)
checkpoint(
    "olmo-bias",
    "attention_bias, clip_qkv 0.7 after the bias, six heads on three, theta 500, f16",
    config(
        hidden_size=24,
        num_attention_heads=6,
        num_key_value_heads=3,
        attention_bias=True,
        clip_qkv=0.7,
        num_hidden_layers=2,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    ),
    dtype=F16,
)
