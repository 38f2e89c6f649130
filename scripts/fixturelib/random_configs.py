"""Random configurations of every family, for scripts/random_parity.py: a class and its arguments for each draw."""

import random

import transformers as t

VOCAB = 120


def sizes(r: random.Random, **names: str) -> dict:
    """Sizes that most families share: odd numbers of layers and heads, heads that are no power of two."""
    kv = r.choice([1, 2, 3])
    heads = kv * r.choice([1, 2, 3])
    head_dim = r.choice([4, 6, 8, 12])
    drawn = {
        "vocab_size": VOCAB,
        "hidden_size": heads * head_dim,
        "intermediate_size": r.choice([12, 20, 36]),
        "num_hidden_layers": r.choice([1, 2, 3, 5]),
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "max_position_embeddings": r.choice([64, 200]),
    }
    return {names.get(k, k): v for k, v in drawn.items()}


def rope(r: random.Random, d: int, kinds=("default", "linear", "dynamic", "yarn", "llama3")) -> dict:
    """Rotary positions of a rule at random; `d` are the rotary dimensions."""
    kind = r.choice(kinds)
    p = {"rope_type": kind, "rope_theta": r.choice([50.0, 1000.0, 1e6])}
    if kind in ("linear", "dynamic", "yarn", "llama3"):
        p["factor"] = r.choice([2.0, 3.5])
    if kind in ("yarn", "llama3"):
        p["original_max_position_embeddings"] = 32
    if kind == "llama3":
        p |= {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    if kind == "longrope":
        p["original_max_position_embeddings"] = 32
        p["short_factor"] = [round(r.uniform(1, 2), 3) for _ in range(d // 2)]
        p["long_factor"] = [round(r.uniform(2, 6), 3) for _ in range(d // 2)]
    return p


def own_head_dim(r: random.Random, o: dict) -> dict:
    """A head width of its own, H·d not the hidden size."""
    o["head_dim"] = r.choice([4, 8, 12])
    return o


def llama(r):
    o = sizes(r)
    if r.random() < 0.5:
        own_head_dim(r, o)
    d = o.get("head_dim") or o["hidden_size"] // o["num_attention_heads"]
    o |= {"attention_bias": flip(r), "mlp_bias": flip(r), "tie_word_embeddings": flip(r), "rope_parameters": rope(r, d)}
    return t.LlamaConfig, o


def flip(r: random.Random) -> bool:
    """True or false."""
    return r.random() < 0.5


def mistral(r):
    o = own_head_dim(r, sizes(r)) | {"sliding_window": r.choice([None, 1, 5, 17, 64]), "tie_word_embeddings": flip(r)}
    return t.MistralConfig, o


def mixtral(r):
    o = sizes(r) | {"num_local_experts": r.choice([3, 4, 6]), "num_experts_per_tok": r.choice([1, 2, 3])}
    return t.MixtralConfig, o | {"sliding_window": r.choice([None, 9]), "intermediate_size": r.choice([12, 16])}


def qwen_window(r) -> dict:
    return {"use_sliding_window": flip(r), "sliding_window": r.choice([3, 8, 20]), "max_window_layers": r.choice([0, 1, 2])}


def qwen2(r):
    return t.Qwen2Config, sizes(r) | qwen_window(r) | {"tie_word_embeddings": flip(r)}


def qwen3(r):
    return t.Qwen3Config, own_head_dim(r, sizes(r)) | qwen_window(r) | {"attention_bias": flip(r)}


def qwen_moe(r) -> dict:
    return {
        "num_experts": r.choice([3, 4, 6]),
        "num_experts_per_tok": r.choice([1, 2, 3]),
        "moe_intermediate_size": r.choice([8, 12]),
        "decoder_sparse_step": r.choice([1, 2]),
        "mlp_only_layers": r.choice([[], [0], [1]]),
        "norm_topk_prob": flip(r),
    }


def qwen2_moe(r):
    o = sizes(r) | qwen_window(r) | qwen_moe(r)
    return t.Qwen2MoeConfig, o | {"shared_expert_intermediate_size": 16, "qkv_bias": flip(r)}


def qwen3_moe(r):
    o = own_head_dim(r, sizes(r)) | qwen_moe(r)
    return t.Qwen3MoeConfig, o | {"use_sliding_window": flip(r), "sliding_window": r.choice([3, 8])}


def gemma(r):
    o = own_head_dim(r, sizes(r)) | {"attention_bias": flip(r), "hidden_act": r.choice(["gelu", "gelu_pytorch_tanh"])}
    return t.GemmaConfig, o


def gemma2(r):
    o = own_head_dim(r, sizes(r)) | {"query_pre_attn_scalar": r.choice([4, 7, 16]), "sliding_window": r.choice([4, 9])}
    o |= {"attn_logit_softcapping": r.choice([None, 3.0, 50.0]), "final_logit_softcapping": r.choice([None, 5.0, 30.0])}
    return t.Gemma2Config, o


def gemma3_text(r):
    o = own_head_dim(r, sizes(r)) | {"query_pre_attn_scalar": r.choice([4, 7, 16]), "sliding_window": r.choice([4, 9])}
    o["num_hidden_layers"] = r.choice([3, 7])
    o["sliding_window_pattern"] = r.choice([2, 3, 6])
    o["rope_parameters"] = {
        "full_attention": rope(r, o["head_dim"], ("default", "linear")),
        "sliding_attention": {"rope_type": "default", "rope_theta": 200.0},
    }
    return t.Gemma3TextConfig, o


def phi(r):
    o = sizes(r) | {"partial_rotary_factor": r.choice([0.5, 1.0]), "qk_layernorm": flip(r)}
    o["hidden_size"] = o["num_attention_heads"] * r.choice([8, 16])
    return t.PhiConfig, o | {"tie_word_embeddings": flip(r)}


def phi3(r):
    o = sizes(r)
    d = o["hidden_size"] // o["num_attention_heads"]
    o |= {"rope_parameters": rope(r, d, ("default", "longrope")), "original_max_position_embeddings": 32}
    o["max_position_embeddings"] = r.choice([64, 128])
    return t.Phi3Config, o | {"sliding_window": r.choice([None, 7]), "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}


def olmo(r):
    return t.OlmoConfig, sizes(r) | {"clip_qkv": r.choice([None, 0.5, 2.0]), "attention_bias": flip(r)}


def olmo2(r):
    return t.Olmo2Config, sizes(r) | {"attention_bias": flip(r), "tie_word_embeddings": flip(r)}


def olmo3(r):
    return t.Olmo3Config, sizes(r) | {"sliding_window": r.choice([3, 8]), "num_hidden_layers": r.choice([3, 5])}


def olmoe(r):
    o = sizes(r) | {"num_experts": r.choice([3, 5]), "num_experts_per_tok": 2, "clip_qkv": r.choice([None, 1.0])}
    return t.OlmoeConfig, o | {"norm_topk_prob": flip(r), "intermediate_size": 12}


def smollm3(r):
    o = sizes(r) | {"no_rope_layer_interval": r.choice([2, 3, 4]), "use_sliding_window": flip(r), "sliding_window": 6}
    return t.SmolLM3Config, o | {"attention_bias": flip(r), "mlp_bias": flip(r), "pad_token_id": 0}


def granite(r):
    o = sizes(r) | {k: r.choice([0.3, 1.0, 2.5]) for k in ("embedding_multiplier", "logits_scaling")}
    o |= {"residual_multiplier": r.choice([0.22, 1.0]), "attention_multiplier": r.choice([0.1, 0.4])}
    return t.GraniteConfig, o | {"attention_bias": flip(r), "mlp_bias": flip(r), "tie_word_embeddings": flip(r)}


def glm4(r):
    o = sizes(r) | {"head_dim": r.choice([8, 16]), "partial_rotary_factor": r.choice([0.5, 1.0])}
    return t.Glm4Config, o | {"attention_bias": flip(r), "pad_token_id": 0, "eos_token_id": 1}


def gpt_oss(r):
    o = own_head_dim(r, sizes(r)) | {"sliding_window": r.choice([4, 10]), "num_local_experts": 4, "num_experts_per_tok": 2}
    o |= {"intermediate_size": 12, "pad_token_id": 0, "eos_token_id": 1, "attention_bias": flip(r)}
    p = rope(r, o["head_dim"], ("default", "yarn"))
    return t.GptOssConfig, o | {"rope_parameters": p}


def exaone4(r):
    o = sizes(r) | {"sliding_window": r.choice([4, 10]), "sliding_window_pattern": r.choice([2, 3])}
    return t.Exaone4Config, o | {"num_hidden_layers": r.choice([3, 5]), "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 2}


def mla(r) -> dict:
    o = sizes(r)
    o["num_key_value_heads"] = o["num_attention_heads"]
    return o | {
        "q_lora_rank": r.choice([None, 10]),
        "kv_lora_rank": r.choice([6, 10]),
        "qk_nope_head_dim": r.choice([4, 6]),
        "qk_rope_head_dim": r.choice([4, 8]),
        "v_head_dim": r.choice([5, 8]),
        "moe_intermediate_size": 8,
        "n_routed_experts": 8,
        "n_shared_experts": r.choice([1, 2]),
        "num_experts_per_tok": r.choice([2, 3]),
        "first_k_dense_replace": r.choice([0, 1]),
        "routed_scaling_factor": r.choice([1.0, 2.5]),
        "attention_bias": flip(r),
    }


def deepseek_v2(r):
    o = mla(r) | {"topk_method": r.choice(["greedy", "group_limited_greedy"]), "n_group": 4, "topk_group": 2}
    if flip(r):
        o["rope_parameters"] = rope(r, 8, ("yarn",)) | {"mscale_all_dim": 0.7, "mscale": r.choice([0.7, 1.0])}
    return t.DeepseekV2Config, o


def deepseek_v3(r):
    o = mla(r) | {"n_group": r.choice([1, 2, 4]), "norm_topk_prob": flip(r), "rope_interleave": flip(r)}
    o["topk_group"] = 1 if o["n_group"] == 1 else 2
    if o["n_group"] == 4:
        o["num_experts_per_tok"] = 3
    return t.DeepseekV3Config, o


def gpt2(r):
    o = {"vocab_size": VOCAB, "n_embd": 4 * r.choice([6, 9]), "n_layer": r.choice([1, 3]), "n_head": r.choice([1, 3]), "n_positions": 200}
    return t.GPT2Config, o | {"scale_attn_by_inverse_layer_idx": flip(r), "n_inner": r.choice([None, 20])}


def gpt_bigcode(r):
    o = {"vocab_size": VOCAB, "n_embd": 4 * r.choice([6, 9]), "n_layer": r.choice([1, 3]), "n_head": r.choice([1, 3]), "n_positions": 200}
    return t.GPTBigCodeConfig, o | {"multi_query": flip(r), "n_inner": r.choice([None, 20]), "tie_word_embeddings": flip(r)}


def gpt_neo(r):
    n = r.choice([1, 2])
    o = {"vocab_size": VOCAB, "hidden_size": 24, "num_layers": 2 * n, "num_heads": r.choice([1, 3, 6]), "max_position_embeddings": 200}
    kinds = [r.choice(["global", "local"]) for _ in range(2)]
    return t.GPTNeoConfig, o | {"attention_types": [[kinds, n]], "window_size": r.choice([4, 11]), "intermediate_size": r.choice([None, 20])}


def gpt_neox(r):
    o = sizes(r)
    del o["num_key_value_heads"]
    d = o["hidden_size"] // o["num_attention_heads"]
    o |= {"use_parallel_residual": flip(r), "attention_bias": flip(r), "hidden_act": r.choice(["gelu", "gelu_new", "relu"])}
    share = r.choice([0.5, 1.0])
    return t.GPTNeoXConfig, o | {"rope_parameters": rope(r, int(d * share), ("default", "linear")) | {"partial_rotary_factor": share}}


def gptj(r):
    heads, d = r.choice([1, 3]), r.choice([8, 12])
    o = {"vocab_size": VOCAB, "n_embd": heads * d, "n_layer": r.choice([1, 3]), "n_head": heads, "n_positions": 200}
    return t.GPTJConfig, o | {"rotary_dim": r.choice([4, 8]), "n_inner": r.choice([None, 20]), "tie_word_embeddings": flip(r)}


def opt(r):
    heads = r.choice([1, 3])
    o = {"vocab_size": VOCAB, "hidden_size": heads * 8, "num_hidden_layers": r.choice([1, 3]), "num_attention_heads": heads}
    o |= {"ffn_dim": 20, "max_position_embeddings": 200, "do_layer_norm_before": flip(r), "enable_bias": flip(r)}
    return t.OPTConfig, o | {"word_embed_proj_dim": r.choice([heads * 8, 12]), "activation_function": r.choice(["relu", "gelu"])}


def bloom(r):
    heads = r.choice([1, 3, 5, 8, 12])
    o = {"vocab_size": VOCAB, "hidden_size": heads * 4, "n_layer": r.choice([1, 3]), "n_head": heads}
    return t.BloomConfig, o | {"apply_residual_connection_post_layernorm": flip(r)}


def mpt(r):
    heads = r.choice([1, 3, 5, 8, 12])
    o = {"vocab_size": VOCAB, "d_model": heads * 4, "n_layers": r.choice([1, 3]), "n_heads": heads, "max_seq_len": 200}
    return t.MptConfig, o | {"attn_config": {"clip_qkv": r.choice([None, 1.0]), "softmax_scale": r.choice([None, 0.3])}}


def falcon(r):
    heads = r.choice([2, 4, 6, 12])
    o = {"vocab_size": VOCAB, "hidden_size": heads * 8, "num_hidden_layers": r.choice([1, 3]), "num_attention_heads": heads, "bias": flip(r)}
    kind = r.choice(["7b", "40b", "rw"])
    if kind == "7b":
        o |= {"multi_query": True, "parallel_attn": True}
    elif kind == "40b":
        o |= {"new_decoder_architecture": True, "num_kv_heads": r.choice([1, 2]), "num_ln_in_parallel_attn": r.choice([1, 2])}
    else:
        o |= {"alibi": True, "multi_query": False, "parallel_attn": False}
    return t.FalconConfig, o


def stablelm(r):
    o = sizes(r) | {"use_qkv_bias": flip(r), "qk_layernorm": flip(r), "use_parallel_residual": flip(r)}
    o["hidden_size"] = o["num_attention_heads"] * 16
    return t.StableLmConfig, o | {"partial_rotary_factor": r.choice([0.25, 0.5])}


def starcoder2(r):
    return t.Starcoder2Config, sizes(r) | {"use_bias": flip(r), "sliding_window": r.choice([None, 6]), "tie_word_embeddings": flip(r)}


def cohere(r):
    o = sizes(r) | {"use_qk_norm": flip(r), "logit_scale": r.choice([0.0625, 0.5]), "attention_bias": flip(r), "pad_token_id": 0}
    return t.CohereConfig, o


def cohere2(r):
    o = sizes(r) | {"logit_scale": 0.5, "sliding_window": r.choice([4, 10]), "num_hidden_layers": r.choice([3, 5]), "pad_token_id": 0}
    return t.Cohere2Config, o | {"attention_bias": flip(r)}


def nemotron(r):
    o = sizes(r) | {"attention_bias": flip(r), "mlp_bias": flip(r), "partial_rotary_factor": r.choice([0.5, 1.0])}
    o["hidden_size"] = o["num_attention_heads"] * 8
    return t.NemotronConfig, o | {"pad_token_id": 0, "eos_token_id": 1}


def mamba(r):
    o = {"vocab_size": VOCAB, "hidden_size": r.choice([12, 20]), "num_hidden_layers": r.choice([1, 3]), "state_size": r.choice([4, 5, 16])}
    o |= {"conv_kernel": r.choice([2, 3, 4]), "use_bias": flip(r), "use_conv_bias": flip(r), "tie_word_embeddings": flip(r)}
    return t.MambaConfig, o | {"expand": r.choice([1, 2]), "time_step_rank": r.choice(["auto", 3])}


def mamba2(r):
    heads = r.choice([2, 4, 6])
    o = {"vocab_size": VOCAB, "hidden_size": heads * 4, "num_hidden_layers": r.choice([1, 3]), "state_size": r.choice([4, 6, 16])}
    o |= {"num_heads": heads, "head_dim": 8, "expand": 2, "n_groups": r.choice([1, 2]), "conv_kernel": r.choice([2, 4])}
    return t.Mamba2Config, o | {"use_bias": flip(r), "use_conv_bias": flip(r), "chunk_size": r.choice([8, 32]), "tie_word_embeddings": flip(r)}


FAMILIES = {
    f.__name__: f
    for f in (
        bloom, cohere, cohere2, deepseek_v2, deepseek_v3, exaone4, falcon, gemma, gemma2, gemma3_text, glm4, gpt2,
        gpt_bigcode, gpt_neo, gpt_neox, gpt_oss, gptj, granite, llama, mamba, mamba2, mistral, mixtral, mpt, nemotron, olmo,
        olmo2, olmo3, olmoe, opt, phi, phi3, qwen2, qwen2_moe, qwen3, qwen3_moe, smollm3, stablelm, starcoder2,
    )
}  # fmt: skip
