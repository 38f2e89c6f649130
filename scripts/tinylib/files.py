"""A model as the files of a Hub folder, its weights in half precision."""

import json

import torch
from safetensors.torch import save_file
from transformers import LlamaConfig

from .model import EPS, HEADS, INNER, LAYERS, THETA, WIDTH

CONTEXT_LENGTH = 4096


def save(folder, model, encoder):
    folder.mkdir(parents=True, exist_ok=True)
    encoder.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "unk_token": "[UNK]",
        "model_max_length": CONTEXT_LENGTH,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=2) + "\n")
    config = LlamaConfig(
        architectures=["LlamaForCausalLM"],
        vocab_size=encoder.get_vocab_size(),
        hidden_size=WIDTH,
        intermediate_size=INNER,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=HEADS,
        head_dim=WIDTH // HEADS,
        max_position_embeddings=CONTEXT_LENGTH,
        rms_norm_eps=EPS,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
        bos_token_id=encoder.token_to_id("<s>"),
        eos_token_id=encoder.token_to_id("</s>"),
        tie_word_embeddings=False,
        use_cache=True,
        dtype="float16",
    )
    config.save_pretrained(folder)
    halves = {name: p.to(torch.float16) for name, p in model.state_dict().items()}
    save_file(halves, folder / "model.safetensors", metadata={"format": "pt"})
