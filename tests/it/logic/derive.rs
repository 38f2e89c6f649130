//! Shortest derivations: known lengths, laws, and a search by hand of all derivations of small theories.

use std::collections::BTreeSet;
use std::time::Duration;

use llscore::logic::derive::{Case, Derivation, Shortest, shortest};
use llscore::logic::{Formula, Limits, Question, parse};
use proptest::prelude::*;

fn formula(text: &str) -> Formula {
    parse(text, None).unwrap_or_else(|e| panic!("{text}: {e}")).formula
}

fn search(premises: &[Formula], conclusion: &Formula, most: usize) -> Shortest {
    let found = shortest(premises, conclusion, most, &Limits::default()).unwrap();
    if let Shortest::Found(derivation) = &found {
        derivation.check(premises, conclusion, false).unwrap();
    }
    found
}

#[track_caller]
fn derivation(premises: &[&str], conclusion: &str) -> Derivation {
    let question = Question::parse(premises, Some(conclusion), None).unwrap();
    match search(&question.premises, &question.conclusion.unwrap(), 12) {
        Shortest::Found(derivation) => derivation,
        other => panic!("{premises:?} ⊢ {conclusion}: {other:?}"),
    }
}

#[test]
fn steps_are_counted_as_a_person_counts() {
    for (premises, conclusion, steps) in [
        // What is given takes no step, even as a case of what is given for all things.
        (&["P(a)"][..], "P(a)", 0),
        (&["∀x P(x)"], "P(a)", 0),
        (&["P(a)", "Q(a)"], "P(a) ∨ Q(a)", 0),
        // Chains: a step for each rule, however it is written.
        (&["∀x (P(x) → Q(x))", "P(a)"], "Q(a)", 1),
        (&["∀x (¬Q(x) → ¬P(x))", "P(a)"], "Q(a)", 1),
        (&["∀x (P(x) → Q(x))", "∀x (Q(x) → R(x))", "P(a)"], "R(a)", 2),
        (&["∀x (P(x) → Q(x))", "∀x (Q(x) → R(x))"], "∀x (P(x) → R(x))", 2),
        (&["∀x (P(x) → Q(x))", "¬Q(a)"], "¬P(a)", 1),
        // The shorter way counts, and a shared step once.
        (&["A → B", "B → C", "A → C", "A"], "C", 1),
        (&["A → B", "B → C", "B → D", "C ∧ D → E", "A"], "E", 4),
        // Conjunction, disjunctive syllogism, exclusive or.
        (&["A", "B"], "A ∧ B", 1),
        (&["A ∨ B", "¬A"], "B", 1),
        (&["∀x (P(x) ⊕ Q(x))", "P(a)"], "¬Q(a)", 1),
        // Cases: the division, and each case.
        (&["A ∨ B", "A → C", "B → C"], "C", 3),
        (&["P(a) ∨ P(b)", "∀x (P(x) → Q(x))"], "∃x Q(x)", 3),
        (&["A ∨ B ∨ C", "A → D", "B → D", "C → D"], "D", 4),
        // ∃ is a name for something.
        (&["∃x (P(x) ∧ Q(x))", "∀x (Q(x) → R(x))"], "∃x (P(x) ∧ R(x))", 2),
        // Equality.
        (&["a = b", "P(a)"], "P(b)", 1),
        (&["a = b", "b = c"], "c = a", 1),
        (&["a = b", "c = d", "R(a, c)"], "R(b, d)", 2),
        (&["∀x (P(x) → x = a)", "P(b)", "Q(a)"], "Q(b)", 2),
        // A rule is applied even where its instance says one thing only.
        (&["∀x (x = a → P(x))"], "P(a)", 1),
        (&["∀x ∀y (R(x, y) ∨ R(y, x))"], "R(a, a)", 1),
    ] {
        assert_eq!(derivation(premises, conclusion).count, steps, "{premises:?} ⊢ {conclusion}");
    }
}

#[test]
fn a_long_chain_among_many_other_rules() {
    let mut rules: Vec<String> = (0..10).map(|i| format!("∀x (P{i}(x) → P{}(x))", i + 1)).collect();
    rules.extend((0..30).map(|i| format!("∀x (P{}(x) → D{i}(x))", i % 10)));
    rules.extend((0..30).map(|i| format!("∀x (D{i}(x) ∧ P0(x) → E{i}(x))")));
    rules.push("P0(a)".to_string());
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    assert_eq!(derivation(&rules, "P10(a)").count, 10);
}

