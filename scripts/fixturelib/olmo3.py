"""OLMo3: OLMo2 with windows on three layers of four, and scaled rotation on the fourth."""

import torch
from transformers import Olmo3Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16

YARN = {
    "rope_type": "yarn",
    "rope_theta": 50.0,
    "factor": 8.0,
    "attention_factor": 1.2,
    "beta_fast": 4.0,
    "beta_slow": 0.5,
    "original_max_position_embeddings": 16,
}


def rope(full: dict, sliding: float) -> dict:
    """Rotary parameters by layer type."""
    return {"full_attention": full, "sliding_attention": {"rope_type": "default", "rope_theta": sliding}}


def config(**changes) -> Olmo3Config:
    """Five layers of which the fourth is full, four query heads on two key heads, hidden 24, 160 ids."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 16,
        "num_hidden_layers": 5,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "rms_norm_eps": 1e-6,
        "sliding_window": 8,
        "rope_parameters": rope(YARN, 500000.0),
    }
    return Olmo3Config(**(base | changes))


def by_rule(document: dict) -> None:
    """No `layer_types`: all but every fourth are windowed."""
    del document["layer_types"]


def minimal(document: dict) -> None:
    """Leaves out what has a default: window 4096, theta 5e5, K = H, eps 1e-5, untied."""
    for key in (
        "layer_types", "sliding_window", "rope_theta", "rope_scaling", "num_key_value_heads", "rms_norm_eps",
        "attention_bias", "tie_word_embeddings",
    ):  # fmt: skip
        del document[key]


checkpoint(
    "olmo3-window",
    "window of 8 unless the layer is a fourth, yarn on full layers only, theta 5e5 on the others, untied, 5.x config",
    config(),
    dtype=BF16,
)
checkpoint(
    "olmo3-window-hub",
    "olmo3-window as released: rope_theta 50 and rope_scaling reach full layers only (others keep 5e5), no layer_types",
    config(),
    weights="olmo3-window",
    dtype=BF16,
    hub=True,
    edit_config=by_rule,
)
checkpoint(
    "olmo3-layer-types",
    "full, windowed, full by layer_types, a theta for each kind, three heads on one, tied, biased attention, f16",
    config(
        num_hidden_layers=3,
        num_attention_heads=3,
        num_key_value_heads=1,
        layer_types=["full_attention", "sliding_attention", "full_attention"],
        rope_parameters=rope({"rope_type": "default", "rope_theta": 1000.0}, 20.0),
        attention_bias=True,
        tie_word_embeddings=True,
    ),
    dtype=F16,
)
checkpoint(
    "olmo3-minimal-hub",
    "no window (so 4096), theta (5e5), K (so K = H, three heads), eps (1e-5) or tie key",
    config(
        num_attention_heads=3,
        num_key_value_heads=3,
        num_hidden_layers=4,
        sliding_window=4096,
        rms_norm_eps=1e-5,
        rope_parameters=rope({"rope_type": "default", "rope_theta": 500000.0}, 500000.0),
    ),
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
