"""GPT-2: transposed matrices, learned positions, names with and without a prefix."""

import torch
from transformers import GPT2Config

from fixturelib.checkpoint import Tensors, checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> GPT2Config:
    """Two layers, three heads, hidden 24, 256 ids, 80 positions."""
    base = {
        "vocab_size": 256,
        "n_positions": 80,
        "n_embd": 24,
        "n_layer": 2,
        "n_head": 3,
        "bos_token_id": 255,
        "eos_token_id": 255,
    }
    return GPT2Config(**(base | changes))


def bare_with_buffers(tensors: Tensors) -> Tensors:
    """Names as the first released checkpoints have them: no prefix, and the causal masks stored beside the weights."""
    bare = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    size = bare["wpe.weight"].shape[0]
    mask = torch.ones(size, size, dtype=torch.uint8).tril()[None, None]
    for layer in range(2):
        bare[f"h.{layer}.attn.bias"] = mask.clone()
        bare[f"h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    return bare


def first_release(document: dict) -> None:
    """Drops the keys that early configs lack (`tie_word_embeddings`, `n_inner`, the scale flags) and adds `n_ctx`."""
    for key in (
        "tie_word_embeddings", "n_inner", "scale_attn_weights", "scale_attn_by_inverse_layer_idx",
        "reorder_and_upcast_attn", "add_cross_attention", "use_cache", "pad_token_id", "torch_dtype",
    ):  # fmt: skip
        document.pop(key, None)
    document["n_ctx"] = document["n_positions"]
    document["architectures"] = ["GPT2LMHeadModel"]


checkpoint("gpt2-prefix", "tied head, names with the transformer. prefix", config())
checkpoint(
    "gpt2-no-prefix-buffers",
    "names without the prefix, stored attn.bias and attn.masked_bias, an early config",
    config(),
    dtype=BF16,
    hub=True,
    edit_config=first_release,
    edit_tensors=bare_with_buffers,
)
checkpoint(
    "gpt2-inverse-layer-untied",
    "scale_attn_by_inverse_layer_idx, n_inner 40, head of its own, three layers, bf16",
    config(
        scale_attn_by_inverse_layer_idx=True, n_inner=40, tie_word_embeddings=False, n_layer=3, n_embd=32, n_head=4
    ),
    dtype=BF16,
)
checkpoint("gpt2-no-scale", "scale_attn_weights false", config(scale_attn_weights=False, n_inner=40), dtype=BF16)
checkpoint("gpt2-gelu", "activation_function gelu (erf)", config(activation_function="gelu", n_inner=48), dtype=BF16)
checkpoint("gpt2-relu-hub", "activation_function relu", config(activation_function="relu"), dtype=F16, hub=True)
checkpoint(
    "gpt2-long-context",
    "160 positions, all of them used; a shared context of 133 ids",
    config(n_positions=160, n_inner=40, vocab_size=300),
    dtype=F16,
    context=133,
    long=160,
)
