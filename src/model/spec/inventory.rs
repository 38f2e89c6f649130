//! What a spec adds up to: its tensors, its parameters, its work.

use super::{
    AttentionSpec, DecoderSpec, ExpertsSpec, FeedForward, LayerSpec, LinearSpec, MambaSpec, Mixer, MlpSpec, NormSpec,
    Projection, Slice, TensorName, VectorSpec,
};

/// A tensor of the files: its names, its shape on disk, and how many times it is used in slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorUse<'a> {
    /// Its names.
    pub name: &'a TensorName,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Of how many slices this use takes one.
    pub slices: usize,
}

/// Collects the tensors of the parts of a spec.
#[derive(Default)]
struct Inventory<'a>(Vec<TensorUse<'a>>);

impl<'a> Inventory<'a> {
    fn add(&mut self, name: &'a TensorName, shape: Vec<usize>, slice: Option<Slice>) {
        let slices = slice.map_or(1, |s| s.count);
        self.0.push(TensorUse { name, shape: Slice::stacked(slice, &shape), slices });
    }
    fn norm(&mut self, norm: &'a Option<NormSpec>, width: usize) {
        let names = norm.iter().flat_map(|n| [n.weight.as_ref(), n.bias.as_ref()]).flatten();
        names.for_each(|name| self.add(name, vec![width], None));
    }
    fn vector(&mut self, vector: &'a VectorSpec) {
        vector.0.iter().for_each(|(name, shape)| self.add(name, shape.clone(), None));
    }
    fn linear(&mut self, linear: &'a LinearSpec) {
        for part in &linear.parts {
            let shape =
                if part.layout.transposed { [linear.inputs, part.outputs] } else { [part.outputs, linear.inputs] };
            self.add(&part.weight, shape.to_vec(), part.slice);
            if let Some(bias) = &part.bias {
                self.add(bias, vec![part.outputs], part.slice);
            }
        }
    }
    fn attention(&mut self, attention: &'a AttentionSpec) {
        match &attention.qkv {
            Projection::Joint(linear) => self.linear(linear),
            Projection::Latent(latent) => {
                self.linear(&latent.query);
                if let Some((linear, norm)) = &latent.query_latent {
                    self.linear(linear);
                    self.norm_of(norm, linear.outputs());
                }
                self.linear(&latent.compress);
                self.norm_of(&latent.latent_norm, latent.expand.inputs);
                self.linear(&latent.expand);
            }
        }
        if let Some(norm) = &attention.qk_norm {
            self.vector(&norm.query);
            self.vector(&norm.key);
            norm.biases.iter().for_each(|(q, k)| [q, k].into_iter().for_each(|v| self.vector(v)));
        }
        if let Some(sinks) = &attention.sinks {
            self.add(sinks, vec![attention.heads], None);
        }
        self.linear(&attention.output);
    }
    fn mamba(&mut self, mamba: &'a MambaSpec) {
        mamba.linears().into_iter().for_each(|l| self.linear(l));
        mamba.tensors().into_iter().for_each(|(name, shape)| self.add(name, shape, None));
    }
    fn norm_of(&mut self, norm: &'a NormSpec, width: usize) {
        [norm.weight.as_ref(), norm.bias.as_ref()].into_iter().flatten().for_each(|n| self.add(n, vec![width], None));
    }
    fn mlp(&mut self, mlp: &'a MlpSpec) {
        self.linear(&mlp.input);
        self.linear(&mlp.output);
    }
    fn experts(&mut self, spec: &'a ExpertsSpec) {
        self.linear(&spec.router.weight);
        if let Some(bias) = &spec.router.choice_bias {
            self.add(bias, vec![spec.experts.len()], None);
        }
        spec.experts.iter().for_each(|e| self.mlp(e));
        if let Some(shared) = &spec.shared {
            self.mlp(&shared.mlp);
            shared.gate.iter().for_each(|g| self.linear(g));
        }
    }
    fn layer(&mut self, layer: &'a LayerSpec, hidden: usize) {
        for norm in [&layer.mixer_norm, &layer.mixer_post_norm, &layer.mlp_norm, &layer.mlp_post_norm] {
            self.norm(norm, hidden);
        }
        match &layer.mixer {
            Mixer::Attention(attention) => self.attention(attention),
            Mixer::Mamba(mamba) => self.mamba(mamba),
        }
        match &layer.mlp {
            None => {}
            Some(FeedForward::Dense(mlp)) => self.mlp(mlp),
            Some(FeedForward::Experts(experts)) => self.experts(experts),
        }
    }
    /// Stored values; a slice counts for its share of the tensor.
    fn parameters(&self) -> usize {
        // Saturating, since a description may be absurd.
        let share = |t: &TensorUse| t.shape.iter().fold(1, |n: usize, d| n.saturating_mul(*d)) / t.slices.max(1);
        self.0.iter().map(share).fold(0, usize::saturating_add)
    }
}

