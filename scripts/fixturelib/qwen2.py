"""Qwen2: biased q, k and v, and every way to turn its sliding window on or off."""

import torch
from transformers import Qwen2Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> Qwen2Config:
    """Three layers, four query heads on two key heads, hidden 32, 256 ids."""
    base = {
        "vocab_size": 256,
        "hidden_size": 32,
        "intermediate_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "max_window_layers": 1,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
        "tie_word_embeddings": True,
    }
    return Qwen2Config(**(base | changes))


def window_off(document: dict) -> None:
    """What released checkpoints hold: a window that `use_sliding_window` false disables, and no `layer_types`."""
    document["sliding_window"] = 8
    del document["layer_types"]


def by_rule(document: dict) -> None:
    """No `layer_types`: the windowed layers follow from `max_window_layers`."""
    del document["layer_types"]


def scaled(document: dict) -> None:
    """Yarn as the model cards tell users to add it, plus a head size."""
    document["rope_scaling"]["type"] = document["rope_scaling"].pop("rope_type")
    document["head_dim"] = 16
    by_rule(document)


WINDOW = {"use_sliding_window": True, "sliding_window": 8}
YARN = {"rope_type": "yarn", "rope_theta": 50.0, "factor": 4.0, "original_max_position_embeddings": 32}

checkpoint("qwen2-tied", "tied head, no window, 5.x config", config(), long=100, dtype=BF16)
checkpoint(
    "qwen2-window-off-hub",
    "qwen2-tied with sliding_window 8 in the config and use_sliding_window false: the window must not count",
    config(),
    weights="qwen2-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=window_off,
)
checkpoint(
    "qwen2-untied-null",
    "untied, sliding_window null though use_sliding_window is true, f16",
    config(tie_word_embeddings=False, use_sliding_window=True, sliding_window=None),
    dtype=F16,
    hub=True,
    edit_config=by_rule,
)
checkpoint(
    "qwen2-window",
    "window of 8 on the layers from max_window_layers 1 on, written out as layer_types",
    config(**WINDOW),
    weights="qwen2-window",
    dtype=BF16,
)
checkpoint(
    "qwen2-window-hub",
    "qwen2-window without layer_types: the rule gives the same",
    config(**WINDOW),
    weights="qwen2-window",
    dtype=BF16,
    hub=True,
    edit_config=by_rule,
)
checkpoint(
    "qwen2-layer-types",
    "layer_types windowed, full, windowed, against max_window_layers 1: layer_types wins",
    config(**WINDOW, layer_types=["sliding_attention", "full_attention", "sliding_attention"]),
    weights="qwen2-window",
    dtype=BF16,
)
checkpoint(
    "qwen2-window-wide",
    "window of 70 on all layers, a shared context of 133 ids, one sequence of 200",
    config(
        use_sliding_window=True, sliding_window=70, max_window_layers=0, num_hidden_layers=2, tie_word_embeddings=False
    ),
    dtype=BF16,
    context=133,
    long=200,
)
checkpoint(
    "qwen2-yarn-hub",
    "yarn in rope_scaling, head_dim 16 so that H*d = 64 and D = 32",
    config(rope_parameters=YARN, head_dim=16, num_hidden_layers=2, num_key_value_heads=1),
    dtype=BF16,
    long=100,
    hub=True,
    edit_config=scaled,
)
