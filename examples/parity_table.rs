//! How far llscore is from transformers on the committed checkpoints, in f32 on the CPU, as Markdown: a row for each
//! family, or with `--fixtures` for each checkpoint.
//!
//! ```sh
//! cargo run --release --example parity_table
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use candle_core::{DType, Device};
use llscore::engine::{Engine, EngineOptions, Model};
use llscore::model::config::Config;
use llscore::model::source::{self, SourceOptions};
use reference::{Distance, Expected};

#[path = "../tests/it/reference.rs"]
mod reference;

/// What may be promised of a difference.
const BOUND: f64 = 1e-4;

/// A family's or a checkpoint's row.
#[derive(Default)]
struct Row {
    fixtures: usize,
    forms: BTreeSet<&'static str>,
    distance: Distance,
}

fn main() -> ExitCode {
    match table(std::env::args().any(|arg| arg == "--fixtures")) {
        Ok(fine) => ExitCode::from(u8::from(!fine)),
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

/// Prints the table; false if a row is beyond the bound.
fn table(by_fixture: bool) -> Result<bool, Box<dyn Error>> {
    let mut rows: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut fine = true;
    for (name, path, expected) in reference::cases() {
        let distance = match compare(&path, &expected) {
            Ok(distance) => distance,
            Err(e) => {
                eprintln!("error: {name}: {e}");
                fine = false;
                continue;
            }
        };
        let form = form(&path)?;
        let fixture = if by_fixture { name } else { String::new() };
        let row = rows.entry((expected.model_type, fixture)).or_default();
        row.fixtures += 1;
        row.forms.insert(form);
        row.distance = row.distance.and(distance);
    }
    let second = if by_fixture { "checkpoint" } else { "checkpoints" };
    println!("| `model_type` | {second} | configuration | tokens | last layer | any layer |");
    println!("|---|---{}|---|---:|---:|---:|", if by_fixture { "" } else { ":" });
    for ((family, fixture), row) in &rows {
        let second = if by_fixture { format!("`{fixture}`") } else { row.fixtures.to_string() };
        let forms: Vec<&str> = row.forms.iter().copied().collect();
        let Distance { last, any, tokens, .. } = row.distance;
        println!("| `{family}` | {second} | {} | {tokens} | {last:.1e} | {any:.1e} |", forms.join(", "));
    }
    Ok(fine && rows.values().all(|row| row.distance.any <= BOUND && row.distance.wrong == 0))
}

fn compare(path: &Path, expected: &Expected) -> llscore::Result<Distance> {
    let files = source::locate(&path.to_string_lossy(), &SourceOptions::default(), &())?;
    let model = Model::open(&files, Device::Cpu, DType::F32)?;
    let engine = Engine::new(model, EngineOptions::default(), &|_, _| ())?;
    let layers = engine.model().spec.layers.len();
    let taps: Vec<usize> = (0..=layers).collect();
    let (plan, scores) = reference::run(&engine, &reference::requests(expected), &taps);
    Ok(reference::distance(expected, &plan, &scores, layers))
}

/// How the configuration is written: as transformers 5 does, as the Hub's released checkpoints do, or as GGUF metadata.
fn form(path: &Path) -> llscore::Result<&'static str> {
    if path.is_file() {
        return Ok("GGUF");
    }
    let config = Config::read(&path.join("config.json"))?;
    let inner = config.object("text_config")?;
    let has = |key: &str| config.has(key) || inner.as_ref().is_some_and(|c| c.has(key));
    Ok(if has("rope_parameters") || has("dtype") { "5.x" } else { "Hub" })
}
