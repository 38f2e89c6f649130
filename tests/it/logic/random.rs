//! Verdicts on random theories, their evidence checked apart.

use std::collections::BTreeMap;
use std::time::Duration;

use llscore::logic::{Limits, Verdict, prove};

use super::theories::{KINDS, theory};

#[test]
fn every_verdict_on_random_theories_has_its_evidence() {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for number in 0..400 {
        let t = theory(1, number);
        let limits = Limits { time: Duration::from_secs(2), unique_names: t.unique_names, ..Limits::default() };
        let answer = prove(&t.premises, &t.conclusion, &limits).expect("closed formulas");
        if let Err(bad) = answer.check(&t.premises, &t.conclusion) {
            let premises: Vec<String> = t.premises.iter().map(ToString::to_string).collect();
            panic!("theory {number} ({}): {bad}\n{}\n⊢ {}", t.kind, premises.join("\n"), t.conclusion);
        }
        *counts.entry(answer.verdict).or_default() += 1;
        *kinds.entry(t.kind).or_default() += 1;
    }
    assert_eq!(kinds.len(), KINDS.len(), "{kinds:?}");
    for verdict in [Verdict::Entailed, Verdict::Contradicted, Verdict::Unknown, Verdict::Inconsistent] {
        assert!(counts.get(&verdict).is_some_and(|&n| n >= 20), "{counts:?}");
    }
    assert!(counts.get(&Verdict::Undecided).is_none_or(|&n| n <= 20), "{counts:?}");
}
