//! Rewordings against their bases.

use llscore::audit::{Audit, Effect, Link, Options, Outcome};

use super::read;

/// A LogiQAte file of entailment puzzles: for each, premises, reworded premises and label; the conclusion is `Q(a)`.
fn file(puzzles: &[(&[&str], &[&str], &str)]) -> String {
    let list = |formulas: &[&str]| {
        let quoted: Vec<String> = formulas.iter().map(|f| format!("'{f}'")).collect();
        format!("\"[{}]\"", quoted.join(", "))
    };
    let words = |name: &str, row: usize, n: usize| {
        let sentences: Vec<String> = (0..n).map(|i| format!("'{name} {row} {i}.'")).collect();
        format!("\"[{}]\"", sentences.join(", "))
    };
    let mut text = String::from(
        "input_index,premises_nl,premises_fol,conclusion_nl,conclusion_fol,original_label,obf_premises_nl,\
         obf_premises_fol,obf_conclusion_nl,obf_conclusion_fol,obf_label\n",
    );
    for (row, (base, other, label)) in puzzles.iter().enumerate() {
        let (a, b) = (words("Base", row, base.len()), words("Other", row, other.len()));
        let (base, other) = (list(base), list(other));
        text.push_str(&format!("{row},{a},{base},C.,Q(a),{label},{b},{other},C.,Q(a),{label}\n"));
    }
    text
}

fn audit(puzzles: &[(&[&str], &[&str], &str)]) -> Audit {
    read("logiqate", &file(puzzles), &Options::default()).unwrap()
}

const RULE: &str = "∀x (P(x) → Q(x))";

#[test]
fn premises_are_compared_place_by_place_and_theories_as_wholes() {
    let found = audit(&[
        // Contraposition says the same.
        (&[RULE, "P(a)"], &["∀x (¬Q(x) → ¬P(x))", "P(a)"], "TRUE"),
        // Exchanged premises: unrelated one by one, the same together.
        (&[RULE, "P(a)"], &["P(a)", RULE], "TRUE"),
        (&["P(a)"], &["P(a) ∨ Q(a)"], "TRUE"),
        (&["P(a)"], &["P(a) ∧ Q(a)"], "TRUE"),
        (&["P(a)"], &["P(b)"], "TRUE"),
        (&["P(a)"], &["P(a"], "TRUE"),
        (&["P(a)", "P(b)"], &["P(a) ∧ P(b)"], "TRUE"),
    ]);
    use Link::{Equivalent, Stronger, Unparseable, Unrelated, Weaker};
    let of: Vec<_> = found.pairs.iter().map(|pair| (pair.pairs.clone(), pair.theory)).collect();
    let expected = [
        (Some(vec![Equivalent, Equivalent]), Equivalent),
        (Some(vec![Unrelated, Unrelated]), Equivalent),
        (Some(vec![Weaker]), Weaker),
        (Some(vec![Stronger]), Stronger),
        (Some(vec![Unrelated]), Unrelated),
        (Some(vec![Unparseable]), Unparseable),
        (None, Equivalent),
    ];
    assert_eq!(of, expected);
    let summary = &found.summary.pairs[0];
    assert_eq!((summary.variant.as_str(), summary.rows, summary.other_number), ("obfuscated", 7, 1));
    let count = |link| (summary.premises.get(&link).copied(), summary.theories.get(&link).copied());
    assert_eq!(count(Equivalent), (Some(2), Some(3)));
    assert_eq!(count(Unrelated), (Some(3), Some(1)));
    assert_eq!(count(Unparseable), (Some(1), Some(1)));
    assert!(found.pairs.iter().all(|pair| pair.conclusion == Some(Equivalent)));
    // What tells two theories apart is a model of one in which the other fails: none where it follows.
    let models: Vec<_> = found.pairs.iter().map(|pair| pair.theory_models.map(|size| size.is_some())).collect();
    assert_eq!(models[..5], [[false, false], [false, false], [false, true], [true, false], [true, true]]);
}

