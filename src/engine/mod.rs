//! Requests to log-probabilities: a token trie, packs of whole paths, every layer over all tokens of a pack, and the
//! unembedding of the scored rows only.
//!
//! No KV cache is kept: all requests are known before the first forward pass.

pub mod head;
pub mod memory;
pub mod pack;
pub mod request;
pub mod run;
pub mod trie;

use candle_core::{DType, Device};

pub use pack::Plan;
pub use request::Request;
pub use run::{Done, Scores};

use crate::model::arch;
use crate::model::config::Config;
use crate::model::load::Loader;
use crate::model::source::{ModelFiles, WeightFiles};
use crate::model::spec::DecoderSpec;
use crate::model::weights::{GgufFile, TensorSource};
use crate::{Error, Result};

/// A model as the engine needs it: what it is, and where its tensors are.
pub struct Model {
    /// The decoder.
    pub spec: DecoderSpec,
    /// Its tensors.
    pub source: Box<dyn TensorSource>,
    /// Where it is computed.
    pub device: Device,
    /// In which dtype; f32 on the CPU runs our kernels, anything else tensor operations.
    pub dtype: DType,
}

impl Model {
    /// Reads a model's description and opens its weights; no tensor is read yet.
    ///
    /// # Errors
    /// For a config.json or metadata that cannot be read, says too little, or describes something unsupported; for weights
    /// that are missing or broken.
    pub fn open(files: &ModelFiles, device: Device, dtype: DType) -> Result<Self> {
        let (spec, source): (DecoderSpec, Box<dyn TensorSource>) = match &files.weights {
            Some(WeightFiles::Gguf(path)) => {
                let file = GgufFile::open(path)?;
                (arch::spec_from_gguf(&file)?, Box::new(file))
            }
            _ => (arch::spec_from_config(&Config::read(files.require_config()?)?)?, files.open_weights()?),
        };
        let mut spec = spec;
        spec.adapt_to(|name| source.contains(name));
        Ok(Self { spec, source, device, dtype })
    }

    /// Checks that the files hold every tensor that the model needs, in the right shape and in a type that can be read.
    /// No tensor is read.
    ///
    /// # Errors
    /// Naming the file and the tensor.
    pub fn check(&self) -> Result<()> {
        let loader = Loader { source: &*self.source, device: &self.device, dtype: self.dtype };
        self.spec.tensors().iter().try_for_each(|t| loader.read_rows(t.name, &t.shape, 0..0).map(drop))
    }

    /// Tensors of the files that the description does not name, buffers and the vision part of multimodal files aside: where
    /// there are any, the two may not belong together.
    pub fn unused(&self) -> Vec<String> {
        let tensors = self.spec.tensors();
        let named: std::collections::HashSet<&str> =
            tensors.iter().flat_map(|t| &t.name.0).map(String::as_str).collect();
        let buffer = |name: &str| BUFFERS.iter().any(|b| name.ends_with(b) || name == b.trim_start_matches('.'));
        let vision = |name: &str| VISION.iter().any(|v| name.split('.').any(|part| part == *v));
        self.source.names().into_iter().filter(|n| !named.contains(n.as_str()) && !buffer(n) && !vision(n)).collect()
    }
}

/// Ends of the names of stored buffers that are computed, not read: masks and rotary frequencies.
const BUFFERS: &[&str] = &[
    ".attn.bias",
    ".attn.masked_bias",
    ".attention.bias",
    ".attention.masked_bias",
    "rotary_emb.inv_freq",
    "rope_freqs.weight",
];

/// Modules of multimodal files beside the text model.
const VISION: &[&str] = &["vision_tower", "multi_modal_projector"];

/// Whether weights stay in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsMode {
    /// All weights are read once and stay.
    Resident,
    /// Each layer is read, used for all packs of a batch, and dropped.
    Stream,
}

/// How the engine works; none of it changes a score on the CPU in f32.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineOptions {
    /// Threads; all cores where `None`.
    pub threads: Option<usize>,
    /// Weights mode; by free memory where `None`.
    pub weights: Option<WeightsMode>,
    /// Tokens in a pack; what fits a workspace of 256 MB where `None`.
    pub token_budget: Option<usize>,
}

/// Rows that go through the products of a layer together. Measured on SmolLM2-135M with two cores (medians of three):
/// 192 rows 9.1 s, 256 rows 9.5 s, 384 rows 8.8 s, 512 rows 8.8 s, 768 rows 8.4 s; more rows mean fewer blocks to share out.
const ROWS: usize = 512;

/// A model ready to score.
pub struct Engine {
    model: Model,
    pool: rayon::ThreadPool,
    mode: WeightsMode,
    budget: usize,
    resident: Option<run::Resident>,
}

impl Engine {
    /// Prepares a model: decides on weights and budget, and reads the weights if they stay. `progress` hears of
    /// (parts read, parts in all).
    ///
    /// # Errors
    /// If a tensor is missing, has another shape or cannot be read, or no thread can be started.
    pub fn new(model: Model, options: EngineOptions, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Self> {
        let threads = options.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("llscore-{i}"))
            .build()
            .map_err(|e| Error::usage(format!("cannot start {threads} threads: {e}; give a smaller --threads")))?;
        let budget = options.token_budget.unwrap_or_else(|| memory::default_budget(&model, 0)).max(1);
        let mode = options.weights.unwrap_or_else(|| memory::choose(&model, budget));
        let mut engine = Self { model, pool, mode, budget, resident: None };
        if mode == WeightsMode::Resident {
            engine.resident = Some(run::Resident::load(&engine, progress)?);
        }
        Ok(engine)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }
    /// Whether weights stay in memory.
    pub fn weights_mode(&self) -> WeightsMode {
        self.mode
    }
    /// Tokens in a pack.
    pub fn token_budget(&self) -> usize {
        self.budget
    }
    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
    /// Plans some requests for this engine.
    pub fn plan(&self, requests: &[Request]) -> Plan {
        Plan::for_model(requests, self.budget, &self.model.spec)
    }

    fn loader(&self) -> Loader<'_> {
        Loader { source: &*self.model.source, device: &self.model.device, dtype: self.model.dtype }
    }

    /// Rows in a block of a pack of `tokens` rows: a few blocks for each thread on the CPU, one elsewhere.
    fn block(&self, tokens: usize) -> usize {
        if !self.model.device.is_cpu() {
            return tokens.max(1);
        }
        tokens.div_ceil(2 * self.pool.current_num_threads()).clamp(16, ROWS)
    }
}
