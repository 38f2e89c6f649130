"""GPTBigCode: GPT-2 with matrices the usual way round, and one key head for all query heads."""

import torch
from transformers import GPTBigCodeConfig

from fixturelib.checkpoint import Tensors, checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> GPTBigCodeConfig:
    """Three layers, three heads on one key head, hidden 24, 160 ids, 100 positions."""
    base = {
        "vocab_size": 160,
        "n_positions": 100,
        "n_embd": 24,
        "n_layer": 3,
        "n_head": 3,
        "n_inner": 40,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    return GPTBigCodeConfig(**(base | changes))


def stored_head(tensors: Tensors) -> Tensors:
    """Stores the tied head as well, and the mask that early files hold."""
    tensors["lm_head.weight"] = tensors["transformer.wte.weight"].clone()
    tensors["transformer.bias"] = torch.ones(100, 100, dtype=torch.bool).tril()
    return tensors


RUNNER = {"inference_runner": 0, "max_batch_size": None, "max_sequence_length": None, "pad_key_length": True}
RUNNER |= {"pre_allocate_kv_cache": False, "validate_runner_input": True}

checkpoint("gpt-bigcode-mqa", "one key head, tied head, all 100 positions used", config(), long=100, dtype=BF16)
checkpoint(
    "gpt-bigcode-mqa-hub",
    "gpt-bigcode-mqa with a released config; the tied head and a mask stored too",
    config(),
    weights="gpt-bigcode-mqa",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("tie_word_embeddings", "add_cross_attention", "num_key_value_heads", **RUNNER),
    edit_tensors=stored_head,
)
checkpoint("gpt-bigcode-mha", "multi_query false: projections fused per head",
           config(multi_query=False, n_layer=2), dtype=BF16)  # fmt: skip
checkpoint(
    "gpt-bigcode-mha-untied-hub",
    "multi_query false, head of its own, feed-forward of 4D by null, gelu (erf)",
    config(multi_query=False, n_layer=2, n_inner=None, activation_function="gelu", tie_word_embeddings=False),
    dtype=F16,
    hub=True,
    edit_config=edited("layer_norm_epsilon", "scale_attn_weights"),
)
checkpoint(
    "gpt-bigcode-defaults-hub",
    "no multi_query (then true), no n_inner, no activation_function (then gelu tanh)",
    config(n_layer=2, n_inner=None),
    dtype=BF16,
    hub=True,
    edit_config=edited(
        "multi_query", "num_key_value_heads", "n_inner", "activation_function", "tie_word_embeddings",
        "scale_attn_weights",
    ),
)  # fmt: skip
checkpoint("gpt-bigcode-no-scale", "scale_attn_weights false", config(scale_attn_weights=False, n_layer=2),
           dtype=BF16, score_gain=0.6)  # fmt: skip
