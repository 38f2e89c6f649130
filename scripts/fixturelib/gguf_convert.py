"""What llama.cpp's converter makes of a checkpoint: metadata, names of tensors, and what it does to their values.

Names come from gguf-py's own table. Each function below is for one `general.architecture`; it adds what is particular to it
and changes the tensors (in f32, by transformers' names) in place.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np
import torch
from safetensors import safe_open

Kind = gguf.GGMLQuantizationType
Tensors = dict[str, np.ndarray]

STORED = {torch.float32: Kind.F32, torch.float16: Kind.F16, torch.bfloat16: Kind.BF16}
SLIDING = "sliding_attention"


def read(folder: Path) -> tuple[Tensors, Kind]:
    """The tensors of a checkpoint as f32, and the type that its matrices are stored in."""
    tensors, kind = {}, Kind.F32
    with safe_open(folder / "model.safetensors", "pt") as file:
        for name in file.keys():
            tensor = file.get_tensor(name)
            kind = STORED[tensor.dtype] if tensor.dim() > 1 else kind
            tensors[name] = tensor.float().numpy()
    return tensors, kind


@dataclass
class Target:
    """A GGUF file in the making: its writer, the source's configuration and tensors."""

    writer: gguf.GGUFWriter
    config: object
    tensors: Tensors

    def get(self, *names: str, default=None):
        """The first of some attributes of the configuration that is set."""
        return next((v for v in (getattr(self.config, n, None) for n in names) if v is not None), default)

    @property
    def layers(self) -> int:
        """Number of layers."""
        return self.get("num_hidden_layers", "n_layer", "n_layers")

    @property
    def heads(self) -> tuple[int, int]:
        """Number of query heads, and of key heads."""
        heads = self.get("num_attention_heads", "n_head", "n_heads")
        return heads, self.get("num_key_value_heads", default=heads)

    @property
    def head_dim(self) -> int:
        """Width of a head."""
        return self.get("head_dim") or self.get("hidden_size", "n_embd", "d_model") // self.heads[0]

    def rename(self, pattern: str, change) -> None:
        """Replaces tensors whose whole name matches by what `change` makes of (match, values): a dict."""
        for name in list(self.tensors):
            if match := re.fullmatch(pattern, name):
                self.tensors.update(change(match, self.tensors.pop(name)))

    def values(self, pattern: str, change) -> None:
        """Changes the values of tensors whose whole name matches."""
        self.rename(pattern, lambda m, v: {m.string: change(m, v)})


def sizes(t: Target) -> None:
    """The sizes of nearly every architecture."""
    w = t.writer
    w.add_block_count(t.layers)
    if (context := t.get("max_position_embeddings", "n_positions", "max_seq_len")) is not None:
        w.add_context_length(context)
    hidden = t.get("hidden_size", "n_embd", "d_model")
    w.add_embedding_length(hidden)
    w.add_feed_forward_length(t.get("intermediate_size", "ffn_hidden_size", "n_inner", default=4 * hidden))
    w.add_head_count(t.heads[0])
    w.add_vocab_size(t.config.vocab_size)
    if (head_dim := t.get("head_dim")) is not None:
        w.add_key_length(head_dim)
        w.add_value_length(head_dim)


def norms(t: Target) -> None:
    """The epsilon of the norms."""
    if (eps := t.get("rms_norm_eps", "norm_eps")) is not None:
        t.writer.add_layer_norm_rms_eps(eps)
    if (eps := t.get("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon")) is not None:
        t.writer.add_layer_norm_eps(eps)


