"""OPT: learned positions with an offset of two, and the 350m shape (norms after the branches, projected embeddings)."""

import torch
from transformers import OPTConfig

from fixturelib.checkpoint import Tensors, checkpoint, edited

BF16 = torch.bfloat16
F16 = torch.float16


def config(**changes) -> OPTConfig:
    """Three layers, four heads of eight, hidden 32, 160 ids, 100 positions."""
    base = {
        "vocab_size": 160,
        "hidden_size": 32,
        "ffn_dim": 40,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "max_position_embeddings": 100,
    }
    return OPTConfig(**(base | changes))


def base_names(tensors: Tensors) -> Tensors:
    """Names as files of the base model have them, without `model.`."""
    return {name.removeprefix("model."): tensor for name, tensor in tensors.items()}


def stored_head(tensors: Tensors) -> Tensors:
    """Stores the tied head as well, as early conversions did."""
    return tensors | {"lm_head.weight": tensors["model.decoder.embed_tokens.weight"].clone()}


SHAPE_350M = {"do_layer_norm_before": False, "word_embed_proj_dim": 20, "vocab_size": 200}
# What released configs lack: everything is then the class default.
NEWER = ("enable_bias", "layer_norm_elementwise_affine", "tie_word_embeddings", "_remove_final_layer_norm")

checkpoint("opt-tied", "tied head, every one of the 100 positions used, 5.x config", config(), long=100, dtype=BF16)
checkpoint(
    "opt-tied-hub",
    "opt-tied with a released config, and names without the prefix model.",
    config(),
    weights="opt-tied",
    long=100,
    dtype=BF16,
    hub=True,
    edit_config=edited(*NEWER, prefix="</s>", activation_dropout=0.0),
    edit_tensors=base_names,
)
checkpoint(
    "opt-350m",
    "norms after the branches, no final norm, embeddings of 20 projected to 32 and back",
    config(**SHAPE_350M),
    dtype=BF16,
)
checkpoint(
    "opt-350m-hub",
    "opt-350m with a released config, and the tied head stored too",
    config(**SHAPE_350M),
    weights="opt-350m",
    dtype=BF16,
    hub=True,
    edit_config=edited(*NEWER, prefix="</s>"),
    edit_tensors=stored_head,
)
checkpoint(
    "opt-post-norm-square",
    "norms after the branches and no final norm, embeddings not projected; word_embed_proj_dim null",
    config(do_layer_norm_before=False, num_hidden_layers=2),
    dtype=F16,
    hub=True,
    edit_config=edited(*NEWER, word_embed_proj_dim=None),
)
checkpoint(
    "opt-no-bias-untied",
    "enable_bias false, head of its own, gelu (erf), three heads, embeddings of 40 projected to 24 under a final norm",
    config(
        enable_bias=False,
        tie_word_embeddings=False,
        activation_function="gelu",
        num_attention_heads=3,
        hidden_size=24,
        word_embed_proj_dim=40,
        num_hidden_layers=2,
        vocab_size=128,
    ),
    dtype=BF16,
)
checkpoint(
    "opt-plain-norms",
    "layer_norm_elementwise_affine false: norms without weights; no final norm by _remove_final_layer_norm",
    config(layer_norm_elementwise_affine=False, _remove_final_layer_norm=True, num_hidden_layers=2),
    dtype=BF16,
)
