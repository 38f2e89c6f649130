"""GGUF files of further architectures, made of committed checkpoints as llama.cpp's converter would make them.

The numbers are those of the checkpoint in transformers, so that a file is right if it gives them. Where transformers reads
GGUF files of an architecture itself, its reading of the file must agree with the checkpoint, too: `peer` says in what.
"""

import json
from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from fixturelib import gguf_convert as convert
from fixturelib import reference, registry
from fixturelib.gguf_convert import Kind, Target

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures"


def family(
    architecture: str,
    source: str,
    rule: Callable[[Target], None],
    note: str,
    *,
    name: str | None = None,
    peer: str | None = None,
    kind: Callable[[str], Kind] | None = None,
    **changes,
) -> None:
    """Registers a case: the checkpoint `source` as a GGUF file of `architecture`.

    `changes` are made to the configuration, for what GGUF files cannot say; the numbers are then computed anew. `peer` is
    what transformers' reading of the file is compared in: `logits`, `weights` or nothing, where it has no reader. `kind` is
    the type of a tensor, where it is not that of the checkpoint.
    """
    name = name or f"gguf-{source}"

    def make(folder: Path) -> str:
        config = AutoConfig.from_pretrained(FIXTURES / source)
        for key, value in changes.items():
            setattr(config, key, value)
        model = AutoModelForCausalLM.from_pretrained(FIXTURES / source, config=config, dtype=torch.float32).eval()
        decoded = write(folder / "model.gguf", architecture, source, rule, config, kind)
        if kind:
            replace(model, decoded)
        document = json.loads((FIXTURES / source / "expected.json").read_text(encoding="utf-8"))
        records = document["sequences"]
        if changes or kind:
            records = reference.reference(model, name, config.vocab_size, 72, 20)
        text = f"{source} as llama.cpp's converter writes it: {note}"
        reference.write_expected(folder, name, text, document["model_type"], records)
        compare(model, records)
        if peer:
            against_peer(folder, model, records, peer)
        return reference.remark(records, reference.conditioning(model, records))

    registry.add(name, note, make)


def write(path: Path, architecture: str, source: str, rule, config, kind) -> dict[str, np.ndarray]:
    """Writes the file; returns what the tensors of another type decode to, by transformers' names."""
    tensors, stored = convert.read(FIXTURES / source)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    # The rules may set attributes.
    target = Target(writer, AutoConfig.for_model(**config.to_dict()), tensors)
    rule(target)
    arch = next(key for key, value in gguf.MODEL_ARCH_NAMES.items() if value == architecture)
    names = gguf.get_tensor_name_map(arch, target.layers)
    decoded = {}
    for name, values in sorted(target.tensors.items()):
        renamed = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if renamed is None and name.startswith("rope_"):
            renamed = name
        if renamed is None:
            raise ValueError(f"{architecture} has no name for {name}")
        chosen = Kind.F32 if values.ndim <= 1 or not name.endswith(".weight") else stored
        chosen = (kind and kind(renamed)) or chosen
        raw = gguf.quants.quantize(np.ascontiguousarray(values, dtype=np.float32), chosen)
        if kind and kind(renamed):
            decoded[name] = gguf.quants.dequantize(raw, chosen).reshape(values.shape)
        writer.add_tensor(renamed, raw, raw_dtype=chosen)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return decoded


def replace(model, decoded: dict[str, np.ndarray]) -> None:
    """Gives GPT-OSS the experts that a file decodes to."""
    parameters = dict(model.named_parameters())
    with torch.no_grad():
        for name, values in decoded.items():
            prefix, part, _ = name.rsplit(".", 2)
            values = torch.from_numpy(np.array(values)).transpose(1, 2)
            if part == "down_proj":
                parameters[f"{prefix}.down_proj"].copy_(values)
            else:
                parameters[f"{prefix}.gate_up_proj"][..., int(part == "up_proj") :: 2] = values


def logits(model, ids: list[int]) -> torch.Tensor:
    """Logits of a sequence."""
    with torch.no_grad():
        return model(torch.tensor([ids]), use_cache=False).logits[0].double()


def compare(model, records: list[dict]) -> None:
    """The numbers must be the model's."""
    for record in records:
        ids = record["ids"]
        own = torch.log_softmax(logits(model, ids), dim=-1)[:-1].gather(1, torch.tensor(ids[1:])[:, None])[:, 0]
        torch.testing.assert_close(own, torch.tensor(record["logprobs"], dtype=torch.float64), rtol=0.0, atol=2e-5)


