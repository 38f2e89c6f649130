"""Mamba: a selective scan over a diagonal state for each channel; no attention, no positions."""

from transformers import MambaConfig

from fixturelib.checkpoint import checkpoint
from fixturelib.mamba_shape import BF16, F16, released


def config(**changes) -> MambaConfig:
    """Two layers, hidden 24, 48 channels of 16 states, 264 ids."""
    base = {"vocab_size": 264, "hidden_size": 24, "num_hidden_layers": 2, "state_size": 16}
    return MambaConfig(**(base | changes))


def defaults(document: dict) -> None:
    """Leaves out what has a default, and spells the rank of the time step out as `auto`."""
    for key in (
        "expand", "conv_kernel", "use_bias", "use_conv_bias", "hidden_act", "layer_norm_epsilon", "intermediate_size",
        "tie_word_embeddings", "residual_in_fp32", "time_step_scale", "time_step_min", "time_step_max",
    ):  # fmt: skip
        document.pop(key)
    document["time_step_rank"] = "auto"


checkpoint("mamba-tied", "16 states, kernel of 4, tied head, 5.x config", config(), dtype=BF16, long=96)
checkpoint(
    "mamba-tied-hub",
    "mamba-tied with the keys of released files",
    config(),
    weights="mamba-tied",
    dtype=BF16,
    long=96,
    hub=True,
    edit_config=released,
)
checkpoint(
    "mamba-untied-bias",
    "three layers, 8 states, kernel of 3, untied head, biased projections, rank 3 of the time step",
    config(
        hidden_size=20, num_hidden_layers=3, state_size=8, conv_kernel=3, use_bias=True, time_step_rank=3,
        tie_word_embeddings=False, layer_norm_epsilon=1e-3,
    ),
    dtype=BF16,
)  # fmt: skip
checkpoint(
    "mamba-odd-state-hub",
    "5 states, no bias of the convolution, gelu after it, 66 channels that are not a multiple of hidden; f16",
    config(state_size=5, use_conv_bias=False, hidden_act="gelu", intermediate_size=66, time_step_rank=5),
    dtype=F16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "mamba-defaults-hub",
    "one layer, a config that leaves everything out that has a default, time_step_rank auto; f32",
    config(num_hidden_layers=1, hidden_size=28),
    hub=True,
    edit_config=defaults,
)
