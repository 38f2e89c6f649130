//! Metrics against an independent computation (`scripts/make_metrics_fixture.py`, numpy and scipy) and against laws.

use std::path::PathBuf;

use llscore::item::Item;
use llscore::results::stats::{brier, mcnemar_exact, stderr_of_rate};
use llscore::results::{EndingScore, Metrics, Norm, Robustness, Sample, samples};
use proptest::prelude::*;
use serde_json::Value;

use super::{item, scored};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/metrics").join(name)
}

fn expected() -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture("expected.json")).unwrap()).unwrap()
}

/// Same keys in the same order, same numbers to `tolerance`, relative.
fn assert_same(path: &str, got: &Value, want: &Value, tolerance: f64) {
    match (got, want) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{path}: {:?} {:?}", a.keys(), b.keys());
            a.iter().for_each(|(key, value)| assert_same(&format!("{path}.{key}"), value, &b[key], tolerance));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            a.iter().zip(b).for_each(|(a, b)| assert_same(path, a, b, tolerance));
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= tolerance * b.abs(), "{path}: {a} {b}");
        }
        _ => assert_eq!(got, want, "{path}"),
    }
}

/// The sample of one line of `items.jsonl`.
fn rebuilt(line: &str) -> Sample {
    let measured: Value = serde_json::from_str(line).unwrap();
    let item: Item = serde_json::from_value(measured["item"].clone()).unwrap();
    let flags: Vec<String> = serde_json::from_value(measured["flags"].clone()).unwrap();
    if let Some(error) = measured["error"].as_str() {
        return Sample::failed(&item, error, flags);
    }
    let Some(endings) = measured["endings"].as_array() else { return Sample::skipped(&item) };
    let endings = endings.iter().map(|e| EndingScore {
        unconditional: e["unconditional"].as_f64(),
        ..EndingScore::new(
            e["text"].as_str().unwrap(),
            e["logprob"].as_f64().unwrap(),
            e["tokens"].as_u64().unwrap() as usize,
            e["greedy"].as_bool().unwrap(),
        )
    });
    Sample::scored(&item, 7, endings.collect(), flags)
}

#[test]
fn samples_equal_those_of_numpy_byte_for_byte() {
    let items = std::fs::read_to_string(fixture("items.jsonl")).unwrap();
    let got: Vec<u8> = items.lines().flat_map(|line| rebuilt(line).to_line().unwrap()).collect();
    assert_eq!(String::from_utf8(got).unwrap(), std::fs::read_to_string(fixture("samples.jsonl")).unwrap());
}

#[test]
fn metrics_equal_those_of_numpy() {
    let samples = samples(&fixture("samples.jsonl")).unwrap();
    let got = serde_json::to_value(Metrics::of(&samples, Norm::Char)).unwrap();
    assert_same("metrics", &got, &expected()["metrics"], 1e-12);
}

#[test]
fn robustness_equals_that_of_numpy() {
    let samples = samples(&fixture("samples.jsonl")).unwrap();
    let got = serde_json::to_value(Robustness::of(&samples, Norm::Char)).unwrap();
    assert_same("robustness", &got, &expected()["robustness"], 1e-12);
    assert_eq!(serde_json::from_value::<Robustness>(got).unwrap(), Robustness::of(&samples, Norm::Char));
}

#[test]
fn mcnemar_equals_scipys_binomial_test_up_to_thousands_of_pairs() {
    for case in expected()["mcnemar"].as_array().unwrap() {
        let (b, c, p) = (case[0].as_u64().unwrap(), case[1].as_u64().unwrap(), case[2].as_f64().unwrap());
        let got = mcnemar_exact(b, c);
        assert!((got - p).abs() <= 1e-10 * p, "{b} {c}: {got} {p}");
    }
}

#[test]
fn small_cases_by_hand() {
    // 3 right of 4: sd of {1,1,1,0} is 0.5, over √4.
    assert_eq!(stderr_of_rate(3, 4), Some(0.25));
    assert_eq!((stderr_of_rate(1, 1), stderr_of_rate(0, 0)), (None, None));
    // Halves: (½ − 1)² + ½².
    assert_eq!(brier([-9000.0, -9000.0].into_iter(), 0), 0.5);
    assert_eq!(brier([-1e6, 0.0].into_iter(), 0), 2.0);
    assert_eq!(mcnemar_exact(0, 3), 0.25);
    assert_eq!(mcnemar_exact(0, 1_000_000), 0.0);
}

