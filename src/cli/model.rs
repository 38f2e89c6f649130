//! Flags that name a model, and the way from them to an opened model and its tokenizer.

use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use clap::{Args, ValueEnum};

use super::progress::{Console, Downloads};
use crate::engine::Model;
use crate::model::source::{self, ModelFiles, SourceOptions, WeightFiles};
use crate::model::weights::{GgufFile, TensorSource};
use crate::tokenize::gguf::tokenizer_from_gguf;
use crate::tokenize::{BosPolicy, EncodeOptions, SpecialIds, TextEncoder};
use crate::{Error, Result};

/// Flags that name a model.
#[derive(Args, Clone, Debug)]
pub struct ModelArgs {
    /// A Hub id such as `gpt2`, a HuggingFace folder, or a .gguf file [default: models/tiny-logic].
    #[arg(long, value_name = "MODEL", help_heading = "Model")]
    pub model: Option<String>,
    /// Branch, tag or commit of a Hub model [default: `main`].
    #[arg(long, value_name = "REV", help_heading = "Model")]
    revision: Option<String>,
    /// A tokenizer.json, or a folder that holds one, instead of the model's own.
    #[arg(long, value_name = "PATH", help_heading = "Model")]
    tokenizer: Option<PathBuf>,
    /// Make no network request: use what the Hub cache has.
    #[arg(long, help_heading = "Model")]
    offline: bool,
    /// Where to compute: `cpu`, `cuda`, `cuda:1`, `metal`, or `auto`: a GPU if this build supports one, else the CPU.
    #[arg(long, value_name = "DEVICE", default_value = "auto", help_heading = "Model")]
    device: String,
    /// The type of number to compute in. The CPU always computes in f32.
    #[arg(long, value_enum, default_value_t = DTypeFlag::Auto, value_name = "TYPE", help_heading = "Model")]
    pub dtype: DTypeFlag,
    /// Whether texts begin with a BOS (beginning of sequence) token.
    #[arg(long, value_enum, default_value_t = BosPolicy::Auto, value_name = "POLICY", help_heading = "Text")]
    pub bos: BosPolicy,
    /// Read the text of a special token inside an item, such as `</s>`, as that token; else it is plain text.
    #[arg(long, help_heading = "Text")]
    pub parse_special: bool,
}

/// `--dtype`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DTypeFlag {
    /// f32 on the CPU, else as the weights are stored.
    Auto,
    /// 32 bits.
    F32,
    /// 16 bits, IEEE.
    F16,
    /// 16 bits, bfloat.
    Bf16,
}

impl DTypeFlag {
    /// As written.
    pub fn name(self) -> &'static str {
        match self {
            DTypeFlag::Auto => "auto",
            DTypeFlag::F32 => "f32",
            DTypeFlag::F16 => "f16",
            DTypeFlag::Bf16 => "bf16",
        }
    }
}

/// An opened model with its tokenizer; no weights are read yet.
pub struct Opened {
    /// The name it was asked for by.
    pub id: String,
    /// Its files.
    pub files: ModelFiles,
    /// Its description and its weights' files.
    pub model: Model,
    /// Its tokenizer.
    pub encoder: TextEncoder,
}

/// A folder of the project, here or where it was built.
pub fn shipped(path: &str) -> PathBuf {
    let here = PathBuf::from(path);
    if here.exists() { here } else { Path::new(env!("CARGO_MANIFEST_DIR")).join(path) }
}

impl ModelArgs {
    /// Finds the model and opens it.
    ///
    /// # Errors
    /// If a file is missing or broken, the model is not supported, or the device is not there; the message says what to
    /// do.
    pub fn open(&self, console: Console) -> Result<Opened> {
        let device = device(&self.device)?;
        const SHIPPED: &str = "models/tiny-logic";
        let id = self.model.clone().unwrap_or_else(|| SHIPPED.to_string());
        // The name is recorded as it is, wherever the project's folder lies.
        let place = if self.model.is_none() { shipped(SHIPPED).to_string_lossy().into_owned() } else { id.clone() };
        let options = SourceOptions {
            revision: self.revision.clone(),
            offline: self.offline,
            tokenizer: self.tokenizer.clone(),
            ..SourceOptions::default()
        };
        let files = source::resolve(&place, &options, &Downloads::new(console))?;
        files.notes.iter().for_each(|n| console.note(n));
        let mut model = Model::open(&files, device, DType::F32)?;
        model.check()?;
        let unused = model.unused();
        if let Some(first) = unused.first() {
            console.note(format!(
                "{} of the weights' tensors are not used, `{first}` for one; do they belong to this configuration?",
                unused.len()
            ));
        }
        model.dtype = self.dtype(&model, console);
        let encoder = self.encoder(&files, console)?;
        encoder.notes().iter().for_each(|n| console.note(n));
        Ok(Opened { id, files, model, encoder })
    }

