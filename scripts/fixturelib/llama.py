"""Llama: norms, grouped heads, biases, explicit head size, storage types, and every rope scaling."""

import json
from pathlib import Path

import torch
from transformers import LlamaConfig

from fixturelib import gguf_tokenizers
from fixturelib.checkpoint import Tensors, checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> LlamaConfig:
    """Two layers, four query heads on two key heads, hidden 32, 256 ids."""
    base = {
        "vocab_size": 256,
        "hidden_size": 32,
        "intermediate_size": 40,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 128,
        "rms_norm_eps": 1e-5,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "tie_word_embeddings": False,
    }
    return LlamaConfig(**(base | changes))


def rope(parameters: dict, **changes) -> LlamaConfig:
    """A tied model with 16 dimensions a head, on one key head: wide enough for every branch of a scaling rule."""
    wide = {"hidden_size": 24, "intermediate_size": 16, "head_dim": 16, "num_key_value_heads": 1}
    wide |= {"tie_word_embeddings": True}
    return config(**(wide | {"rope_parameters": parameters} | changes))


def minimal(document: dict) -> None:
    """Leaves what the first released checkpoints had; everything else is the class default."""
    kept = {
        "architectures", "model_type", "vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
        "num_attention_heads", "max_position_embeddings", "hidden_act", "torch_dtype", "transformers_version",
    }  # fmt: skip
    for key in set(document) - kept:
        del document[key]


def second_head(tensors: Tensors) -> Tensors:
    """Adds a head that is not the embedding, though the config says tied."""
    rows = tensors["model.embed_tokens.weight"]
    return tensors | {"lm_head.weight": (rows.float() * 0.8).roll(1, 0).to(rows.dtype)}


