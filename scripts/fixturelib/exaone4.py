"""EXAONE 4: norms on the outputs, norms on queries and keys, and full layers without positions among windowed ones."""

import torch
from transformers import Exaone4Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> Exaone4Config:
    """Four layers of which the last is full, four query heads of 8 on two key heads, hidden 24, 160 ids."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 16,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 128,
        "sliding_window": 8,
        "sliding_window_pattern": 4,
        "rms_norm_eps": 1e-5,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
    }
    return Exaone4Config(**(base | changes))


def released(document: dict) -> None:
    """The pattern as letters; `layer_types` says the same."""
    document["sliding_window_pattern"] = "LLLG"


def by_rule(document: dict) -> None:
    """No `layer_types` and no pattern: every fourth layer is full. No head size either: it is D/H."""
    for key in ("layer_types", "sliding_window_pattern", "head_dim", "tie_word_embeddings", "rms_norm_eps"):
        del document[key]


def null_pattern(document: dict) -> None:
    """The small release: neither window nor pattern."""
    document["sliding_window_pattern"] = None


LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
FULL = ["full_attention"] * 3

checkpoint(
    "exaone4-window",
    "window of 8 unless the layer is a fourth, which has no positions; H*d = 32 and D = 24, untied, 5.x config",
    config(),
    dtype=BF16,
)
checkpoint(
    "exaone4-window-hub",
    "exaone4-window as released: pattern LLLG beside layer_types",
    config(),
    weights="exaone4-window",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "exaone4-null-window-hub",
    "sliding_window and pattern null, three full layers that all rotate, llama3 scaling, tied",
    config(
        num_hidden_layers=3, sliding_window=None, layer_types=FULL, rope_parameters=LLAMA3, tie_word_embeddings=True
    ),
    dtype=BF16,
    long=100,
    hub=True,
    edit_config=null_pattern,
)
checkpoint(
    "exaone4-rule-hub",
    "five layers, no layer_types or pattern (so every fourth is full), no head_dim (D/H), three heads on one, f16",
    config(
        num_hidden_layers=5,
        num_attention_heads=3,
        num_key_value_heads=1,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    ),
    dtype=F16,
    hub=True,
    edit_config=by_rule,
)
checkpoint(
    "exaone4-full-nope",
    "two full layers by layer_types though sliding_window is 8: no layer rotates, none is windowed",
    config(num_hidden_layers=2, layer_types=FULL[:2]),
    dtype=BF16,
)
