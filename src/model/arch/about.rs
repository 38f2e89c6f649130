//! The families in words: models that are of them, and what is particular to each. The tables of
//! `llscore inspect --architectures` and of the README are made from this.

/// A family in words.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Its `model_type`.
    pub model_type: &'static str,
    /// Models that are of it.
    pub models: &'static str,
    /// What is particular, beside a sequential block of attention and MLP.
    pub notes: &'static str,
}

const fn about(model_type: &'static str, models: &'static str, notes: &'static str) -> About {
    About { model_type, models, notes }
}

/// Words for each family; one that is not computed by this build is not shown.
pub(super) const ABOUT: &[About] = &[
    about("bloom", "BLOOM, BLOOMZ", "alibi; norm after the embedding"),
    about("cohere", "Command R, Aya 23, Aya Expanse", "parallel block; interleaved rope; logit scale; q/k norms"),
    about("cohere2", "Command R7B, Command A", "parallel block; windows and rope on three layers of four"),
    about("deepseek_v2", "DeepSeek-V2, V2-Lite, Coder-V2", "latent attention; experts in groups, shared ones; yarn"),
    about("deepseek_v3", "DeepSeek-V3, R1, Moonlight", "latent attention; sigmoid router with a choice bias; yarn"),
    about("exaone4", "EXAONE 4.0", "norms after each branch; q/k norms; windows; full layers without positions"),
    about(
        "falcon",
        "Falcon 7B, 40B, 11B, Falcon-RW",
        "parallel or sequential block; rope or alibi; one or few key/value heads",
    ),
    about("gemma", "Gemma, CodeGemma", "embedding scale; norms of weight one more"),
    about("gemma2", "Gemma 2", "norms around each branch; windows on every other layer; caps on scores and logits"),
    about("gemma3", "Gemma 3 4B to 27B (the text part)", "as gemma3_text"),
    about(
        "gemma3_text",
        "Gemma 3 270M, 1B",
        "norms around each branch; windows on five layers of six, with a rope of their own",
    ),
    about("glm4", "GLM-4-0414", "norms around each branch; partial interleaved rope"),
    about("gpt2", "GPT-2, DistilGPT-2, DialoGPT", "learned positions"),
    about("gpt_bigcode", "SantaCoder, StarCoder", "learned positions; one key/value head"),
    about("gpt_neo", "GPT-Neo, TinyStories", "learned positions; windows on every other layer; scores not scaled"),
    about("gpt_neox", "Pythia, GPT-NeoX-20B, Dolly 2", "parallel or sequential block; partial rope"),
    about(
        "gpt_oss",
        "GPT-OSS (bf16 or dequantised)",
        "experts with clamped gates; attention sinks; windows on every other layer; yarn",
    ),
    about("gptj", "GPT-J-6B", "parallel block; partial interleaved rope"),
    about("granite", "Granite 3", "multipliers on embedding, residual, scores and logits"),
    about("llama", "Llama 2 and 3, TinyLlama, SmolLM2", "rope by every rule; biases where the file says so"),
    about("mamba", "Mamba (`-hf` checkpoints)", "recurrent; no attention"),
    about("mamba2", "Mamba-2 (`-hf` checkpoints), Codestral Mamba", "recurrent; no attention"),
    about("mistral", "Mistral 7B, Nemo, Small", "windows on all layers, where set"),
    about("mixtral", "Mixtral 8x7B, 8x22B", "experts; windows on all layers, where set"),
    about("mpt", "MPT-7B, MPT-30B", "alibi; clipped projections"),
    about("nemotron", "Minitron, Nemotron-4", "squared relu; layer norms of weight one more; partial rope"),
    about("olmo", "OLMo", "norms without weights; clipped projections"),
    about("olmo2", "OLMo 2", "norms after each branch; q/k norms over all heads"),
    about("olmo3", "OLMo 3", "as olmo2; windows on three layers of four, with a rope of their own"),
    about("olmoe", "OLMoE", "experts; q/k norms over all heads; clipped projections"),
    about("opt", "OPT, Galactica", "learned positions from row 2; norms before or after; projections at both ends"),
    about("phi", "Phi-1, Phi-1.5, Phi-2", "parallel block; partial rope"),
    about("phi3", "Phi-3, Phi-3.5, Phi-4", "longrope; fused projections; windows on all layers, where set"),
    about("qwen2", "Qwen1.5, Qwen2, Qwen2.5, QwQ", "biases on q, k and v; windows behind a gate"),
    about("qwen2_moe", "Qwen1.5-MoE, Qwen2-57B-A14B", "experts and a gated shared one"),
    about("qwen3", "Qwen3", "q/k norms of each head; windows behind a gate"),
    about("qwen3_moe", "Qwen3-30B-A3B, 235B-A22B", "experts; q/k norms of each head"),
    about("smollm3", "SmolLM3", "every fourth layer without positions"),
    about("stablelm", "StableLM, StableLM 2", "parallel or sequential block; partial rope; q/k norms of each head"),
    about("starcoder2", "StarCoder2", "layer norms and biases; windows on all layers, where set"),
];

/// Families that are refused by name, and why.
pub const REFUSED: &[(&str, &str)] = &[
    ("rwkv", "recurrent, and there is no reference to check it against"),
    ("falcon_mamba", "a Mamba with further norms, which are not computed"),
    ("jamba", "Mamba and attention in turn are not computed"),
    ("recurrent_gemma", "its recurrent blocks are not computed"),
    ("t5", "encoder-decoder models are not supported"),
    ("bert", "a masked model gives no log-likelihood of a text's continuation"),
];
