"""Gemma: norms that add one to their weight, a scaled embedding, a head size of its own, and a misnamed activation."""

import torch
from transformers import GemmaConfig

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> GemmaConfig:
    """Three layers, three query heads of 12 on one key head, hidden 24, 160 ids, tied."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
        "num_key_value_heads": 1,
        "head_dim": 12,
        "max_position_embeddings": 128,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    }
    return GemmaConfig(**(base | changes))


def released(document: dict) -> None:
    """The first releases say gelu and mean its tanh form; later ones add a null `hidden_activation`."""
    document["hidden_act"] = "gelu"
    document["hidden_activation"] = None
    del document["tie_word_embeddings"]


def minimal(document: dict) -> None:
    """Leaves out what has a default, the head size (256) among it."""
    for key in (
        "head_dim", "hidden_act", "rms_norm_eps", "rope_theta", "rope_scaling", "tie_word_embeddings",
        "attention_bias",
    ):  # fmt: skip
        del document[key]


checkpoint("gemma-tied", "tied, H*d = 36 and D = 24, K = 1, 5.x config", config(), dtype=BF16, long=90)
checkpoint(
    "gemma-tied-hub",
    "gemma-tied as released: hidden_act gelu (means tanh), hidden_activation null, no tie key (so tied)",
    config(),
    weights="gemma-tied",
    dtype=BF16,
    long=90,
    hub=True,
    edit_config=released,
)
checkpoint(
    "gemma-no-head-dim-hub",
    "no head_dim (so 256), no activation, eps, theta or tie key",
    config(vocab_size=128, hidden_size=16, head_dim=256, num_attention_heads=1, num_hidden_layers=2),
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "gemma-untied",
    "tie_word_embeddings false, D = 30, attention_bias, four heads on two, theta 500, f16",
    config(
        hidden_size=30,
        intermediate_size=24,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=10,
        num_hidden_layers=2,
        attention_bias=True,
        tie_word_embeddings=False,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    ),
    dtype=F16,
)
