//! The committed checkpoints with the reference's numbers, and how far llscore is from them. The tests hold the distance
//! to a bound, and `cargo run --release --example parity_table` prints it.

use std::path::{Path, PathBuf};

use llscore::engine::{Engine, Plan, Request, Scores};
use serde::Deserialize;

/// A checkpoint's reference.
#[derive(Deserialize)]
pub struct Expected {
    pub model_type: String,
    pub sequences: Vec<Sequence>,
}

/// What the reference gives for a sequence of ids.
#[derive(Deserialize)]
pub struct Sequence {
    pub ids: Vec<u32>,
    pub logprobs: Vec<f64>,
    pub greedy: Vec<bool>,
    pub layers: Vec<Vec<f64>>,
}

/// Cases that hold a checkpoint: name, path of the model, reference numbers.
pub fn cases() -> Vec<(String, PathBuf, Expected)> {
    let mut cases: Vec<_> = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"))
        .unwrap()
        .filter_map(|entry| {
            let folder = entry.unwrap().path();
            let name = folder.file_name()?.to_string_lossy().into_owned();
            let text = std::fs::read_to_string(folder.join("expected.json")).ok()?;
            let expected: Expected = serde_json::from_str(&text).ok()?;
            let gguf = folder.join("model.gguf");
            Some((name, if gguf.exists() { gguf } else { folder }, expected))
        })
        .collect();
    cases.sort_by(|a, b| a.0.cmp(&b.0));
    cases
}

/// A request for each sequence: every token but the first is scored.
pub fn requests(expected: &Expected) -> Vec<Request> {
    expected.sequences.iter().map(|s| Request::new(s.ids.clone(), 1).unwrap()).collect()
}

/// Scores requests after the layers `taps`.
pub fn run(engine: &Engine, requests: &[Request], taps: &[usize]) -> (Plan, Scores) {
    let plan = engine.plan(requests);
    let scores = engine.run(&plan, taps, &mut |_, _| Ok(())).unwrap();
    (plan, scores)
}

/// A distance from the reference.
#[derive(Clone, Copy, Default)]
pub struct Distance {
    /// The largest difference of a token's log-probability after the last layer.
    pub last: f64,
    /// The same after any layer, the embedding included.
    pub any: f64,
    /// Marks `greedy` that differ.
    pub wrong: usize,
    /// Tokens compared.
    pub tokens: usize,
}

impl Distance {
    /// The worse of two, tokens added up.
    pub fn and(self, other: Self) -> Self {
        Self {
            last: self.last.max(other.last),
            any: self.any.max(other.any),
            wrong: self.wrong + other.wrong,
            tokens: self.tokens + other.tokens,
        }
    }
}

/// Compares scores after all layers 0 … `layers` with the reference.
pub fn distance(expected: &Expected, plan: &Plan, scores: &Scores, layers: usize) -> Distance {
    let mut all = Distance::default();
    for (sequence, slots) in expected.sequences.iter().zip(&plan.slots) {
        assert_eq!(slots.len(), sequence.logprobs.len());
        for (position, slot) in slots.clone().enumerate() {
            let got = scores.slot(slot);
            let error = |tap: usize, want: f64| {
                let d = (got[tap].logprob - want).abs();
                if d.is_nan() { f64::INFINITY } else { d }
            };
            let last = error(layers, sequence.logprobs[position]);
            let lens = sequence.layers.iter().enumerate().map(|(layer, lens)| error(layer, lens[position]));
            let wrong = usize::from(got[layers].greedy != sequence.greedy[position]);
            all = all.and(Distance { last, any: lens.fold(last, f64::max), wrong, tokens: 1 });
        }
    }
    all
}