def tokenizer_files(folder: Path) -> None:
    """tokenizer.json and its config."""
    tokenizer, _ = gguf_tokenizers.SMOLLM.train()
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    settings = {
        "add_prefix_space": False,
        "bos_token": "<|endoftext|>",
        "clean_up_tokenization_spaces": False,
        "eos_token": "<|endoftext|>",
        "model_max_length": 2048,
        "tokenizer_class": "GPT2Tokenizer",
        "unk_token": "<|endoftext|>",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


checkpoint("llama-untied-gqa", "untied head, K < H, 5.x config", config())
tied = config(tie_word_embeddings=True, num_key_value_heads=1, num_hidden_layers=3, intermediate_size=24)
checkpoint("llama-tied", "tied head, K = 1, three layers, 5.x config", tied, long=100, dtype=BF16)
checkpoint(
    "llama-tied-hub", "llama-tied with the Hub's config", tied, weights="llama-tied", long=100, dtype=BF16, hub=True
)
checkpoint(
    "llama-minimal-hub",
    "first-generation config: no key heads, head_dim, eps, theta, bias or tie keys (so K = H, 1e-6, 1e4, none, untied)",
    config(num_key_value_heads=4, rms_norm_eps=1e-6, intermediate_size=24),
    dtype=F16,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "llama-bias-head-dim",
    "attention_bias and mlp_bias, head_dim 12 so that H*d = 48 and D = 32",
    config(attention_bias=True, mlp_bias=True, head_dim=12, intermediate_size=24),
    dtype=BF16,
)
checkpoint(
    "llama-odd-heads",
    "H = 5 on K = 5 heads of 6, D = 30; nothing is a power of two",
    config(hidden_size=30, num_attention_heads=5, num_key_value_heads=5, vocab_size=257, intermediate_size=36),
    dtype=F16,
)
checkpoint(
    "llama-gelu-tanh",
    "hidden_act gelu_pytorch_tanh, tied",
    config(hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True),
    dtype=BF16,
)
checkpoint("llama-bf16", "weights stored as bf16, 5.x config, untied", config(intermediate_size=24), dtype=BF16)
checkpoint("llama-f16-hub", "weights stored as f16, the Hub's config, untied", config(), dtype=F16, hub=True)
checkpoint("llama-sharded", "three weight files and an index", config(), dtype=BF16, shard="25KB")
checkpoint(
    "llama-tied-own-head",
    "tie_word_embeddings true, yet the file has an lm_head.weight of its own: the reference uses it",
    tied,
    dtype=BF16,
    edit_tensors=second_head,
    own_head=True,
)
checkpoint(
    "llama-long-context",
    "a shared context of 133 ids, endings that branch past it, and one sequence of 200 ids",
    config(max_position_embeddings=256),
    dtype=BF16,
    context=133,
    long=200,
)

# Rope scaling. Theta and the original length are small, so that 100 positions and 8 frequencies reach every branch.
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
YARN = {"rope_type": "yarn", "rope_theta": 50.0, "factor": 4.0, "original_max_position_embeddings": 32}
BETAS = {"beta_fast": 4.0, "beta_slow": 0.5}


def scaling(name: str, note: str, parameters: dict, weights: str = "llama-rope", **options) -> None:
    """One rope case; all of them share their weights, so that only the rotation differs."""
    changes = options.pop("changes", {})
    checkpoint(name, note, rope(parameters, **changes), weights=weights, long=100, dtype=BF16, **options)


def legacy_type(document: dict) -> None:
    """The older spelling: `type` in place of `rope_type`."""
    document["rope_scaling"]["type"] = document["rope_scaling"].pop("rope_type")


def no_original(document: dict) -> None:
    """Leaves `original_max_position_embeddings` out: it is then `max_position_embeddings`."""
    del document["rope_scaling"]["original_max_position_embeddings"]


def top_level_original(document: dict) -> None:
    """A top-level original length: it overrides the one in `rope_scaling`."""
    document["original_max_position_embeddings"] = 12


def theta_inside(document: dict) -> None:
    """A theta inside `rope_scaling` wins over the top-level one."""
    document["rope_scaling"]["rope_theta"] = document["rope_theta"]
    document["rope_theta"] = 777.0


DEFAULT = {"rope_type": "default", "rope_theta": 500.0}
LINEAR = {"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0}
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 4.0}
scaling("llama-rope-theta", "no scaling, theta 500, 5.x config", DEFAULT)
scaling("llama-rope-linear", "linear scaling by 4, 5.x config", LINEAR)
scaling("llama-rope-linear-hub", "linear scaling, older key `type`", LINEAR, hub=True, edit_config=legacy_type)
scaling("llama-rope-llama3", "llama3 scaling, all three branches, sequences past the original 64", LLAMA3)
scaling("llama-rope-llama3-hub", "llama3 scaling, the Hub's config", LLAMA3, hub=True)
scaling("llama-rope-dynamic", "dynamic scaling past 32 positions", DYNAMIC, changes={"max_position_embeddings": 32})
scaling(
    "llama-rope-dynamic-hub",
    "llama-rope-dynamic with `type` in rope_scaling",
    DYNAMIC,
    hub=True,
    edit_config=legacy_type,
    changes={"max_position_embeddings": 32},
)
scaling("llama-rope-yarn", "yarn, only factor and original length", YARN)
scaling("llama-rope-yarn-hub", "yarn, the Hub's config with `type`", YARN, hub=True, edit_config=legacy_type)
scaling("llama-rope-yarn-betas", "yarn with beta_fast and beta_slow", YARN | BETAS)
scaling("llama-rope-yarn-attention-factor", "yarn with attention_factor", YARN | BETAS | {"attention_factor": 1.25})
scaling(
    "llama-rope-yarn-mscale",
    "yarn with mscale and mscale_all_dim",
    YARN | BETAS | {"mscale": 1.0, "mscale_all_dim": 0.5},
)
scaling(
    "llama-rope-yarn-mscale-alone",
    "yarn with mscale but no mscale_all_dim: mscale is ignored",
    YARN | BETAS | {"mscale": 2.0},
)
scaling("llama-rope-yarn-no-truncate", "yarn with truncate false", YARN | BETAS | {"truncate": False})
scaling(
    "llama-rope-yarn-factor-null",
    "yarn with factor null: M over the original, 96/32",
    YARN | {"factor": None},
    changes={"max_position_embeddings": 96},
)
scaling("llama-rope-yarn-no-original", "yarn without original length: M", YARN, hub=True, edit_config=no_original)
scaling(
    "llama-rope-yarn-equal-bounds",
    "yarn whose two bounds coincide (original length 6)",
    YARN | {"original_max_position_embeddings": 6},
)
scaling(
    "llama-rope-yarn-original-top",
    "yarn, top-level original length 12 over the one inside",
    YARN | BETAS,
    hub=True,
    edit_config=top_level_original,
)
scaling(
    "llama-rope-theta-inside",
    "theta in rope_scaling and another at top level: the inner one counts",
    LINEAR | {"rope_theta": 300.0},
    hub=True,
    edit_config=theta_inside,
)

WITH_TOKENIZER = config(
    vocab_size=481,
    intermediate_size=24,
    tie_word_embeddings=True,
    max_position_embeddings=2048,
    bos_token_id=0,
    eos_token_id=0,
)
checkpoint(
    "llama-with-tokenizer",
    "a folder that a whole run can use: tied, tokenizer.json of the SmolLM kind beside the weights",
    WITH_TOKENIZER,
    dtype=BF16,
    add_files=tokenizer_files,
)
