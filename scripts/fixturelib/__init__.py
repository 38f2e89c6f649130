"""The cases of scripts/make_fixtures.py, one module a family."""

from importlib import import_module

FAMILIES = ["llama", "gpt2", "qwen2", "gpt_neox", "gguf_tokenizers", "gguf_blocks", "gguf_models", "gguf_families"]
FAMILIES += ["opt", "bloom", "mpt", "falcon", "gpt_neo", "gptj", "gpt_bigcode", "phi", "phi3", "stablelm", "starcoder2"]
FAMILIES += ["mistral", "qwen3", "gemma", "gemma2", "gemma3", "mixtral", "qwen2_moe", "qwen3_moe"]
FAMILIES += ["olmo", "olmo2", "olmo3", "olmoe", "glm4", "gpt_oss", "exaone4", "deepseek_v2", "deepseek_v3"]
FAMILIES += ["cohere", "cohere2", "nemotron", "smollm3", "granite", "long_positions"]
FAMILIES += ["mamba", "mamba2"]


def load_cases():
    """All cases by name, in the order of their definition."""
    for family in FAMILIES:
        import_module(f"fixturelib.{family}")
    from fixturelib.registry import CASES

    return CASES
