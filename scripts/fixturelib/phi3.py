"""Phi-3: fused projections, longrope, partial rotation, a window on every layer."""

import torch
from transformers import Phi3Config

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(parameters: dict | None = None, **changes) -> Phi3Config:
    """Two layers, four heads of eight on two, hidden 32, 144 ids."""
    base = {
        "vocab_size": 144,
        "hidden_size": 32,
        "intermediate_size": 28,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "original_max_position_embeddings": 128,
        "pad_token_id": None,
        "eos_token_id": 2,
        "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 1.0}
        | (parameters or {}),
    }
    return Phi3Config(**(base | changes))


# Two sequences in eight are longer than the original length, so that both sets of factors are used.
LONG = {
    "rope_type": "longrope",
    "rope_theta": 50.0,
    "short_factor": [1.0, 1.1, 1.3, 1.6],
    "long_factor": [1.2, 2.0, 4.0, 7.5],
}
SHAPE = {"original_max_position_embeddings": 32, "max_position_embeddings": 256}


def released(kind: str, original_inside: bool = False):
    """The older key `type`, with the kind under the name it then had, and the original length at top level alone.

    The reference refuses type `su` unless the length is inside as well.
    """

    def edit(document: dict) -> None:
        scaling = document["rope_scaling"]
        scaling["type"] = kind
        del scaling["rope_type"]
        if not original_inside:
            del scaling["original_max_position_embeddings"]
        del document["partial_rotary_factor"]

    return edit


def inside(document: dict) -> None:
    """An original length inside `rope_scaling` that must not count, the top-level one does."""
    document["rope_scaling"]["original_max_position_embeddings"] = 24


checkpoint("phi3-plain", "no scaling, no window, K < H, three layers, head of its own, 5.x config",
           config(num_hidden_layers=3), long=100, dtype=BF16)  # fmt: skip
checkpoint(
    "phi3-plain-hub",
    "phi3-plain with a released config: rope_scaling null, sliding_window null",
    config(num_hidden_layers=3),
    weights="phi3-plain",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("partial_rotary_factor", attention_bias=False),
)
checkpoint("phi3-window", "window of 11 on every layer, three heads of ten",
           config(sliding_window=11, hidden_size=30, num_attention_heads=3, num_key_value_heads=3), dtype=BF16,
           weights="phi3-window")  # fmt: skip
checkpoint(
    "phi3-window-hub",
    "phi3-window with a released config: num_key_value_heads null, no original length",
    config(sliding_window=11, hidden_size=30, num_attention_heads=3, num_key_value_heads=3),
    weights="phi3-window",
    dtype=BF16,
    hub=True,
    edit_config=edited("original_max_position_embeddings", "partial_rotary_factor", num_key_value_heads=None),
)
checkpoint(
    "phi3-longrope",
    "longrope with an original length of 32: sequences on both sides of it, 5.x config",
    config(LONG, **SHAPE),
    weights="phi3-longrope",
    long=100,
    dtype=BF16,
)
checkpoint(
    "phi3-longrope-boundary",
    "phi3-longrope with contexts of 29: sequences of 32 ids take the short factors, of 33 the long ones",
    config(LONG, **SHAPE),
    weights="phi3-longrope",
    context=29,
    dtype=BF16,
)
checkpoint(
    "phi3-longrope-hub",
    "phi3-longrope with a released config: the original length at top level alone",
    config(LONG, **SHAPE),
    weights="phi3-longrope",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=released("longrope"),
)
checkpoint(
    "phi3-longrope-su-hub",
    "phi3-longrope under its older name: type su",
    config(LONG, **SHAPE),
    weights="phi3-longrope",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=released("su", original_inside=True),
)
checkpoint(
    "phi3-longrope-yarn-hub",
    "phi3-longrope with type yarn, which means longrope here",
    config(LONG, **SHAPE),
    weights="phi3-longrope",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=released("yarn"),
)
checkpoint(
    "phi3-longrope-partial-hub",
    "longrope on 0.75 of heads of eight, tied, window of 50, an inner original length that counts for nothing",
    config(
        LONG
        | {
            "rope_theta": 10000.0,
            "partial_rotary_factor": 0.75,
            "short_factor": [1.0, 1.2, 1.5],
            "long_factor": [1.1, 3.0, 6.0],
        },
        **SHAPE,
        tie_word_embeddings=True,
        sliding_window=50,
    ),
    long=100,
    dtype=F16,
    hub=True,
    edit_config=inside,
)
checkpoint(
    "phi3-longrope-factors",
    "longrope with attention_factor 1.3 and factor 4",
    config(LONG | {"attention_factor": 1.3, "factor": 4.0}, **SHAPE),
    weights="phi3-longrope",
    long=100,
    dtype=BF16,
)
checkpoint(
    "phi3-longrope-factor",
    "longrope with factor 4 against a ratio of 8: the factor sets the attention factor",
    config(LONG | {"factor": 4.0}, **SHAPE),
    weights="phi3-longrope",
    long=100,
    dtype=BF16,
)
checkpoint("phi3-partial", "half of the head rotates, no scaling, tied",
           config({"partial_rotary_factor": 0.5}, tie_word_embeddings=True), dtype=BF16)  # fmt: skip
