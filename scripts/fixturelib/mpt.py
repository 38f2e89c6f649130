"""MPT: ALiBi with slopes of its own, fused projections that may be clipped, an explicit scale."""

import torch
from transformers import MptConfig

from fixturelib.checkpoint import checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(attention: dict | None = None, **changes) -> MptConfig:
    """Two layers, four heads of six, hidden 24, 160 ids, 128 positions."""
    base = {"vocab_size": 160, "d_model": 24, "n_heads": 4, "n_layers": 2, "max_seq_len": 128}
    return MptConfig(**(base | {"attn_config": attention or {}} | changes))


def released(document: dict) -> None:
    """The keys of the first releases, and none of those that came later."""
    kept = {
        "architectures", "attn_config", "d_model", "emb_pdrop", "embedding_fraction", "expansion_ratio", "init_device",
        "learned_pos_emb", "logit_scale", "max_seq_len", "model_type", "n_heads", "n_layers", "no_bias", "norm_type",
        "resid_pdrop", "torch_dtype", "transformers_version", "use_cache", "vocab_size",
    }  # fmt: skip
    for key in set(document) - kept:
        del document[key]
    document["attn_config"] = {
        "alibi": True,
        "alibi_bias_max": 8,
        "attn_impl": "torch",
        "attn_pdrop": 0,
        "attn_type": "multihead_attention",
        "attn_uses_sequence_id": False,
        "clip_qkv": None,
        "prefix_lm": False,
        "qk_ln": False,
        "softmax_scale": None,
    } | {key: document["attn_config"][key] for key in ("clip_qkv", "softmax_scale")}
    document["init_config"] = {"name": "kaiming_normal_", "verbose": 0}
    document["verbose"] = 0


checkpoint("mpt-tied", "tied head, clip and scale null, 5.x config", config(n_layers=3), long=100, dtype=BF16)
checkpoint(
    "mpt-tied-hub",
    "mpt-tied with a released config (no layer_norm_epsilon, no tie flag)",
    config(n_layers=3),
    weights="mpt-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "mpt-no-attn-config-hub",
    "mpt-tied without attn_config: all of it is the default",
    config(n_layers=3),
    weights="mpt-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited("attn_config"),
)
checkpoint("mpt-clip", "clip_qkv 0.9", config({"clip_qkv": 0.9}), weights="mpt-clip", dtype=BF16)
checkpoint(
    "mpt-clip-scale-hub",
    "mpt-clip with softmax_scale 0.8 too",
    config({"clip_qkv": 0.9, "softmax_scale": 0.8}),
    weights="mpt-clip",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "mpt-odd-heads-untied",
    "six heads of five: slopes of eight heads reordered; head of its own, all 72 positions used",
    config(d_model=30, n_heads=6, max_seq_len=72, tie_word_embeddings=False, vocab_size=128),
    dtype=F16,
)
