//! The table of families: what reads each, models that are of it, and what is particular. The lists of
//! `llscore inspect --architectures` and of the README are made from it.

use super::gguf::ARCHITECTURES;
use super::{
    bloom, cohere, cohere2, deepseek_v2, deepseek_v3, exaone4, falcon, gemma, gemma2, gemma3, glm4, gpt_bigcode,
    gpt_neo, gpt_neox, gpt_oss, gpt2, gptj, granite, llama, mamba, mamba2, mistral, mixtral, mpt, nemotron, olmo,
    olmo2, olmo3, olmoe, opt, phi, phi3, qwen2, qwen2_moe, qwen3, qwen3_moe, smollm3, stablelm, starcoder2,
};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::DecoderSpec;

/// A family of decoders.
#[derive(Clone, Copy)]
pub struct Family {
    /// `model_type` in config.json.
    pub model_type: &'static str,
    /// config.json to a spec, for safetensors.
    pub from_config: fn(&Config) -> Result<DecoderSpec>,
    /// Models that are of it.
    pub models: &'static str,
    /// What is particular, beside a sequential block of attention and MLP.
    pub notes: &'static str,
}

const fn family(
    model_type: &'static str,
    from_config: fn(&Config) -> Result<DecoderSpec>,
    models: &'static str,
    notes: &'static str,
) -> Family {
    Family { model_type, from_config, models, notes }
}

impl Family {
    /// `general.architecture` of GGUF files of the family, where they are read.
    pub fn gguf(&self) -> Option<&'static str> {
        ARCHITECTURES.iter().find(|a| a.families.contains(&self.model_type)).map(|a| a.name)
    }
}

/// Every family that llscore computes, by name.
pub const FAMILIES: &[Family] = &[
    family("bloom", bloom::from_config, "BLOOM, BLOOMZ", "alibi; norm after the embedding"),
    family(
        "cohere",
        cohere::from_config,
        "Command R, Aya 23, Aya Expanse",
        "parallel block; interleaved rope; logit scale; q/k norms",
    ),
    family(
        "cohere2",
        cohere2::from_config,
        "Command R7B, Command A",
        "parallel block; windows and rope on three layers of four",
    ),
    family(
        "deepseek_v2",
        deepseek_v2::from_config,
        "DeepSeek-V2, V2-Lite, Coder-V2",
        "latent attention; experts in groups, shared ones; yarn",
    ),
    family(
        "deepseek_v3",
        deepseek_v3::from_config,
        "DeepSeek-V3, R1, Moonlight",
        "latent attention; sigmoid router with a choice bias; yarn",
    ),
    family(
        "exaone4",
        exaone4::from_config,
        "EXAONE 4.0",
        "norms after each branch; q/k norms; windows; full layers without positions",
    ),
    family(
        "falcon",
        falcon::from_config,
        "Falcon 7B, 40B, 11B, Falcon-RW",
        "parallel or sequential block; rope or alibi; one or few key/value heads",
    ),
    family("gemma", gemma::from_config, "Gemma, CodeGemma", "embedding scale; norms of weight one more"),
    family(
        "gemma2",
        gemma2::from_config,
        "Gemma 2",
        "norms around each branch; windows on every other layer; caps on scores and logits",
    ),
    family("gemma3", gemma3::from_multimodal_config, "Gemma 3 4B to 27B (the text part)", "as gemma3_text"),
    family(
        "gemma3_text",
        gemma3::from_config,
        "Gemma 3 270M, 1B",
        "norms around each branch; windows on five layers of six, with a rope of their own",
    ),
    family("glm4", glm4::from_config, "GLM-4-0414", "norms around each branch; partial interleaved rope"),
    family("gpt2", gpt2::from_config, "GPT-2, DistilGPT-2, DialoGPT", "learned positions"),
    family("gpt_bigcode", gpt_bigcode::from_config, "SantaCoder, StarCoder", "learned positions; one key/value head"),
    family(
        "gpt_neo",
        gpt_neo::from_config,
        "GPT-Neo, TinyStories",
        "learned positions; windows on every other layer; scores not scaled",
    ),
    family(
        "gpt_neox",
        gpt_neox::from_config,
        "Pythia, GPT-NeoX-20B, Dolly 2",
        "parallel or sequential block; partial rope",
    ),
    family(
        "gpt_oss",
        gpt_oss::from_config,
        "GPT-OSS (bf16 or dequantised)",
        "experts with clamped gates; attention sinks; windows on every other layer; yarn",
    ),
    family("gptj", gptj::from_config, "GPT-J-6B", "parallel block; partial interleaved rope"),
    family("granite", granite::from_config, "Granite 3", "multipliers on embedding, residual, scores and logits"),
    family(
        "llama",
        llama::from_config,
        "Llama 2 and 3, TinyLlama, SmolLM2",
        "rope by every rule; biases where the file says so",
    ),
    family("mamba", mamba::from_config, "Mamba (`-hf` checkpoints)", "recurrent; no attention"),
    family("mamba2", mamba2::from_config, "Mamba-2 (`-hf` checkpoints), Codestral Mamba", "recurrent; no attention"),
    family("mistral", mistral::from_config, "Mistral 7B, Nemo, Small", "windows on all layers, where set"),
    family("mixtral", mixtral::from_config, "Mixtral 8x7B, 8x22B", "experts; windows on all layers, where set"),
    family("mpt", mpt::from_config, "MPT-7B, MPT-30B", "alibi; clipped projections"),
    family(
        "nemotron",
        nemotron::from_config,
        "Minitron, Nemotron-4",
        "squared relu; layer norms of weight one more; partial rope",
    ),
    family("olmo", olmo::from_config, "OLMo", "norms without weights; clipped projections"),
    family("olmo2", olmo2::from_config, "OLMo 2", "norms after each branch; q/k norms over all heads"),
    family(
        "olmo3",
        olmo3::from_config,
        "OLMo 3",
        "as olmo2; windows on three layers of four, with a rope of their own",
    ),
    family("olmoe", olmoe::from_config, "OLMoE", "experts; q/k norms over all heads; clipped projections"),
    family(
        "opt",
        opt::from_config,
        "OPT, Galactica",
        "learned positions from row 2; norms before or after; projections at both ends",
    ),
    family("phi", phi::from_config, "Phi-1, Phi-1.5, Phi-2", "parallel block; partial rope"),
    family(
        "phi3",
        phi3::from_config,
        "Phi-3, Phi-3.5, Phi-4",
        "longrope; fused projections; windows on all layers, where set",
    ),
    family("qwen2", qwen2::from_config, "Qwen1.5, Qwen2, Qwen2.5, QwQ", "biases on q, k and v; windows behind a gate"),
    family("qwen2_moe", qwen2_moe::from_config, "Qwen1.5-MoE, Qwen2-57B-A14B", "experts and a gated shared one"),
    family("qwen3", qwen3::from_config, "Qwen3", "q/k norms of each head; windows behind a gate"),
    family("qwen3_moe", qwen3_moe::from_config, "Qwen3-30B-A3B, 235B-A22B", "experts; q/k norms of each head"),
    family("smollm3", smollm3::from_config, "SmolLM3", "every fourth layer without positions"),
    family(
        "stablelm",
        stablelm::from_config,
        "StableLM, StableLM 2",
        "parallel or sequential block; partial rope; q/k norms of each head",
    ),
    family(
        "starcoder2",
        starcoder2::from_config,
        "StarCoder2",
        "layer norms and biases; windows on all layers, where set",
    ),
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
