//! Hub models: the cache, the network and their failures, against a small hub on loopback and against hand-made caches.

mod cache;
mod env;
mod inspect;
mod network;
mod refusals;
mod server;

use std::path::{Path, PathBuf};

use llscore::model::hub::HubEnv;
use llscore::model::source::{ModelFiles, SourceOptions, resolve};
use server::Hub;
use tempfile::TempDir;

/// The commit that the small hub's repositories have by default.
const COMMIT: &str = "1111111111111111111111111111111111111111";

/// An empty home folder, and the settings for `endpoint` in it.
struct Home {
    folder: TempDir,
    endpoint: String,
}

impl Home {
    fn new(endpoint: &str) -> Home {
        Home { folder: tempfile::tempdir().unwrap(), endpoint: endpoint.to_string() }
    }

    fn env(&self) -> HubEnv {
        self.env_with(&[])
    }

    fn env_with(&self, more: &[(&str, &str)]) -> HubEnv {
        let home = self.folder.path().to_str().unwrap().to_string();
        HubEnv::from_vars(|name| match more.iter().find(|(n, _)| *n == name) {
            Some((_, value)) => Some(value.to_string()),
            None if name == "HOME" => Some(home.clone()),
            None if name == "HF_ENDPOINT" => Some(self.endpoint.clone()),
            None => None,
        })
    }

    /// The folder of a repository in the cache.
    fn repo(&self, id: &str) -> PathBuf {
        self.folder.path().join(".cache/huggingface/hub").join(format!("models--{}", id.replace('/', "--")))
    }

    fn options(&self) -> SourceOptions {
        SourceOptions { env: self.env(), ..SourceOptions::default() }
    }

    fn resolve(&self, id: &str) -> llscore::Result<ModelFiles> {
        resolve(id, &self.options(), &())
    }

    fn offline(&self, id: &str) -> llscore::Result<ModelFiles> {
        resolve(id, &SourceOptions { offline: true, ..self.options() }, &())
    }

    fn at(&self, id: &str, revision: &str) -> llscore::Result<ModelFiles> {
        resolve(id, &SourceOptions { revision: Some(revision.into()), ..self.options() }, &())
    }
}

/// The smallest safetensors file: one tensor `w` of one f32 of this value.
fn weights(value: f32) -> Vec<u8> {
    let header = br#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#;
    [&(header.len() as u64).to_le_bytes()[..], header, &value.to_le_bytes()].concat()
}

/// A hub with the complete model `org/tiny`, and files that llscore has no use for.
fn tiny_hub() -> Hub {
    let hub = Hub::start();
    hub.put("org/tiny", "config.json", b"{}");
    hub.put("org/tiny", "tokenizer.json", b"{\"t\":1}");
    hub.put("org/tiny", "tokenizer_config.json", b"{}");
    hub.put("org/tiny", "generation_config.json", b"{\"temperature\":9}");
    hub.put("org/tiny", "pytorch_model.bin", &[7; 100]);
    hub.put("org/tiny", "README.md", b"hello");
    hub.put("org/tiny", "model.safetensors", &weights(1.5));
    hub
}

/// The message of an error that has exit code 2.
fn message<T>(result: llscore::Result<T>) -> String {
    let error = result.err().expect("an error");
    assert_eq!(error.exit_code(), 2, "{error}");
    error.to_string()
}

fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{text}` does not say `{part}`");
    }
}

fn first_weight(files: &ModelFiles) -> f32 {
    files.open_weights().unwrap().read_f32("w", &[1]).unwrap()[0]
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}
