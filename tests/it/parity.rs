//! The engine against transformers: every token log-probability and every layer of the committed checkpoints.

use candle_core::DType;
use llscore::engine::{Engine, EngineOptions, Plan, Request, Scores, WeightsMode};

use crate::reference::{Expected, cases, distance, requests, run};
use crate::support;

/// The largest difference from the reference over all positions and layers, and the number of wrong `greedy` marks.
fn difference(expected: &Expected, plan: &Plan, scores: &Scores, layers: usize) -> (f64, usize) {
    let distance = distance(expected, plan, scores, layers);
    (distance.any, distance.wrong)
}

/// In f32, whatever the budget, weights mode and number of threads.
#[test]
fn every_log_probability_of_every_layer_equals_the_reference() {
    let cases = cases();
    let mut report = Vec::new();
    let mut failed = false;
    for (name, path, expected) in &cases {
        for (token_budget, weights, threads) in [
            (64, WeightsMode::Resident, 1),
            (64, WeightsMode::Stream, 2),
            (16_384, WeightsMode::Resident, 2),
            (16_384, WeightsMode::Stream, 1),
        ] {
            let options =
                EngineOptions { threads: Some(threads), weights: Some(weights), token_budget: Some(token_budget) };
            let engine = match support::engine(path, options) {
                Ok(engine) => engine,
                Err(e) => {
                    report.push(format!("{name}: {e}"));
                    failed = true;
                    break;
                }
            };
            let layers = engine.model().spec.layers.len();
            assert_eq!(engine.model().spec.model_type, expected.model_type, "{name}");
            let taps: Vec<usize> = (0..=layers).collect();
            let (plan, scores) = run(&engine, &requests(expected), &taps);
            let (worst, wrong) = difference(expected, &plan, &scores, layers);
            failed |= worst > 1e-4 || wrong > 0;
            report.push(format!(
                "{name:34} budget {token_budget:5} {weights:?} threads {threads}: {worst:.2e}, {wrong} wrong"
            ));
        }
    }
    println!("{}", report.join("\n"));
    assert!(cases.len() > 40, "only {} cases found", cases.len());
    assert!(!failed, "see the list above");
}

/// Each sequence alone, each among all others, in any order: the same bits.
#[test]
fn a_score_has_the_same_bits_alone_and_in_any_company() {
    for (name, path, expected) in &cases() {
        let Ok(engine) = support::engine(path, EngineOptions { token_budget: Some(4096), ..EngineOptions::default() })
        else {
            continue;
        };
        let small = EngineOptions { threads: Some(1), token_budget: Some(40), weights: Some(WeightsMode::Stream) };
        let small = support::engine(path, small).unwrap();
        let taps = [engine.model().spec.layers.len()];
        let all = requests(expected);
        let (plan, together) = run(&engine, &all, &taps);
        let reversed: Vec<Request> = all.iter().rev().cloned().collect();
        let (reversed_plan, backwards) = run(&small, &reversed, &taps);
        for (i, request) in all.iter().enumerate() {
            let (alone_plan, alone) = run(&engine, std::slice::from_ref(request), &taps);
            let bits = |scores: &Scores, slots: std::ops::Range<usize>| -> Vec<u64> {
                slots.map(|s| scores.slot(s)[0].logprob.to_bits()).collect()
            };
            let want = bits(&together, plan.slots[i].clone());
            assert_eq!(bits(&alone, alone_plan.slots[0].clone()), want, "{name}, sequence {i} alone");
            let from_the_back = reversed_plan.slots[all.len() - 1 - i].clone();
            assert_eq!(
                bits(&backwards, from_the_back),
                want,
                "{name}, sequence {i} in reverse order, small packs, streamed"
            );
        }
    }
}

/// The tensor operations that serve other devices, run in f64 on the CPU: an independent path to the same numbers.
#[test]
fn tensor_operations_agree_with_the_kernels() {
    for (name, path, expected) in &cases() {
        let Ok(model) = support::open_model(path, DType::F64) else { continue };
        let engine = Engine::new(model, EngineOptions::default(), &|_, _| ()).unwrap();
        let layers = engine.model().spec.layers.len();
        let taps: Vec<usize> = (0..=layers).collect();
        let (plan, scores) = run(&engine, &requests(expected), &taps);
        let (worst, _) = difference(expected, &plan, &scores, layers);
        assert!(worst < 1e-4, "{name}: {worst:.2e}");
    }
}

/// In half precision every family runs through tensor operations and stays near the reference; how near is the number
/// format's affair, so only the middle of the differences is held to a bound.
#[test]
fn half_precision_runs_everywhere_and_stays_near() {
    for (name, path, expected) in &cases() {
        for (dtype, bound) in [(DType::F16, 0.01), (DType::BF16, 0.1)] {
            let Ok(model) = support::open_model(path, dtype) else { continue };
            let engine = Engine::new(model, EngineOptions::default(), &|_, _| ()).unwrap();
            let taps = [engine.model().spec.layers.len()];
            let (plan, scores) = run(&engine, &requests(expected), &taps);
            let mut differences = Vec::new();
            for (sequence, slots) in expected.sequences.iter().zip(&plan.slots) {
                for (want, slot) in sequence.logprobs.iter().zip(slots.clone()) {
                    differences.push((scores.slot(slot)[0].logprob - want).abs());
                }
            }
            differences.sort_by(f64::total_cmp);
            let middle = differences[differences.len() / 2];
            println!("{name:34} {dtype:?}: {middle:.1e} {:.1e}", differences.last().unwrap());
            assert!(middle < bound, "{name} in {dtype:?}: {middle}");
        }
    }
}
