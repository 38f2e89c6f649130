//! What several test modules need: fixtures, engines over them, the built program in a folder of its own, and models that
//! differ from a fixture in one thing.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use candle_core::{DType, Device};
use llscore::engine::{Engine, EngineOptions, Model};
use llscore::model::source::{self, SourceOptions};
use serde_json::{Value, json};

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

/// The fixture that a whole run can use.
pub const COMPLETE: &str = "llama-with-tokenizer";

/// A folder of its own, in which the built program runs. Files are named from within it.
pub struct Work {
    dir: tempfile::TempDir,
}

/// How a process ended and what it said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Takes the output of a process, which must have ended by itself and without a panic.
    #[track_caller]
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert!(!err.contains("panicked") && !err.contains("a fault in llscore"), "{err}");
        let code = output.status.code().unwrap_or_else(|| panic!("ended by a signal: {err}"));
        Self { code, out, err }
    }

    /// The same, where the exit code is this one.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.err, self.out);
        self
    }

    /// The message of a refusal: exit code 2, nothing on standard output, one line that says all of `parts`.
    #[track_caller]
    pub fn refused(self, parts: &[&str]) -> String {
        let ran = self.code(2);
        assert_eq!(ran.out, "");
        assert!(ran.err.starts_with("error: ") && ran.err.lines().count() == 1, "{}", ran.err);
        for part in parts {
            assert!(ran.err.contains(part), "`{}` does not say `{part}`", ran.err.trim());
        }
        ran.err
    }
}

impl Work {
    /// In memory where the system has such a place, since runs flush to the disk.
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("writes");
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Writes items as JSON Lines.
    pub fn items(&self, name: &str, items: &[Value]) {
        self.write(name, items.iter().map(|item| format!("{item}\n")).collect::<String>());
    }

    /// The lines of `samples.jsonl` of a run's folder.
    pub fn samples(&self, run: &str) -> Vec<Value> {
        let text = String::from_utf8(self.read(&format!("{run}/samples.jsonl"))).expect("UTF-8");
        assert!(text.is_empty() || text.ends_with('\n'), "the last line is whole");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// The program with these arguments, to be run here.
    pub fn command<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_llscore"));
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        command
    }

    #[track_caller]
    pub fn llscore<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        Ran::of(self.command(args).output().expect("starts"))
    }

    /// `llscore run` with the fixture, and these further arguments, parted by blanks.
    pub fn scoring(&self, args: &str) -> Command {
        let mut command = self.command(["run"]);
        if !args.split(' ').any(|arg| arg == "--model") {
            command.arg("--model").arg(fixture(COMPLETE));
        }
        command.args(args.split(' ').filter(|arg| !arg.is_empty()));
        command
    }

    /// Runs [`Work::scoring`].
    #[track_caller]
    pub fn run(&self, args: &str) -> Ran {
        Ran::of(self.scoring(args).output().expect("starts"))
    }

    /// The same, reading `input`.
    #[track_caller]
    pub fn run_with_input(&self, args: &str, input: &[u8]) -> Ran {
        let mut child = self.scoring(args);
        let child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("starts");
        child.stdin.take().expect("piped").write_all(input).expect("is read");
        Ran::of(child.wait_with_output().expect("ends"))
    }

    /// A copy of the complete fixture under `name`, changed.
    pub fn model(&self, name: &str, change: impl FnOnce(&mut ModelParts)) {
        let from = fixture(COMPLETE);
        fs::create_dir(self.path(name)).expect("a new name");
        for file in ["tokenizer.json", "tokenizer_config.json"] {
            fs::copy(from.join(file), self.path(name).join(file)).expect("copies");
        }
        let mut parts = ModelParts::read(&from);
        change(&mut parts);
        self.write(&format!("{name}/config.json"), parts.config.to_string());
        self.write(&format!("{name}/model.safetensors"), parts.safetensors());
    }
}

/// A tensor in f32.
#[derive(Clone, Debug)]
pub struct Tensor {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// The parts of a model that tests change.
pub struct ModelParts {
    pub config: Value,
    pub tensors: BTreeMap<String, Tensor>,
}

impl ModelParts {
    fn read(folder: &Path) -> Self {
        let config = fs::read(folder.join("config.json")).expect("config");
        let bytes = fs::read(folder.join("model.safetensors")).expect("weights");
        let file = safetensors::SafeTensors::deserialize(&bytes).expect("safetensors");
        let tensors = file.tensors().into_iter().map(|(name, view)| {
            assert_eq!(view.dtype(), safetensors::Dtype::BF16);
            let halves = view.data().as_chunks::<2>().0.iter();
            let values = halves.map(|b| f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16)).collect();
            (name, Tensor { shape: view.shape().to_vec(), values })
        });
        Self { config: serde_json::from_slice(&config).expect("JSON"), tensors: tensors.collect() }
    }

    /// The weights' file.
    pub fn safetensors(&self) -> Vec<u8> {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
        for (name, tensor) in &self.tensors {
            let start = data.len();
            data.extend(tensor.values.iter().flat_map(|x| x.to_le_bytes()));
            let entry = json!({"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, data.len()]});
            header.insert(name.clone(), entry);
        }
        let header = Value::Object(header).to_string();
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
    }
}

/// An item of task `t`.
pub fn item(id: &str, context: &str, endings: &[&str], label: usize) -> Value {
    json!({"id": id, "task": "t", "context": context, "endings": endings, "label": label})
}
