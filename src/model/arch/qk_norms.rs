//! RMS norms of queries and keys under the names `q_norm` and `k_norm`.

use crate::model::spec::{DecoderSpec, NormExtent, NormKind, QkNormSpec, TensorName, VectorSpec};

/// Prefixes of a layer's tensors: text models, their bodies alone, and the text part of multimodal ones.
const PREFIXES: &[&str] = &["model.layers.", "layers.", "language_model.model.layers.", "model.language_model.layers."];

/// Puts the norms into every layer.
pub(super) fn put(spec: &mut DecoderSpec, eps: f64, extent: NormExtent) {
    for (i, attention) in spec.attentions_mut() {
        let vector = |name: &str, heads: usize| {
            let name = TensorName::under(PREFIXES, &format!("{i}.self_attn.{name}.weight"));
            VectorSpec::new(name, extent.weight_len(heads, attention.head_dim))
        };
        attention.qk_norm = Some(QkNormSpec {
            kind: NormKind::Rms,
            eps,
            extent,
            query: vector("q_norm", attention.heads),
            key: vector("k_norm", attention.kv_heads),
            biases: None,
            plus_one: false,
        });
    }
}
