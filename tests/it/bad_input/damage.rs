//! Random damage to every kind of file: whatever comes of it, an error or a result, nothing panics, and a model that
//! passes its checks runs.

use std::fs;
use std::path::{Path, PathBuf};

use candle_core::{DType, Device};
use llscore::engine::{Engine, EngineOptions, Model, Request, WeightsMode};
use llscore::item::parse_items;
use llscore::model::source::{SourceOptions, locate};
use llscore::model::weights::GgufFile;
use llscore::results::{Attempt, Format, Norm, Results, Store, Style, Tokens, render};
use llscore::tokenize::gguf::tokenizer_from_gguf;
use llscore::tokenize::{EncodeOptions, SpecialIds, TextEncoder};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::results::manifest;
use crate::support::{COMPLETE, Work, fixture};

/// `LLSCORE_TEST_TIMES=100` looks a hundred times as long.
fn config(cases: u32) -> ProptestConfig {
    let times: u32 = std::env::var("LLSCORE_TEST_TIMES").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let cases = cases * times;
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() }
}

/// Values that some code somewhere does not expect.
fn odd_value() -> impl Strategy<Value = Value> {
    let numbers = prop::sample::select(vec![
        json!(0),
        json!(-1),
        json!(1),
        json!(2),
        json!(3),
        json!(7),
        json!(8),
        json!(33),
        json!(4096),
        json!(1_u64 << 31),
        json!(1_u64 << 32),
        json!((1_u64 << 32) - 1),
        json!((1_u64 << 62) + 8),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.5),
        json!(-0.5),
        json!(1e-300),
        json!(1e300),
        json!(1e19),
        json!(2.0),
    ]);
    let others = prop::sample::select(vec![
        Value::Null,
        json!(true),
        json!(false),
        json!(""),
        json!("x"),
        json!("\u{0}"),
        json!("llama"),
        json!("gelu"),
        json!("default"),
        json!("yarn"),
        json!("llama3"),
        json!("linear"),
        json!([]),
        json!([1]),
        json!(["x"]),
        json!([[]]),
        json!({}),
        json!({"a": null}),
        json!({"rope_type": "yarn", "factor": 1e-300}),
        json!({"type": "linear", "factor": 1e300}),
        json!({"rope_type": "llama3", "factor": 2, "low_freq_factor": 1, "high_freq_factor": 1, "rope_theta": 1}),
        json!({"rope_type": "yarn", "rope_theta": 1, "factor": 2, "beta_fast": -1, "beta_slow": 1e300}),
        json!({"quant_method": 3}),
        json!({"content": 3}),
        json!({"type": "ByteLevel"}),
    ]);
    prop_oneof![numbers, others]
}

/// The places of a JSON document: every member and element, the whole first.
fn places(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_string());
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| {
            places(v, &format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")), out);
        }),
        // A few of a long list are as good as all.
        Value::Array(list) => list.iter().take(8).enumerate().for_each(|(i, v)| places(v, &format!("{at}/{i}"), out)),
        _ => {}
    }
}

/// Sets some places of a document to odd values, or takes them away.
fn damaged(mut value: Value, changes: &[(Index, Option<Value>)]) -> Value {
    for (place, odd) in changes {
        let mut all = Vec::new();
        places(&value, "", &mut all);
        let at = place.get(&all).clone();
        match odd {
            Some(odd) => *value.pointer_mut(&at).expect("a place") = odd.clone(),
            None => {
                let Some((parent, name)) = at.rsplit_once('/') else { continue };
                if let Some(Value::Object(map)) = value.pointer_mut(parent) {
                    map.remove(&name.replace("~1", "/").replace("~0", "~"));
                }
            }
        }
    }
    value
}

fn changes() -> impl Strategy<Value = Vec<(Index, Option<Value>)>> {
    let change = prop_oneof![5 => odd_value().prop_map(Some), 1 => Just(None)];
    prop::collection::vec((any::<Index>(), change), 1..4)
}