def rope(t: Target) -> None:
    """Rotary positions: those of full layers, and the base of the others."""
    w, parameters = t.writer, t.config.rope_parameters
    full = parameters.get("full_attention", parameters)
    kind = full.get("rope_type", "default")
    if kind in ("linear", "yarn"):
        w.add_rope_scaling_type(gguf.RopeScalingType(kind))
        w.add_rope_scaling_factor(full["factor"])
    if kind == "yarn":
        w.add_rope_scaling_orig_ctx_len(full["original_max_position_embeddings"])
        for key, add in (
            ("attention_factor", w.add_rope_scaling_yarn_attn_factor),
            ("beta_fast", w.add_rope_scaling_yarn_beta_fast),
            ("beta_slow", w.add_rope_scaling_yarn_beta_slow),
        ):
            if full.get(key) is not None:
                add(full[key])
    elif kind == "longrope":
        w.add_rope_scaling_type(gguf.RopeScalingType.LONGROPE)
    elif kind == "llama3":
        t.tensors["rope_freqs.weight"] = llama3_divisors(full, t.head_dim)
    w.add_rope_freq_base(full["rope_theta"])
    if SLIDING in parameters:
        w.add_rope_freq_base_swa(parameters[SLIDING]["rope_theta"])


def llama3_divisors(rule: dict, width: int) -> np.ndarray:
    """Llama 3's scaling, as a divisor for each frequency."""
    frequencies = rule["rope_theta"] ** (-np.arange(0, width, 2, dtype=np.float64) / width)
    lengths = 2 * np.pi / frequencies
    original, low, high = (rule[k] for k in ("original_max_position_embeddings", "low_freq_factor", "high_freq_factor"))
    share = np.clip((original / lengths - low) / (high - low), 0.0, 1.0)
    return (1.0 / ((1.0 - share) / rule["factor"] + share)).astype(np.float32)


def partial(t: Target, default: float = 1.0) -> None:
    """The number of rotary dimensions."""
    share = t.config.rope_parameters.get("partial_rotary_factor", default)
    t.writer.add_rope_dimension_count(int(t.head_dim * share))


def body(t: Target) -> None:
    """What most architectures have."""
    sizes(t)
    t.writer.add_head_count_kv(t.heads[1])
    norms(t)
    rope(t)
    if (used := t.get("num_experts_per_tok")) is not None:
        t.writer.add_expert_used_count(used)
        t.writer.add_expert_count(t.get("num_local_experts", "num_experts", "n_routed_experts"))


def pairs(t: Target) -> None:
    """Puts the rows of q and k into rope pairs: row j of a head's first half before row j of its second."""

    def change(match, rows: np.ndarray) -> np.ndarray:
        heads = t.heads[match[1] == "k"]
        halves = rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:])
        return halves.swapaxes(1, 2).reshape(rows.shape)

    t.values(r".*self_attn\.([qk])_proj\.(?:weight|bias)", change)
    t.writer.add_rope_dimension_count(t.head_dim)


def stack(t: Target) -> None:
    """Puts the experts of a layer into one tensor."""
    groups: dict[tuple[str, str], dict[int, np.ndarray]] = {}

    def collect(match, values: np.ndarray) -> Tensors:
        groups.setdefault((match[1], match[3]), {})[int(match[2])] = values
        return {}

    t.rename(r"(.*\.experts)\.(\d+)\.(.*)", collect)
    for (prefix, rest), experts in groups.items():
        prefix = re.sub(r"model\.(layers\.\d+)\.block_sparse_moe\.experts", r"\1.feed_forward.experts", prefix)
        t.tensors[f"{prefix}.{rest}"] = np.stack([experts[j] for j in range(len(experts))])


def add_one(t: Target) -> None:
    """Norms are stored with the one added."""
    t.values(r".*norm\.weight", lambda m, v: v + 1)


