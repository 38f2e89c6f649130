//! The sample record: its form, its picks, its guards; and the norms' names.

use llscore::results::{EndingScore, Norm, Sample, flag};
use proptest::prelude::*;

use super::{item, scored};

fn line(sample: &Sample) -> String {
    String::from_utf8(sample.to_line().unwrap()).unwrap()
}

fn ending(text: &str, logprob: f64, tokens: usize) -> EndingScore {
    EndingScore::new(text, logprob, tokens, false)
}

#[test]
fn a_line_has_the_documented_fields_in_their_order() {
    let mut item = item("kinship-000017/l2", "kinship", "l2", 3);
    (item.extra_hops, item.label) = (4, 1);
    let sample = scored(&item, &[-7.5, -2.25]);
    let expected = concat!(
        r#"{"id":"kinship-000017/l2","task":"kinship","group":"kinship-000017","variant":"l2","hops":3,"extra_hops":4,"#,
        r#""label":1,"context_tokens":7,"endings":[{"logprob":-7.5,"tokens":1,"chars":3,"bytes":3,"greedy":false},"#,
        r#"{"logprob":-2.25,"tokens":1,"chars":5,"bytes":6,"greedy":false}],"#,
        r#""choice":{"sum":1,"token":1,"char":1,"byte":1},"ties":[],"flags":[]}"#,
        "\n"
    );
    assert_eq!(line(&sample), expected);
    let failed = Sample::failed(&item, "too long", vec![flag::BOUNDARY_MERGE.into()]);
    let tail = r#""label":1,"ties":[],"flags":["boundary_merge"],"error":"too long"}"#;
    assert!(line(&failed).trim_end().ends_with(tail), "{}", line(&failed));
}

#[test]
fn pmi_and_token_logs_are_written_where_asked() {
    let item = item("a", "own", "base", 0);
    let endings = [("yes", -1.0, -2.0), ("naïve", -3.0, -6.0)].map(|(text, logprob, alone)| EndingScore {
        unconditional: Some(alone),
        ids: Some(vec![5]),
        logprobs: Some(vec![logprob]),
        ..ending(text, logprob, 1)
    });
    let mut sample = Sample::scored(&item, 2, endings.to_vec(), Vec::new());
    sample.context_ids = Some(vec![1, 2]);
    let text = line(&sample);
    assert!(text.contains(r#""greedy":false,"unconditional":-2.0,"ids":[5],"logprobs":[-1.0]}"#), "{text}");
    assert!(text.contains(
        r#""choice":{"sum":0,"token":0,"char":0,"byte":0,"pmi":1},"ties":[],"flags":[],"context_ids":[1,2]}"#
    ));
    assert_eq!(serde_json::from_str::<Sample>(&text).unwrap(), sample);
    assert_eq!(Norm::Pmi.score(&endings[1]), Some(3.0));
}

#[test]
fn equal_endings_tie_and_the_lowest_index_wins_wherever_the_label_is() {
    for label in [0, 1] {
        let mut item = item("a", "own", "base", 0);
        (item.endings, item.label) = (vec!["same".into(), "same".into()], label);
        let sample = scored(&item, &[-1.5, -1.5]);
        assert_eq!(sample.ties, Norm::LENGTHS);
        assert_eq!(Norm::LENGTHS.map(|norm| sample.correct(norm)), [Some(label == 0); 4]);
    }
}

#[test]
fn a_tie_is_told_per_norm() {
    let mut item = item("a", "own", "base", 0);
    item.endings = vec!["abcd".into(), "ab".into(), "é".into()];
    // Per token −1, −1, −0.5; per character −1, −0.5, −0.5; per byte −1, −0.5, −0.25.
    let endings = vec![ending("abcd", -4.0, 4), ending("ab", -1.0, 1), ending("é", -0.5, 1)];
    let sample = Sample::scored(&item, 3, endings, Vec::new());
    assert_eq!(sample.ties, [Norm::Char]);
    assert_eq!(Norm::LENGTHS.map(|norm| sample.choice.unwrap().get(norm).unwrap()), [2, 2, 1, 2]);
    assert!(line(&sample).contains(r#""ties":["char"]"#));
}

#[test]
fn what_cannot_be_ranked_is_a_failed_item_and_never_a_number() {
    let item = item("a", "own", "base", 0);
    let fine = || ending("yes", -1.0, 1);
    let with = |change: fn(&mut EndingScore)| {
        let mut bad = ending("naïve", -1.0, 1);
        change(&mut bad);
        Sample::scored(&item, 2, vec![fine(), bad], Vec::new())
    };
    let samples = [
        with(|e| e.logprob = f64::NAN),
        with(|e| e.logprob = f64::NEG_INFINITY),
        with(|e| e.unconditional = Some(f64::INFINITY)),
        with(|e| e.logprobs = Some(vec![f64::NAN])),
        with(|e| e.tokens = 0),
        with(|e| e.chars = 0),
    ];
    for sample in samples {
        let error = sample.error.clone().expect("an error");
        assert!(error.starts_with("ending 1 cannot be ranked: its") || error.ends_with("it is empty"), "{error}");
        assert!(sample.endings.is_none() && sample.choice.is_none() && !line(&sample).contains("null"));
    }
    assert!(Sample::scored(&item, 2, vec![fine()], Vec::new()).error.unwrap().contains("1 scores for 2 endings"));
}

#[test]
fn a_norm_is_known_by_its_name() {
    for norm in Norm::LENGTHS {
        assert_eq!(norm.to_string().parse::<Norm>(), Ok(norm));
        assert_eq!(serde_json::to_string(&norm).unwrap(), format!("\"{norm}\""));
    }
    assert_eq!("pmi".parse::<Norm>().unwrap_err(), "unknown norm `pmi`; one of sum, token, char, byte");
    let offered: Vec<_> = <Norm as clap::ValueEnum>::value_variants().to_vec();
    assert_eq!(offered, Norm::LENGTHS);
}

proptest! {
    /// The pick is a largest score, no lower index has it, and a tie is told exactly where another index has it.
    #[test]
    fn each_pick_is_the_first_largest(scores in prop::collection::vec((-4i32..0, 1usize..4, 1usize..5), 1..6)) {
        let mut item = item("a", "own", "base", 0);
        item.endings = scores.iter().map(|(_, _, chars)| "é".repeat(*chars)).collect();
        let endings: Vec<_> =
            item.endings.iter().zip(&scores).map(|(text, (lp, tokens, _))| ending(text, f64::from(*lp), *tokens)).collect();
        let sample = Sample::scored(&item, 1, endings.clone(), Vec::new());
        for norm in Norm::LENGTHS {
            let scores: Vec<f64> = endings.iter().map(|e| norm.score(e).unwrap()).collect();
            let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert_eq!(sample.choice.unwrap().get(norm), scores.iter().position(|s| *s == top));
            prop_assert_eq!(sample.ties.contains(&norm), scores.iter().filter(|s| **s == top).count() > 1);
        }
    }
}
