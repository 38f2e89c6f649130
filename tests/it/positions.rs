//! Whether the fixtures would notice wrong positions: orders that change must move the numbers, and so must leaving out
//! what a model does with positions.

use candle_core::DType;
use llscore::engine::{Engine, EngineOptions, Request};
use llscore::logicmark::Draw;
use llscore::model::spec::{AttentionSpec, DecoderSpec};

use crate::reference::{cases, distance, requests, run};
use crate::support;

/// A hundred times the tolerance of the comparison with the reference.
const VISIBLE: f64 = 0.01;

/// In the longest sequence of every fixture. What a model reads just before a compared id stays in its place, so that it is
/// the order that moves the number, and not the id before it.
#[test]
fn another_order_of_the_context_moves_the_log_probabilities() {
    let mut report = Vec::new();
    let mut failed = false;
    for (name, path, expected) in &cases() {
        let engine = support::engine(path, EngineOptions::default()).unwrap();
        let ids = &expected.sequences.iter().max_by_key(|s| s.ids.len()).unwrap().ids;
        let n = ids.len();
        // Of each changed sequence, the first id to compare.
        let shuffled = |stream: u64| {
            let mut order = ids.clone();
            Draw::new(20, stream).shuffle(&mut order[..n - 2]);
            (order, n - 1)
        };
        let swapped = |at: usize| {
            let mut order = ids.clone();
            order.swap(at, at + 1);
            (order, at + 3)
        };
        // Up to eight pairs of unequal neighbours, spread over the middle half.
        let unequal: Vec<usize> = (n / 4..n * 3 / 4).filter(|&i| i + 3 < n && ids[i] != ids[i + 1]).collect();
        let swaps = unequal.iter().step_by(unequal.len().div_ceil(8).max(1)).map(|&at| swapped(at));
        let mut orders = vec![(ids.clone(), 1)];
        orders.extend((0..4).map(shuffled).chain(swaps));
        let requests: Vec<Request> = orders.iter().map(|(o, from)| Request::new(o.clone(), *from).unwrap()).collect();
        let (plan, scores) = run(&engine, &requests, &[engine.model().spec.layers.len()]);
        let logprobs = |i: usize| plan.slots[i].clone().map(|slot| scores.slot(slot)[0].logprob).collect::<Vec<f64>>();
        let original = logprobs(0);
        let moved = |i: usize| {
            let before = &original[orders[i].1 - 1..];
            logprobs(i).iter().zip(before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let shuffles = (1..5).map(moved).fold(0.0, f64::max);
        let swaps = (5..orders.len()).map(moved).fold(0.0, f64::max);
        failed |= shuffles.max(swaps).is_nan() || shuffles <= VISIBLE || swaps <= VISIBLE;
        report.push(format!("{name:34} {n:5} ids: shuffled {shuffles:.1e}, two neighbours swapped {swaps:.1e}"));
    }
    println!("{}", report.join("\n"));
    assert!(!failed, "see the list above; {VISIBLE} or more is expected");
}

/// A change of a spec; false where it has nothing to change.
type Omission = fn(&mut DecoderSpec, usize) -> bool;

fn in_attentions(spec: &mut DecoderSpec, change: impl Fn(&mut AttentionSpec) -> bool) -> bool {
    let mut any = false;
    spec.attentions_mut().for_each(|(_, attention)| any |= change(attention));
    any
}

/// What a model may do with positions, left out. `usize` is the length of the longest sequence.
const OMISSIONS: [(&str, Omission); 5] = [
    ("rotation", |spec, _| in_attentions(spec, |a| a.rope.take().is_some())),
    ("linear biases", |spec, _| in_attentions(spec, |a| a.alibi.take().is_some())),
    ("learned positions", |spec, _| spec.embedding.positions.take().is_some()),
    ("window", |spec, n| in_attentions(spec, |a| a.window.take().is_some_and(|w| w < n - 1))),
    ("last key of the window", |spec, n| {
        in_attentions(spec, |a| {
            let narrow = a.window.filter(|w| *w < n - 1);
            a.window = a.window.map(|w| w - usize::from(w > 1));
            narrow.is_some()
        })
    }),
];

/// Every fixture disagrees with the reference once a rule of positions that it has is left out.
#[test]
fn no_rule_of_positions_can_be_left_out() {
    let mut seen = [0; OMISSIONS.len()];
    for (name, path, expected) in &cases() {
        let longest = expected.sequences.iter().map(|s| s.ids.len()).max().unwrap();
        for (i, (what, omit)) in OMISSIONS.into_iter().enumerate() {
            let mut model = support::open_model(path, DType::F32).unwrap();
            if !omit(&mut model.spec, longest) {
                continue;
            }
            seen[i] += 1;
            let engine = Engine::new(model, EngineOptions::default(), &|_, _| ()).unwrap();
            let layers = engine.model().spec.layers.len();
            let (plan, scores) = run(&engine, &requests(expected), &(0..=layers).collect::<Vec<_>>());
            let worst = distance(expected, &plan, &scores, layers).any;
            println!("{name:34} without {what:22} {worst:.1e}");
            assert!(worst > VISIBLE, "{name}: without its {what} it differs from the reference by {worst:.1e} only");
        }
    }
    assert!(seen.iter().all(|n| *n > 5), "{seen:?} fixtures");
}