#[test]
fn cases_among_many_other_rules() {
    // Four rules to P4, and the division; where A holds, B and the contradiction; where B does, ¬A, H and that.
    let mut rules: Vec<String> = (0..4).map(|i| format!("∀x (P{i}(x) → P{}(x))", i + 1)).collect();
    rules.extend(
        [
            "P0(c)",
            "∀x (P0(x) ∧ P1(x) → A(x) ∨ B(x))",
            "∀x (P4(x) ∧ A(x) → B(x) ∨ G(x))",
            "∀x (P4(x) ∧ B(x) → H(x) ∨ A(x))",
        ]
        .map(String::from),
    );
    rules.extend(["∀x (H(x) ∧ B(x) → G(x))", "∀x (A(x) ∧ B(x) → G(x))"].map(String::from));
    let few: Vec<&str> = rules.iter().map(String::as_str).collect();
    assert_eq!(derivation(&few, "G(c)").count, 10);
    // Ends that lead nowhere, and ways back to what is known.
    let mut more = rules.clone();
    for i in 0..30 {
        more.push(format!("∀x (P{}(x) → D{i}(x))", i % 4));
        more.push(format!("∀x (D{i}(x) ∧ D{}(x) → P{}(x))", (i + 1) % 30, i % 3));
        more.push(format!("∀x (D{i}(x) → E{i}(x) ∨ D{}(x))", (i + 3) % 30));
    }
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    assert_eq!(derivation(&more, "G(c)").count, 10);
}

#[test]
fn functions_that_give_terms_without_end() {
    let parent = "∀x (Person(x) → ∃y (Person(y) ∧ Parent(y, x)))";
    let grand = "∀x ∀y ∀z (Parent(x, y) ∧ Parent(y, z) → Grand(x, z))";
    for (premises, conclusion, steps) in [
        (&["∀x (P(x) → P(s(x)))", "P(o)"][..], "P(s(s(s(o))))", 3),
        (&["∀x (P(s(x)) → P(x))", "P(s(s(s(o))))"], "P(o)", 3),
        (&["∀x P(f(x), x)", "∀x (Q(x) → Q(f(x)))"], "∃x P(f(f(x)), f(x))", 0),
        // A parent who is a person, the parent's parent, and the rule.
        (&[parent, grand, "Person(al)"], "∃x Grand(x, al)", 4),
        (&["∀x ∃y Parent(y, x)", grand], "∀x ∃y Grand(y, x)", 1),
        (&["∀x ∃y L(x, y)", "∀x ∀y (L(x, y) → K(x) ∨ K(y))", "∀x (K(x) → ∃y L(y, x))"], "∃x K(x)", 1),
    ] {
        assert_eq!(derivation(premises, conclusion).count, steps, "{premises:?} ⊢ {conclusion}");
    }
}

#[test]
fn where_no_least_number_is_proved_there_is_none_but_a_bound() {
    let ask = |premises: &[&str], conclusion: &str, most| {
        let question = Question::parse(premises, Some(conclusion), None).unwrap();
        search(&question.premises, &question.conclusion.unwrap(), most)
    };
    let chain = ["A → B", "B → C", "C → D", "A"];
    let Shortest::Unknown { at_least, .. } = ask(&chain, "D", 2) else { panic!("found") };
    assert_eq!(at_least, 3);
    // Nothing follows, which no number of steps tells, but every number up to the limit is ruled out.
    let Shortest::Unknown { at_least, .. } = ask(&["∀x (P(x) → P(s(x)))", "P(s(o))"], "P(o)", 5) else {
        panic!("found")
    };
    assert_eq!(at_least, 6);
    let Shortest::Unknown { reason, at_least } = ask(&["∀x (P(x) → ¬(s(x) = x))", "P(o)"], "¬(s(s(o)) = s(o))", 12)
    else {
        panic!("found")
    };
    assert_eq!((reason.as_str(), at_least), ("functions give terms without end", 0));
}

/// A chain of eight steps, where division into cases takes five.
fn long_way_round() -> (Vec<Formula>, Formula) {
    let mut premises: Vec<Formula> = ["A ∨ B", "¬A ∨ B", "A ∨ ¬B", "¬A ∨ ¬B", "X0", "X7 → G"].map(formula).to_vec();
    premises.extend((0..7).map(|i| formula(&format!("X{i} → X{}", i + 1))));
    (premises, formula("G"))
}

