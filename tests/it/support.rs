//! What several test modules need: fixtures, engines over them, the built program.

use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use llscore::engine::{Engine, EngineOptions, Model};
use llscore::model::source::{self, SourceOptions};

/// The folder of fixtures, or one of them.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Opens a model folder or GGUF file, whatever else it lacks.
pub fn open_model(path: &Path, dtype: DType) -> llscore::Result<Model> {
    let name = path.to_string_lossy();
    let files = source::locate(&name, &SourceOptions::default(), &())?;
    Model::open(&files, Device::Cpu, dtype)
}

/// An f32 engine over a model folder or GGUF file.
pub fn engine(path: &Path, options: EngineOptions) -> llscore::Result<Engine> {
    Engine::new(open_model(path, DType::F32)?, options, &|_, _| ())
}
