//! Verdicts and their evidence.

use llscore::logic::search::{Search, SearchOptions, find_model};
use llscore::logic::{
    BadEvidence, Decision, Formula, Limits, Question, Relation, Verdict, compare, consistent, equivalent, parse, prove,
};
use proptest::prelude::*;

use super::formulas::closed;
use super::small;

fn formula(text: &str) -> Formula {
    parse(text, None).unwrap_or_else(|e| panic!("{text}: {e}")).formula
}

fn formulas(texts: &[&str]) -> Vec<Formula> {
    texts.iter().map(|text| formula(text)).collect()
}

/// The verdict, whose evidence is checked again.
#[track_caller]
fn verdict(premises: &[&str], conclusion: &str, limits: &Limits) -> Verdict {
    let question = Question::parse(premises, Some(conclusion), None).unwrap();
    let conclusion = question.conclusion.unwrap();
    let answer = prove(&question.premises, &conclusion, limits).unwrap();
    answer.check(&question.premises, &conclusion).unwrap();
    answer.verdict
}

#[test]
fn each_verdict_has_its_cases() {
    let plain = Limits::default();
    for (premises, conclusion, expected) in [
        (&["∀x (Cat(x) → Animal(x))", "Cat(tom)"][..], "Animal(tom)", Verdict::Entailed),
        (&["∀x (Cat(x) → ¬Dog(x))", "Cat(tom)"], "Dog(tom)", Verdict::Contradicted),
        (&["∀x (Cat(x) → Animal(x))", "Animal(tom)"], "Cat(tom)", Verdict::Unknown),
        (&["Cat(tom)", "¬Cat(tom)"], "Dog(rex)", Verdict::Inconsistent),
        // Disjunctive syllogism, exclusive or, cases.
        (&["∀x (A(x) ⊕ B(x))", "A(c)"], "¬B(c)", Verdict::Entailed),
        (&["P(a) ∨ P(b)", "∀x (P(x) → Q(x))"], "∃x Q(x)", Verdict::Entailed),
        (&["P(a) ∨ P(b)", "∀x (P(x) → Q(x))"], "Q(a)", Verdict::Unknown),
        // No domain is empty.
        (&["∀x P(x)"], "∃x P(x)", Verdict::Entailed),
        (&[], "∀x P(x) → ∃x P(x)", Verdict::Entailed),
        (&[], "∃x P(x)", Verdict::Unknown),
        (&[], "P(a) ∧ ¬P(a)", Verdict::Contradicted),
        // Equality: substitution, symmetry, transitivity, functions.
        (&["a = b", "P(a)"], "P(b)", Verdict::Entailed),
        (&["a = b", "b = c"], "f(c) = f(a)", Verdict::Entailed),
        (&["f(f(f(a))) = a", "f(f(f(f(f(a))))) = a"], "f(a) = a", Verdict::Entailed),
        (&["∀x ∀y (x = y)", "P(a)"], "P(b)", Verdict::Entailed),
        (&["P(a)", "¬P(b)"], "a = b", Verdict::Contradicted),
        (&["P(a)"], "P(b)", Verdict::Unknown),
        // Quantifiers that alternate.
        (&["∃y ∀x Loves(x, y)"], "∀x ∃y Loves(x, y)", Verdict::Entailed),
        (&["∀x ∃y Loves(x, y)"], "∃y ∀x Loves(x, y)", Verdict::Unknown),
        (&["∀x (P(x) → P(s(x)))", "P(zero)"], "P(s(s(s(zero))))", Verdict::Entailed),
        (&["∃x (Barber(x) ∧ ∀y (Shaves(x, y) ↔ ¬Shaves(y, y)))"], "P(a)", Verdict::Inconsistent),
        // Every binary relation that is total, symmetric and transitive is reflexive.
        (
            &["∀x ∃y R(x, y)", "∀x ∀y (R(x, y) → R(y, x))", "∀x ∀y ∀z (R(x, y) ∧ R(y, z) → R(x, z))"],
            "∀x R(x, x)",
            Verdict::Entailed,
        ),
        (&["∀x (P(x) ↔ ∃y Q(x, y)) ⊕ ∀x P(x)", "∀x ¬P(x)"], "∃x ∃y Q(x, y)", Verdict::Contradicted),
    ] {
        assert_eq!(verdict(premises, conclusion, &plain), expected, "{premises:?} ⊢ {conclusion}");
    }
}

#[test]
fn unique_names_are_an_option() {
    let plain = Limits::default();
    let unique = Limits { unique_names: true, ..plain };
    let case = (&["P(a)", "∀x ∀y (P(x) ∧ P(y) → x = y)"][..], "P(b)");
    assert_eq!(verdict(case.0, case.1, &plain), Verdict::Unknown);
    assert_eq!(verdict(case.0, case.1, &unique), Verdict::Contradicted);
    assert_eq!(verdict(&[], "a = b", &unique), Verdict::Contradicted);
    assert_eq!(verdict(&["∀x (x = a ∨ x = b)"], "c = a", &unique), Verdict::Inconsistent);
    // Without equality nothing changes.
    assert_eq!(verdict(&["P(a)"], "P(b)", &unique), Verdict::Unknown);
    // What a quantifier says exists may be what a constant names.
    assert_eq!(verdict(&["∃x P(x)"], "P(a)", &unique), Verdict::Unknown);
}

