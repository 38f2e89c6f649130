"""Qwen3: norms on queries and keys, a head size of its own, and the window that has to be switched on."""

import torch
from transformers import Qwen3Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> Qwen3Config:
    """Three layers, four query heads on two key heads of 12, hidden 32, 160 ids."""
    base = {
        "vocab_size": 160,
        "hidden_size": 32,
        "intermediate_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 12,
        "max_position_embeddings": 128,
        "max_window_layers": 1,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
        "tie_word_embeddings": False,
    }
    return Qwen3Config(**(base | changes))


def by_rule(document: dict) -> None:
    """No `layer_types`: the windowed layers follow from `max_window_layers`."""
    del document["layer_types"]


def window_off(document: dict) -> None:
    """A window that `use_sliding_window` false disables."""
    document["sliding_window"] = 8
    by_rule(document)


def released(document: dict) -> None:
    """What released checkpoints hold beside the defaults: no `layer_types`, `max_window_layers` all layers."""
    by_rule(document)
    document["max_window_layers"] = document["num_hidden_layers"]
    document["rope_theta"] = int(document["rope_theta"])


def no_head_dim(document: dict) -> None:
    """Leaves out `head_dim` (so 128, whatever D/H is), eps, act and the gates."""
    for key in ("head_dim", "layer_types", "use_sliding_window", "sliding_window", "max_window_layers", "rms_norm_eps"):
        del document[key]


TIED = {
    "hidden_size": 24,
    "num_attention_heads": 3,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "tie_word_embeddings": True,
}
WINDOW = {"use_sliding_window": True, "sliding_window": 8}
YARN = {"rope_type": "yarn", "rope_theta": 50.0, "factor": 4.0, "original_max_position_embeddings": 32}

checkpoint(
    "qwen3-tied",
    "tied, three heads of 16 on one key head, D = 24, no window, 5.x config",
    config(**TIED),
    dtype=BF16,
)
checkpoint(
    "qwen3-tied-hub",
    "qwen3-tied as released: sliding_window null, use_sliding_window false, integer theta",
    config(**TIED),
    weights="qwen3-tied",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "qwen3-window",
    "window of 8 on the layers from max_window_layers 1 on, written out as layer_types, untied",
    config(**WINDOW),
    weights="qwen3-window",
    dtype=BF16,
)
checkpoint(
    "qwen3-window-hub",
    "qwen3-window without layer_types: the rule gives the same",
    config(**WINDOW),
    weights="qwen3-window",
    dtype=BF16,
    hub=True,
    edit_config=by_rule,
)
checkpoint(
    "qwen3-window-off-hub",
    "qwen3-window with sliding_window 8 but use_sliding_window false: the window must not count",
    config(),
    weights="qwen3-window",
    dtype=BF16,
    hub=True,
    edit_config=window_off,
)
checkpoint(
    "qwen3-bias",
    "attention_bias on q, k, v and o, every layer windowed, f16",
    config(attention_bias=True, max_window_layers=0, num_hidden_layers=2, **WINDOW),
    dtype=F16,
)
checkpoint(
    "qwen3-no-head-dim-hub",
    "no head_dim: it is 128, not D/H",
    config(
        vocab_size=128, hidden_size=16, head_dim=128, num_attention_heads=2, num_key_value_heads=1, num_hidden_layers=2
    ),
    dtype=BF16,
    hub=True,
    edit_config=no_head_dim,
)
checkpoint(
    "qwen3-yarn-hub",
    "yarn in rope_scaling, past the original length",
    config(rope_parameters=YARN, num_hidden_layers=2),
    dtype=BF16,
    long=100,
    hub=True,
    edit_config=by_rule,
)
