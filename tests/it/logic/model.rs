//! Finite models: truth by definition, JSON there and back, lines for people.

use llscore::logic::{Formula, Missing, Model, Term, parse};
use proptest::prelude::*;
use serde_json::json;

use super::formulas::closed;

fn formula(text: &str) -> Formula {
    parse(text, None).unwrap_or_else(|fault| panic!("{text}: {fault}")).formula
}

fn model(json: serde_json::Value) -> Model {
    serde_json::from_value(json).unwrap()
}

fn family() -> Model {
    model(json!({
        "size": 3,
        "constants": {"ann": 0, "bob": 1},
        "functions": {"father/1": [[0, 1], [1, 2], [2, 2]], "older/2":
            [[0,0,0],[0,1,1],[0,2,2],[1,0,1],[1,1,1],[1,2,2],[2,0,2],[2,1,2],[2,2,2]]},
        "predicates": {"Talks/1": [[0], [2]], "Knows/2": [[0, 1], [1, 2]], "Knows/1": [], "Rains/0": true, "Snows/0": false}
    }))
}

#[test]
fn truth_is_tarskis() {
    let family = family();
    for (text, truth) in [
        ("Rains ∧ ¬Snows", true),
        ("Talks(ann) ⊕ Talks(bob)", true),
        ("Talks(ann) ⊕ Rains", false),
        ("Snows → Talks(bob)", true),
        ("Rains → Talks(bob)", false),
        ("Snows ↔ Talks(bob)", true),
        ("Snows ↔ Talks(ann)", false),
        ("Snows ∨ Talks(bob) ∨ Talks(ann)", true),
        ("father(ann) = bob", true),
        ("father(father(ann)) = bob", false),
        ("older(ann, father(bob)) = father(father(ann))", true),
        ("∀x Knows(x, father(x))", false),
        ("∀x (Knows(x, father(x)) ∨ father(x) = x)", true),
        ("∃x ∀y older(x, y) = x", true),
        ("∀x ∃y Knows(x, y)", false),
        ("∃x ∀y ¬Knows(x, y)", true),
        ("∃x ∃y (Knows(x, y) ∧ Knows(y, x))", false),
        ("∃x Knows(x)", false),
        // The arguments' order counts.
        ("Knows(ann, bob)", true),
        ("Knows(bob, ann)", false),
        // The inner x is another.
        ("∃x (Talks(x) ∧ ∃x ¬Talks(x) ∧ Talks(x))", true),
        ("∀x (Talks(x) ∨ ∃x Talks(x))", true),
        ("∃x (¬Talks(x) ∧ ∀x (Talks(x) ∨ x = bob) ∧ x = bob)", true),
        // A vacuous quantifier says nothing, since there are elements.
        ("∀x Snows", false),
        ("∃x Rains", true),
    ] {
        assert_eq!(family.holds(&formula(text)), Ok(truth), "{text}");
    }
    assert_eq!(family.holds(&Formula::True), Ok(true));
    assert_eq!(family.holds(&Formula::exists("x", Formula::False)), Ok(false));
    assert_eq!(family.holds(&Formula::And(vec![])), Ok(true));
    assert_eq!(family.holds(&Formula::Or(vec![])), Ok(false));
}

#[test]
fn what_has_no_truth_value_is_said() {
    let family = family();
    assert_eq!(family.holds(&formula("Talks(carl)")), Err(Missing::Function("carl".into(), 0)));
    assert_eq!(family.holds(&formula("∃x Talks(mother(x))")), Err(Missing::Function("mother".into(), 1)));
    assert_eq!(family.holds(&formula("Talks(ann, bob)")), Err(Missing::Predicate("Talks".into(), 2)));
    let open = Formula::pred("Talks", vec![Term::var("x")]);
    assert_eq!(family.holds(&open), Err(Missing::FreeVariable("x".into())));
    let after = Formula::And(vec![Formula::exists("x", open.clone()), open.clone()]);
    assert_eq!(family.holds(&after), Err(Missing::FreeVariable("x".into())));
    // What need not be looked at is not.
    assert_eq!(family.holds(&formula("Rains ∨ Hails")), Ok(true));

    let deep = (0..500).fold(Formula::True, |inner, _| Formula::not(inner));
    assert_eq!(family.holds(&deep), Err(Missing::TooDeep));
    let mut broken = family.clone();
    broken.predicates.insert(("Knows".into(), 2), vec![false; 8]);
    let length = Missing::Length { name: "Knows".into(), arity: 2, found: 8, size: 3 };
    assert_eq!(broken.holds(&Formula::True), Err(length.clone()));
    assert_eq!(length.to_string(), "the table of Knows/2 has 8 values where a domain of 3 needs 3 to the power 2");
    let mut broken = family.clone();
    broken.functions.insert(("ann".into(), 0), vec![3]);
    let outside = Missing::Outside { name: "ann".into(), arity: 0, value: 3, size: 3 };
    assert_eq!(broken.holds(&Formula::True), Err(outside));
    let empty = Model { size: 0, functions: Default::default(), predicates: Default::default() };
    assert_eq!(empty.holds(&Formula::for_all("x", Formula::False)), Err(Missing::EmptyDomain));
}

#[test]
fn json_is_as_written_down() {
    let json = json!({
        "size": 2,
        "constants": {"bonnie": 0},
        "functions": {"father/1": [[0, 1], [1, 1]]},
        "predicates": {"Knows/1": [], "Knows/2": [[0, 1], [1, 1]], "Rains/0": true, "Talks/1": [[0]]}
    });
    let model = model(json.clone());
    assert_eq!(model.functions[&("father".into(), 1)], [1, 1]);
    assert_eq!(model.predicates[&("Knows".into(), 2)], [false, true, false, true]);
    assert_eq!(serde_json::to_value(&model).unwrap(), json);
    let text = "domain: 0, 1\nbonnie = 0\nfather(0) = 1, father(1) = 1\nRains: true\nKnows/1: –\nTalks: 0\n\
                Knows/2: (0,1), (1,1)";
    assert_eq!(model.to_string(), text);
}

