"""GPT-NeoX: fused projections laid out per head, partial rotation, parallel and sequential residuals."""

import torch
from transformers import GPTNeoXConfig

from fixturelib.checkpoint import Tensors, checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(theta: float = 10000.0, share: float = 0.25, scaling: dict | None = None, **changes) -> GPTNeoXConfig:
    """Two layers, two heads of 16 of which `share` rotates, hidden 32, 264 ids."""
    base = {
        "vocab_size": 264,
        "hidden_size": 32,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 128,
        "layer_norm_eps": 1e-5,
        "hidden_act": "gelu",
        "rope_parameters": {"rope_theta": theta, "partial_rotary_factor": share}
        | (scaling or {"rope_type": "default"}),
    }
    return GPTNeoXConfig(**(base | changes))


def with_buffers(tensors: Tensors) -> Tensors:
    """The masks and frequencies that early files store beside the weights; the frequencies are wrong on purpose."""
    for layer in range(2):
        prefix = f"gpt_neox.layers.{layer}.attention"
        tensors[f"{prefix}.bias"] = torch.ones(32, 32, dtype=torch.bool).tril()[None, None]
        tensors[f"{prefix}.masked_bias"] = torch.tensor(-1e9).to(F16)
        tensors[f"{prefix}.rotary_emb.inv_freq"] = torch.tensor([0.5, 0.25])
    return tensors


def head_in_memory_name(tensors: Tensors) -> Tensors:
    """The head under the name it has in memory."""
    tensors["lm_head.weight"] = tensors.pop("embed_out.weight")
    return tensors


def defaults(document: dict) -> None:
    """Leaves out what has a default: rotary_pct 0.25, rotary_emb_base 10000, biased, parallel, untied."""
    for key in (
        "rotary_pct", "rotary_emb_base", "rope_scaling", "attention_bias", "use_parallel_residual",
        "tie_word_embeddings", "layer_norm_eps", "hidden_act",
    ):  # fmt: skip
        document.pop(key, None)


def legacy_type(document: dict) -> None:
    """The older spelling: `type` in place of `rope_type`."""
    document["rope_scaling"]["type"] = document["rope_scaling"].pop("rope_type")


LINEAR = {"rope_type": "linear", "factor": 4.0}

checkpoint(
    "gpt-neox-parallel", "parallel residual, a quarter rotates, head as embed_out, 5.x config", config(), dtype=BF16
)
checkpoint(
    "gpt-neox-buffers-hub",
    "gpt-neox-parallel with rotary_pct and rotary_emb_base, and stored masks and (wrong) frequencies",
    config(),
    weights="gpt-neox-parallel",
    dtype=BF16,
    hub=True,
    edit_tensors=with_buffers,
)
checkpoint(
    "gpt-neox-defaults-hub",
    "a config that leaves everything out that has a default; f16",
    config(),
    dtype=F16,
    hub=True,
    edit_config=defaults,
)
checkpoint(
    "gpt-neox-sequential-hub",
    "use_parallel_residual false, everything rotates, theta 500",
    config(theta=500.0, share=1.0, use_parallel_residual=False),
    dtype=BF16,
    hub=True,
)
checkpoint(
    "gpt-neox-no-bias",
    "attention_bias false, gelu_new, half rotates, head stored as lm_head",
    config(share=0.5, attention_bias=False, hidden_act="gelu_new"),
    dtype=BF16,
    edit_tensors=head_in_memory_name,
)
checkpoint("gpt-neox-tied", "tied head, relu", config(tie_word_embeddings=True, hidden_act="relu"), dtype=BF16)
checkpoint(
    "gpt-neox-linear-hub",
    "linear scaling by 4 with the older key `type`, half rotates",
    config(share=0.5, scaling=LINEAR),
    dtype=BF16,
    hub=True,
    edit_config=legacy_type,
)
checkpoint(
    "gpt-neox-odd-rotary",
    "three heads of 12, of which a quarter is 3: two frequencies over 3, four dimensions rotate",
    config(hidden_size=36, num_attention_heads=3, tie_word_embeddings=True),
    dtype=BF16,
    long=130,
)