#[test]
fn a_chain_is_not_taken_for_the_shortest_because_the_time_is_up() {
    let (premises, conclusion) = long_way_round();
    for time in [0, 10, 30, 100, 300, 10_000_000].map(Duration::from_micros) {
        match shortest(&premises, &conclusion, 12, &Limits { time, ..Limits::default() }).unwrap() {
            Shortest::Found(derivation) => assert_eq!(derivation.count, 5, "{time:?}"),
            Shortest::Unknown { at_least, .. } => assert!(at_least <= 5, "{time:?}: at least {at_least}"),
        }
    }
}

#[test]
fn a_derivation_reads_well() {
    let premises = ["∀x (Cat(x) ∨ Dog(x))", "∀x (Cat(x) → Pet(x))", "∀x (Dog(x) → Pet(x))"];
    let text = derivation(&premises, "Pet(rex)").to_text(3, false);
    let expected = "\
assume ¬Pet(rex)   (the conclusion's negation)
1. Cat(rex) → Pet(rex)   (premise 2, x = rex): so ¬Cat(rex)
2. Dog(rex) → Pet(rex)   (premise 3, x = rex): so ¬Dog(rex)
3. Cat(rex) ∨ Dog(rex)   (premise 1, x = rex): contradiction
";
    assert_eq!(text, expected);
}

#[test]
fn a_derivation_that_was_tampered_with_is_refused() {
    let premises: Vec<Formula> = ["A → B", "B → C", "A"].map(formula).to_vec();
    let conclusion = formula("C");
    let Shortest::Found(good) = search(&premises, &conclusion, 12) else { panic!("none") };
    let bad = |change: &dyn Fn(&mut Derivation)| {
        let mut derivation = good.clone();
        change(&mut derivation);
        derivation.check(&premises, &conclusion, false).unwrap_err()
    };
    assert!(bad(&|d| d.count = 1).contains("2 steps, not 1"));
    assert!(bad(&|d| drop(d.steps.remove(0))).contains("refuted"));
    assert!(bad(&|d| drop(d.facts.pop())).contains("refuted"));
    assert!(bad(&|d| d.facts[0].0.positive ^= true).contains("not an instance"));
    assert!(bad(&|d| drop(d.steps[1].clause.pop())).contains("not an instance"));
    assert!(bad(&|d| d.steps.clear()).contains("nothing is derived"));
    // What no clause leaves, and what stands where nobody would read it.
    let foreign = Case { literal: good.facts[0].0.negated(), steps: Vec::new() };
    assert!(bad(&|d| d.steps[0].cases = vec![foreign.clone()]).contains("not refuted"));
    assert!(bad(&|d| d.steps[0].cases.push(foreign.clone())).contains("not what is left"));
    assert!(bad(&|d| d.steps[0].cases.push(good.steps[0].cases[0].clone())).contains("not what is left"));
    assert!(bad(&|d| d.steps[0].cases[0].steps = good.steps.clone()).contains("does not end"));
    let on = |d: &mut Derivation| {
        d.steps[1].cases = vec![foreign.clone()];
        d.steps.push(good.steps[1].clone());
        d.count += 1;
    };
    assert!(bad(&on).contains("not what is left"));
    // A clause of two literals is no fact, even where its instance has one.
    let premises = [formula("∀x ∀y (R(x, y) ∨ R(y, x))")];
    let Shortest::Found(mut rule) = search(&premises, &formula("R(a, a)"), 12) else { panic!("none") };
    let step = rule.steps.remove(0);
    rule.facts.push((step.clause[0].clone(), step.origin));
    rule.count = 0;
    assert!(rule.check(&premises, &formula("R(a, a)"), false).unwrap_err().contains("not an instance"));
}

/// Clauses of literals, ±1 to ±5.
type Clauses = Vec<Vec<i32>>;

fn clauses() -> impl Strategy<Value = Clauses> {
    let literal = (1i32..=5, any::<bool>()).prop_map(|(atom, positive)| if positive { atom } else { -atom });
    prop::collection::vec(prop::collection::vec(literal, 1..=3), 3..=8)
}

