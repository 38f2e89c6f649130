"""GPT-OSS: sinks, windows on even layers, yarn, and biased experts with a clamped activation.

The experts are stored as unpacked values, (experts, in, out).
"""

import torch
from transformers import GptOssConfig

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F32 = torch.float32

YARN = {
    "rope_type": "yarn",
    "rope_theta": 50.0,
    "factor": 4.0,
    "beta_fast": 4.0,
    "beta_slow": 0.5,
    "truncate": False,
    "original_max_position_embeddings": 32,
}


def config(**changes) -> GptOssConfig:
    """Three layers, six query heads of 8 on two key heads, hidden 24, 160 ids, two of five experts of width 12."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 12,
        "num_hidden_layers": 3,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "num_local_experts": 5,
        "num_experts_per_tok": 2,
        "sliding_window": 8,
        "swiglu_limit": 1.5,
        "max_position_embeddings": 128,
        "rope_parameters": YARN,
    }
    return GptOssConfig(**(base | changes))


def released(document: dict) -> None:
    """The keys that releases have twice, and an integer theta."""
    document["experts_per_token"] = document["num_experts_per_tok"]
    document["initial_context_length"] = 32
    document["rope_theta"] = int(document["rope_theta"])


def minimal(document: dict) -> None:
    """Leaves out what has a default: yarn by 32 past 4096 on theta 150000, window 128 on even layers, limit 7."""
    for key in (
        "rope_theta", "rope_scaling", "sliding_window", "layer_types", "swiglu_limit", "swiglu_alpha",
        "attention_bias", "rms_norm_eps", "tie_word_embeddings", "hidden_act",
    ):  # fmt: skip
        del document[key]


def null_scaling(document: dict) -> None:
    """A null `rope_scaling` beside a theta: the default yarn still holds."""
    document["rope_scaling"] = None


def by_rule(document: dict) -> None:
    """No `layer_types`: the even layers are windowed."""
    del document["layer_types"]


DEFAULT = {
    "rope_type": "yarn",
    "rope_theta": 150000.0,
    "factor": 32.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}

checkpoint(
    "gpt-oss-window",
    "window of 8 on even layers, sinks, yarn without truncation, experts (in, out), clamped at 1.5, 5.x config",
    config(),
    dtype=BF16,
)
checkpoint(
    "gpt-oss-window-hub",
    "gpt-oss-window as released: rope_theta, rope_scaling, keys for the experts of a token twice",
    config(),
    weights="gpt-oss-window",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "gpt-oss-minimal-hub",
    "gpt-oss-window without window (so 128 on even layers), layer_types, limit (7) or rope keys (so yarn by 32)",
    config(sliding_window=128, swiglu_limit=7.0, rope_parameters=DEFAULT),
    weights="gpt-oss-window",
    dtype=BF16,
    long=150,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "gpt-oss-null-scaling-hub",
    "rope_theta 50 and rope_scaling null: the default yarn by 32 past 4096 applies to that theta; no layer_types",
    config(num_hidden_layers=2, rope_parameters=DEFAULT | {"rope_theta": 50.0}),
    dtype=BF16,
    hub=True,
    edit_config=lambda document: (null_scaling(document), by_rule(document)),
)
checkpoint(
    "gpt-oss-layer-types",
    "full, then windowed by layer_types; no yarn, no attention biases, three of four experts, three heads on one, tied",
    config(
        num_hidden_layers=2,
        num_attention_heads=3,
        num_key_value_heads=1,
        num_local_experts=4,
        num_experts_per_tok=3,
        intermediate_size=8,
        attention_bias=False,
        tie_word_embeddings=True,
        layer_types=["full_attention", "sliding_attention"],
        rope_parameters={"rope_type": "default", "rope_theta": 1000.0},
    ),
    dtype=F32,
)
