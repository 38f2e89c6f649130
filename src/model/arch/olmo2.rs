//! OLMo 2: llama with norms on the branches' outputs only, and over all heads of queries and keys.

use super::llama_shape::{Defaults, LLAMA, LlamaShape};
use super::qk_norms;
use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{DecoderSpec, NormExtent, NormSpec, TensorName};

/// What OLMo 2 and 3 take where their configuration is silent.
pub(super) const OLMO2: Defaults = Defaults { eps: 1e-5, ..LLAMA };

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    read(c, "olmo2", &OLMO2)
}

/// As [`from_config`], with other defaults.
pub(super) fn read(c: &Config, model_type: &str, defaults: &Defaults) -> Result<DecoderSpec> {
    let shape = LlamaShape::from_config(c, defaults)?.attention_bias(c.bool_or("attention_bias", false)?);
    let eps = shape.eps;
    let mut spec = shape.decoder(model_type);
    post_norms(&mut spec, eps);
    qk_norms::put(&mut spec, eps, NormExtent::All);
    Ok(spec)
}

/// Moves the norms from the branches' inputs to their outputs.
pub(super) fn post_norms(spec: &mut DecoderSpec, eps: f64) {
    for (i, layer) in spec.layers.iter_mut().enumerate() {
        let norm = |name: &str| {
            let name = TensorName::under(&["model.layers.", "layers."], &format!("{i}.{name}.weight"));
            Some(NormSpec::rms(name, eps))
        };
        (layer.mixer_norm, layer.mlp_norm) = (None, None);
        layer.mixer_post_norm = norm("post_attention_layernorm");
        layer.mlp_post_norm = norm("post_feedforward_layernorm");
    }
}
