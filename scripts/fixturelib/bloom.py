"""BLOOM: ALiBi, a norm on the embedding, projections fused per head, the residual from a norm."""

import torch
from transformers import BloomConfig

from fixturelib.checkpoint import Tensors, checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> BloomConfig:
    """Two layers, six heads of four, hidden 24, 160 ids."""
    base = {"vocab_size": 160, "hidden_size": 24, "n_layer": 2, "n_head": 6}
    return BloomConfig(**(base | changes))


def bare(tensors: Tensors) -> Tensors:
    """Names as the first released checkpoints have them: without the prefix."""
    return {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}


def small_release(document: dict) -> None:
    """The keys of the smaller released models: `n_embed`, `num_attention_heads`, `num_hidden_layers`, no tie flag."""
    document["n_embed"] = document.pop("hidden_size")
    document["num_attention_heads"] = document.pop("n_head")
    document["num_hidden_layers"] = document.pop("n_layer")
    document |= {
        "attention_softmax_in_fp32": True,
        "bias_dropout_fusion": True,
        "masked_softmax_fusion": True,
        "n_inner": None,
        "offset_alibi": 100,
        "pretraining_tp": 1,
        "seq_length": 64,
        "skip_bias_add": True,
        "skip_bias_add_qkv": False,
    }
    for key in ("tie_word_embeddings", "layer_norm_epsilon"):
        document.pop(key, None)


checkpoint("bloom-tied", "six heads, tied head, three layers, 5.x config", config(n_layer=3), long=100, dtype=BF16)
checkpoint(
    "bloom-tied-hub",
    "bloom-tied with the keys of a smaller released model, and names without the prefix",
    config(n_layer=3),
    weights="bloom-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=small_release,
    edit_tensors=bare,
)
checkpoint(
    "bloom-post-norm-residual",
    "apply_residual_connection_post_layernorm: both residuals are outputs of norms",
    config(apply_residual_connection_post_layernorm=True, n_head=4),
    dtype=F16,
)
checkpoint(
    "bloom-untied-hub",
    "head of its own, eleven heads of three, pretraining_tp 2",
    config(n_head=11, hidden_size=33, slow_but_exact=False, pretraining_tp=2, tie_word_embeddings=False),
    dtype=BF16,
    hub=True,
    edit_config=edited("apply_residual_connection_post_layernorm"),
)
