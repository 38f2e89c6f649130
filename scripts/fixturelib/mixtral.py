"""Mixtral: two experts of several, their weights always made to sum to one."""

import torch
from transformers import MixtralConfig

from fixturelib.checkpoint import Tensors, checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> MixtralConfig:
    """Two layers, four query heads on two key heads, hidden 24, 160 ids, two of five experts."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "num_local_experts": 5,
        "num_experts_per_tok": 2,
        "rms_norm_eps": 1e-5,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
    }
    return MixtralConfig(**(base | changes))


def minimal(document: dict) -> None:
    """Leaves out what has a default: theta 1e6, no window, two experts a token, untied."""
    for key in (
        "rope_theta", "rope_scaling", "sliding_window", "num_experts_per_tok", "tie_word_embeddings", "rms_norm_eps",
        "head_dim",
    ):  # fmt: skip
        del document[key]


def fused(tensors: Tensors) -> Tensors:
    """Experts as they are in memory: one tensor for gates and ups, (experts, 2 x width, hidden), and one for downs."""
    result = {name: value for name, value in tensors.items() if ".experts." not in name}
    result = {name.replace("block_sparse_moe", "mlp"): value for name, value in result.items()}
    for layer in range(2):
        old = f"model.layers.{layer}.block_sparse_moe.experts"

        def stack(part: str, old: str = old) -> torch.Tensor:
            return torch.stack([tensors[f"{old}.{expert}.{part}.weight"] for expert in range(5)])

        new = f"model.layers.{layer}.mlp.experts"
        result[f"{new}.gate_up_proj"] = torch.cat([stack("w1"), stack("w3")], dim=1)
        result[f"{new}.down_proj"] = stack("w2")
    return result


checkpoint("mixtral-untied", "two of five experts, block_sparse_moe names, untied, 5.x config", config(), dtype=BF16)
checkpoint(
    "mixtral-minimal-hub",
    "mixtral-untied without theta (so 1e6), window, top-k (2), head_dim or tie key",
    config(),
    weights="mixtral-untied",
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "mixtral-fused",
    "mixtral-untied with the experts of a layer in one tensor, as a file has them that was written from memory",
    config(),
    weights="mixtral-untied",
    dtype=BF16,
    edit_tensors=fused,
)
checkpoint(
    "mixtral-window-hub",
    "window of 8 on all layers, three of six experts, tied, three heads of 10 on one key head, theta 500, f16",
    config(
        sliding_window=8,
        num_local_experts=6,
        num_experts_per_tok=3,
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=10,
        num_hidden_layers=3,
        intermediate_size=8,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
    ),
    dtype=F16,
    hub=True,
)
