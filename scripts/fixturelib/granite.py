"""Granite: Llama with multipliers on the embedding, the branches, the scores and the logits."""

import torch
from transformers import GraniteConfig

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> GraniteConfig:
    """Three layers, four heads of eight on two, hidden 32, 144 ids, every multiplier set."""
    base = {
        "vocab_size": 144,
        "hidden_size": 32,
        "intermediate_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "embedding_multiplier": 0.75,
        "logits_scaling": 4.0,
        "residual_multiplier": 0.6,
        "attention_multiplier": 0.45,
        "tie_word_embeddings": True,
    }
    return GraniteConfig(**(base | changes))


ONES = {"embedding_multiplier": 1.0, "logits_scaling": 1.0, "residual_multiplier": 1.0, "attention_multiplier": 1.0}

checkpoint("granite-tied", "every multiplier set, tied, K < H, 5.x config", config(), long=100, dtype=BF16,
           head_gain=7.0)  # fmt: skip
checkpoint(
    "granite-tied-hub",
    "granite-tied with the Hub's config",
    config(),
    weights="granite-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("mlp_bias"),
    head_gain=7.0,
)
checkpoint(
    "granite-absent-hub",
    "no multiplier: all are 1, that of the scores too; no tie flag (then untied), num_key_value_heads null",
    config(**ONES, tie_word_embeddings=False, num_key_value_heads=4, num_hidden_layers=2, rms_norm_eps=1e-6),
    dtype=BF16,
    hub=True,
    edit_config=edited(
        *ONES, "tie_word_embeddings", "rope_theta", "rope_scaling", "rms_norm_eps", "hidden_act",
        num_key_value_heads=None,
    ),
    score_gain=0.7,
)  # fmt: skip
checkpoint(
    "granite-bias-head-dim-hub",
    "biases, head_dim 10 so that H*d = 30 and D = 24, three heads, embedding times 12, logits over 0.5",
    config(
        attention_bias=True, mlp_bias=True, head_dim=10, hidden_size=24, num_attention_heads=3, num_key_value_heads=1,
        embedding_multiplier=12, logits_scaling=0.5, residual_multiplier=1.5, tie_word_embeddings=False,
        rope_parameters={"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0}, num_hidden_layers=2,
    ),
    dtype=F16,
    hub=True,
    head_gain=1.0,
)  # fmt: skip
