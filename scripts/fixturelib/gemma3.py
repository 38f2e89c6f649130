"""Gemma3: two thetas, a scaling for full layers only, a pattern of windows, and text inside a multimodal checkpoint."""

import torch
from transformers import Gemma3Config, Gemma3TextConfig

from fixturelib.checkpoint import Tensors, checkpoint

BF16 = torch.bfloat16
F16 = torch.float16


def rope(theta: float, local: float, **scaling) -> dict:
    """Rotary parameters by layer type."""
    return {
        "full_attention": {"rope_type": "default", "rope_theta": theta} | scaling,
        "sliding_attention": {"rope_type": "default", "rope_theta": local},
    }


LINEAR = rope(1000.0, 50.0, rope_type="linear", factor=4.0)


def text(**changes) -> Gemma3TextConfig:
    """Four layers, four query heads of 8 on two key heads, hidden 24, 160 ids, tied; every third layer is full."""
    base = {
        "vocab_size": 160,
        "hidden_size": 24,
        "intermediate_size": 24,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "query_pre_attn_scalar": 5,
        "max_position_embeddings": 128,
        "sliding_window": 8,
        "sliding_window_pattern": 3,
        "rope_parameters": LINEAR,
    }
    return Gemma3TextConfig(**(base | changes))


def multimodal(tie_word_embeddings: bool = True, **changes) -> Gemma3Config:
    """The text model beside a vision tower of one layer."""
    vision = {
        "model_type": "siglip_vision_model",
        "hidden_size": 8,
        "intermediate_size": 8,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 16,
        "patch_size": 8,
        "num_channels": 1,
        "vision_use_head": False,
    }
    return Gemma3Config(
        text_config=text(**({"num_hidden_layers": 3, "sliding_window_pattern": 2} | changes)).to_dict(),
        vision_config=vision,
        mm_tokens_per_image=4,
        boi_token_index=157,
        eoi_token_index=158,
        image_token_index=262144,
        tie_word_embeddings=tie_word_embeddings,
    )


def released(document: dict) -> None:
    """What the released text model has: a number for the pattern, no `layer_types`, null caps."""
    del document["layer_types"], document["_sliding_window_pattern"]
    document["sliding_window_pattern"] = 3
    document["cache_implementation"] = "hybrid"
    del document["tie_word_embeddings"]


def minimal(document: dict) -> None:
    """Leaves out what has a default: pattern 6, thetas 1e6 and 1e4, scalar 256, tied."""
    for key in (
        "layer_types", "sliding_window_pattern", "_sliding_window_pattern", "rope_theta", "rope_local_base_freq",
        "rope_scaling", "query_pre_attn_scalar", "hidden_activation", "rms_norm_eps", "tie_word_embeddings",
        "attn_logit_softcapping", "final_logit_softcapping", "attention_bias", "use_bidirectional_attention",
    ):  # fmt: skip
        document.pop(key, None)


def released_multimodal(document: dict) -> None:
    """A text_config with few keys: sizes, scaling and window; the other keys have their defaults."""
    kept = {
        "vocab_size", "hidden_size", "intermediate_size", "model_type", "num_hidden_layers", "num_attention_heads",
        "num_key_value_heads", "head_dim", "query_pre_attn_scalar", "rope_scaling", "sliding_window",
        "max_position_embeddings", "sliding_window_pattern",
    }  # fmt: skip
    document["text_config"] = {key: value for key, value in document["text_config"].items() if key in kept}
    document["text_config"]["sliding_window_pattern"] = 2
    document["vision_config"].pop("dtype", None)
    del document["tie_word_embeddings"]


def inside(tensors: Tensors) -> Tensors:
    """The names of the first releases: everything under `language_model.`, `vision_tower.` and so on."""
    result = {}
    for name, value in tensors.items():
        name = name.removeprefix("model.")
        if name.startswith("language_model.") and not name.startswith("language_model.model."):
            name = name.replace("language_model.", "language_model.model.", 1)
        result["language_model.lm_head.weight" if name == "lm_head.weight" else name] = value
    return result


def outside(tensors: Tensors) -> Tensors:
    """The names of the model in memory: everything under `model.`, the head at the top."""
    result = {}
    for name, value in inside(tensors).items():
        name = name.replace("language_model.model.", "language_model.", 1)
        result["lm_head.weight" if name == "language_model.lm_head.weight" else f"model.{name}"] = value
    return result


checkpoint(
    "gemma3-text-pattern",
    "window of 8 unless the layer is a third, thetas 1000 and 50, linear scaling on full layers, tied, 5.x config",
    text(),
    dtype=BF16,
)
checkpoint(
    "gemma3-text-pattern-hub",
    "gemma3-text-pattern as released: rope_local_base_freq, rope_scaling, sliding_window_pattern, no layer_types",
    text(),
    weights="gemma3-text-pattern",
    dtype=BF16,
    hub=True,
    edit_config=released,
)
checkpoint(
    "gemma3-text-seven-hub",
    "seven layers and no pattern (so the sixth is full), no thetas (so 1e6 and 1e4), no scalar (256), no tie key",
    text(
        num_hidden_layers=7,
        hidden_size=16,
        intermediate_size=16,
        num_attention_heads=2,
        num_key_value_heads=1,
        query_pre_attn_scalar=256,
        sliding_window_pattern=6,
        rope_parameters=rope(1000000.0, 10000.0),
    ),
    dtype=BF16,
    hub=True,
    edit_config=minimal,
)
checkpoint(
    "gemma3-text-caps",
    "final cap of 5, score cap of 2 (which the reference ignores), untied, three heads of 10 on one, bias, f16",
    text(
        num_hidden_layers=3,
        sliding_window_pattern=2,
        num_attention_heads=3,
        num_key_value_heads=1,
        head_dim=10,
        final_logit_softcapping=5.0,
        attn_logit_softcapping=2.0,
        attention_bias=True,
        tie_word_embeddings=False,
    ),
    dtype=F16,
)
checkpoint(
    "gemma3-multimodal",
    "the text part of a multimodal checkpoint under the names that transformers 5 writes, 5.x config, tied",
    multimodal(),
    dtype=BF16,
)
checkpoint(
    "gemma3-multimodal-hub",
    "gemma3-multimodal as released: language_model.model.*, a text_config of few keys (thetas 1e6 and 1e4)",
    multimodal(rope_parameters=rope(1000000.0, 10000.0, rope_type="linear", factor=8.0)),
    weights="gemma3-multimodal",
    dtype=BF16,
    hub=True,
    edit_config=released_multimodal,
    edit_tensors=inside,
)
checkpoint(
    "gemma3-multimodal-untied",
    "model.language_model.* and lm_head, tie_word_embeddings false at the top, true in text_config; the final cap of "
    "text_config is ignored by the multimodal class",
    multimodal(tie_word_embeddings=False, final_logit_softcapping=5.0),
    dtype=F16,
    edit_tensors=outside,
)
