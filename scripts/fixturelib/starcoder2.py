"""StarCoder2: biased everywhere, a plain feed-forward, a window on every layer."""

import torch
from transformers import Starcoder2Config

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> Starcoder2Config:
    """Three layers, six heads of four on two, hidden 24, 160 ids."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 40,
        "num_hidden_layers": 3,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "rope_parameters": {"rope_type": "default", "rope_theta": 999999.4420358813},
    }
    return Starcoder2Config(**(base | changes))


# What released configs hold and nothing reads; the activation is that of `hidden_act`.
UNREAD = {
    "activation_function": "relu",
    "attention_softmax_in_fp32": True,
    "layer_norm_epsilon": 0.1,
    "mlp_type": "default",
    "norm_type": "layer_norm",
    "scale_attention_softmax_in_fp32": True,
    "scale_attn_weights": True,
}

checkpoint("starcoder2-window", "window of 9, tied, six heads on two, 5.x config", config(sliding_window=9),
           weights="starcoder2", long=100, dtype=BF16)  # fmt: skip
checkpoint(
    "starcoder2-window-hub",
    "starcoder2-window with a released config: no tie flag, keys that nothing reads",
    config(sliding_window=9),
    weights="starcoder2",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("tie_word_embeddings", "rope_scaling", **UNREAD),
)
checkpoint("starcoder2-null", "starcoder2-window with sliding_window null", config(), weights="starcoder2", long=100,
           dtype=BF16)  # fmt: skip
checkpoint(
    "starcoder2-absent-hub",
    "starcoder2-null without sliding_window, use_bias, hidden_act, norm_epsilon and num_key_value_heads (then 2)",
    config(),
    weights="starcoder2",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("sliding_window", "use_bias", "hidden_act", "norm_epsilon", "num_key_value_heads"),
)
checkpoint(
    "starcoder2-no-bias-untied",
    "use_bias false, head of its own, head_dim 10 so that H*d = 30 and D = 24, three heads, gelu (erf)",
    config(
        use_bias=False,
        tie_word_embeddings=False,
        head_dim=10,
        num_attention_heads=3,
        num_key_value_heads=1,
        num_hidden_layers=2,
        hidden_act="gelu",
        sliding_window=70,
    ),
    dtype=F16,
)