impl LayerSpec {
    /// Number of parameters of a block of width `hidden`.
    pub fn parameters(&self, hidden: usize) -> usize {
        let mut all = Inventory::default();
        all.layer(self, hidden);
        all.parameters()
    }
    /// Floating-point operations of the block's linear layers for one token (two a multiply-add).
    pub fn flops_per_token(&self) -> usize {
        // In 128 bits, since a description may be absurd.
        let linear = |s: &LinearSpec| 2 * s.inputs as u128 * s.outputs() as u128;
        let mlp = |m: &MlpSpec| linear(&m.input) + linear(&m.output);
        let mixer = match &self.mixer {
            Mixer::Attention(a) => {
                linear(&a.output)
                    + match &a.qkv {
                        Projection::Joint(l) => linear(l),
                        Projection::Latent(l) => {
                            let narrow = l.query_latent.as_ref().map_or(0, |(narrow, _)| linear(narrow));
                            narrow + linear(&l.query) + linear(&l.compress) + linear(&l.expand)
                        }
                    }
            }
            Mixer::Mamba(mamba) => mamba.flops() as u128,
        };
        let feed_forward = match &self.mlp {
            None => 0,
            Some(FeedForward::Dense(m)) => mlp(m),
            Some(FeedForward::Experts(e)) => {
                linear(&e.router.weight)
                    + e.experts.first().map_or(0, mlp) * e.router.top_k as u128
                    + e.shared.as_ref().map_or(0, |s| mlp(&s.mlp))
            }
        };
        usize::try_from(mixer + feed_forward).unwrap_or(usize::MAX)
    }
}

impl DecoderSpec {
    /// Every tensor that a forward pass reads.
    pub fn tensors(&self) -> Vec<TensorUse<'_>> {
        let mut all = Inventory::default();
        all.add(&self.embedding.tokens, vec![self.vocab, self.embedding.width], None);
        self.embedding.projection.iter().for_each(|p| all.linear(p));
        if let Some(positions) = &self.embedding.positions {
            all.add(&positions.table, vec![positions.rows, self.hidden], None);
        }
        all.norm(&self.embedding.norm, self.hidden);
        self.layers.iter().for_each(|l| all.layer(l, self.hidden));
        all.norm(&self.output.norm, self.hidden);
        self.output.projection.iter().for_each(|p| all.linear(p));
        if self.tied {
            let biases = self.output.head.parts.iter().filter_map(|p| Some((p.bias.as_ref()?, p.outputs)));
            biases.for_each(|(bias, outputs)| all.add(bias, vec![outputs], None));
        } else {
            all.linear(&self.output.head);
        }
        all.0
    }
    /// Number of parameters, tied weights once.
    pub fn parameters(&self) -> usize {
        Inventory(self.tensors()).parameters()
    }
    /// Floating-point operations of the blocks' linear layers for one token (two a multiply-add).
    pub fn flops_per_token(&self) -> usize {
        self.layers.iter().map(LayerSpec::flops_per_token).fold(0, usize::saturating_add)
    }
}