#[test]
fn nothing_scored_means_no_rates() {
    let item = item("a", "own", "base", 0);
    let m = Metrics::of(&[Sample::failed(&item, "no", Vec::new()), Sample::skipped(&item)], Norm::Char).overall;
    assert_eq!((m.n, m.errors, m.skipped, m.acc, m.chance, m.brier), (0, 1, 1, None, None, None));
    assert!(serde_json::to_string(&m).unwrap().contains(r#""acc":null,"acc_stderr":null"#));
}

#[test]
fn one_overlong_item_among_ten_leaves_a_denominator_of_nine() {
    let mut samples: Vec<_> = (0..9).map(|i| scored(&item(&format!("{i}"), "own", "base", 0), &[-1.0, -2.0])).collect();
    samples.insert(4, Sample::skipped(&item("long", "own", "base", 0)));
    let m = Metrics::of(&samples, Norm::Char).overall;
    assert_eq!((m.n, m.skipped, m.errors, m.acc), (9, 1, 0, Some(1.0)));
}

#[test]
fn a_base_that_is_never_right_has_no_drop() {
    let pair = [("q/base", "base", [-2.0, -1.0]), ("q/l1", "l1", [-1.0, -9.0])];
    let samples: Vec<_> = pair.iter().map(|(id, variant, lps)| scored(&item(id, "own", variant, 1), lps)).collect();
    let robustness = Robustness::of(&samples, Norm::Sum);
    let pairing = &robustness.tasks["own"]["l1"];
    assert_eq!((pairing.pairs, pairing.base_acc, pairing.acc, pairing.drop), (1, 0.0, 1.0, None));
    assert_eq!(robustness.average, None);
}

#[test]
fn groups_meet_only_within_a_task() {
    let samples = [
        scored(&item("q/base", "one", "base", 1), &[-1.0, -2.0]),
        scored(&item("q/l1", "two", "l1", 1), &[-1.0, -2.0]),
    ];
    assert!(Robustness::of(&samples, Norm::Sum).tasks.is_empty());
}

fn any_samples() -> impl Strategy<Value = Vec<Sample>> {
    let one = (0usize..6, 0usize..2, 0usize..3, 0u32..3, -8i32..0, -8i32..0, 0usize..10);
    prop::collection::vec(one, 0..40).prop_map(|rows| {
        let sample = |(group, task, variant, hops, a, b, fate): (usize, usize, usize, u32, i32, i32, usize)| {
            let variant = ["base", "l1", "l2"][variant];
            let item = item(&format!("{group}/{variant}"), ["one", "two"][task], variant, hops);
            match fate {
                0 => Sample::failed(&item, "no", Vec::new()),
                1 => Sample::skipped(&item),
                _ => scored(&item, &[f64::from(a), f64::from(b)]),
            }
        };
        rows.into_iter().map(sample).collect()
    })
}

proptest! {
    #[test]
    fn order_does_not_matter(samples in any_samples(), seed in any::<prop::sample::Index>()) {
        let mut other = samples.clone();
        if !other.is_empty() {
            let middle = seed.index(other.len());
            other.rotate_left(middle);
            other[middle..].reverse();
        }
        let value = |samples: &[Sample]| serde_json::to_value(Metrics::of(samples, Norm::Byte)).unwrap();
        assert_same("metrics", &value(&other), &value(&samples), 1e-14);
    }

    #[test]
    fn parts_add_up_and_rates_are_bounded(samples in any_samples()) {
        let metrics = Metrics::of(&samples, Norm::Token);
        let m = &metrics.overall;
        prop_assert_eq!(m.n + m.errors + m.skipped, samples.len());
        prop_assert_eq!(metrics.by_task.values().map(|m| m.n).sum::<usize>(), m.n);
        let leaves = metrics.by_variant_hops.values().flat_map(|v| v.values()).flat_map(|h| h.values());
        prop_assert_eq!(leaves.map(|m| m.n).sum::<usize>(), m.n);
        for rate in [m.acc, m.acc_norm, m.acc_token, m.acc_char, m.acc_byte, m.chance].into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&rate));
        }
        prop_assert!(m.brier.is_none_or(|b| (0.0..=2.0).contains(&b)));
        prop_assert!(m.acc_stderr.is_none_or(|s| (0.0..=0.71).contains(&s)));
        for pairing in Robustness::of(&samples, Norm::Token).tasks.values().flat_map(|v| v.values()) {
            prop_assert!(pairing.consistent <= pairing.base_acc.min(pairing.acc));
            prop_assert!((0.0..=1.0).contains(&pairing.mcnemar_p));
        }
    }

    #[test]
    fn mcnemar_is_symmetric_and_falls_as_the_split_grows_uneven(b in 0u64..3000, c in 0u64..3000) {
        prop_assert_eq!(mcnemar_exact(b, c), mcnemar_exact(c, b));
        let (few, many) = (b.min(c), b.max(c));
        if few > 0 {
            prop_assert!(mcnemar_exact(few - 1, many + 1) <= mcnemar_exact(few, many));
        }
    }
}
