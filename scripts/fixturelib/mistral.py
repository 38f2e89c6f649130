"""Mistral: a sliding window on every layer, on none, or not mentioned."""

import torch
from transformers import MistralConfig

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> MistralConfig:
    """Three layers, four query heads on two key heads, hidden 32, 160 ids, a window of 8."""
    base = {
        "vocab_size": 160,
        "hidden_size": 32,
        "intermediate_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "rms_norm_eps": 1e-5,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        "sliding_window": 8,
        "tie_word_embeddings": False,
    }
    return MistralConfig(**(base | changes))


def no_head_dim(document: dict) -> None:
    """The first releases have no `head_dim`."""
    del document["head_dim"]


def minimal(document: dict) -> None:
    """Leaves out what has a default: eight key heads, window 4096 (longer than any sequence here), eps 1e-6."""
    for key in (
        "num_key_value_heads", "sliding_window", "rms_norm_eps", "rope_theta", "rope_scaling", "tie_word_embeddings",
        "hidden_act",
    ):  # fmt: skip
        del document[key]


checkpoint("mistral-window", "window of 8 on all layers, untied, K < H, 5.x config", config(), dtype=BF16)
checkpoint(
    "mistral-window-hub",
    "mistral-window with the Hub's config, without head_dim",
    config(),
    weights="mistral-window",
    dtype=BF16,
    hub=True,
    edit_config=no_head_dim,
)
checkpoint(
    "mistral-window-null",
    "mistral-window with sliding_window null: every position sees all before it",
    config(sliding_window=None),
    weights="mistral-window",
    dtype=BF16,
    hub=True,
)
checkpoint(
    "mistral-minimal-hub",
    "no num_key_value_heads (so 8 of 16), no sliding_window (so 4096), no eps (1e-6), no theta, no tie key",
    config(num_attention_heads=16, num_key_value_heads=8, head_dim=4, sliding_window=None, rms_norm_eps=1e-6),
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "mistral-head-dim-hub",
    "head_dim 12 on three heads so that H*d = 36 and D = 32, K = 1, no window, theta 1e6, f16",
    config(
        head_dim=12,
        num_attention_heads=3,
        num_key_value_heads=1,
        sliding_window=None,
        rope_parameters={"rope_type": "default", "rope_theta": 1000000.0},
        num_hidden_layers=2,
    ),
    dtype=F16,
    long=100,
    hub=True,
)
checkpoint(
    "mistral-window-tied",
    "tied, window of 70 on all layers, a shared context of 90 ids, head_dim 6 on six heads",
    config(
        hidden_size=24,
        head_dim=6,
        num_attention_heads=6,
        num_key_value_heads=3,
        sliding_window=70,
        num_hidden_layers=2,
        tie_word_embeddings=True,
    ),
    dtype=BF16,
    context=90,
    long=120,
)
