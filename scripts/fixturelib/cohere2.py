"""Cohere2: Cohere with windowed layers that rotate and full ones that do not."""

import torch
from transformers import Cohere2Config

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> Cohere2Config:
    """Five layers of which the fourth is full, four heads on two, hidden 32, 128 ids, a window of 9."""
    base = {
        "vocab_size": 128,
        "hidden_size": 32,
        "intermediate_size": 16,
        "logit_scale": 0.25,
        "num_hidden_layers": 5,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "sliding_window": 9,
        "eos_token_id": 6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 50000.0},
    }
    return Cohere2Config(**(base | changes))


UNREAD = {
    "cache_implementation": "hybrid",
    "layer_switch": 4,
    "order_of_interleaved_layers": "local_attn_first",
    "position_embedding_type": "rope_gptj",
    "rotary_pct": 1.0,
    "use_embedding_sharing": True,
    "use_gated_activation": True,
    "use_parallel_block": True,
    "use_parallel_embedding": True,
}

checkpoint("cohere2-tied", "tied, window of 9 and rotation on all layers but the fourth, by layer_types",
           config(), dtype=BF16, head_gain=6.0)  # fmt: skip
checkpoint(
    "cohere2-tied-hub",
    "cohere2-tied with a released config: sliding_window_pattern 4, no layer_types",
    config(),
    weights="cohere2-tied",
    dtype=BF16,
    hub=True,
    edit_config=edited("layer_types", "tie_word_embeddings", sliding_window_pattern=4, **UNREAD),
    head_gain=6.0,
)
checkpoint(
    "cohere2-defaults-hub",
    "no layer_types, pattern (then 4), sliding_window (then 4096), rope_theta (then 10000) and logit_scale (0.0625)",
    config(
        num_hidden_layers=4,
        logit_scale=0.0625,
        sliding_window=4096,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    ),
    dtype=BF16,
    hub=True,
    edit_config=edited("layer_types", "sliding_window", "rope_theta", "rope_scaling", "logit_scale"),
    head_gain=20.0,
)
checkpoint(
    "cohere2-pattern-head-dim-hub",
    "sliding_window_pattern 2, head_dim 12 so that H*d = 36 and D = 24, attention_bias, head of its own, K = 1",
    config(
        num_hidden_layers=3,
        hidden_size=24,
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=12,
        sliding_window_pattern=2,
        attention_bias=True,
        tie_word_embeddings=False,
        logit_scale=1.5,
    ),
    dtype=F16,
    hub=True,
    edit_config=edited("layer_types", sliding_window_pattern=2),
)
checkpoint(
    "cohere2-layer-types",
    "layer_types full, windowed, windowed; a window of 70, 100 ids",
    config(
        num_hidden_layers=3,
        layer_types=["full_attention", "sliding_attention", "sliding_attention"],
        sliding_window=70,
    ),
    dtype=BF16,
    long=100,
    head_gain=6.0,
)
