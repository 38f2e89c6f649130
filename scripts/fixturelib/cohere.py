"""Cohere: interleaved rotation, one norm without a bias for both branches, scaled logits."""

import torch
from transformers import CohereConfig

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> CohereConfig:
    """Three layers, four heads on two, hidden 32, 144 ids; logits times a quarter."""
    base = {
        "vocab_size": 144,
        "hidden_size": 32,
        "intermediate_size": 24,
        "logit_scale": 0.25,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "eos_token_id": 6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 8000000.0},
    }
    return CohereConfig(**(base | changes))


ODD = {"num_attention_heads": 3, "num_key_value_heads": 3, "hidden_size": 30, "num_hidden_layers": 2}

checkpoint("cohere-tied", "tied, K < H, logits times 0.25, 5.x config", config(), long=100, dtype=BF16, head_gain=6.0)
checkpoint(
    "cohere-tied-hub",
    "cohere-tied with a released config: no use_qk_norm, no tie flag",
    config(),
    weights="cohere-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("use_qk_norm", "tie_word_embeddings", "rope_scaling"),
    head_gain=6.0,
)
checkpoint("cohere-qk-norm", "use_qk_norm: a norm without a bias, rows of weights per head",
           config(use_qk_norm=True), dtype=BF16, head_gain=6.0)  # fmt: skip
checkpoint(
    "cohere-defaults-hub",
    "no logit_scale (then 0.0625), rope_theta (then 500000), layer_norm_eps and hidden_act; three heads of ten, "
    "num_key_value_heads null",
    config(**ODD, logit_scale=0.0625, rope_parameters={"rope_type": "default", "rope_theta": 500000.0}),
    dtype=BF16,
    hub=True,
    edit_config=edited("logit_scale", "rope_theta", "rope_scaling", "layer_norm_eps", "hidden_act",
                       num_key_value_heads=None),
    head_gain=20.0,
)  # fmt: skip
checkpoint(
    "cohere-qk-norm-untied-hub",
    "use_qk_norm, attention_bias, head of its own, logits times 1.5",
    config(
        use_qk_norm=True, attention_bias=True, tie_word_embeddings=False, logit_scale=1.5, num_hidden_layers=2,
        num_key_value_heads=1,
    ),
    dtype=F16,
    hub=True,
)  # fmt: skip
