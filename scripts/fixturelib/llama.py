"""Llama: norms, grouped heads, biases, explicit head size, and every rope scaling."""

from transformers import LlamaConfig

from fixturelib.checkpoint import checkpoint


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


checkpoint("llama-untied-gqa", "untied head, K < H, 5.x config", config())
