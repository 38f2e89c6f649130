"""One layer over 2,100 positions: what only shows far from the start, in rotations and in ALiBi."""

import torch

from fixturelib import bloom, falcon, llama, mpt, phi3
from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
LENGTH = 2100
ROOM = 4096


def long_case(name: str, note: str, settings, score_gain: float = 0.7, **options) -> None:
    """A case of one layer.

    Far from the start the last bit of a frequency is 1e-4 of an angle. With scores this small it moves no number by
    more than 5e-5, while a relative error of 1e-4 in a frequency still moves some by 0.05.
    """
    checkpoint(name, note, settings, dtype=BF16, long=LENGTH, context=None, score_gain=score_gain, **options)


def alibi(name: str, note: str, settings) -> None:
    """A case with ALiBi. Its biases reach 500, where f32 keeps four decimals, so that scores and logits are small."""
    long_case(name, note, settings, score_gain=1.0, head_gain=1.0)


def rotated(name: str, note: str, parameters: dict, room: int = ROOM) -> None:
    """A tied Llama of 16 dimensions a head; all of them share weights and sequences."""
    settings = llama.rope(parameters, num_hidden_layers=1, vocab_size=128, max_position_embeddings=room)
    long_case(name, note, settings, score_gain=0.5, weights="llama-2k")


THETA = {"rope_theta": 10000.0}
ORIGINAL = {"original_max_position_embeddings": 1024}
LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 10000.0,
    "short_factor": [1.0, 1.05, 1.2, 1.5, 1.9, 2.4, 3.0, 3.5],
    "long_factor": [1.0, 1.3, 2.2, 4.1, 8.0, 15.0, 24.0, 31.0],
}

rotated("llama-2k-default", "no scaling", THETA | {"rope_type": "default"})
rotated("llama-2k-linear", "linear scaling by 4", THETA | {"rope_type": "linear", "factor": 4.0})
rotated("llama-2k-yarn", "yarn by 4 over 1024", THETA | ORIGINAL | {"rope_type": "yarn", "factor": 4.0})
rotated("llama-2k-llama3", "llama3 by 8 over 1024, all three branches", llama.LLAMA3 | ORIGINAL)
rotated(
    "llama-2k-dynamic",
    "dynamic by 2 over 1024: the long sequence alone has another base",
    THETA | {"rope_type": "dynamic", "factor": 2.0},
    room=1024,
)
long_case(
    "phi3-2k-longrope",
    "longrope with an original length of 1024 and heads of 16: the long sequence alone takes the long factors",
    phi3.config(
        LONGROPE,
        num_attention_heads=2,
        num_key_value_heads=1,
        num_hidden_layers=1,
        vocab_size=128,
        max_position_embeddings=ROOM,
        **ORIGINAL,
    ),
)
alibi("bloom-2k-alibi", "ALiBi on three heads", bloom.config(n_layer=1, n_head=3, vocab_size=128))
alibi(
    "falcon-2k-alibi",
    "ALiBi on three heads, rounded to bf16 and added before the scale, sequential",
    falcon.config(
        **falcon.RW,
        num_attention_heads=3,
        hidden_size=24,
        num_hidden_layers=1,
        vocab_size=128,
        max_position_embeddings=ROOM,
    ),
)
alibi(
    "mpt-2k-alibi",
    "ALiBi on six heads: slopes of eight heads reordered",
    mpt.config(d_model=24, n_heads=6, n_layers=1, max_seq_len=ROOM, vocab_size=128),
)
