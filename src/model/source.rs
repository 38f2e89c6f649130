//! A model's name to its files: a local HuggingFace folder, a `.gguf` file, or a Hub id (the cache, then the network).
//!
//! What exists on disk wins over the Hub; what looks like a path and does not exist is never asked of the Hub. Nothing
//! is read here beyond what tells the files apart.

use std::path::{Path, PathBuf};

use super::hub::{self, HubEnv, Progress};
use super::layout::{self, Missing};
use super::weights::{GgufFile, Safetensors, TensorSource, refuse_lfs_pointer, shards_of_index};
use crate::tokenize::load;
use crate::{Error, Result};

/// How a model is to be found.
#[derive(Clone, Debug)]
pub struct SourceOptions {
    /// Branch, tag or commit of a Hub model; default `main`.
    pub revision: Option<String>,
    /// Make no network request.
    pub offline: bool,
    /// A tokenizer.json (or a folder that holds one) to use instead of the model's own.
    pub tokenizer: Option<PathBuf>,
    /// Whether to download the weights of a Hub model (a description of it needs only the small files).
    pub weights: bool,
    /// The Hub's settings.
    pub env: HubEnv,
}

impl Default for SourceOptions {
    /// The whole of the model, with the process's environment.
    fn default() -> Self {
        let env = HubEnv::from_process();
        SourceOptions { revision: None, offline: false, tokenizer: None, weights: true, env }
    }
}

/// Where the weights are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WeightFiles {
    /// `model.safetensors`.
    Safetensors(PathBuf),
    /// `model.safetensors.index.json`, its shards beside it.
    SafetensorsIndex(PathBuf),
    /// A GGUF file, which also holds the config and perhaps the tokenizer.
    Gguf(PathBuf),
}

/// The files of a model.
#[derive(Clone, Debug)]
pub struct ModelFiles {
    /// The name that the model was asked for by.
    pub id: String,
    /// The commit, if it came from the Hub.
    pub revision: Option<String>,
    /// The folder (or GGUF file) that holds the files.
    pub root: PathBuf,
    /// The weights.
    pub weights: Option<WeightFiles>,
    /// config.json; none for GGUF.
    pub config: Option<PathBuf>,
    /// tokenizer.json (or vocab.json, merges.txt beside it): the one given, else the model's own; none where a GGUF file's metadata are to serve.
    pub tokenizer: Option<PathBuf>,
    /// What the model needs and lacks ([`resolve`] makes an error of it).
    pub missing: Vec<Missing>,
    /// What the user should know: that a cached copy was used because the Hub could not be reached, say.
    pub notes: Vec<String>,
}

impl ModelFiles {
    /// Opens the weights.
    ///
    /// # Errors
    /// If there are none, or as [`Safetensors::open`], [`Safetensors::open_index`] and [`GgufFile::open`].
    pub fn open_weights(&self) -> Result<Box<dyn TensorSource>> {
        match &self.weights {
            Some(WeightFiles::Safetensors(file)) => Ok(Box::new(Safetensors::open(file)?)),
            Some(WeightFiles::SafetensorsIndex(index)) => Ok(Box::new(Safetensors::open_index(index)?)),
            Some(WeightFiles::Gguf(file)) => Ok(Box::new(GgufFile::open(file)?)),
            None => Err(self.lacking(layout::WEIGHTS)),
        }
    }

    /// The path of config.json.
    ///
    /// # Errors
    /// If the model lacks it (a GGUF file does by nature).
    pub fn require_config(&self) -> Result<&Path> {
        self.config.as_deref().ok_or_else(|| self.lacking(layout::CONFIG))
    }

    fn lacking(&self, file: &str) -> Error {
        match self.missing.iter().find(|m| m.file == file) {
            Some(missing) => self.error(missing),
            None => Error::model(&self.root, format!("has no {file}")),
        }
    }

    fn error(&self, missing: &Missing) -> Error {
        match self.revision {
            Some(_) => Error::Hub { repo: self.id.clone(), message: missing.message.clone() },
            None => Error::model(&self.root, missing.message.clone()),
        }
    }
}

/// Finds all files of the model called `name`, downloading what is needed.
///
/// # Errors
/// If there is no such model, a file that it needs is missing, or the Hub fails; the message says what to do.
pub fn resolve(name: &str, options: &SourceOptions, progress: &dyn Progress) -> Result<ModelFiles> {
    let files = find(name, options, progress, true)?;
    match files.missing.first() {
        Some(missing) => Err(files.error(missing)),
        None => Ok(files),
    }
}

/// As [`resolve`], but a model that lacks files is no error: they are listed in [`ModelFiles::missing`].
///
/// # Errors
/// If there is no such model, or the Hub fails.
pub fn locate(name: &str, options: &SourceOptions, progress: &dyn Progress) -> Result<ModelFiles> {
    find(name, options, progress, false)
}

/// As [`locate`], and the path of a .json file is a configuration alone: whatever lies beside it, nothing else is there.
///
/// # Errors
/// As [`locate`].
pub fn describe(name: &str, options: &SourceOptions, progress: &dyn Progress) -> Result<ModelFiles> {
    let path = expand_home(name, options.env.home.as_deref());
    if !path.is_file() || !path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
        return locate(name, options, progress);
    }
    refuse_lfs_pointer(&path)?;
    let tokenizer = options.tokenizer.as_deref().map(given_tokenizer).transpose()?;
    let alone = |file| Missing { file, message: "only a configuration was given; name the model's folder".to_string() };
    let mut missing = vec![alone(layout::WEIGHTS)];
    missing.extend(tokenizer.is_none().then(|| alone(layout::TOKENIZER)));
    Ok(ModelFiles {
        id: name.to_string(),
        revision: None,
        root: path.clone(),
        weights: None,
        config: Some(path),
        tokenizer,
        missing,
        notes: Vec::new(),
    })
}

