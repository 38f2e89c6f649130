//! What a model is and what a run of it needs, before any weight is read: [`inspect`] goes through the files as a run
//! does, but gathers what is missing or cannot be computed instead of stopping at the first.

mod shape;
mod text;

use candle_core::{DType, Device};
use serde::Serialize;

pub use shape::{Experts, Rope, RopeChange};
pub use text::{ChatTemplate, SpecialToken, SpecialTokens, Vocabulary};

use crate::Result;
use crate::engine::Model;
use crate::engine::memory::{self, Need};
use crate::model::arch;
use crate::model::config::Config;
use crate::model::hub::Progress;
use crate::model::load::Loader;
use crate::model::source::{self, ModelFiles, SourceOptions, WeightFiles};
use crate::model::spec::DecoderSpec;
use crate::model::weights::GgufFile;
use crate::tokenize::{BosInfo, EncodeOptions, TokenizerInfo};

/// What to assume of a run.
#[derive(Clone, Copy, Debug)]
pub struct Assume {
    /// How text is encoded.
    pub encode: EncodeOptions,
    /// The type to compute in.
    pub dtype: DType,
    /// Tokens in a pack; a run's default where `None`.
    pub token_budget: Option<usize>,
}

/// What is known of a model. Fields are `None` where the files do not say, or say what llscore does not understand.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Inspection {
    /// The name that it was asked for by.
    pub model: String,
    /// The commit of a Hub model.
    pub revision: Option<String>,
    /// `model_type` of config.json; of a GGUF file that of its family, or else its `general.architecture`.
    pub model_type: Option<String>,
    /// The first of `architectures` in config.json, else the same as `model_type`; of a GGUF file its
    /// `general.architecture`.
    pub architecture: Option<String>,
    /// Parameters that a forward pass uses; tied weights once.
    pub parameters: Option<usize>,
    /// Number of blocks.
    pub layers: Option<usize>,
    /// Width of the residual stream.
    pub hidden_size: Option<usize>,
    /// Query heads of the first attention layer.
    pub heads: Option<usize>,
    /// Its key/value heads.
    pub kv_heads: Option<usize>,
    /// Width of a query or key of a head.
    pub head_dim: Option<usize>,
    /// Width of a value of a head.
    pub value_dim: Option<usize>,
    /// Rows of the unembedding.
    pub vocab_rows: Option<usize>,
    /// Longest input in tokens; `None` where nothing limits it.
    pub context_length: Option<usize>,
    /// `rope`, `learned`, `alibi`, and the like; several joined by ` and `; `none`.
    pub positions: Option<String>,
    /// Rotary positions of the first layer that has them.
    pub rope: Option<Rope>,
    /// All kinds of rotary positions, where layers differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ropes: Vec<Rope>,
    /// Per layer: the number of keys that a query sees, itself included; `None` where it sees all before it.
    pub windows: Option<Vec<Option<usize>>>,
    /// Mixture of experts, where a layer has one.
    pub experts: Option<Experts>,
    /// Whether the unembedding is the embedding.
    pub tied: Option<bool>,
    /// The type that most weights are stored in (`bf16`, `q4_k`), or that config.json states.
    pub dtype: Option<String>,
    /// Size of the weights' files in bytes.
    pub bytes_on_disk: Option<u64>,
    /// The tokenizer.
    pub tokenizer: Option<TokenizerInfo>,
    /// What stands before every text.
    pub bos: Option<BosInfo>,
    /// Its special tokens.
    pub special_tokens: Option<SpecialTokens>,
    /// Its ids against the rows of the embedding.
    pub vocabulary: Option<Vocabulary>,
    /// The chat template that the model brings.
    pub chat_template: Option<ChatTemplate>,
    /// Bytes that a run needs.
    pub memory: Option<Need>,
    /// Files that the model needs and lacks.
    pub missing: Vec<String>,
    /// What is wrong with each of them, and what to do.
    pub remedies: Vec<String>,
    /// Why llscore cannot run it: unsupported or broken; empty where it could.
    pub unsupported: Vec<String>,
    /// What the user should know besides.
    pub notes: Vec<String>,
}

