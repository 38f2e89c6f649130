"""Falcon: the three decoder shapes, with rotary positions or ALiBi."""

import torch
from transformers import FalconConfig

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> FalconConfig:
    """The 7b shape: two layers, five heads of six on one key head, hidden 30, 160 ids."""
    base = {
        "vocab_size": 160,
        "hidden_size": 30,
        "num_hidden_layers": 2,
        "num_attention_heads": 5,
        "max_position_embeddings": 128,
        "ffn_hidden_size": 40,
    }
    return FalconConfig(**(base | changes))


NEW = {"new_decoder_architecture": True, "num_attention_heads": 6, "hidden_size": 36, "num_kv_heads": 2}
RW = {"alibi": True, "multi_query": False, "parallel_attn": False, "bias": True}
# What released configs lack.
NEWER = ("ffn_hidden_size", "tie_word_embeddings", "rope_theta", "rope_scaling", "activation")
NEWER += ("max_position_embeddings",)


def released(*dropped: str, **set_to):
    """A released config: without the newer keys and those named, and with the layer norm flag that nothing reads."""
    return edited(*NEWER, *dropped, apply_residual_connection_post_layernorm=False, **set_to)


checkpoint("falcon-7b", "one key head, parallel with one norm, three layers, 5.x config", config(num_hidden_layers=3),
           long=100, dtype=BF16)  # fmt: skip
checkpoint(
    "falcon-7b-hub",
    "the 7b shape with a released config: feed-forward of 4D, theta 1e4, num_kv_heads that counts for nothing",
    config(ffn_hidden_size=120),
    dtype=BF16,
    hub=True,
    edit_config=released("num_ln_in_parallel_attn"),
)
checkpoint(
    "falcon-40b",
    "new_decoder_architecture, six heads on two, two norms, 5.x config",
    config(**NEW, num_ln_in_parallel_attn=2),
    weights="falcon-40b",
    dtype=BF16,
)
checkpoint(
    "falcon-40b-absent-hub",
    "falcon-40b without num_ln_in_parallel_attn (then 2), parallel_attn and multi_query",
    config(**NEW),
    weights="falcon-40b",
    dtype=BF16,
    hub=True,
    edit_config=edited(
        "num_ln_in_parallel_attn", "parallel_attn", "multi_query", "tie_word_embeddings", "rope_theta", "rope_scaling"
    ),
)
checkpoint(
    "falcon-40b-null-hub",
    "falcon-40b with num_ln_in_parallel_attn null (then 2), head of its own, theta 500, bias",
    config(**NEW, rope_parameters={"rope_type": "default", "rope_theta": 500.0}, tie_word_embeddings=False, bias=True),
    dtype=BF16,
    hub=True,
    edit_config=edited(num_ln_in_parallel_attn=None),
)
checkpoint(
    "falcon-11b",
    "new_decoder_architecture with one norm, theta 5000042, linear scaling by 4",
    config(
        **NEW,
        num_ln_in_parallel_attn=1,
        rope_parameters={"rope_type": "linear", "factor": 4.0, "rope_theta": 5000042.0},
    ),
    dtype=F16,
)
checkpoint("falcon-rw", "ALiBi on six heads, sequential, biased, a key head each, 5.x config",
           config(**RW, num_attention_heads=6, hidden_size=36), weights="falcon-rw", long=100, dtype=BF16)  # fmt: skip
checkpoint(
    "falcon-rw-hub",
    "falcon-rw with a released config",
    config(**RW, num_attention_heads=6, hidden_size=36),
    weights="falcon-rw",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=released("num_ln_in_parallel_attn", "num_kv_heads", ffn_hidden_size=40),
)
checkpoint(
    "falcon-rope-sequential",
    "rotary positions, sequential, a key head each, no bias, gelu_pytorch_tanh",
    config(multi_query=False, parallel_attn=False, activation="gelu_pytorch_tanh"),
    dtype=BF16,
)
checkpoint(
    "falcon-alibi-parallel",
    "ALiBi on the 7b shape: four query heads on one key head, parallel, biased",
    config(alibi=True, bias=True, num_attention_heads=4, hidden_size=32, num_hidden_layers=3),
    dtype=BF16,
)
checkpoint(
    "falcon-alibi-eleven-heads",
    "ALiBi on eleven heads of four, of which three have slopes that bf16 rounds",
    config(**RW, num_attention_heads=11, hidden_size=44, ffn_hidden_size=16),
    long=100,
    dtype=BF16,
)
