"""GPT-2: transposed matrices, learned positions, names with and without a prefix."""

from transformers import GPT2Config

from fixturelib.checkpoint import checkpoint


def config(**changes) -> GPT2Config:
    """Two layers, three heads, hidden 24, 256 ids, 80 positions."""
    base = {
        "vocab_size": 256,
        "n_positions": 80,
        "n_embd": 24,
        "n_layer": 2,
        "n_head": 3,
        "bos_token_id": 255,
        "eos_token_id": 255,
    }
    return GPT2Config(**(base | changes))


checkpoint("gpt2-prefix", "tied head, names with the transformer. prefix", config())