def against_peer(folder: Path, model, records: list[dict], what: str) -> None:
    """transformers' own reading of the file must agree with the checkpoint."""
    loaded = AutoModelForCausalLM.from_pretrained(folder, gguf_file="model.gguf", dtype=torch.float32).eval()
    ours, theirs = model.state_dict(), loaded.state_dict()
    for key, values in ours.items():
        torch.testing.assert_close(theirs[key], values, rtol=0.0, atol=1e-6, msg=lambda m, k=key: f"{k}: {m}")
    if what == "logits":
        for record in records:
            torch.testing.assert_close(logits(loaded, record["ids"]), logits(model, record["ids"]), rtol=0.0, atol=1e-5)


c = convert
family("llama", "llama-bias-head-dim", c.llama, "biases, heads wider than their share")
family("llama", "mistral-window", c.llama, "with a window", peer="weights")
family("llama", "mixtral-untied", c.llama, "experts in one tensor")
family("qwen3", "qwen3-tied", c.qwen3, "norms of queries and keys")
family("qwen3moe", "qwen3-moe-norm-topk", c.experts, "experts in one tensor")
family("qwen2moe", "qwen2-moe-sparse", c.experts, "experts and a shared one")
family("gemma", "gemma-tied", c.gemma, "norms with the one added")
family("gemma2", "gemma2-window", c.gemma2, "norms with the one added, caps, window", peer="weights", query_pre_attn_scalar=8)
family("gemma3", "gemma3-text-seven-hub", c.gemma3, "the usual pattern of windows", peer="weights", query_pre_attn_scalar=8)
family(
    "gemma3",
    "gemma3-text-pattern",
    c.gemma3,
    "another pattern, scaled positions of the full layers, another base of the others",
    peer="weights",
    query_pre_attn_scalar=8,
)
family("phi3", "phi3-plain", c.phi3, "fused projections")
family("phi3", "phi3-longrope-partial-hub", c.phi3, "divisors of the frequencies as tensors, window")
family("olmo", "olmo-clip", c.olmo, "norms without weights, clip")
family("olmo2", "olmo2-untied", c.olmo2, "norms after the branches")
family("olmo2", "olmo3-window", c.olmo2, "windows, scaled positions of the full layers")
family("olmoe", "olmoe-plain", c.experts, "experts, norms over all heads")
family("smollm3", "smollm3-defaults-hub", c.smollm3, "every fourth layer without positions")
family("granite", "granite-tied", c.granite, "four factors")
family("glm4", "glm4-half", c.glm4, "interleaved positions of half a head, fused gate")
family("exaone4", "exaone4-window", c.exaone4, "windows, full layers without positions")
family("exaone4", "exaone4-null-window-hub", c.exaone4, "no window, Llama 3's positions")
family("gpt-oss", "gpt-oss-window", c.gpt_oss, "sinks, gate and up apart, windows on every other layer", swiglu_limit=7.0)
family("deepseek2", "deepseek-v2-lite", c.deepseek, "latent attention, the latent's expansion by head")
family("deepseek2", "deepseek-v2-lite", c.old_deepseek, "the latent's expansion in one tensor", name="gguf-deepseek-v2-whole")
family("deepseek2", "deepseek-v3-groups", c.deepseek, "groups of experts, sigmoid router")
family("gpt2", "gpt2-prefix", c.gpt2, "matrices as (out, in)")
family("starcoder", "gpt-bigcode-mqa", c.starcoder, "one key head")
family("gptneox", "gpt-neox-parallel", c.gptneox, "q, k and v in order")
family("bloom", "bloom-tied", c.bloom, "q, k and v in order", peer="weights")
family("mpt", "mpt-clip", c.mpt, "clip")
family("falcon", "falcon-7b", c.falcon, "one key head")
family("falcon", "falcon-40b", c.falcon, "groups of heads, q, k and v in order")
family("phi2", "phi-untied", c.phi2, "q, k and v apart")
family("phi2", "phi-untied", c.fused_phi2, "q, k and v in one tensor", name="gguf-phi-fused")
family("stablelm", "stablelm-parallel-qk-norm", c.stablelm, "norms of each head in one tensor")
family("stablelm", "stablelm-sequential", c.stablelm, "sequential blocks")
family("nemotron", "nemotron-untied", c.nemotron, "norms with the one added", peer="weights")
family("command-r", "cohere-tied", c.command, "one norm for both branches")
family("command-r", "cohere-qk-norm", c.command, "norms of queries and keys")
family("cohere2", "cohere2-tied", c.cohere2, "windows, full layers without positions")
family("starcoder2", "starcoder2-null", c.qwen3, "layer norms and biases")