    /// The dtype that the device computes in.
    fn dtype(&self, model: &Model, console: Console) -> DType {
        let asked = match self.dtype {
            DTypeFlag::Auto if model.device.is_cpu() => DType::F32,
            DTypeFlag::Auto => stored(&*model.source, &model.spec.embedding.tokens.0),
            DTypeFlag::F32 => DType::F32,
            DTypeFlag::F16 => DType::F16,
            DTypeFlag::Bf16 => DType::BF16,
        };
        if model.device.is_cpu() && asked != DType::F32 {
            console.note(format!("the CPU computes in f32, not {}", self.dtype.name()));
            return DType::F32;
        }
        asked
    }

    fn encoder(&self, files: &ModelFiles, console: Console) -> Result<TextEncoder> {
        let options = EncodeOptions { bos: self.bos, parse_special: self.parse_special };
        match (&files.tokenizer, &files.weights) {
            (Some(path), _) => TextEncoder::load(path, options),
            (None, Some(WeightFiles::Gguf(path))) => {
                let (tokenizer, info) = tokenizer_from_gguf(&GgufFile::open(path)?)?;
                info.notes.iter().for_each(|n| console.note(n));
                let specials = SpecialIds { bos: info.bos_id, eos: info.eos_id, add_bos: Some(info.add_bos) };
                let encoder = TextEncoder::from_tokenizer(tokenizer, specials, path, options)?;
                Ok(encoder.with_named_tokens(info.named))
            }
            (None, _) => Err(Error::model(&files.root, "has no tokenizer.json; give one with --tokenizer")),
        }
    }
}

/// The type that the weights are stored in, if a device computes in it.
fn stored(source: &dyn TensorSource, names: &[String]) -> DType {
    let name = names.iter().find(|n| source.contains(n));
    match name.and_then(|n| source.dtype(n).ok()).as_deref() {
        Some("BF16") => DType::BF16,
        Some("F16") => DType::F16,
        _ => DType::F32,
    }
}

/// The device of a `--device` flag.
fn device(flag: &str) -> Result<Device> {
    let lacks = |kind: &str| {
        Error::usage(format!(
            "--device {flag}: this build has no {kind}; build with `cargo build --release --features {kind}`, or use --device cpu"
        ))
    };
    let failed = |e: candle_core::Error| {
        Error::usage(format!("--device {flag}: the device cannot be used: {e}; --device cpu works everywhere"))
    };
    let (kind, index) = match flag.split_once(':') {
        None => (flag, 0),
        Some((kind, index)) => {
            (kind, index.parse().map_err(|_| Error::usage(format!("--device {flag}: `{index}` is no device number")))?)
        }
    };
    match kind {
        "cpu" if !flag.contains(':') => Ok(Device::Cpu),
        "auto" if flag == "auto" => {
            if cfg!(feature = "cuda") {
                Ok(Device::cuda_if_available(0).map_err(failed)?)
            } else if cfg!(feature = "metal") {
                Device::new_metal(0).map_err(failed)
            } else {
                Ok(Device::Cpu)
            }
        }
        "cuda" if cfg!(feature = "cuda") => Device::new_cuda(index).map_err(failed),
        "metal" if cfg!(feature = "metal") => Device::new_metal(index).map_err(failed),
        "cuda" | "metal" => Err(lacks(kind)),
        _ => {
            Err(Error::usage(format!("--device {flag}: unknown device (auto, cpu, cuda, cuda:N and metal are known)")))
        }
    }
}

/// `cpu`, `cuda` or `metal`.
pub fn device_kind(device: &Device) -> &'static str {
    match device {
        Device::Cpu => "cpu",
        Device::Cuda(_) => "cuda",
        Device::Metal(_) => "metal",
    }
}
