//! Auditing: what parses, which labels follow, and how rewordings stand to their bases. The verdict on each small theory here
//! is plain to see. All records are made for these tests.

mod pairs;
mod program;

use std::path::Path;

use llscore::audit::{Audit, Options, Outcome, Premises, Row, audit, markdown, sections};
use llscore::import::{Source, find, import};
use llscore::logic::{Formula, Model, Question};
use serde_json::{Value, json};

/// Audits one text as the file `set.jsonl`.
fn read(format: &str, text: &str, options: &Options) -> Option<Audit> {
    let source = Source::new(Path::new("set.jsonl"), text.as_bytes().to_vec());
    audit(format, &import(find(format).unwrap(), vec![source], None), options)
}

/// A FOLIO record. The words do not matter here, but there are as many premises as formulas.
fn folio(premises: &[&str], conclusion: Option<&str>, label: &str) -> Value {
    let words: Vec<String> = (0..premises.len()).map(|i| format!("Sentence {i} of {premises:?}.")).collect();
    let mut record =
        json!({"premises": words, "premises-FOL": premises, "conclusion": format!("{conclusion:?}"), "label": label});
    if let Some(conclusion) = conclusion {
        record["conclusion-FOL"] = json!(conclusion);
    }
    record
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

const RULE: &str = "∀x (Cat(x) → Purrs(x))";

/// One record of each class: a label that follows, one that is turned round, one that is open, one that is open and right,
/// premises that contradict each other, a formula that does not parse, and no formula for the conclusion.
fn classes() -> String {
    lines(&[
        folio(&[RULE, "Cat(tom)"], Some("Purrs(tom)"), "True"),
        folio(&[RULE, "¬Purrs(tom)"], Some("Cat(tom)"), "True"),
        folio(&[RULE, "Purrs(tom)"], Some("Cat(tom)"), "True"),
        folio(&[RULE, "Purrs(tom)"], Some("Cat(ann)"), "Uncertain"),
        folio(&[RULE, "Cat(tom)", "¬Purrs(tom)"], Some("Cat(tom)"), "True"),
        folio(&[RULE, "Cat(tom"], Some("Purrs(tom)"), "True"),
        folio(&[RULE, "Cat(tom)", "¬∃x Purrs(x)"], None, "False"),
    ])
}

fn row(audit: &Audit, at: usize) -> &Row {
    &audit.rows[at]
}

#[test]
fn labels_are_held_against_what_follows() {
    let found = read("folio", &classes(), &Options::default()).unwrap();
    let of: Vec<_> = found.rows.iter().map(|row| (row.verdict, row.agrees)).collect();
    let expected = [
        (Some(Outcome::Entailed), Some(true)),
        (Some(Outcome::Contradicted), Some(false)),
        (Some(Outcome::Unknown), Some(false)),
        (Some(Outcome::Unknown), Some(true)),
        // Everything follows from premises that contradict each other; that bears out no label.
        (Some(Outcome::Inconsistent), Some(false)),
        (Some(Outcome::Unparseable), None),
        (None, None),
    ];
    assert_eq!(of, expected);
    use Premises::{Consistent, Inconsistent, Unparseable};
    let consistency: Vec<_> = found.rows.iter().map(|row| row.consistency).collect();
    let sound = Consistent;
    assert_eq!(consistency, [sound, sound, sound, sound, Inconsistent, Unparseable, Inconsistent]);
    let wording = &found.summary.wordings[0];
    assert_eq!(found.summary.wordings.len(), 1);
    assert_eq!(wording.inconsistent, ["set-000004", "set-000006"]);
    let labels = wording.labels.as_ref().unwrap();
    assert_eq!((labels.rows, labels.agree, labels.disagree), (6, 2, 3));
    assert_eq!(labels.disagreeing, ["set-000001", "set-000002", "set-000004"]);
    let verdicts = &labels.table["True"];
    assert!(verdicts.values().all(|n| *n == 1) && verdicts.len() == 5, "{verdicts:?}");
    assert_eq!(labels.table["Uncertain"][&Outcome::Unknown], 1);
    assert!(!labels.table.contains_key("False"));
}

#[test]
fn sizes_of_the_smallest_models_are_told() {
    // Two things are needed where one purrs and one does not.
    let text = lines(&[
        folio(&["Purrs(tom)", "¬Purrs(ann)"], Some("Cat(tom)"), "Uncertain"),
        folio(&["Cat(tom)"], Some("∃x Cat(x)"), "True"),
    ]);
    let found = read("folio", &text, &Options::default()).unwrap();
    assert_eq!((row(&found, 0).model_true, row(&found, 0).model_false), (Some(2), Some(2)));
    assert_eq!((row(&found, 1).model_true, row(&found, 1).model_false), (Some(1), None));
}

#[test]
fn unique_names_are_an_option() {
    let text = folio(&["Owner(tom, ann)"], Some("¬tom = ann"), "True").to_string();
    let verdict = |unique_names| {
        let mut options = Options::default();
        options.limits.unique_names = unique_names;
        read("folio", &text, &options).unwrap().rows[0].verdict
    };
    assert_eq!((verdict(false), verdict(true)), (Some(Outcome::Unknown), Some(Outcome::Entailed)));
}

#[test]
fn defects_are_counted_by_kind_and_by_distinct_formula() {
    let broken = "∀x (Cat(x) → Purrs(x)";
    let text = lines(&[
        folio(&[broken, "Cat(tom)"], Some("Purrs(tom)"), "True"),
        folio(&[broken, "Cat(ann)"], Some("Purrs(ann) ∧"), "True"),
        folio(&["∀x Cat(x) → Purrs(x)", "Cat(ann)"], Some("Purrs(ann)"), "True"),
    ]);
    let found = read("folio", &text, &Options::default()).unwrap();
    let parsing = &found.summary.wordings[0].parsing;
    assert_eq!((parsing.rows, parsing.rows_parsed), (3, 1));
    assert_eq!((parsing.premises, parsing.premises_parsed), (6, 4));
    assert_eq!((parsing.conclusions, parsing.conclusions_parsed), (3, 2));
    assert_eq!((parsing.distinct, parsing.distinct_unparsed), (7, 2));
    let of: Vec<_> = parsing
        .defects
        .iter()
        .map(|d| (d.kind.as_str(), d.error, d.rows, d.premises, d.conclusions, d.distinct))
        .collect();
    let expected =
        [("unbalanced", true, 2, 2, 0, 1), ("missing-operand", true, 1, 0, 1, 1), ("free-variable", false, 1, 1, 0, 1)];
    assert_eq!(of, expected);
    let remark = &row(&found, 2).defects[0];
    assert_eq!((remark.index, remark.fault.column), (Some(0), 19));
}

#[test]
fn premises_that_say_nothing_or_cannot_hold_are_named() {
    let text = folio(&["Cat(tom) ∨ ¬Cat(tom)", "Cat(tom)", "∃x (Cat(x) ∧ ¬Cat(x))"], None, "True").to_string();
    let found = read("folio", &text, &Options::default()).unwrap();
    assert_eq!((&row(&found, 0).tautologies[..], &row(&found, 0).contradictions[..]), (&[0][..], &[2][..]));
    let wording = &found.summary.wordings[0];
    assert_eq!((wording.tautologies, wording.contradictions), (1, 1));
}

#[test]
fn truth_constants_are_no_symbols_unless_asked_for() {
    let text = folio(&["Cat(tom) → ⊥"], Some("Cat(tom)"), "False").to_string();
    let plain = read("folio", &text, &Options::default()).unwrap();
    assert_eq!(plain.rows[0].verdict, Some(Outcome::Unparseable));
    let remark = &plain.rows[0].defects[0];
    assert_eq!((remark.fault.kind.name().as_str(), remark.fault.column), ("bad-token", 12));
    let options = Options { truth_constants: true, ..Options::default() };
    assert_eq!(read("folio", &text, &options).unwrap().rows[0].verdict, Some(Outcome::Contradicted));
}

#[test]
fn the_evidence_can_be_checked_from_the_report_alone() {
    let options = Options { evidence: true, ..Options::default() };
    let found = read("folio", &classes(), &options).unwrap();
    let mut models = 0;
    for row in &found.rows {
        let evidence = row.evidence.as_ref().unwrap();
        let premises: Vec<String> = serde_json::from_value(evidence["formulas"]["premises"].clone()).unwrap();
        let conclusion = evidence["formulas"]["conclusion"].as_str();
        let Ok(question) = Question::parse(&premises, conclusion, None) else { continue };
        for (name, wanted) in [("model_true", true), ("model_false", false)] {
            let Some(model) = evidence["shown"].get(name) else { continue };
            let model = Model::from_json(model).unwrap();
            assert!(question.premises.iter().all(|premise| model.holds(premise).unwrap()));
            let holds = |conclusion: &Formula| model.holds(conclusion).unwrap();
            assert_eq!(question.conclusion.as_ref().map(holds), Some(wanted));
            models += 1;
        }
        let refutable = matches!(row.verdict, Some(Outcome::Entailed | Outcome::Contradicted | Outcome::Inconsistent));
        let shown = &evidence["shown"]["refutation"];
        assert_eq!(refutable || row.consistency == Premises::Inconsistent, shown["instances"].is_array(), "{}", row.id);
    }
    // One model for what follows, two for what is open.
    assert_eq!(models, 1 + 1 + 2 + 2);
    assert!(read("folio", &classes(), &Options::default()).unwrap().rows.iter().all(|row| row.evidence.is_none()));
}

#[test]
fn nothing_is_audited_where_nothing_has_formulas() {
    let text = r#"{"ctx": "c", "endings": ["a", "b"], "label": 0}"#;
    assert!(read("hellaswag", text, &Options::default()).is_none());
    let mut without = folio(&[RULE], None, "True");
    without["premises-FOL"] = json!(3);
    let both = lines(&[without.clone(), folio(&[RULE], Some("Cat(tom)"), "Unknown")]);
    assert!(read("folio", &without.to_string(), &Options::default()).is_none());
    let found = read("folio", &both, &Options::default()).unwrap();
    assert_eq!((found.rows.len(), found.summary.items, found.summary.without_formulas), (1, 2, 1));
}

#[test]
fn the_largest_share_comes_first_and_a_clean_set_says_so() {
    let found = read("folio", &classes(), &Options::default()).unwrap();
    let worst = &sections(&found)[0];
    let shares: Vec<_> = worst.rows.iter().map(|row| (row[1].as_str(), row[2].as_str())).collect();
    // 3 of 5 labels, 2 of 6 premise sets, 1 of 7 items.
    assert_eq!(shares, [("3", "5"), ("2", "6"), ("1", "7")]);
    let clean = folio(&[RULE, "Cat(tom)"], Some("Purrs(tom)"), "True").to_string();
    let worst = &sections(&read("folio", &clean, &Options::default()).unwrap())[0];
    assert!(worst.rows.is_empty() && worst.notes[0].starts_with("Nothing"), "{worst:?}");
}

#[test]
fn a_name_from_the_data_draws_no_table() {
    let mut record = folio(&[RULE], Some("Cat(tom)"), "True");
    record["label"] = json!("True");
    let source = Source::new(Path::new("a|b.jsonl"), record.to_string().into_bytes());
    let found = audit("folio", &import(find("folio").unwrap(), vec![source], None), &Options::default()).unwrap();
    let text = markdown(&found);
    assert!(text.contains(r"| a\|b-000000 | 0 | True | unknown |"), "{text}");
}
