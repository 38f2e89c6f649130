"""SmolLM3: some layers without positions, a window on those alone."""

import torch
from transformers import SmolLM3Config

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> SmolLM3Config:
    """Three layers of which the second does not rotate, six heads of four on two, hidden 24, 144 ids."""
    base = {
        "vocab_size": 144,
        "hidden_size": 24,
        "intermediate_size": 28,
        "num_hidden_layers": 3,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "no_rope_layer_interval": 2,
        "bos_token_id": None,
        "eos_token_id": 2,
        "pad_token_id": 3,
        "rope_parameters": {"rope_type": "default", "rope_theta": 5000000.0},
    }
    return SmolLM3Config(**(base | changes))


WINDOW = {"use_sliding_window": True, "sliding_window": 9}

checkpoint("smollm3-tied", "tied, no rotation on the second layer, no window, 5.x config", config(),
           weights="smollm3", long=100, dtype=BF16)  # fmt: skip
checkpoint(
    "smollm3-interval-hub",
    "smollm3-tied by the rule: no_rope_layer_interval 2, no lists; a window that use_sliding_window false disables",
    config(),
    weights="smollm3",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited(
        "no_rope_layers", "layer_types", "tie_word_embeddings", max_window_layers=28, pretraining_tp=2,
        sliding_window=9,
    ),
)  # fmt: skip
checkpoint(
    "smollm3-list-hub",
    "no_rope_layers 0, 1, 1 against an interval of 2: the list wins",
    config(no_rope_layers=[0, 1, 1]),
    weights="smollm3",
    long=100,
    dtype=BF16,
    hub=True,
)
checkpoint("smollm3-window", "smollm3-tied with a window of 9 on the second layer, by layer_types", config(**WINDOW),
           weights="smollm3", long=100, dtype=BF16)  # fmt: skip
checkpoint(
    "smollm3-window-hub",
    "smollm3-window by the rule: the window is on the layers that do not rotate",
    config(**WINDOW),
    weights="smollm3",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("no_rope_layers", "layer_types"),
)
checkpoint(
    "smollm3-layer-types",
    "layer_types windowed, full, windowed while use_sliding_window is false: layer_types wins",
    config(sliding_window=9, layer_types=["sliding_attention", "full_attention", "sliding_attention"]),
    weights="smollm3",
    long=100,
    dtype=BF16,
)
checkpoint(
    "smollm3-defaults-hub",
    "eight heads, no num_key_value_heads (then 4), rope_theta (then 2000000), interval (then 4), eps, tie flag",
    config(
        num_hidden_layers=4,
        hidden_size=32,
        num_attention_heads=8,
        num_key_value_heads=4,
        no_rope_layer_interval=4,
        intermediate_size=20,
        rope_parameters={"rope_type": "default", "rope_theta": 2000000.0},
    ),
    dtype=F16,
    hub=True,
    edit_config=edited(
        "num_key_value_heads", "rope_theta", "rope_scaling", "no_rope_layers", "no_rope_layer_interval",
        "layer_types", "tie_word_embeddings", "use_sliding_window", "sliding_window", "attention_bias", "mlp_bias",
        "rms_norm_eps", "hidden_act",
    ),
)  # fmt: skip
checkpoint(
    "smollm3-bias-untied-hub",
    "attention_bias and mlp_bias, head of its own, head_dim 10 so that H*d = 30 and D = 24, num_key_value_heads null",
    config(
        attention_bias=True, mlp_bias=True, tie_word_embeddings=False, head_dim=10, num_attention_heads=3,
        num_key_value_heads=3, num_hidden_layers=2,
    ),
    dtype=BF16,
    hub=True,
    edit_config=edited("layer_types", num_key_value_heads=None),
)  # fmt: skip