#[test]
fn a_theory_of_infinite_models_alone_is_undecided() {
    let limits = Limits { time: std::time::Duration::from_millis(300), ..Limits::default() };
    let endless = ["∀x ∃y Less(x, y)", "∀x ¬Less(x, x)", "∀x ∀y ∀z (Less(x, y) ∧ Less(y, z) → Less(x, z))"];
    assert_eq!(verdict(&endless, "P(a)", &limits), Verdict::Undecided);
    // What follows is proved all the same, but not that the premises can hold together.
    let question = Question::parse(&endless, Some("∀x ∀y (Less(x, y) → ¬Less(y, x))"), None).unwrap();
    let conclusion = question.conclusion.unwrap();
    let answer = prove(&question.premises, &conclusion, &limits).unwrap();
    answer.check(&question.premises, &conclusion).unwrap();
    assert_eq!(answer.verdict, Verdict::Undecided);
    assert!(answer.without.refutation().is_some() && answer.evidence(3)["refutation_false"].is_object());
}

#[test]
fn theories_compare() {
    let limits = Limits::default();
    let relation = |a: &[&str], b: &[&str]| compare(&formulas(a), &formulas(b), &limits).unwrap().0;
    assert_eq!(relation(&["∀x (P(x) → Q(x))"], &["∀y (¬Q(y) → ¬P(y))"]), Relation::Equivalent);
    assert_eq!(relation(&["P(a)", "Q(a)"], &["P(a)"]), Relation::Weaker);
    assert_eq!(relation(&["P(a)"], &["P(a)", "Q(a)"]), Relation::Stronger);
    assert_eq!(relation(&["P(a)"], &["Q(a)"]), Relation::Unrelated);
    assert_eq!(relation(&[], &["P(a) ∨ ¬P(a)"]), Relation::Equivalent);
    let (relation, evidence) = equivalent(&formula("∃x P(x)"), &formula("P(a)"), &limits).unwrap();
    assert_eq!(relation, Relation::Stronger);
    assert!(matches!(&evidence, [Decision::Model(_), Decision::Refuted(_)]));
}

#[test]
fn evidence_that_was_tampered_with_is_refused() {
    let premises = formulas(&["∀x (Cat(x) → Animal(x))", "Cat(tom)"]);
    let conclusion = formula("Animal(tom)");
    let good = prove(&premises, &conclusion, &Limits::default()).unwrap();
    let bad = |change: &dyn Fn(&mut llscore::logic::Answer)| {
        let mut answer = good.clone();
        change(&mut answer);
        answer.check(&premises, &conclusion).unwrap_err()
    };
    let Decision::Refuted(_) = &good.without else { panic!("{good:?}") };
    let refutation = |answer: &mut llscore::logic::Answer, change: &dyn Fn(&mut llscore::logic::Refutation)| {
        if let Decision::Refuted(refutation) = &mut answer.without {
            change(refutation);
        }
    };
    for left_out in 0..3 {
        let error = bad(&|answer| refutation(answer, &|r| drop(r.instances.remove(left_out))));
        assert!(error.to_string().contains("can hold together"), "{error}");
    }
    let error = bad(&|answer| refutation(answer, &|r| r.instances[0].ground = formula("Cat(tom) ∧ ¬Cat(tom)")));
    assert!(error.to_string().contains("instance 0"), "{error}");
    let error = bad(&|answer| refutation(answer, &|r| r.instances[0].source = 1));
    assert!(error.to_string().contains("instance 0"), "{error}");
    let error = bad(&|answer| refutation(answer, &|r| r.unique_names = true));
    assert!(error.to_string().contains("constants to differ"), "{error}");
    let error = bad(&|answer| {
        if let Decision::Model(model) = &mut answer.with {
            model.predicates.values_mut().for_each(|table| table.fill(false));
        }
    });
    assert_eq!(error, BadEvidence::Model(1, "it is false there".to_string()));
    assert_eq!(bad(&|answer| answer.verdict = Verdict::Unknown), BadEvidence::Missing);
}

#[test]
fn formulas_built_too_deep_or_open_are_refused() {
    let deep = (0..100_000).fold(formula("P(a)"), |f, _| Formula::not(f));
    let error = prove(&[], &deep, &Limits::default()).unwrap_err();
    assert_eq!(error.kind, llscore::logic::Kind::TooDeep);
    // Taken apart by hand: a tree this deep cannot be dropped on a small stack.
    let mut rest = deep;
    while let Formula::Not(inner) = rest {
        rest = *inner;
    }
    let open = Formula::pred("P", vec![llscore::logic::Term::var("x")]);
    let error = consistent(&[open], &Limits::default()).unwrap_err();
    assert_eq!(error.kind, llscore::logic::Kind::FreeVariable);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// What is found among all models of one and two elements agrees with what is decided.
    #[test]
    fn decisions_agree_with_all_small_models(f in closed()) {
        let limits = Limits { time: std::time::Duration::from_secs(2), ..Limits::default() };
        let options = SearchOptions { distinct: &[], deadline: None, max_clauses: 1_000_000 };
        let decision = consistent(std::slice::from_ref(&f), &limits).unwrap();
        decision.check(&[&f], false).unwrap();
        let least = decision.model().map_or(usize::MAX, |model| model.size);
        for size in 1..=2 {
            let any = (0..small::models(size)).any(|bits| small::model(size, bits).holds(&f).unwrap());
            let found = find_model(&[&f], size, &options);
            match &found {
                Search::Found(model) => prop_assert_eq!(model.holds(&f), Ok(true)),
                Search::None => {}
                Search::GaveUp(reason) => prop_assert!(false, "{}", reason),
            }
            prop_assert_eq!(any, matches!(found, Search::Found(_)), "size {}", size);
            prop_assert_eq!(any, least <= size, "size {}: least {}", size, least);
            if any {
                break;
            }
        }
    }
}