#[test]
fn faulty_json_is_refused_with_the_place() {
    for (json, message) in [
        (json!([]), "a model is an object with the fields size, constants, functions, predicates"),
        (json!({}), "the model has no field size"),
        (json!({"size": 0}), "size: expected a positive whole number of elements"),
        (json!({"size": 1.5}), "size: expected a positive whole number of elements"),
        (
            json!({"size": 1, "relations": {}}),
            "a model has no field \"relations\", only size, constants, functions, predicates",
        ),
        (json!({"size": 1, "constants": []}), "constants: expected an object"),
        (json!({"size": 2, "constants": {"a": 2}}), "constants: a: 2 is not an element: those are 0 to 1"),
        (json!({"size": 2, "constants": {"a": -1}}), "constants: a: -1 is not an element: those are 0 to 1"),
        (
            json!({"size": 2, "functions": {"a/0": [[0]]}}),
            "functions: a/0: a function without arguments belongs under constants",
        ),
        (json!({"size": 2, "functions": {"f/1": [[0, 0]]}}), "functions: f/1: there is no value for the arguments [1]"),
        (
            json!({"size": 2, "functions": {"f/1": [[0, 0], [0, 1]]}}),
            "functions: f/1: the arguments [0] stand there twice",
        ),
        (json!({"size": 2, "functions": {"f/1": [[0]]}}), "functions: f/1: [0] is not a list of 2 elements"),
        (
            json!({"size": 2, "predicates": {"P": [[0]]}}),
            "predicates: P: expected a name, a slash and the number of arguments",
        ),
        (
            json!({"size": 2, "predicates": {"P/01": [[0]]}}),
            "predicates: P/01: expected a name, a slash and the number of arguments",
        ),
        (
            json!({"size": 2, "predicates": {"P/1": true}}),
            "predicates: P/1: expected the list of tuples of which it holds",
        ),
        (json!({"size": 2, "predicates": {"P/0": [[]]}}), "predicates: P/0: expected true or false"),
        (json!({"size": 2, "predicates": {"P/1": [[0], [0]]}}), "predicates: P/1: the tuple [0] stands there twice"),
        (
            json!({"size": 1_000_000, "predicates": {"P/9": []}}),
            "predicates: P/9: its table for 1000000 elements would have more than 16777216 cells",
        ),
    ] {
        let error = serde_json::from_value::<Model>(json.clone()).unwrap_err();
        assert_eq!(error.to_string(), message, "{json}");
    }
}

/// The negation, pushed to the atoms by the laws of each connective.
fn negated(formula: &Formula) -> Formula {
    match formula {
        Formula::True => Formula::False,
        Formula::False => Formula::True,
        Formula::Pred(..) | Formula::Eq(..) => Formula::not(formula.clone()),
        Formula::Not(part) => (**part).clone(),
        Formula::And(parts) => Formula::Or(parts.iter().map(negated).collect()),
        Formula::Or(parts) => Formula::And(parts.iter().map(negated).collect()),
        Formula::Xor(a, b) => Formula::iff((**a).clone(), (**b).clone()),
        Formula::Iff(a, b) => Formula::iff((**a).clone(), negated(b)),
        Formula::Implies(a, b) => Formula::And(vec![(**a).clone(), negated(b)]),
        Formula::ForAll(x, body) => Formula::exists(x, negated(body)),
        Formula::Exists(x, body) => Formula::for_all(x, negated(body)),
    }
}

prop_compose! {
    fn any_model()(size in 1_usize..4)(
        size in Just(size),
        constants in prop::collection::vec(0..size, 2),
        function in prop::collection::vec(0..size, size * size),
        proposition in any::<bool>(),
        unary in prop::collection::vec(any::<bool>(), size),
        ternary in prop::collection::vec(any::<bool>(), size * size * size),
    ) -> Model {
        let mut model = Model { size, functions: Default::default(), predicates: Default::default() };
        for (name, value) in ["a", "a/b"].into_iter().zip(constants) {
            model.functions.insert((name.into(), 0), vec![value]);
        }
        model.functions.insert(("f".into(), 2), function);
        for (arity, table) in [(0, vec![proposition]), (1, unary), (3, ternary)] {
            model.predicates.insert(("P".into(), arity), table);
        }
        model
    }
}

proptest! {
    #[test]
    fn negation_swaps_truth_and_quantifiers(formula in closed(), seed in any::<u64>()) {
        let mut bits = seed;
        let mut bit = || { bits = bits.rotate_right(1); (bits & 1) as usize };
        let mut model = Model { size: 2, functions: Default::default(), predicates: Default::default() };
        for (name, arity) in [("a", 0), ("b", 0), ("c", 0), ("f", 1)] {
            model.functions.insert((name.into(), arity), (0..1 << arity).map(|_| bit()).collect());
        }
        for (name, arity) in [("S", 0), ("P", 1), ("R", 2)] {
            model.predicates.insert((name.into(), arity), (0..1 << arity).map(|_| bit() == 1).collect());
        }
        prop_assert_eq!(model.holds(&negated(&formula)), model.holds(&formula).map(|truth| !truth));
    }

    #[test]
    fn json_there_and_back(model in any_model()) {
        let text = serde_json::to_string(&model).unwrap();
        prop_assert_eq!(serde_json::from_str::<Model>(&text).unwrap(), model);
    }
}