/// Overwrites stretches of bytes.
fn overwritten(bytes: &[u8], from: usize, damage: &[(Index, u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (place, kind, noise) in damage {
        let at = from + place.index(bytes.len() - from);
        let number: &[u8] = match kind {
            0 => &[0; 8],
            1 => &[0xff; 8],
            2 => &[0, 0, 0, 0x80],
            3 => &[1],
            _ => noise,
        };
        let end = (at + number.len()).min(bytes.len());
        bytes[at..end].copy_from_slice(&number[..end - at]);
    }
    bytes
}

fn damage() -> impl Strategy<Value = Vec<(Index, u8, Vec<u8>)>> {
    prop::collection::vec((any::<Index>(), 0u8..8, prop::collection::vec(any::<u8>(), 1..9)), 1..6)
}

/// Opens a model as a run does and, if it passes, computes something.
fn open_and_run(path: &Path) -> llscore::Result<()> {
    let files = locate(&path.to_string_lossy(), &SourceOptions::default(), &())?;
    let model = Model::open(&files, Device::Cpu, DType::F32)?;
    model.check()?;
    model.source.digest()?;
    let layers = model.spec.layers.len();
    let vocab = model.spec.vocab as u32;
    let longest = model.spec.embedding.positions.as_ref().map_or(20, |p| p.len()).min(20);
    if longest < 3 {
        return Ok(());
    }
    let requests = [5, longest]
        .map(|n| Request::new((0..n as u32).map(|i| i * 7 % vocab).collect(), 1).expect("a context and an ending"));
    for weights in [WeightsMode::Resident, WeightsMode::Stream] {
        let model = Model::open(&files, Device::Cpu, DType::F32)?;
        let options = EngineOptions { threads: Some(1), weights: Some(weights), token_budget: Some(8) };
        let engine = Engine::new(model, options, &|_, _| ())?;
        engine.run(&engine.plan(&requests), &[layers], &mut |_, _| Ok(()))?;
    }
    Ok(())
}

/// Fixtures with a config.json.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(fixture("")).unwrap().map(|e| e.unwrap().path()).collect();
    folders.retain(|folder| folder.join("config.json").exists());
    folders.sort();
    folders
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn config_json(which in any::<Index>(), changes in changes()) {
        let folders = folders();
        let from = which.get(&folders);
        let work = Work::new();
        // Python writes a number that JSON does not have.
        let text = fs::read_to_string(from.join("config.json")).unwrap().replace("Infinity", "1e9");
        let whole: Value = serde_json::from_str(&text).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let file = entry.unwrap().path();
            if file.to_string_lossy().contains("safetensors") {
                fs::copy(&file, work.path(&file.file_name().unwrap().to_string_lossy())).unwrap();
            }
        }
        work.write("config.json", damaged(whole, &changes).to_string());
        if let Err(error) = open_and_run(&work.path("")) {
            let text = error.to_string();
            prop_assert_eq!(error.exit_code(), 2, "{}", text);
            prop_assert!(text.contains("config.json") || text.contains("safetensors"), "{}", text);
        }
    }

    #[test]
    fn safetensors(damage in damage()) {
        let work = Work::new();
        let from = fixture(COMPLETE);
        fs::copy(from.join("config.json"), work.path("config.json")).unwrap();
        let whole = fs::read(from.join("model.safetensors")).unwrap();
        // The header, and now and then the data.
        let header = overwritten(&whole[..2600], 0, &damage);
        work.write("model.safetensors", [&header, &whole[2600..]].concat());
        if let Err(error) = open_and_run(&work.path("")) {
            prop_assert!(error.to_string().contains("model.safetensors"), "{}", error);
        }
    }
}

