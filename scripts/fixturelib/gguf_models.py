"""Llama and Qwen2 models as GGUF files, under the names and in the row order of llama.cpp.

The numbers come from the transformers model that holds the *decoded* weights, in transformers' own row order.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import torch
from transformers import AutoModelForCausalLM

from fixturelib import gguf_blocks, gguf_tokenizers, llama, qwen2, reference, registry
from fixturelib.weights import random_model

Kind = gguf.GGMLQuantizationType
Writer = gguf.GGUFWriter

NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name: str) -> str:
    """llama.cpp's name of a transformers parameter."""
    stem, _, suffix = name.rpartition(".")
    if stem.startswith("model.layers."):
        _, _, layer, part = stem.split(".", 3)
        return f"blk.{layer}.{NAMES[part]}.{suffix}"
    return f"{NAMES[stem]}.{suffix}"


def interleave(rows: np.ndarray, heads: int) -> np.ndarray:
    """llama.cpp's row order for Llama: within a head, row j of the first half and row j of the second are neighbours."""
    width = rows.shape[0] // heads
    halves = rows.reshape(heads, 2, width // 2, *rows.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows.shape))


def separate(rows: np.ndarray, heads: int) -> np.ndarray:
    """Undoes `interleave`."""
    width = rows.shape[0] // heads
    pairs = rows.reshape(heads, width // 2, 2, *rows.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(rows.shape))


def describe(writer: Writer, config) -> None:
    """The metadata every model file has."""
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_vocab_size(config.vocab_size)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    if config.model_type == "llama":
        writer.add_rope_dimension_count(width)
    if width * config.num_attention_heads != config.hidden_size:
        writer.add_key_length(width)
        writer.add_value_length(width)


def gguf_model(
    name: str,
    note: str,
    config,
    kind: Kind | Callable[[str], Kind],
    *,
    weights: str | None = None,
    dtype: torch.dtype = torch.float32,
    long: int = 72,
    extra: Callable[[Writer], None] | None = None,
    cross_check: bool = True,
) -> None:
    """Registers a case. `kind` is the type of the matrices (norms and biases are f32), or gives it by name.

    `weights` and `dtype` make the weights those of a safetensors case. `extra` adds metadata or tensors.
    `cross_check` loads the file with transformers' own GGUF reader too.
    """

    def make(folder: Path) -> str:
        key = weights or name
        model = random_model(config, key)
        # Parameters alone: model.to(dtype) would round the rotary frequencies as well.
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(parameter.to(dtype).float())
        source = np.random.default_rng(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))
        writer = Writer(folder / "model.gguf", config.model_type)
        describe(writer, config)
        decoded = write_weights(writer, model, config, kind, source)
        if extra:
            extra(writer)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        model.load_state_dict(decoded, strict=False)
        if cross_check:
            check(folder, model)
        records = reference.reference(model, key, config.vocab_size, long, 20)
        reference.write_expected(folder, name, note, config.model_type, records)
        error = reference.conditioning(model, records)
        if error > 2e-5:
            raise ValueError(f"{name}: f32 and f64 differ by {error}")
        return reference.remark(records, error)

    registry.add(name, note, make)


def write_weights(writer: Writer, model, config, kind, source: np.random.Generator) -> dict[str, torch.Tensor]:
    """Adds every tensor to the file; returns what they decode to, in transformers' row order."""
    decoded = {}
    for name, tensor in model.named_parameters():
        values = tensor.detach().numpy()
        heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
        count = next((heads[part] for part in heads if part in name), None) if config.model_type == "llama" else None
        target = gguf_name(name)
        if count:
            values = interleave(values, count)
        chosen = Kind.F32 if values.ndim == 1 else kind(target) if callable(kind) else kind
        raw, back = gguf_blocks.encode(values, chosen, source)
        writer.add_tensor(target, raw, raw_dtype=chosen)
        if count:
            back = separate(back, count)
        decoded[name] = torch.from_numpy(np.array(back))
    return decoded


def check(folder: Path, model) -> None:
    """transformers' reader of the file must give the same weights."""
    loaded = AutoModelForCausalLM.from_pretrained(folder, gguf_file="model.gguf", dtype=torch.float32)
    ours, theirs = model.state_dict(), loaded.state_dict()
    differing = [key for key in ours if key not in theirs or not torch.equal(ours[key], theirs[key])]
    if differing:
        raise ValueError(f"{folder.name}: transformers reads {', '.join(differing)} differently")


def mixed(target: str) -> Kind:
    """Every K type in one file; the attention output has rows of 32, which no K block fits."""
    kinds = {
        "token_embd": Kind.Q4_K,
        "attn_q": Kind.Q6_K,
        "attn_k": Kind.Q5_K,
        "attn_v": Kind.Q3_K,
        "attn_output": Kind.Q8_0,
        "ffn_gate": Kind.Q2_K,
        "ffn_up": Kind.Q3_K,
        "ffn_down": Kind.Q4_K,
    }
    return next(kind for part, kind in kinds.items() if part in target)


def linear(writer: Writer) -> None:
    """Linear scaling by 4."""
    writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    writer.add_rope_scaling_factor(4.0)


def yarn(writer: Writer) -> None:
    """Yarn by 4 over an original length of 64."""
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(4.0)
    writer.add_rope_scaling_orig_ctx_len(64)


def llama3_factors(writer: Writer) -> None:
    """Llama 3 scaling as llama.cpp stores it: a divisor for each frequency, in a tensor."""
    rule = llama.LLAMA3
    frequencies = rule["rope_theta"] ** (-np.arange(0, 16, 2, dtype=np.float64) / 16)
    lengths = 2 * np.pi / frequencies
    original, low, high = (rule[k] for k in ("original_max_position_embeddings", "low_freq_factor", "high_freq_factor"))
    share = np.clip((original / lengths - low) / (high - low), 0.0, 1.0)
    factors = 1.0 / ((1.0 - share) / rule["factor"] + share)
    writer.add_tensor("rope_freqs.weight", factors.astype(np.float32))


def with_tokenizer(writer: Writer) -> None:
    """A tokenizer, so that a whole run needs this one file."""
    size = gguf_tokenizers.SMOLLM.describe(writer)
    if size != llama.WITH_TOKENIZER.vocab_size:
        raise ValueError(f"the tokenizer has {size} tokens, the model {llama.WITH_TOKENIZER.vocab_size} rows")


def small(**changes):
    """A Llama whose rows are multiples of 32."""
    return llama.config(**({"intermediate_size": 32} | changes))


def small_qwen2(**changes):
    """A Qwen2 whose rows are multiples of 32."""
    return qwen2.config(**({"intermediate_size": 32, "num_hidden_layers": 2} | changes))


def rope(parameters: dict, **changes):
    """A tied Llama with 16 dimensions a head."""
    wide = {"head_dim": 16, "num_key_value_heads": 1, "tie_word_embeddings": True}
    return small(**(wide | {"rope_parameters": parameters} | changes))


TIED = {"tie_word_embeddings": True}
UNTIED = {"tie_word_embeddings": False}

gguf_model("gguf-llama-f32", "f32, tied, one layer", small(**TIED, num_hidden_layers=1), Kind.F32)
gguf_model(
    "gguf-llama-bf16",
    "bf16, tied: the weights and the numbers of llama-tied",
    llama.tied,
    Kind.BF16,
    weights="llama-tied",
    dtype=torch.bfloat16,
    long=100,
)
gguf_model(
    "gguf-qwen2-f16",
    "f16, untied: the weights and the numbers of qwen2-untied-null",
    qwen2.config(**UNTIED),
    Kind.F16,
    weights="qwen2-untied-null",
    dtype=torch.float16,
)
gguf_model("gguf-llama-q8_0", "Q8_0, untied, K < H", small(), Kind.Q8_0)
gguf_model("gguf-qwen2-q4_0", "Q4_0, tied, biased q, k, v", small_qwen2(), Kind.Q4_0)
gguf_model("gguf-llama-q4_1", "Q4_1, tied", small(**TIED), Kind.Q4_1)
gguf_model("gguf-qwen2-q5_0", "Q5_0, untied, biased q, k, v", small_qwen2(**UNTIED), Kind.Q5_0)
gguf_model("gguf-llama-q5_1", "Q5_1, untied", small(), Kind.Q5_1)
gguf_model(
    "gguf-llama-k-quants",
    "Q2_K to Q6_K and Q8_0 in one file, tied, hidden 256, one layer, 192 ids",
    llama.config(
        vocab_size=192,
        hidden_size=256,
        intermediate_size=256,
        head_dim=8,
        num_hidden_layers=1,
        tie_word_embeddings=True,
    ),
    mixed,
)
gguf_model(
    "gguf-llama-rope-linear",
    "rope.scaling.type linear, key_length 16 so that H*d = 64 and D = 32",
    rope(llama.LINEAR),
    Kind.Q8_0,
    long=100,
    extra=linear,
    cross_check=False,
)
gguf_model(
    "gguf-llama-rope-freqs",
    "Llama 3 scaling as a rope_freqs.weight tensor",
    rope(llama.LLAMA3),
    Kind.Q8_0,
    long=100,
    extra=llama3_factors,
    cross_check=False,
)
gguf_model(
    "gguf-qwen2-rope-yarn",
    "rope.scaling.type yarn over an original length of 64",
    small_qwen2(
        head_dim=16, num_key_value_heads=1, rope_parameters=llama.YARN | {"original_max_position_embeddings": 64}
    ),
    Kind.Q8_0,
    long=100,
    extra=yarn,
    cross_check=False,
)
gguf_model(
    "gguf-llama-with-tokenizer",
    "bf16 and a tokenizer: the weights, the numbers and the ids of llama-with-tokenizer",
    llama.WITH_TOKENIZER,
    Kind.BF16,
    weights="llama-with-tokenizer",
    dtype=torch.bfloat16,
    extra=with_tokenizer,
)
