//! Granite: llama with a factor on each of embedding, scores, branches and logits.

use super::llama_shape::{LLAMA, LlamaShape};
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, FeedForward};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = LlamaShape {
        mlp_bias: c.bool_or("mlp_bias", false)?,
        ..LlamaShape::from_config(c, &LLAMA)?.attention_bias(c.bool_or("attention_bias", false)?)
    };
    let mut spec = shape.decoder("granite");
    let factor = |key: &str| Ok::<_, crate::Error>(c.f64_or(key, 1.0)? as f32);
    let (attention, branch) = (factor("attention_multiplier")?, factor("residual_multiplier")?);
    for layer in &mut spec.layers {
        if let Some(a) = layer.attention_mut() {
            a.scale = attention;
            a.output.scale = branch;
        }
        if let Some(FeedForward::Dense(mlp)) = &mut layer.mlp {
            mlp.output.scale = branch;
        }
    }
    spec.embedding.scale = factor("embedding_multiplier")?;
    let divisor = factor("logits_scaling")?;
    if divisor == 0.0 {
        return Err(c.error("logits_scaling", "must not be zero"));
    }
    spec.output.scale = 1.0 / divisor;
    Ok(spec)
}