proptest! {
    #![proptest_config(config(250))]

    #[test]
    fn gguf(damage in damage(), which in prop::sample::select(vec!["gguf-llama-with-tokenizer", "gguf-qwen2-rope-yarn"])) {
        let work = Work::new();
        let whole = fs::read(fixture(which).join("model.gguf")).unwrap();
        // Metadata and the list of tensors, behind the magic number and the version.
        let most = whole.len().min(24_000);
        let begin = overwritten(&whole[..most], 8, &damage);
        work.write("model.gguf", [&begin, &whole[most..]].concat());
        let path = work.path("model.gguf");
        if let Err(error) = open_and_run(&path) {
            prop_assert!(error.to_string().contains("model.gguf"), "{}", error);
        }
        if let Ok(file) = GgufFile::open(&path)
            && let Ok((tokenizer, info)) = tokenizer_from_gguf(&file)
        {
            let specials = SpecialIds { bos: info.bos_id, eos: info.eos_id, add_bos: Some(info.add_bos) };
            if let Ok(encoder) = TextEncoder::from_tokenizer(tokenizer, specials, &path, EncodeOptions::default()) {
                let _ = encoder.encode_pair("The cat is", " ", "naïve 7\n<|im_end|>");
            }
        }
    }

    #[test]
    fn tokenizer_json(changes in changes(), parse_special in any::<bool>(), beside in changes()) {
        let work = Work::new();
        let read = |name: &str| serde_json::from_slice(&fs::read(fixture(COMPLETE).join(name)).unwrap()).unwrap();
        work.write("tokenizer.json", damaged(read("tokenizer.json"), &changes).to_string());
        work.write("tokenizer_config.json", damaged(read("tokenizer_config.json"), &beside).to_string());
        let options = EncodeOptions { parse_special, ..EncodeOptions::default() };
        match TextEncoder::load(&work.path(""), options) {
            Ok(encoder) => {
                for ending in ["red", "naïve 7\n<|im_end|>", "\u{1f469}\u{200d}\u{1f4bb}"] {
                    let _ = encoder.encode_pair("The cat is", " ", ending);
                    let _ = encoder.encode_pair("", "", ending);
                }
            }
            Err(error) => {
                prop_assert_eq!(error.exit_code(), 2);
                prop_assert!(error.to_string().contains("token"), "{}", error);
            }
        }
    }

    #[test]
    fn items(damage in damage(), changes in changes()) {
        let items = super::super::run::data(4);
        let text: String = items.iter().map(|item| format!("{item}\n")).collect();
        let bytes = overwritten(text.as_bytes(), 0, &damage);
        let odd = format!("{text}{}\n", damaged(items[0].clone(), &changes));
        for bytes in [&bytes[..], odd.as_bytes()] {
            if let Err(error) = parse_items(bytes, Path::new("d.jsonl")) {
                prop_assert!(error.to_string().starts_with("d.jsonl:"), "{}", error);
                prop_assert!(error.to_string().len() < 400, "{}", error);
            }
        }
    }

    /// The files of a run: what is read back is refused, or gives results that can be shown.
    #[test]
    fn run_folder(which in 0usize..4, changes in changes(), damage in damage(), bytes in any::<bool>()) {
        let work = Work::new();
        let items: Vec<_> = ["a", "b", "c"].map(|id| crate::results::item(id, "t", "base", 1)).into();
        let ids = || vec!["a".to_string(), "b".to_string(), "c".to_string()];
        let samples: Vec<_> = items.iter().map(|item| crate::results::scored(item, &[-1.5, -0.25])).collect();
        let mut store = Store::open(&work.path("o"), manifest(), ids(), false).unwrap();
        for (i, sample) in samples.iter().enumerate() {
            store.append(i, sample).unwrap();
        }
        store.record(Attempt { seconds: 1.0, tokens: Tokens { requests: 9, computed: 6, scored: 3 } }).unwrap();
        store.finish(&crate::results::results(&samples)).unwrap();
        drop(store);
        let name = ["o/manifest.json", "o/samples.jsonl", "o/attempts.json", "o/results.json"][which];
        if bytes {
            work.write(name, overwritten(&work.read(name), 0, &damage));
        } else if which == 1 {
            let mut lines: Vec<Value> = work.samples("o");
            lines[1] = damaged(lines[1].clone(), &changes);
            work.items(name, &lines);
        } else {
            work.write(name, damaged(work.json(name), &changes).to_string());
        }
        match Store::open(&work.path("o"), manifest(), ids(), false) {
            Err(error) => prop_assert_eq!(error.exit_code(), 2),
            Ok(store) => {
                let completed = store.completed();
                let Ok(samples) = store.samples() else { return Ok(()) };
                let mut all = vec![Results::new(manifest(), store.total(), &samples)];
                all.extend(completed.ok().flatten());
                for results in &all {
                    for format in [Format::Table, Format::Markdown, Format::Csv] {
                        prop_assert!(!render(results, format, &Style::default()).is_empty());
                    }
                }
                let _ = samples.iter().filter(|s| s.correct(Norm::Sum) == Some(true)).count();
            }
        }
    }
}