def per_head(t: Target) -> None:
    """q, k and v fused head by head become [q; k; v]."""
    heads = t.heads[0]

    def change(match, rows: np.ndarray) -> np.ndarray:
        parts = rows.reshape(heads, 3, rows.shape[0] // heads // 3, *rows.shape[1:])
        return parts.swapaxes(0, 1).reshape(rows.shape)

    t.values(r".*query_key_value\.(?:weight|bias)", change)


def layer_pattern(t: Target) -> None:
    """The window, and which layers have it."""
    t.writer.add_sliding_window(t.config.sliding_window)
    t.writer.add_sliding_window_pattern([kind == SLIDING for kind in t.config.layer_types])


def llama(t: Target) -> None:
    """Llama, Mistral, Mixtral."""
    body(t)
    pairs(t)
    stack(t)
    if t.config.model_type != "llama" and t.config.sliding_window is not None:
        t.writer.add_sliding_window(t.config.sliding_window)


def granite(t: Target) -> None:
    """Granite's four factors."""
    body(t)
    pairs(t)
    t.writer.add_attention_scale(t.config.attention_multiplier)
    t.writer.add_embedding_scale(t.config.embedding_multiplier)
    t.writer.add_residual_scale(t.config.residual_multiplier)
    t.writer.add_logit_scale(t.config.logits_scaling)


def smollm3(t: Target) -> None:
    """As llama."""
    body(t)
    pairs(t)


def olmo(t: Target) -> None:
    """OLMo's clip."""
    body(t)
    pairs(t)
    t.writer.add_layer_norm_eps(1e-5)
    if t.config.clip_qkv is not None:
        t.writer.add_clamp_kqv(t.config.clip_qkv)


def olmo2(t: Target) -> None:
    """OLMo 2, and OLMo 3 with its windows."""
    body(t)
    if t.get("sliding_window") is not None:
        layer_pattern(t)


def exaone4(t: Target) -> None:
    """EXAONE 4."""
    body(t)
    if t.config.sliding_window is not None:
        layer_pattern(t)


def qwen3(t: Target) -> None:
    """Qwen3 (and Qwen2)."""
    body(t)


def experts(t: Target) -> None:
    """Qwen's mixtures, and OLMoE's."""
    body(t)
    stack(t)
    if (width := t.get("moe_intermediate_size")) is not None:
        t.writer.add_expert_feed_forward_length(width)
    if (width := t.get("shared_expert_intermediate_size")) is not None:
        t.writer.add_expert_shared_feed_forward_length(width)
    # The converter drops dimensions of one.
    t.values(r".*shared_expert_gate\.weight", lambda m, v: v.squeeze())


def gemma(t: Target) -> None:
    """Gemma: without a base of the positions."""
    sizes(t)
    t.writer.add_head_count_kv(t.heads[1])
    norms(t)
    add_one(t)


def gemma2(t: Target) -> None:
    """Gemma 2."""
    gemma(t)
    t.writer.add_attn_logit_softcapping(t.config.attn_logit_softcapping)
    t.writer.add_final_logit_softcapping(t.config.final_logit_softcapping)
    t.writer.add_sliding_window(t.config.sliding_window)


def gemma3(t: Target) -> None:
    """Gemma 3. The pattern is written where it is not the usual one."""
    body(t)
    add_one(t)
    t.writer.add_sliding_window(t.config.sliding_window)
    if t.config.final_logit_softcapping:
        t.writer.add_final_logit_softcapping(t.config.final_logit_softcapping)
    period = t.config.layer_types.index("full_attention") + 1
    if period != 6:
        t.writer.add_sliding_window_pattern(period)


def phi3(t: Target) -> None:
    """Phi-3: divisors of the frequencies are tensors."""
    body(t)
    partial(t)
    rule = t.config.rope_parameters
    original = t.config.original_max_position_embeddings
    t.writer.add_rope_scaling_orig_ctx_len(original)
    t.writer.add_sliding_window(t.config.sliding_window or 0)
    if "long_factor" in rule:
        scale = t.config.max_position_embeddings / original
        factor = np.sqrt(1 + np.log(scale) / np.log(original)) if scale > 1.0 else 1.0
        t.writer.add_rope_scaling_attn_factors(float(factor))
        for side in ("long", "short"):
            t.tensors[f"rope_factors_{side}.weight"] = np.array(rule[f"{side}_factor"], dtype=np.float32)


def glm4(t: Target) -> None:
    """GLM-4."""
    body(t)
    partial(t, 0.5)


def gpt_oss(t: Target) -> None:
    """GPT-OSS: gate and up apart, matrices as (experts, out, in)."""
    body(t)
    t.writer.add_sliding_window(t.config.sliding_window)
    t.writer.add_expert_feed_forward_length(t.config.intermediate_size)
    t.rename(r"(.*)\.sinks", lambda m, v: {f"{m[1]}.sinks.weight": v})
    t.rename(r"(.*)\.down_proj_bias", lambda m, v: {f"{m[1]}.down_proj.bias": v})
    t.rename(r"(.*)\.experts\.down_proj", lambda m, v: {f"{m.string}.weight": v.swapaxes(1, 2)})

    def apart(match, values: np.ndarray) -> Tensors:
        bias = match[2] is not None
        values = values if bias else values.swapaxes(1, 2)
        ending = "bias" if bias else "weight"
        sides = (("gate", values[:, ::2]), ("up", values[:, 1::2]))
        return {f"{match[1]}.{side}_proj.{ending}": part for side, part in sides}

    t.rename(r"(.*)\.gate_up_proj(_bias)?", apart)


def deepseek(t: Target, whole: bool = False) -> None:
    """DeepSeek-V2 and V3. Newer files hold the expansion of the latent as two tensors by head, older ones `whole`."""
    c, w = t.config, t.writer
    t.config.num_key_value_heads = c.num_attention_heads if whole else 1
    rotary, rest, values, latent = c.qk_rope_head_dim, c.qk_nope_head_dim, c.v_head_dim, c.kv_lora_rank
    t.config.head_dim = None
    body(t)
    w.add_leading_dense_block_count(c.first_k_dense_replace)
    if c.q_lora_rank is not None:
        w.add_q_lora_rank(c.q_lora_rank)
    w.add_kv_lora_rank(latent)
    if whole:
        w.add_key_length(rest + rotary)
        w.add_value_length(values)
    else:
        w.add_key_length(latent + rotary)
        w.add_value_length(latent)
        w.add_key_length_mla(rest + rotary)
        w.add_value_length_mla(values)
    w.add_expert_feed_forward_length(c.moe_intermediate_size)
    w.add_expert_shared_count(c.n_shared_experts)
    w.add_expert_weights_scale(c.routed_scaling_factor)
    if c.norm_topk_prob:
        w.add_expert_weights_norm(True)
    if c.model_type == "deepseek_v3" or not whole:
        sigmoid = c.model_type == "deepseek_v3"
        w.add_expert_gating_func(gguf.ExpertGatingFuncType.SIGMOID if sigmoid else gguf.ExpertGatingFuncType.SOFTMAX)
    if c.n_group is not None:
        w.add_expert_group_count(c.n_group)
        w.add_expert_group_used_count(c.topk_group)
    w.add_rope_dimension_count(rotary)
    if (scale := c.rope_parameters.get("mscale_all_dim")) is not None:
        w.add_rope_scaling_yarn_log_mul(0.1 * scale)
    stack(t)
    t.rename(r"(.*)\.e_score_correction_bias", lambda m, v: {f"{m[1]}.e_score_correction.bias": v})
    if not whole:

        def by_head(match, rows: np.ndarray) -> Tensors:
            heads = rows.reshape(c.num_attention_heads, rest + values, latent)
            keys = heads[:, :rest].swapaxes(1, 2)
            return {f"{match[1]}.k_b_proj.weight": keys, f"{match[1]}.v_b_proj.weight": heads[:, rest:]}

        t.rename(r"(.*)\.kv_b_proj\.weight", by_head)


def old_deepseek(t: Target) -> None:
    """As files were before the expansion was split."""
    deepseek(t, whole=True)


def gpt2(t: Target) -> None:
    """GPT-2: matrices as (out, in)."""
    sizes(t)
    norms(t)
    t.values(r".*\.(?:c_attn|c_proj|c_fc)\.weight", lambda m, v: v.T)


def starcoder(t: Target) -> None:
    """GPTBigCode with one key head."""
    sizes(t)
    norms(t)
    t.writer.add_head_count_kv(1)


def gptneox(t: Target) -> None:
    """GPT-NeoX: the base of the positions is written where it is not the usual one."""
    sizes(t)
    norms(t)
    partial(t, 0.25)
    t.writer.add_parallel_residual(t.config.use_parallel_residual)
    if t.config.rope_parameters["rope_theta"] != 10000.0:
        rope(t)
    per_head(t)


def bloom(t: Target) -> None:
    """BLOOM: the table of names has its own without the prefix."""
    t.rename(r"transformer\.(.*)", lambda m, v: {m[1]: v})
    t.config.intermediate_size = 4 * t.config.hidden_size
    sizes(t)
    norms(t)
    t.writer.add_head_count_kv(t.heads[0])
    per_head(t)


def mpt(t: Target) -> None:
    """MPT."""
    sizes(t)
    t.writer.add_layer_norm_eps(1e-5)
    settings = t.config.attn_config
    if settings.clip_qkv is not None:
        t.writer.add_clamp_kqv(settings.clip_qkv)
    t.writer.add_max_alibi_bias(settings.alibi_bias_max)


def falcon(t: Target) -> None:
    """Falcon: q, k and v in order."""
    c = t.config
    groups = c.num_kv_heads if c.new_decoder_architecture else 1
    sizes(t)
    norms(t)
    t.writer.add_tensor_data_layout("jploski")
    t.writer.add_head_count_kv(groups)
    if c.rope_parameters["rope_theta"] != 10000.0:
        rope(t)

    def change(match, rows: np.ndarray) -> np.ndarray:
        parts = rows.reshape(groups, c.num_attention_heads // groups + 2, t.head_dim, -1)
        flat = [part.reshape(-1, rows.shape[1]) for part in (parts[:, :-2], parts[:, -2:-1], parts[:, -1:])]
        return np.concatenate(flat)

    t.values(r".*query_key_value\.weight", change)


def phi2(t: Target) -> None:
    """Phi (1, 1.5, 2): without a base of the positions."""
    sizes(t)
    norms(t)
    t.writer.add_head_count_kv(t.heads[1])
    partial(t, 0.5)


def fused_phi2(t: Target) -> None:
    """As the first files of Phi-2 were: q, k and v in one tensor."""
    phi2(t)
    for i in range(t.layers):
        for ending in ("weight", "bias"):
            names = [f"model.layers.{i}.self_attn.{part}_proj.{ending}" for part in "qkv"]
            t.tensors[f"transformer.h.{i}.mixer.Wqkv.{ending}"] = np.concatenate([t.tensors.pop(n) for n in names])


def stablelm(t: Target) -> None:
    """StableLM: the norms of all heads in one tensor."""
    body(t)
    partial(t, 0.25)
    t.writer.add_parallel_residual(True)
    groups: dict[str, dict[int, np.ndarray]] = {}

    def collect(match, values: np.ndarray) -> Tensors:
        groups.setdefault(match[1], {})[int(match[2])] = values
        return {}

    t.rename(r"(.*_layernorm)\.norms\.(\d+)\.weight", collect)
    for prefix, heads in groups.items():
        t.tensors[f"{prefix}.weight"] = np.stack([heads[h] for h in range(len(heads))])


def nemotron(t: Target) -> None:
    """Nemotron: layer norms under RMS norms' key, too."""
    body(t)
    t.writer.add_layer_norm_eps(t.config.norm_eps)
    partial(t, 0.5)
    t.writer.add_rope_scaling_type(gguf.RopeScalingType.NONE)
    add_one(t)


def command(t: Target) -> None:
    """Command R."""
    body(t)
    t.writer.add_logit_scale(t.config.logit_scale)
    t.writer.add_rope_scaling_type(gguf.RopeScalingType.NONE)


def cohere2(t: Target) -> None:
    """Command R7B."""
    command(t)
    t.writer.add_sliding_window(t.config.sliding_window)
    t.writer.add_rope_dimension_count(t.head_dim)
