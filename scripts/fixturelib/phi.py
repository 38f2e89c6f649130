"""Phi: biases everywhere, partial rotation, one norm for both branches."""

import torch
from transformers import PhiConfig

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(theta: float = 10000.0, share: float = 0.5, scaling: dict | None = None, **changes) -> PhiConfig:
    """Three layers, three heads of twelve of which `share` rotates, hidden 36, 144 ids."""
    base = {
        "vocab_size": 144,
        "hidden_size": 36,
        "intermediate_size": 40,
        "num_hidden_layers": 3,
        "num_attention_heads": 3,
        "max_position_embeddings": 128,
        "rope_parameters": {"rope_theta": theta, "partial_rotary_factor": share}
        | (scaling or {"rope_type": "default"}),
    }
    return PhiConfig(**(base | changes))


LINEAR = {"rope_type": "linear", "factor": 4.0}

checkpoint("phi-untied", "three heads, half rotates, head of its own with a bias, 5.x config", config(), long=100,
           dtype=BF16)  # fmt: skip
checkpoint(
    "phi-untied-hub",
    "phi-untied with a released config: no partial_rotary_factor (then 0.5), num_key_value_heads null",
    config(),
    weights="phi-untied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("partial_rotary_factor", num_key_value_heads=None),
)
checkpoint(
    "phi-grouped-hub",
    "four heads of ten on two, 0.4 rotates, no qk_layernorm and layer_norm_eps",
    config(share=0.4, hidden_size=40, num_attention_heads=4, num_key_value_heads=2, num_hidden_layers=2,
           vocab_size=128),
    dtype=F16,
    hub=True,
    edit_config=edited("qk_layernorm", "layer_norm_eps", "rope_scaling", "tie_word_embeddings"),
)  # fmt: skip
checkpoint(
    "phi-qk-norm",
    "qk_layernorm: one norm with a bias over the head, before the rotation; tied, K < H",
    config(qk_layernorm=True, tie_word_embeddings=True, hidden_size=32, num_attention_heads=4, num_key_value_heads=1,
           num_hidden_layers=2),
    dtype=BF16,
)  # fmt: skip
checkpoint(
    "phi-linear-hub",
    "linear scaling by 4, theta 500, 0.84 of 12 dimensions rotates, which is 10; no num_key_value_heads",
    config(theta=500.0, share=0.84, scaling=LINEAR, num_hidden_layers=2),
    dtype=BF16,
    hub=True,
    edit_config=edited("num_key_value_heads"),
)
