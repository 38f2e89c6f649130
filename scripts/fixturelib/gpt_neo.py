"""GPT-Neo: scores without a scale, layers that alternate between all positions and a window."""

import torch
from transformers import GPTNeoConfig

from fixturelib.checkpoint import Tensors, checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> GPTNeoConfig:
    """Three layers (all, window, all), three heads of eight, hidden 24, 160 ids, a window of 9."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "num_layers": 3,
        "num_heads": 3,
        "attention_types": [[["global", "local"], 1], [["global"], 1]],
        "window_size": 9,
        "intermediate_size": 40,
        "max_position_embeddings": 100,
        "bos_token_id": 159,
        "eos_token_id": 159,
    }
    return GPTNeoConfig(**(base | changes))


def with_buffers(tensors: Tensors) -> Tensors:
    """The masks that early files store, and the tied head."""
    for layer in range(3):
        prefix = f"transformer.h.{layer}.attn.attention"
        tensors[f"{prefix}.bias"] = torch.ones(40, 40, dtype=torch.uint8).tril()[None, None].clone()
        tensors[f"{prefix}.masked_bias"] = torch.tensor(-1e9)
    tensors["lm_head.weight"] = tensors["transformer.wte.weight"].clone()
    return tensors


def bare(tensors: Tensors) -> Tensors:
    """Names without the prefix."""
    return {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}


def sparse_gains(name: str, note: str, settings: GPTNeoConfig, **options) -> None:
    """A case whose queries and keys are small, since nothing scales their products."""
    checkpoint(name, note, settings, score_gain=0.6, **options)


sparse_gains("gpt-neo-tied", "tied head, window of 9 on the middle layer, 5.x config", config(), long=100, dtype=BF16)
sparse_gains(
    "gpt-neo-buffers-hub",
    "gpt-neo-tied with stored masks and head, and a released config",
    config(),
    weights="gpt-neo-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("tie_word_embeddings", gradient_checkpointing=False, summary_type="cls_index"),
    edit_tensors=with_buffers,
)
sparse_gains(
    "gpt-neo-attention-layers-hub",
    "gpt-neo-tied with other attention_layers than attention_types says: the reference takes attention_layers",
    config(),
    weights="gpt-neo-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited(attention_layers=["local", "global", "local"]),
)
sparse_gains(
    "gpt-neo-untied-hub",
    "head of its own, feed-forward of 4D by null, all layers windowed",
    config(
        attention_types=[[["local"], 2]],
        num_layers=2,
        intermediate_size=None,
        tie_word_embeddings=False,
        activation_function="gelu",
    ),
    dtype=F16,
    hub=True,
    edit_config=edited("layer_norm_epsilon", "attention_layers"),
)
sparse_gains(
    "gpt-neo-window-256-hub",
    "no window_size (then 256), one sequence of 300 ids, contexts of 265, names without the prefix",
    config(window_size=256, attention_types=[[["local", "global"], 1]], num_layers=2, max_position_embeddings=300),
    dtype=BF16,
    hub=True,
    context=265,
    long=300,
    edit_config=edited("window_size", "activation_function", "tie_word_embeddings"),
    edit_tensors=bare,
)
