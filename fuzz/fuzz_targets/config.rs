//! A config.json to a description of the decoder, and all that is worked out from the description alone.
//!
//! Mutations keep to JSON mostly: a value is replaced, removed or moved, or a key that some family knows is added.
#![no_main]

use std::path::Path;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use llscore::engine::memory;
use llscore::model::arch::spec_from_config;
use llscore::model::config::Config;
use serde_json::{Map, Value, json};

fuzz_target!(|text: &str| {
    let Ok(config) = Config::parse(Path::new("config.json"), text) else { return };
    match spec_from_config(&config) {
        Ok(spec) => {
            let _ = memory::need(&spec, 4, memory::budget(&spec, 4, true, 0));
            let _ = (spec.tensors().len(), spec.parameters());
            if spec.layers.len() < 100 {
                let _ = spec.digest();
            }
            let ropes = spec.layers.iter().take(8).filter_map(|l| l.attention()?.rope.as_ref());
            for rope in ropes {
                let _ = [1, 2, 1000, 1_000_000].map(|n| (rope.length_class(n), rope.frequencies_at(n).len()));
            }
        }
        Err(e) => assert!(e.exit_code() == 2 && e.to_string().contains("config.json"), "{e}"),
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut random = Random(u64::from(seed) | 1 << 40);
    let parsed = serde_json::from_slice::<Map<String, Value>>(&data[..size]);
    let (Ok(mut config), true) = (parsed, random.below(16) > 0) else {
        return fuzzer_mutate(data, size, max_size);
    };
    for _ in 0..=random.below(3) {
        change(&mut config, &mut random);
    }
    let text = Value::Object(config).to_string();
    if text.len() > max_size {
        return size;
    }
    data[..text.len()].copy_from_slice(text.as_bytes());
    text.len()
});

/// Numbers as by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }
}

/// The keys that families know, as the dictionary has them.
fn keys() -> Vec<&'static str> {
    include_str!("../config.dict").lines().filter_map(|l| l.strip_prefix("\"\\\"")?.strip_suffix("\\\"\"")).collect()
}

fn change(object: &mut Map<String, Value>, random: &mut Random) {
    let names: Vec<String> = object.keys().cloned().collect();
    let keys = keys();
    if names.is_empty() || random.below(6) == 0 {
        object.insert(keys[random.below(keys.len())].to_string(), value(random, &keys));
        return;
    }
    let name = &names[random.below(names.len())];
    match (random.below(8), &mut object[name]) {
        (0, _) => drop(object.remove(name)),
        (1..6, Value::Object(inner)) => change(inner, random),
        (1..6, Value::Array(list)) if !list.is_empty() => {
            let at = random.below(list.len());
            match random.below(4) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                _ => list[at] = value(random, &keys),
            }
        }
        (6, _) => {
            let other = object[&names[random.below(names.len())]].clone();
            object[name] = other;
        }
        (_, old) => *old = value(random, &keys),
    }
}

fn value(random: &mut Random, keys: &[&str]) -> Value {
    match random.below(10) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(keys[random.below(keys.len())]),
        3 => json!([]),
        4 => json!({keys[random.below(keys.len())]: random.below(5)}),
        5 => json!(random.below(40)),
        6 => json!(1_u64 << random.below(64)),
        7 => json!((1_u64 << random.below(64)) - 1),
        8 => json!([-1.0, 0.5, 1e-300, 1e300, -0.0, 1e19, 0.999][random.below(7)]),
        _ => json!(-(random.below(5) as i64)),
    }
}
