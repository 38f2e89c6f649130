//! What llama-shaped families have in common in a GGUF file: tensor names, and metadata keys under the architecture's
//! name.

use super::llama_shape::{LlamaNames, LlamaShape};
use crate::model::config::{MAX_LAYERS, MAX_SIZE, possible};
use crate::model::rope::{MAX_HEAD, RopeLayout, RopeSpec, Scaling, yarn_mscale};
use crate::model::spec::Activation;
use crate::model::weights::{GgufFile, TensorSource};
use crate::{Error, Result};

/// llama.cpp's names.
pub(super) const NAMES: LlamaNames = LlamaNames {
    prefixes: &[""],
    embedding: "token_embd",
    attention_norm: "blk.{i}.attn_norm",
    qkv: ["blk.{i}.attn_q", "blk.{i}.attn_k", "blk.{i}.attn_v"],
    attention_output: "blk.{i}.attn_output",
    mlp_norm: "blk.{i}.ffn_norm",
    gate: "blk.{i}.ffn_gate",
    up: "blk.{i}.ffn_up",
    down: "blk.{i}.ffn_down",
    final_norm: "output_norm",
    head: &["output"],
};

/// Reads the sizes of a llama-shaped GGUF of architecture `arch`.
pub(super) fn shape(file: &GgufFile, arch: &str) -> Result<LlamaShape> {
    let key = |k: &str| format!("{arch}.{k}");
    let error = |k: &str, m: String| Error::model(file.path(), format!("key `{}`: {m}", key(k)));
    let number = |k: &str| -> Result<Option<usize>> { Ok(file.meta_u64(&key(k))?.map(|n| n as usize)) };
    let required = |k: &str| -> Result<usize> {
        let most = if k == "block_count" { MAX_LAYERS } else { MAX_SIZE };
        let n = usize::try_from(file.require_u64(&key(k))?).unwrap_or(usize::MAX);
        possible(n, most).map_err(|m| error(k, m))
    };
    if let Some(experts) = number("expert_count")?.filter(|n| *n > 0) {
        return Err(error("expert_count", format!("{experts} experts; mixtures of experts are not supported in GGUF")));
    }
    if let Some(window) = number("attention.sliding_window")?.filter(|n| *n > 0) {
        return Err(error(
            "attention.sliding_window",
            format!("a window of {window} is not supported in GGUF files of `{arch}`"),
        ));
    }
    let (hidden, heads) = (required("embedding_length")?, required("attention.head_count")?);
    let head_dim = number("attention.key_length")?.unwrap_or(hidden / heads);
    if number("attention.value_length")?.is_some_and(|v| v != head_dim) {
        return Err(error("attention.value_length", format!("must equal the key length {head_dim}")));
    }
    let context_length = number("context_length")?;
    let embedding = file.shape("token_embd.weight")?;
    let biased = |name: &str| file.contains(&format!("blk.0.{name}.bias"));
    Ok(LlamaShape {
        hidden,
        vocab: embedding.first().copied().unwrap_or_default(),
        layers: required("block_count")?,
        heads,
        kv_heads: number("attention.head_count_kv")?.unwrap_or(heads),
        head_dim,
        inner: required("feed_forward_length")?,
        eps: file.require_f64(&key("attention.layer_norm_rms_epsilon"))?,
        activation: Activation::Silu,
        rope: rope(file, arch, head_dim, context_length)?,
        qkv_bias: biased("attn_q"),
        output_bias: biased("attn_output"),
        mlp_bias: biased("ffn_gate"),
        tied: !file.contains("output.weight"),
        context_length,
    })
}

/// Rotary positions, half-split once the rows are in the order of use.
fn rope(file: &GgufFile, arch: &str, head_dim: usize, context: Option<usize>) -> Result<RopeSpec> {
    let key = |k: &str| format!("{arch}.rope.{k}");
    let number = |k: &str| file.meta_f64(&key(k));
    let dim = file.meta_u64(&key("dimension_count"))?.map_or(head_dim, |n| n as usize);
    if dim == 0 || dim % 2 != 0 || dim > head_dim || head_dim > MAX_HEAD {
        return Err(Error::model(
            file.path(),
            format!("key `{}`: {dim} rotary dimensions of {head_dim} are impossible", key("dimension_count")),
        ));
    }
    let kind = file.meta_str(&key("scaling.type"))?.unwrap_or("none");
    let factor = match number("scaling.factor")? {
        Some(f) => f,
        None => number("scale_linear")?.unwrap_or(1.0),
    };
    let scaling = match kind {
        "none" => Scaling::Default,
        "linear" => Scaling::Linear { factor },
        "yarn" => {
            let original = match number("scaling.original_context_length")? {
                Some(n) => n,
                None => context.map(|c| c as f64).ok_or_else(|| {
                    Error::model(file.path(), format!("key `{}` is missing", key("scaling.original_context_length")))
                })?,
            };
            Scaling::Yarn {
                factor,
                original,
                beta_fast: number("scaling.yarn_beta_fast")?.unwrap_or(32.0),
                beta_slow: number("scaling.yarn_beta_slow")?.unwrap_or(1.0),
                truncate: true,
                attention_factor: yarn_mscale(factor, 1.0) * number("scaling.attn_factor")?.unwrap_or(1.0),
            }
        }
        other => {
            return Err(Error::model(
                file.path(),
                format!(
                    "key `{}`: rope type `{other}` is not supported (none, linear and yarn are)",
                    key("scaling.type")
                ),
            ));
        }
    };
    let mut rope = RopeSpec::new(dim, number("freq_base")?.unwrap_or(10_000.0), RopeLayout::HalfSplit, scaling);
    // llama.cpp stores Llama 3's rule as a divisor for each frequency.
    if file.contains("rope_freqs.weight") {
        let divisors = file.read_f32("rope_freqs.weight", &[dim / 2])?;
        rope.frequencies.iter_mut().zip(divisors).for_each(|(w, d)| *w /= d);
        rope.rule = "llama3";
    }
    Ok(rope)
}
