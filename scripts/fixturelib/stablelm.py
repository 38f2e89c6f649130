"""StableLM: partial rotation, norms of their own for every head, sequential and parallel residuals."""

import torch
from transformers import StableLmConfig

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(theta: float = 10000.0, share: float = 0.25, **changes) -> StableLmConfig:
    """Three layers, five heads of eight of which `share` rotates, hidden 40, 144 ids."""
    base = {
        "vocab_size": 144,
        "hidden_size": 40,
        "intermediate_size": 24,
        "num_hidden_layers": 3,
        "num_attention_heads": 5,
        "num_key_value_heads": 5,
        "max_position_embeddings": 128,
        "rope_parameters": {"rope_type": "default", "rope_theta": theta, "partial_rotary_factor": share},
    }
    return StableLmConfig(**(base | changes))


SMALL = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 2}
FULL = SMALL | {"qk_layernorm": True, "use_parallel_residual": True}
FLAGS = ("use_qkv_bias", "qk_layernorm", "use_parallel_residual", "tie_word_embeddings", "layer_norm_eps")

checkpoint("stablelm-sequential", "no biases, a quarter rotates, five heads, untied, 5.x config", config(), long=100,
           weights="stablelm-sequential", dtype=BF16)  # fmt: skip
checkpoint(
    "stablelm-sequential-hub",
    "stablelm-sequential without any flag and partial_rotary_factor (then 0.25); rope_pct counts for nothing",
    config(),
    weights="stablelm-sequential",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("partial_rotary_factor", *FLAGS, rope_pct=0.75),
)
checkpoint("stablelm-parallel-qk-norm", "parallel residual from one norm, a norm per head, K < H, half rotates",
           config(share=0.5, **FULL), dtype=BF16)  # fmt: skip
checkpoint(
    "stablelm-bias-hub",
    "use_qkv_bias, everything rotates with theta 500, f16, K = 1",
    config(theta=500.0, share=1.0, **SMALL | {"num_key_value_heads": 1}, use_qkv_bias=True),
    dtype=F16,
    hub=True,
)
checkpoint(
    "stablelm-qk-norm-tied-hub",
    "a norm per head under sequential residuals, biases, tied",
    config(share=0.5, **SMALL, qk_layernorm=True, use_qkv_bias=True, tie_word_embeddings=True),
    dtype=BF16,
    hub=True,
    edit_config=edited("use_parallel_residual"),
)
checkpoint(
    "stablelm-parallel-hub",
    "parallel residual, biases, no norm per head",
    config(share=0.5, **SMALL, use_parallel_residual=True, use_qkv_bias=True),
    dtype=BF16,
    hub=True,
    edit_config=edited("qk_layernorm", "rope_scaling"),
)
