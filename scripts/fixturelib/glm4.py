"""GLM-4: four norms a block, interleaved rotation of half a head, gate and up in one matrix."""

import torch
from transformers import Glm4Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(share: float = 0.5, **changes) -> Glm4Config:
    """Three layers, four query heads of 8 on two key heads, hidden 24, 160 ids, `share` of a head rotates."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 20,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 128,
        "rms_norm_eps": 1e-5,
        "pad_token_id": 0,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": share},
    }
    return Glm4Config(**(base | changes))


def released(document: dict) -> None:
    """What the releases hold: no rope keys but the share."""
    del document["rope_theta"], document["rope_scaling"]


def minimal(document: dict) -> None:
    """Leaves out what has a default: half rotates, q, k and v biased, two key heads, eps 1.5625e-7, untied."""
    for key in (
        "partial_rotary_factor", "attention_bias", "num_key_value_heads", "rms_norm_eps", "rope_theta",
        "rope_scaling", "tie_word_embeddings",
    ):  # fmt: skip
        del document[key]


checkpoint(
    "glm4-half", "half rotates, biased q, k and v, K < H, H*d = 32 and D = 24, untied, 5.x config", config(), dtype=BF16
)
checkpoint(
    "glm4-half-hub",
    "glm4-half as released: partial_rotary_factor at top level, no theta",
    config(),
    weights="glm4-half",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "glm4-minimal-hub",
    "no partial_rotary_factor (so 0.5), attention_bias (true), K (2), eps (1.5625e-7), theta or tie key",
    config(num_attention_heads=6, rms_norm_eps=0.00000015625, num_hidden_layers=2),
    dtype=BF16,
    long=90,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "glm4-whole-tied",
    "everything rotates, no biases, three heads of 12 on one, tied, theta 500, f16",
    config(
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=12,
        attention_bias=False,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 1.0},
    ),
    dtype=F16,
)
