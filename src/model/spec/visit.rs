//! Visits of a spec's tensors, to change them.

use super::{
    AttentionSpec, DecoderSpec, FeedForward, LinearPart, LinearSpec, MambaKind, Mixer, NormSpec, Projection, TensorName,
};

impl AttentionSpec {
    /// The linear layers that queries, keys and values come from.
    fn projections_mut(&mut self) -> Vec<&mut LinearSpec> {
        match &mut self.qkv {
            Projection::Joint(linear) => vec![linear],
            Projection::Latent(latent) => {
                let latent = &mut **latent;
                let narrow = latent.query_latent.as_mut().map(|(linear, _)| linear);
                [&mut latent.query, &mut latent.compress, &mut latent.expand].into_iter().chain(narrow).collect()
            }
        }
    }
    /// Names of norms and sinks.
    fn names_mut(&mut self) -> Vec<&mut TensorName> {
        let mut out: Vec<&mut TensorName> = self.sinks.iter_mut().collect();
        if let Some(norm) = &mut self.qk_norm {
            let biases = norm.biases.iter_mut().flat_map(|(q, k)| [q, k]);
            let vectors = [&mut norm.query, &mut norm.key].into_iter().chain(biases);
            out.extend(vectors.flat_map(|v| v.0.iter_mut().map(|(name, _)| name)));
        }
        if let Projection::Latent(latent) = &mut self.qkv {
            let latent = &mut **latent;
            let narrow = latent.query_latent.as_mut().map(|(_, norm)| norm);
            out.extend([&mut latent.latent_norm].into_iter().chain(narrow).flat_map(norm_names));
        }
        out
    }
}

/// Weight and bias of a norm.
fn norm_names(norm: &mut NormSpec) -> impl Iterator<Item = &mut TensorName> {
    norm.weight.iter_mut().chain(&mut norm.bias)
}

impl DecoderSpec {
    /// Visits the parts of every linear layer, in a fixed order.
    pub fn for_each_part(&mut self, visit: &mut dyn FnMut(&mut LinearPart)) {
        let mut linears: Vec<&mut LinearSpec> = self.embedding.projection.iter_mut().collect();
        for layer in &mut self.layers {
            match &mut layer.mixer {
                Mixer::Mamba(mamba) => {
                    linears.extend([&mut mamba.input, &mut mamba.output]);
                    if let MambaKind::Selective { parameters, step, .. } = &mut mamba.kind {
                        linears.extend([parameters, step]);
                    }
                }
                Mixer::Attention(attention) => {
                    attention.projections_mut().into_iter().for_each(|l| l.parts.iter_mut().for_each(&mut *visit));
                    linears.push(&mut attention.output);
                }
            }
            match &mut layer.mlp {
                None => {}
                Some(FeedForward::Dense(mlp)) => linears.extend([&mut mlp.input, &mut mlp.output]),
                Some(FeedForward::Experts(experts)) => {
                    let experts = &mut **experts;
                    linears.push(&mut experts.router.weight);
                    linears.extend(experts.experts.iter_mut().flat_map(|e| [&mut e.input, &mut e.output]));
                    if let Some(shared) = &mut experts.shared {
                        linears.extend([&mut shared.mlp.input, &mut shared.mlp.output]);
                        linears.extend(&mut shared.gate);
                    }
                }
            }
        }
        linears.extend(&mut self.output.projection);
        linears.push(&mut self.output.head);
        linears.into_iter().for_each(|l| l.parts.iter_mut().for_each(&mut *visit));
    }
    /// Visits the name of every tensor that is no linear layer's, in a fixed order.
    pub fn for_each_name(&mut self, visit: &mut dyn FnMut(&mut TensorName)) {
        visit(&mut self.embedding.tokens);
        self.embedding.positions.iter_mut().for_each(|p| visit(&mut p.table));
        for norm in self.norms_mut() {
            norm_names(norm).for_each(&mut *visit);
        }
        for layer in &mut self.layers {
            match &mut layer.mixer {
                Mixer::Attention(attention) => attention.names_mut().into_iter().for_each(&mut *visit),
                Mixer::Mamba(mamba) => {
                    [&mut mamba.convolution.0, &mut mamba.rates, &mut mamba.skip].into_iter().for_each(&mut *visit);
                    mamba.convolution.1.iter_mut().for_each(&mut *visit);
                    if let MambaKind::Heads { step_bias, norm, .. } = &mut mamba.kind {
                        [step_bias, &mut norm.0].into_iter().for_each(&mut *visit);
                    }
                }
            }
            if let Some(FeedForward::Experts(experts)) = &mut layer.mlp {
                experts.router.choice_bias.iter_mut().for_each(&mut *visit);
            }
        }
    }
    /// The norms over the residual stream.
    pub fn norms_mut(&mut self) -> impl Iterator<Item = &mut NormSpec> {
        let layers = self.layers.iter_mut().flat_map(|l| {
            [&mut l.mixer_norm, &mut l.mixer_post_norm, &mut l.mlp_norm, &mut l.mlp_post_norm].into_iter().flatten()
        });
        self.embedding.norm.iter_mut().chain(layers).chain(&mut self.output.norm)
    }
}
