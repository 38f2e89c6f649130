//! Mamba: a selective state space in every block, and nothing else.
//!
//! What the reference reads and does not use is left alone: `residual_in_fp32`, `rms_norm`, `fused_add_norm`, and all
//! that concerns initialisation (`time_step_min`, `time_step_scale` …).

use crate::Result;
use crate::model::config::Config;
use crate::model::spec::{
    Activation, DecoderSpec, EmbeddingSpec, LayerSpec, LinearSpec, MambaKind, MambaSpec, Mixer, NormSpec, OutputSpec,
    Residual, TensorName,
};

/// config.json to a spec.
pub(super) fn from_config(c: &Config) -> Result<DecoderSpec> {
    let shape = Shape::read(c, 16)?;
    let inner = match c.opt_usize("intermediate_size")? {
        Some(_) => c.usize("intermediate_size")?,
        None => shape.expanded,
    };
    let rank = match c.get("time_step_rank") {
        Some(v) if v != "auto" => c.usize("time_step_rank")?,
        _ => shape.hidden.div_ceil(16),
    };
    c.size("state_size", inner * shape.states)?;
    let mixer = |i: usize| {
        let name = |n: &str| mixer_name(i, n);
        let parameters = LinearSpec::plain(name("x_proj.weight"), None, inner, rank + 2 * shape.states);
        let step = LinearSpec::plain(name("dt_proj.weight"), Some(name("dt_proj.bias")), rank, inner);
        shape.mixer(i, inner, 2 * inner, MambaKind::Selective { rank, parameters, step })
    };
    shape.spec(c, "mamba", c.bool_or("tie_word_embeddings", true)?, mixer)
}

/// The name of a tensor of the mixer of block `i`.
pub(super) fn mixer_name(i: usize, name: &str) -> TensorName {
    TensorName::new(format!("backbone.layers.{i}.mixer.{name}"))
}

/// What Mamba and Mamba-2 share.
pub(super) struct Shape {
    /// D.
    pub hidden: usize,
    /// D times `expand`.
    pub expanded: usize,
    /// N.
    pub states: usize,
    /// `layer_norm_epsilon`.
    pub eps: f64,
    kernel: usize,
    bias: bool,
    convolution_bias: bool,
    activation: Activation,
}

impl Shape {
    /// Reads the keys of a config.json; `states` is the family's default.
    pub fn read(c: &Config, states: usize) -> Result<Self> {
        let hidden = c.usize("hidden_size")?;
        Ok(Self {
            hidden,
            expanded: c.size("expand", hidden * c.usize_or("expand", 2)?)?,
            states: c.usize_or("state_size", states)?,
            eps: c.f64_or("layer_norm_epsilon", 1e-5)?,
            kernel: c.usize_or("conv_kernel", 4)?,
            bias: c.bool_or("use_bias", false)?,
            convolution_bias: c.bool_or("use_conv_bias", true)?,
            activation: c.activation("hidden_act", Activation::Silu)?,
        })
    }

    /// The mixer of block `i`: `inner` channels, a projection to `projected` columns.
    pub fn mixer(&self, i: usize, inner: usize, projected: usize, kind: MambaKind) -> MambaSpec {
        let name = |n: &str| mixer_name(i, n);
        let linear = |n: &str, inputs, outputs| {
            let bias = self.bias.then(|| name(&format!("{n}.bias")));
            LinearSpec::plain(name(&format!("{n}.weight")), bias, inputs, outputs)
        };
        MambaSpec {
            inner,
            states: self.states,
            kernel: self.kernel,
            activation: self.activation,
            input: linear("in_proj", self.hidden, projected),
            convolution: (name("conv1d.weight"), self.convolution_bias.then(|| name("conv1d.bias"))),
            rates: name("A_log"),
            skip: name("D"),
            kind,
            output: linear("out_proj", inner, self.hidden),
        }
    }

    /// The whole model, `mixer` giving the mixer of each block.
    pub fn spec(
        &self,
        c: &Config,
        model_type: &str,
        tied: bool,
        mixer: impl Fn(usize) -> MambaSpec,
    ) -> Result<DecoderSpec> {
        let vocab = c.usize("vocab_size")?;
        let norm = |name: String| NormSpec::rms(TensorName::new(name), self.eps);
        let layer = |i: usize| LayerSpec {
            residual: Residual::Sequential,
            mixer_norm: Some(norm(format!("backbone.layers.{i}.norm.weight"))),
            mixer_post_norm: None,
            mixer: Mixer::Mamba(mixer(i)),
            mlp_norm: None,
            mlp_post_norm: None,
            mlp: None,
        };
        // The original training code says `embedding`.
        let tokens = TensorName::under(&["backbone.embeddings.", "backbone.embedding."], "weight");
        let (tokens, head) = TensorName::tie(tokens, TensorName::new("lm_head.weight"), tied);
        Ok(DecoderSpec {
            model_type: model_type.to_string(),
            hidden: self.hidden,
            vocab,
            // No positions: nothing but the state's fading limits how far back it sees.
            context_length: None,
            embedding: EmbeddingSpec::new(tokens, self.hidden),
            layers: (0..c.layers("num_hidden_layers")?).map(layer).collect(),
            output: OutputSpec::new(
                norm("backbone.norm_f.weight".to_string()),
                LinearSpec::plain(head, None, self.hidden, vocab),
            ),
            tied,
        })
    }
}