#[test]
fn exchanging_base_and_rewording_exchanges_weaker_and_stronger() {
    let theories: [&[&str]; 5] =
        [&[RULE, "P(a)"], &["Q(a)", "P(a)"], &["∃x Q(x)", "P(a)"], &["¬Q(b)", RULE], &["P(a)", "¬P(a)"]];
    let mirror = |link| match link {
        Link::Weaker => Link::Stronger,
        Link::Stronger => Link::Weaker,
        other => other,
    };
    for one in theories {
        for two in theories {
            let found = audit(&[(one, two, "TRUE"), (two, one, "TRUE")]);
            let [there, back] = &found.pairs[..] else { panic!("two pairs") };
            assert_eq!(there.theory, mirror(back.theory), "{one:?} {two:?}");
            let mirrored = back.pairs.clone().map(|links| links.into_iter().map(mirror).collect::<Vec<_>>());
            assert_eq!(there.pairs, mirrored, "{one:?} {two:?}");
            assert_eq!(there.theory == Link::Equivalent, one == two, "{one:?} {two:?}");
        }
    }
}

#[test]
fn effects_on_the_label() {
    let base: &[&str] = &[RULE, "P(a)"];
    let found = audit(&[
        (base, &["∀x (¬P(x) ∨ Q(x))", "P(a)"], "TRUE"),
        (base, &["∀x (P(x) ∨ Q(x))", "P(a)"], "TRUE"),
        (base, &["∀x (P(x) → ¬Q(x))", "P(a)"], "TRUE"),
        (base, &["∀x (P(x) ∧ ¬P(x))", "P(a)"], "TRUE"),
        (base, &["∀x (P(x) → Q(x)", "P(a)"], "TRUE"),
    ]);
    let of: Vec<_> = found.pairs.iter().map(|pair| (pair.base_verdict, pair.verdict, pair.effect)).collect();
    let entailed = Some(Outcome::Entailed);
    let expected = [
        (entailed, entailed, Some(Effect::Keeps)),
        (entailed, Some(Outcome::Unknown), Some(Effect::Opens)),
        (entailed, Some(Outcome::Contradicted), Some(Effect::Turns)),
        (entailed, Some(Outcome::Inconsistent), Some(Effect::Inconsistent)),
        (entailed, Some(Outcome::Unparseable), None),
    ];
    assert_eq!(of, expected);
    let summary = &found.summary.pairs[0];
    assert_eq!(summary.verdict_changed, 3);
    assert_eq!(summary.verdicts[&Outcome::Entailed].values().sum::<usize>(), 5);
    let rewritten = &found.summary.wordings[1];
    assert_eq!((rewritten.variant.as_str(), rewritten.contradictions, rewritten.tautologies), ("obfuscated", 1, 0));
    // The worst comes first: turned round, then inconsistent, then open.
    let sections = llscore::audit::sections(&found);
    let list = sections.iter().find(|section| section.title.starts_with("Items of")).unwrap();
    let ids: Vec<&str> = list.rows.iter().map(|row| row[0].as_str()).collect();
    let expected = ["set-000002/obfuscated", "set-000003/obfuscated", "set-000001/obfuscated", "set-000004/obfuscated"];
    assert_eq!(ids, expected);
}

#[test]
fn pairs_show_what_tells_them_apart() {
    let options = Options { evidence: true, ..Options::default() };
    let found = read("logiqate", &file(&[(&["P(a)"], &["P(a) ∨ Q(a)"], "TRUE")]), &options).unwrap();
    let evidence = found.pairs[0].evidence.as_ref().unwrap();
    for shown in [&evidence["theory"], &evidence["pairs"][0]] {
        assert!(shown["base_without_rewording"]["refutation"]["instances"].is_array(), "{shown}");
        let model = llscore::logic::Model::from_json(&shown["rewording_without_base"]["model"]).unwrap();
        let holds = |text: &str| model.holds(&llscore::logic::parse(text, None).unwrap().formula).unwrap();
        assert!(holds("P(a) ∨ Q(a)") && !holds("P(a)"));
    }
}