/// Looks at the model called `name`: a folder, a config.json alone, a .gguf file or a Hub id, of which only the small
/// files are fetched.
///
/// # Errors
/// If there is no such model, it has none of a model's files, or the Hub fails. What is missing, unsupported or broken
/// in its files is part of the result.
pub fn inspect(name: &str, options: &SourceOptions, assume: Assume, progress: &dyn Progress) -> Result<Inspection> {
    let options = SourceOptions { weights: false, ..options.clone() };
    let files = source::describe(name, &options, progress)?;
    let nothing = files.config.is_none() && files.weights.is_none() && files.tokenizer.is_none();
    if nothing {
        files.require_config()?;
    }
    let mut found = Inspection {
        model: name.to_string(),
        revision: files.revision.clone(),
        missing: files.missing.iter().map(|m| m.file.to_string()).collect(),
        remedies: files.missing.iter().map(|m| m.message.clone()).collect(),
        notes: files.notes.clone(),
        ..Inspection::default()
    };
    let spec = found.description(&files);
    let spec = found.weights(&files, spec);
    if let Some(spec) = &spec {
        found.shape(spec);
        let element = assume.dtype.size_in_bytes();
        let on_cpu = assume.dtype == DType::F32;
        let budget = assume.token_budget.unwrap_or_else(|| memory::budget(spec, element, on_cpu, 0));
        found.memory = Some(memory::need(spec, element, budget));
    }
    found.text(&files, spec.as_ref(), assume.encode);
    Ok(found)
}

impl Inspection {
    /// Whether llscore could run the model, were its missing files there.
    pub fn is_supported(&self) -> bool {
        self.unsupported.is_empty()
    }

    /// Notes the error of a part, if it is one.
    fn keep<T>(&mut self, part: Result<T>) -> Option<T> {
        part.map_err(|e| self.unsupported.push(e.to_string())).ok()
    }

    /// What config.json or the metadata of a GGUF file describe.
    fn description(&mut self, files: &ModelFiles) -> Option<DecoderSpec> {
        if let Some(WeightFiles::Gguf(path)) = &files.weights {
            let file = self.keep(GgufFile::open(path))?;
            let architecture = file.architecture().ok().map(str::to_string);
            (self.model_type, self.architecture) = (architecture.clone(), architecture);
            let spec = self.keep(arch::spec_from_gguf(&file))?;
            self.model_type = Some(spec.model_type.clone());
            return Some(spec);
        }
        let path = files.config.as_deref()?;
        let config = self.keep(Config::read(path))?;
        self.model_type = config.opt_str("model_type").ok().flatten().map(str::to_string);
        let first = config.opt_strings("architectures").ok().flatten().and_then(|list| list.into_iter().next());
        self.architecture = first.or_else(|| self.model_type.clone());
        self.dtype = shape::stated_dtype(&config);
        self.keep(arch::spec_from_config(&config))
    }

    /// What the weights' files are, and whether they hold what is described.
    fn weights(&mut self, files: &ModelFiles, spec: Option<DecoderSpec>) -> Option<DecoderSpec> {
        if files.weights.is_none() {
            return spec;
        }
        // A broken GGUF file has been reported with its description.
        let gguf = matches!(files.weights, Some(WeightFiles::Gguf(_)));
        let opened = files.open_weights();
        let source = if gguf { opened.ok() } else { self.keep(opened) };
        let Some(source) = source else { return spec };
        self.dtype = Some(source.main_dtype().to_lowercase()).filter(|d| !d.is_empty());
        self.bytes_on_disk = Some(source.bytes_on_disk());
        let mut spec = spec?;
        spec.adapt_to(|name| source.contains(name));
        let model = Model { spec, source, device: Device::Cpu, dtype: DType::F32 };
        self.unsupported.extend(faults(&model));
        if let Some(first) = model.unused().first() {
            let count = model.unused().len();
            self.notes.push(format!("{count} of the weights' tensors are not used, `{first}` for one"));
        }
        Some(model.spec)
    }
}

/// Faults that are listed one by one.
const LISTED: usize = 5;

/// Tensors that the files lack or hold in another shape or an unreadable type.
fn faults(model: &Model) -> Vec<String> {
    let loader = Loader { source: &*model.source, device: &model.device, dtype: model.dtype };
    let mut all: Vec<String> = Vec::new();
    for tensor in model.spec.tensors() {
        if let Err(e) = loader.read_rows(tensor.name, &tensor.shape, 0..0) {
            let text = e.to_string();
            if all.last() != Some(&text) {
                all.push(text);
            }
        }
    }
    if all.len() > LISTED {
        let more = all.len() - LISTED;
        all.truncate(LISTED);
        all.push(format!("and {more} more tensors are missing or not as described"));
    }
    all
}
