"""Qwen3-MoE: norms on queries and keys, routed experts without a shared one, dense layers between."""

import torch
from transformers import Qwen3MoeConfig

from fixturelib.checkpoint import checkpoint

BF16 = torch.bfloat16
F16 = torch.float16

YARN = {"rope_type": "yarn", "rope_theta": 50.0, "factor": 4.0, "original_max_position_embeddings": 32}


def config(**changes) -> Qwen3MoeConfig:
    """Two layers, three query heads of 10 on one key head, hidden 24, 160 ids, two of six experts of width 12."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 20,
        "moe_intermediate_size": 12,
        "num_hidden_layers": 2,
        "num_attention_heads": 3,
        "num_key_value_heads": 1,
        "head_dim": 10,
        "max_position_embeddings": 128,
        "num_experts": 6,
        "num_experts_per_tok": 2,
        "norm_topk_prob": True,
        "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0},
        "tie_word_embeddings": False,
    }
    return Qwen3MoeConfig(**(base | changes))


def released(document: dict) -> None:
    """What released checkpoints hold: `num_experts`, and a window that is off."""
    expert_count(document)
    document["sliding_window"] = 8
    document["max_window_layers"] = 2


def expert_count(document: dict) -> None:
    """The released name of the count of experts."""
    document["num_experts"] = document.pop("num_local_experts")


def sparse_defaults(document: dict) -> None:
    """No `norm_topk_prob` (so false), `decoder_sparse_step` (1), `mlp_only_layers` (none) or window keys."""
    expert_count(document)
    for key in ("norm_topk_prob", "decoder_sparse_step", "mlp_only_layers", "use_sliding_window", "sliding_window"):
        del document[key]


def no_head_dim(document: dict) -> None:
    """Leaves out the head size and the count of key heads."""
    expert_count(document)
    del document["head_dim"], document["num_key_value_heads"]


checkpoint("qwen3-moe-norm-topk", "two of six experts, weights renormalised, untied, 5.x config", config(), dtype=BF16)
checkpoint(
    "qwen3-moe-norm-topk-hub",
    "qwen3-moe-norm-topk as released: num_experts, sliding_window 8 but off",
    config(),
    weights="qwen3-moe-norm-topk",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "qwen3-moe-defaults-hub",
    "qwen3-moe-norm-topk without norm_topk_prob (so false) and other keys that have defaults",
    config(norm_topk_prob=False),
    weights="qwen3-moe-norm-topk",
    dtype=BF16,
    hub=True,
    edit_config=sparse_defaults,
)
checkpoint(
    "qwen3-moe-window",
    "window of 8 on all layers, layer 0 dense by mlp_only_layers, three of four experts, biased attention, tied, f16",
    config(
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        num_experts=4,
        num_experts_per_tok=3,
        mlp_only_layers=[0],
        use_sliding_window=True,
        sliding_window=8,
        attention_bias=True,
        tie_word_embeddings=True,
    ),
    dtype=F16,
)
checkpoint(
    "qwen3-moe-step-hub",
    "decoder_sparse_step 2: of three layers only the second is sparse; yarn past the original length",
    config(
        num_hidden_layers=3,
        decoder_sparse_step=2,
        rope_parameters=YARN,
    ),
    dtype=BF16,
    long=90,
    hub=True,
    edit_config=expert_count,
)
checkpoint(
    "qwen3-moe-no-head-dim-hub",
    "no head_dim: it is D/H, unlike in qwen3; no num_key_value_heads: four",
    config(num_attention_heads=8, num_key_value_heads=4, head_dim=4, hidden_size=32, num_experts=4),
    dtype=BF16,
    hub=True,
    edit_config=no_head_dim,
)
