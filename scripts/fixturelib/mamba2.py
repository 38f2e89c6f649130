"""Mamba-2: one decay a head, the input and output vectors of the state shared by groups of heads, a gated norm."""

from transformers import Mamba2Config

from fixturelib.checkpoint import checkpoint
from fixturelib.mamba_shape import BF16, F16, released


def config(**changes) -> Mamba2Config:
    """Two layers, hidden 24, six heads of 8 channels, 16 states, one group, 264 ids; chunks shorter than the sequences."""
    base = {
        "vocab_size": 264,
        "hidden_size": 24,
        "num_hidden_layers": 2,
        "num_heads": 6,
        "head_dim": 8,
        "state_size": 16,
        "n_groups": 1,
        "chunk_size": 16,
        "tie_word_embeddings": True,
    }
    return Mamba2Config(**(base | changes))


def bare_infinity(document: dict) -> None:
    """As older files say it: `Infinity`, which JSON does not have; and flags that the reference does not read."""
    released(document)
    document["time_step_limit"] = [0.0, float("inf")]
    document["norm_before_gate"] = False


def defaults(document: dict) -> None:
    """Leaves out what has a default. Heads, their width and the groups have defaults too, but of a large model."""
    for key in (
        "expand", "conv_kernel", "use_bias", "use_conv_bias", "hidden_act", "layer_norm_epsilon", "chunk_size",
        "time_step_limit", "tie_word_embeddings", "residual_in_fp32", "time_step_rank",
    ):  # fmt: skip
        document.pop(key)


checkpoint("mamba2-tied", "one group, chunks of 16, tied head, 5.x config", config(), dtype=BF16, long=96)
checkpoint(
    "mamba2-tied-hub",
    "mamba2-tied with a bare Infinity and the keys of released files",
    config(),
    weights="mamba2-tied",
    dtype=BF16,
    long=96,
    hub=True,
    edit_config=bare_infinity,
)
checkpoint(
    "mamba2-groups",
    "three layers, two groups, kernel of 3, untied head, biased projections, limits on the time step",
    config(
        hidden_size=20, num_hidden_layers=3, num_heads=10, head_dim=4, n_groups=2, state_size=8, conv_kernel=3,
        use_bias=True, tie_word_embeddings=False, time_step_limit=(0.05, 0.3), layer_norm_epsilon=1e-3,
    ),
    dtype=BF16,
)  # fmt: skip
checkpoint(
    "mamba2-odd-hub",
    "three groups, nine heads of 6, 5 states, no bias of the convolution, expand 3 and chunks of 7; f16",
    config(
        hidden_size=18, num_heads=9, head_dim=6, n_groups=3, state_size=5, expand=3, use_conv_bias=False, chunk_size=7
    ),
    dtype=F16,
    hub=True,
    edit_config=bare_infinity,
)
checkpoint(
    "mamba2-defaults-hub",
    "one layer, three heads of 16, a config that leaves out what has a default (chunks of 256, untied); f32",
    config(num_hidden_layers=1, num_heads=3, head_dim=16, state_size=8, chunk_size=256, tie_word_embeddings=False),
    hub=True,
    edit_config=defaults,
)
