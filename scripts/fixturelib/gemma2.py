"""Gemma2: four norms a block, capped scores and logits, a window on every other layer, a scale of its own."""

import torch
from transformers import Gemma2Config

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> Gemma2Config:
    """Three layers, four query heads of 8 on two key heads, hidden 24, 160 ids, tied; caps low enough to bite."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "query_pre_attn_scalar": 3,
        "max_position_embeddings": 128,
        "sliding_window": 8,
        "attn_logit_softcapping": 2.0,
        "final_logit_softcapping": 5.0,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
    }
    return Gemma2Config(**(base | changes))


def released(document: dict) -> None:
    """No `layer_types` (the windowed layers are the even ones), both names of the activation, a key for caches."""
    del document["layer_types"]
    document["hidden_act"] = "gelu_pytorch_tanh"
    document["cache_implementation"] = "hybrid"
    del document["tie_word_embeddings"]


def minimal(document: dict) -> None:
    """Leaves out what has a default: caps 50 and 30, scalar 256, window 4096 on even layers, tied."""
    for key in (
        "layer_types", "attn_logit_softcapping", "final_logit_softcapping", "query_pre_attn_scalar", "sliding_window",
        "hidden_activation", "rms_norm_eps", "rope_theta", "rope_scaling", "tie_word_embeddings", "attention_bias",
    ):  # fmt: skip
        del document[key]


def no_caps(document: dict) -> None:
    """Leaves out both caps: 50 and 30."""
    del document["attn_logit_softcapping"], document["final_logit_softcapping"]


checkpoint(
    "gemma2-window",
    "window of 8 on even layers, caps of 2 and 5, scalar 3 with head_dim 8, 5.x config",
    config(),
    dtype=BF16,
)
checkpoint(
    "gemma2-window-hub",
    "gemma2-window as released, without layer_types",
    config(),
    weights="gemma2-window",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "gemma2-caps-null",
    "gemma2-window with both caps null, and the windows on the odd layer by layer_types",
    config(
        attn_logit_softcapping=None,
        final_logit_softcapping=None,
        layer_types=["full_attention", "sliding_attention", "full_attention"],
    ),
    weights="gemma2-window",
    dtype=BF16,
)
checkpoint(
    "gemma2-minimal-hub",
    "no caps (so 50 and 30), no scalar (256), no window (4096), no activation, eps, theta, tie or bias key",
    config(
        attn_logit_softcapping=50.0,
        final_logit_softcapping=30.0,
        query_pre_attn_scalar=256,
        sliding_window=4096,
        num_hidden_layers=2,
    ),
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "gemma2-untied-hub",
    "untied, biased attention, three heads of 10 on one key head, window of 20 on even layers, f16",
    config(
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=10,
        query_pre_attn_scalar=8,
        sliding_window=20,
        attention_bias=True,
        tie_word_embeddings=False,
        intermediate_size=24,
        final_logit_softcapping=3.0,
    ),
    dtype=F16,
    long=90,
    hub=True,
)
checkpoint(
    "gemma2-default-caps-hub",
    "no caps in the config: scores reach 20 under the scalar 1, where a cap of 50 shows",
    config(attn_logit_softcapping=50.0, final_logit_softcapping=30.0, query_pre_attn_scalar=1, num_hidden_layers=2),
    dtype=BF16,
    hub=True,
    edit_config=no_caps,
)