fn theory(clauses: &Clauses) -> Vec<Formula> {
    let literal = |l: &i32| {
        let atom = Formula::pred(&format!("A{}", l.abs()), Vec::new());
        if *l > 0 { atom } else { Formula::not(atom) }
    };
    clauses.iter().map(|c| Formula::or(c.iter().map(literal).collect())).collect()
}

/// The least number of steps up to `most`, by trying every application of every clause.
fn by_hand(clauses: &Clauses, known: &BTreeSet<i32>, most: usize) -> Option<usize> {
    if known.iter().any(|l| known.contains(&-l)) {
        return Some(0);
    }
    if most == 0 {
        return None;
    }
    let mut best = None;
    let mut most = most;
    for clause in clauses.iter().filter(|c| c.iter().collect::<BTreeSet<_>>().len() > 1) {
        if clause.iter().any(|l| clause.contains(&-l)) {
            continue;
        }
        let left: BTreeSet<i32> = clause.iter().copied().filter(|l| !known.contains(&-l)).collect();
        if left.iter().any(|l| known.contains(l)) {
            continue;
        }
        let mut cost = 1;
        for literal in &left {
            let mut known = known.clone();
            known.insert(*literal);
            match most.checked_sub(cost).and_then(|rest| by_hand(clauses, &known, rest)) {
                Some(steps) => cost += steps,
                None => cost = usize::MAX / 2,
            }
        }
        if cost <= most {
            best = Some(cost);
            most = cost - 1;
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_derivation_is_shorter(clauses in clauses()) {
        let facts: BTreeSet<i32> = clauses
            .iter()
            .filter_map(|c| match c.iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()[..] {
                [only] => Some(*only),
                _ => None,
            })
            .collect();
        // The conclusion is ⊥: the clauses themselves are refuted.
        let found = search(&theory(&clauses), &Formula::False, 6);
        let expected = by_hand(&clauses, &facts, 6);
        prop_assert_eq!(found.derivation().map(|d| d.count), expected, "{:?}", found);
    }

    #[test]
    fn the_order_of_premises_does_not_matter_and_more_premises_make_it_no_longer(
        clauses in clauses(), more in clauses(),
    ) {
        let count = |clauses: &Clauses| search(&theory(clauses), &Formula::False, 6).derivation().map(|d| d.count);
        let before = count(&clauses);
        let mut reversed = clauses.clone();
        reversed.reverse();
        reversed.iter_mut().for_each(|clause| clause.reverse());
        prop_assert_eq!(count(&reversed), before);
        let all: Clauses = clauses.iter().chain(&more).cloned().collect();
        if let Some(before) = before {
            prop_assert!(count(&all).is_some_and(|after| after <= before));
        }
    }

    #[test]
    fn neither_names_nor_contrapositives_change_the_number(clauses in clauses(), by in any::<u8>()) {
        let count = |theory: &[Formula]| search(theory, &Formula::False, 6).derivation().map(|d| d.count);
        let before = count(&theory(&clauses));
        let rotated: Clauses = clauses
            .iter()
            .map(|clause| clause.iter().map(|l| l.signum() * ((l.abs() + i32::from(by)) % 5 + 1)).collect())
            .collect();
        prop_assert_eq!(count(&theory(&rotated)), before);
        // Each clause as an implication from the negations of its first literals to the last.
        let implications: Vec<Formula> = clauses
            .iter()
            .map(|clause| {
                let literals: Vec<Formula> = clause.iter().map(|l| theory(&vec![vec![*l]]).remove(0)).collect();
                let (last, rest) = literals.split_last().unwrap();
                match rest {
                    [] => last.clone(),
                    _ => Formula::implies(Formula::and(rest.iter().cloned().map(Formula::not).collect()), last.clone()),
                }
            })
            .collect();
        prop_assert_eq!(count(&implications), before);
    }

    #[test]
    fn a_search_cut_short_claims_nothing_that_is_false(clauses in clauses(), micros in 0u64..60) {
        let theory = theory(&clauses);
        let limits = Limits { time: Duration::from_micros(micros), ..Limits::default() };
        let cut = shortest(&theory, &Formula::False, 6, &limits).unwrap();
        match (cut, search(&theory, &Formula::False, 6)) {
            (Shortest::Found(cut), full) => prop_assert_eq!(Some(cut.count), full.derivation().map(|d| d.count)),
            (Shortest::Unknown { at_least, .. }, Shortest::Found(full)) => prop_assert!(at_least <= full.count),
            _ => {}
        }
    }
}
