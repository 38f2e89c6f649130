//! The hot parts of a run, on SmolLM2-135M's shapes, and a whole run on the model that ships.
//!
//! `cargo bench` prints throughput in floating-point operations (products) or tokens a second; compare ratios within one
//! run, since machines are noisy.

mod random_model;

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use llscore::engine::{Engine, EngineOptions, Model, Plan, Request, WeightsMode};
use llscore::item::{Item, read_items};
use llscore::model::kernels::attention::{FusedRows, HeadShape, KeyBlock, attend};
use llscore::model::kernels::gemm::{View, matmul_into};
use llscore::model::source::{SourceOptions, resolve};
use llscore::prompt::Prompter;
use llscore::score::{Job, Preparer, ScoreOptions};
use llscore::tokenize::{EncodeOptions, TextEncoder};

/// Items with contexts of 75 tokens and four endings of 9, of which some share nothing but the first token.
fn requests(items: u32, prefix: u32) -> Vec<Request> {
    let id = |n: u32| n.wrapping_mul(2_654_435_761) % 49_000;
    (0..items)
        .flat_map(|i| {
            (0..4).map(move |e| {
                let shared = (0..prefix).map(id);
                let context = (0..75).map(move |p| id(1000 + i * 100 + p));
                let ending = (0..9).map(move |p| id(500_000 + (i * 4 + e) * 10 + p));
                let ids: Vec<u32> = shared.chain(context).chain(ending).collect();
                Request::new(ids, (prefix + 75) as usize).expect("an ending")
            })
        })
        .collect()
}

fn products(c: &mut Criterion) {
    let mut group = c.benchmark_group("product, one thread");
    for (name, k, n) in [("qkv", 576, 960), ("gate and up", 576, 3072), ("down", 1536, 576)] {
        let rows = 512;
        let (x, w) = (vec![0.5f32; rows * k], vec![0.25f32; n * k]);
        let mut out = vec![0f32; rows * n];
        group.throughput(Throughput::Elements((2 * rows * k * n) as u64));
        group.bench_function(name, |b| {
            b.iter(|| matmul_into(&mut out, n, false, View::new(&x, rows, k, k), View::new(&w, n, k, k).t()));
        });
    }
    group.finish();
}

fn attention(c: &mut Criterion) {
    let shape = HeadShape {
        heads: 9,
        kv_heads: 3,
        head_dim: 64,
        value_dim: 64,
        scale: 0.125,
        window: None,
        softcap: None,
        alibi: None,
        sinks: None,
    };
    let (rows, width) = (512usize, 15 * 64);
    let fused: Vec<f32> = (0..rows * width).map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.5).collect();
    let plan = Plan::new(&[Request::new(vec![1; rows + 1], 1).expect("an ending")], rows);
    let layout = &plan.packs[0].layout;
    let blocks: Vec<&KeyBlock> = layout.key_blocks.iter().collect();
    let mut group = c.benchmark_group("attention, one thread");
    group.throughput(Throughput::Elements((rows * rows / 2 * 9 * 64 * 4) as u64));
    group.bench_function("512 causal rows", |b| {
        b.iter(|| {
            attend(0..rows, &blocks, FusedRows { blocks: &[&fused], block: rows, width }, &layout.positions, shape)
        });
    });
    group.finish();
}

fn trie(c: &mut Criterion) {
    let mut group = c.benchmark_group("trie and packs");
    for (name, prefix) in [("zero-shot", 0), ("five-shot", 600)] {
        let requests = requests(500, prefix);
        group.throughput(Throughput::Elements(requests.iter().map(|r| r.inputs().len() as u64).sum()));
        group.bench_function(name, |b| b.iter(|| Plan::new(black_box(&requests), 16_384)));
    }
    group.finish();
}

fn forward(c: &mut Criterion) {
    let mut group = c.benchmark_group("forward, all threads");
    group.sample_size(10);
    let requests = requests(30, 0);
    for (name, layers, taps) in [("two layers", 2, false), ("two layers and head", 2, true)] {
        let options = EngineOptions { weights: Some(WeightsMode::Resident), ..EngineOptions::default() };
        let engine = Engine::new(random_model::smollm2(layers), options, &|_, _| ()).expect("weights");
        let plan = engine.plan(&requests);
        let head = if taps { plan.scored() * 2 * 576 * 49_152 } else { 0 };
        group.throughput(Throughput::Elements((plan.computed() * engine.model().spec.flops_per_token() + head) as u64));
        let taps: Vec<usize> = if taps { vec![layers] } else { Vec::new() };
        group.bench_function(BenchmarkId::new(name, plan.computed()), |b| {
            b.iter(|| engine.run(&plan, &taps, &mut |_, _| Ok(())).expect("finite"));
        });
    }
    group.finish();
}

fn whole_run(c: &mut Criterion) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("models/tiny-logic");
    let open = || -> llscore::Result<(Model, TextEncoder, Vec<Item>)> {
        let files = resolve(&folder.to_string_lossy(), &SourceOptions::default(), &())?;
        let model = Model::open(&files, candle_core::Device::Cpu, candle_core::DType::F32)?;
        let encoder = TextEncoder::load(&folder, EncodeOptions::default())?;
        Ok((model, encoder, read_items(&root.join("data/logicmark-v1/chain.jsonl"))?))
    };
    let (model, encoder, items) = open().expect("the model and the data that ship");
    let items: Vec<&Item> = items.iter().step_by(8).collect();
    let prompter = Prompter::default();
    let preparer =
        Preparer { encoder: &encoder, prompter: &prompter, vocab: model.spec.vocab, options: ScoreOptions::default() };
    let job = Job::new(&items, &preparer, &model, None);
    let engine = Engine::new(model, EngineOptions::default(), &|_, _| ()).expect("weights");
    let mut group = c.benchmark_group("whole run, tiny-logic");
    group.sample_size(10);
    group.throughput(Throughput::Elements(job.cost().computed as u64));
    group.bench_function("100 items of chain", |b| {
        b.iter(|| {
            let job = Job::new(&items, &preparer, engine.model(), None);
            job.run(&engine, &mut |_, _| Ok(()), &mut |_| Ok(())).expect("finite");
        });
    });
    group.finish();
}

criterion_group!(benches, products, attention, trie, forward, whole_run);
criterion_main!(benches);
