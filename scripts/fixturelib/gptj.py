"""GPT-J: interleaved rotation of the first dimensions, one norm for both branches, a head with a bias."""

import torch
from transformers import GPTJConfig

from fixturelib.checkpoint import Tensors, checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> GPTJConfig:
    """Three layers, three heads of ten of which four rotate, hidden 30, 144 ids, 100 positions."""
    base = {
        "vocab_size": 144,
        "n_positions": 100,
        "n_embd": 30,
        "n_layer": 3,
        "n_head": 3,
        "rotary_dim": 4,
        "n_inner": 40,
        "bos_token_id": 143,
        "eos_token_id": 143,
    }
    return GPTJConfig(**(base | changes))


def with_buffers(tensors: Tensors) -> Tensors:
    """The masks that early files store."""
    for layer in range(2):
        prefix = f"transformer.h.{layer}.attn"
        tensors[f"{prefix}.bias"] = torch.ones(40, 40, dtype=torch.uint8).tril()[None, None].clone()
        tensors[f"{prefix}.masked_bias"] = torch.tensor(-1e9)
    return tensors


checkpoint("gptj-partial", "four of ten dimensions rotate, every one of 100 positions used", config(), long=100,
           dtype=BF16)  # fmt: skip
checkpoint(
    "gptj-buffers-hub",
    "released config, stored masks, feed-forward of 4D by null, the whole head rotates",
    config(n_inner=None, n_layer=2, n_embd=24, n_head=2, rotary_dim=12),
    dtype=F16,
    hub=True,
    edit_config=edited(gradient_checkpointing=False, rotary=True, scale_attn_weights=True),
    edit_tensors=with_buffers,
)
checkpoint(
    "gptj-default-rotary-hub",
    "no rotary_dim (then 64), no tie flag, no activation_function, no layer_norm_epsilon; one head of 66",
    config(n_embd=66, n_head=1, n_layer=1, rotary_dim=64, n_inner=8, vocab_size=128),
    dtype=BF16,
    hub=True,
    edit_config=edited("rotary_dim", "tie_word_embeddings", "activation_function", "layer_norm_epsilon"),
)
checkpoint("gptj-tied", "tied head with its bias, gelu (erf)",
           config(tie_word_embeddings=True, activation_function="gelu", n_layer=2), dtype=BF16)  # fmt: skip