fn find(name: &str, options: &SourceOptions, progress: &dyn Progress, strict: bool) -> Result<ModelFiles> {
    if name.is_empty() {
        return Err(Error::usage("the model's name is empty; give a folder, a .gguf file or a Hub id with `--model`"));
    }
    let tokenizer = options.tokenizer.as_deref().map(given_tokenizer).transpose()?;
    let path = expand_home(name, options.env.home.as_deref());
    if path.exists() {
        if let Some(revision) = &options.revision {
            return Err(Error::usage(format!(
                "`--revision {revision}` goes with a Hub model, but {name} is here on disk; leave the flag out"
            )));
        }
        return local(name, &path, tokenizer);
    }
    if looks_like_path(name) {
        return Err(Error::model(&path, "no such file or folder; check the path given as `--model`"));
    }
    let request = hub::Request {
        repo: name,
        revision: options.revision.as_deref(),
        offline: options.offline,
        tokenizer_given: tokenizer.is_some(),
        weights: options.weights,
        strict,
    };
    let snapshot = hub::snapshot(&request, &options.env, progress)?;
    let mut files = folder(name, &snapshot.folder, tokenizer)?;
    files.revision = Some(snapshot.commit);
    files.notes = snapshot.notes;
    // What the snapshot says of a file goes before what its folder shows; weights not asked for are not missing.
    let told = |file: &str| snapshot.missing.iter().any(|m| m.file == file);
    files.missing.retain(|m| !told(m.file) && (options.weights || m.file != layout::WEIGHTS));
    files.missing.splice(0..0, snapshot.missing);
    Ok(files)
}

fn local(name: &str, path: &Path, tokenizer: Option<PathBuf>) -> Result<ModelFiles> {
    if path.is_dir() {
        return folder(name, path, tokenizer);
    }
    let is_gguf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gguf"));
    if !is_gguf && !begins_as_gguf(path) {
        let hint = match path.extension().and_then(|e| e.to_str()) {
            Some("safetensors" | "json" | "bin") => "; give the folder that it is in",
            _ => "",
        };
        return Err(Error::model(
            path,
            format!("is not a model: a model is a HuggingFace folder, a .gguf file or a Hub id{hint}"),
        ));
    }
    Ok(ModelFiles {
        id: name.to_string(),
        revision: None,
        root: path.to_path_buf(),
        weights: Some(WeightFiles::Gguf(path.to_path_buf())),
        config: None,
        tokenizer,
        missing: Vec::new(),
        notes: Vec::new(),
    })
}

fn folder(name: &str, root: &Path, tokenizer: Option<PathBuf>) -> Result<ModelFiles> {
    let unreadable = |e: std::io::Error| Error::model(root, format!("cannot be read: {e}"));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        // A link whose target is gone is no file.
        if entry.path().is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    let survey = layout::survey(&names, tokenizer.is_some());
    let there = |file: &str| names.iter().any(|n| n == file).then(|| root.join(file));
    let mut missing = survey.missing;
    let weights = match survey.weights {
        Some(layout::WEIGHTS_INDEX) => {
            let index = root.join(layout::WEIGHTS_INDEX);
            match shards_of_index(&index)?.into_iter().find(|shard| !root.join(shard).is_file()) {
                Some(shard) => {
                    let message =
                        format!("lacks the shard {shard}, which its {} names; download it", layout::WEIGHTS_INDEX);
                    missing.push(Missing { file: layout::WEIGHTS, message });
                    None
                }
                None => Some(WeightFiles::SafetensorsIndex(index)),
            }
        }
        Some(file) => Some(WeightFiles::Safetensors(root.join(file))),
        None => None,
    };
    let files = ModelFiles {
        id: name.to_string(),
        revision: None,
        root: root.to_path_buf(),
        weights,
        config: there(layout::CONFIG),
        tokenizer: tokenizer.or_else(|| survey.tokenizer.map(|file| root.join(file))),
        missing,
        notes: Vec::new(),
    };
    for file in [&files.config, &files.tokenizer].into_iter().flatten() {
        refuse_lfs_pointer(file)?;
    }
    Ok(files)
}

/// The tokenizer file that `--tokenizer` means.
fn given_tokenizer(path: &Path) -> Result<PathBuf> {
    let file = if path.is_dir() {
        let has = |name: &str| path.join(name).is_file();
        let name = load::tokenizer_in(has).ok_or_else(|| Error::model(path, load::missing_tokenizer(has)))?;
        path.join(name)
    } else {
        path.to_path_buf()
    };
    if !file.is_file() {
        return Err(Error::model(&file, "no such file; `--tokenizer` takes a tokenizer.json or a folder that has one"));
    }
    refuse_lfs_pointer(&file)?;
    Ok(file)
}

fn begins_as_gguf(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0; 4];
    std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut magic)).is_ok() && &magic == b"GGUF"
}

/// Whether a name that does not exist on disk was surely meant as a path: it has a path's beginning, an ending of a
/// model file, or more parts than a Hub id.
fn looks_like_path(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    name.starts_with(['.', '/', '~', '\\'])
        || name.ends_with('/')
        || name.contains('\\')
        || name.matches('/').count() > 1
        || Path::new(name).is_absolute()
        || [".gguf", ".safetensors", ".json", ".bin"].iter().any(|ending| lower.ends_with(ending))
}

/// `~/models` as a path; a shell does not expand it in `--model=~/models`.
fn expand_home(name: &str, home: Option<&Path>) -> PathBuf {
    match (name.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(name),
    }
}
