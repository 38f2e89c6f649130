"""OLMo2: norms on the outputs of the branches, and over all queries and keys before the heads are split."""

import torch
from transformers import Olmo2Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16

YARN = {"rope_type": "yarn", "rope_theta": 50.0, "factor": 4.0, "original_max_position_embeddings": 32}


def config(**changes) -> Olmo2Config:
    """Three layers, four query heads on two key heads, hidden 32, 160 ids."""
    base = {
        "vocab_size": 160,
        "hidden_size": 32,
        "intermediate_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 500000.0},
    }
    return Olmo2Config(**(base | changes))


def minimal(document: dict) -> None:
    """Leaves out what has a default: K = H, theta 1e4, eps 1e-5, no biases, untied."""
    for key in (
        "num_key_value_heads", "rope_theta", "rope_scaling", "rms_norm_eps", "attention_bias", "tie_word_embeddings",
        "hidden_act",
    ):  # fmt: skip
        del document[key]


checkpoint("olmo2-untied", "norms on the outputs, K < H, untied, 5.x config", config(), dtype=BF16)
checkpoint(
    "olmo2-untied-hub", "olmo2-untied with the Hub's config", config(), weights="olmo2-untied", dtype=BF16, hub=True
)
checkpoint(
    "olmo2-minimal-hub",
    "three heads of 8; no num_key_value_heads (so K = H), theta (1e4), eps (1e-5), bias or tie key",
    config(
        hidden_size=24,
        num_attention_heads=3,
        num_key_value_heads=3,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    ),
    dtype=BF16,
    long=90,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "olmo2-bias-tied",
    "attention_bias, tied, six heads on three, yarn past the original length, f16",
    config(
        hidden_size=36,
        num_attention_heads=6,
        num_key_value_heads=3,
        num_hidden_layers=2,
        attention_bias=True,
        tie_word_embeddings=True,
        rope_parameters=YARN,
    ),
    dtype=F16,
    long=90,
)
