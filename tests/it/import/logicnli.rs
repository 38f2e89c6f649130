//! LogicNLI: the part of a context that bears on a statement, its hops and its formulas.

use serde_json::{Value, json};

use super::{meta, only, places, read_files};

/// `"Tom cat +"`: a literal.
fn literal(text: &str) -> Value {
    Value::Array(text.split(' ').map(Value::from).collect())
}

fn side(text: &str) -> Value {
    let (conj, parts) = match (text.split_once(" & "), text.split_once(" | ")) {
        (Some((a, b)), _) => ("and", vec![a, b]),
        (_, Some((a, b))) => ("or", vec![a, b]),
        _ => ("none", vec![text]),
    };
    json!({"fact": parts.into_iter().map(literal).collect::<Vec<_>>(), "conj": conj})
}

fn map(list: Vec<Value>) -> Value {
    Value::Object(list.into_iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect())
}

/// One context: facts, rules (`p > q`, `p = q`) and statements with labels, as the two files.
fn context(facts: &[&str], rules: &[&str], statements: &[(&str, &str)]) -> (String, String) {
    let words = |kind: &str, count: usize| (0..count).map(|i| format!("{kind} {i}.")).collect::<Vec<_>>();
    let labels: Vec<&str> = statements.iter().map(|(_, label)| *label).collect();
    let language = json!({"0": {"facts": words("Fact", facts.len()), "rules": words("Rule", rules.len()),
        "statements": words("Statement", statements.len()), "labels": labels}});
    let rule = |text: &&str| {
        let (kind, parts) = match text.split_once(" > ") {
            Some(parts) => ("imp", parts),
            None => ("equ", text.split_once(" = ").unwrap()),
        };
        json!({"p": side(parts.0), "q": side(parts.1), "type": kind})
    };
    let logic = json!({"0": {
        "facts": map(facts.iter().map(|text| literal(text)).collect()),
        "rules": map(rules.iter().map(rule).collect()),
        "statements": map(statements.iter().map(|(text, _)| literal(text)).collect()),
        "labels": map(labels.iter().map(|label| json!(label)).collect()),
    }});
    (language.to_string(), logic.to_string())
}

fn read(files: &(String, String)) -> llscore::import::Import {
    read_files("logicnli", &[("words.json", files.0.as_bytes()), ("logic.json", files.1.as_bytes())])
}

#[test]
fn an_item_has_the_facts_and_rules_of_its_proof_and_their_depth() {
    let facts = ["Tom cat +", "Tom tame +", "Ann wild +"];
    let rules = [
        "all cat + > all furry +",
        "all furry + & all tame + > all pet + & all dry -",
        "exist wild + > Tom loud +",
        "Ann loud + > Bob pet +",
    ];
    let statements = [
        ("Tom cat +", "entailment"),
        ("Tom pet +", "entailment"),
        ("Tom dry +", "contradiction"),
        ("Tom loud +", "entailment"),
        ("Ann pet +", "neutral"),
        ("Tom wild +", "neutral"),
    ];
    let found = read(&context(&facts, &rules, &statements));
    assert_eq!(places(&found), []);
    let of: Vec<(u32, &str, usize)> = found.items.iter().map(|i| (i.hops, i.context.as_str(), i.label)).collect();
    let deep = "Fact 0. Fact 1. Rule 0. Rule 1.";
    assert_eq!(
        of,
        [
            (0, "Fact 0.", 0),
            (2, deep, 0),
            (2, deep, 1),
            (1, "Fact 2. Rule 2.", 0),
            // Nothing supports it: the facts about Ann, and the rule that could conclude `pet` of her.
            (0, "Fact 2. Rule 1.", 2),
            // … the facts about Tom, and no rule, since none concludes `wild`.
            (0, "Fact 0. Fact 1.", 2),
        ]
    );
    assert_eq!(found.items[1].id, "words-000000/01");
    let gold: Vec<&Value> = found.items.iter().map(|item| meta(item, "gold")).collect();
    assert_eq!(gold[..3], ["entailed", "entailed", "contradicted"]);
    assert_eq!(meta(&found.items[3], "support"), &json!({"facts": [2], "rules": [2]}));
    assert_eq!(meta(&found.items[0], "source")["facts"], json!(["Fact 0.", "Fact 1.", "Fact 2."]));
    assert_eq!(meta(&found.items[0], "source")["logic"]["statement"], json!(["Tom", "cat", "+"]));
}

#[test]
fn rules_of_every_shape_become_formulas() {
    let rules = [
        "all cat + > all furry + & all dry -",
        "all cat + = all furry +",
        "exist cat + > Ann glad +",
        "exist cat + | exist wild - > Ann glad + & Ann loud -",
        "all cat - > Ann glad -",
        "Tom cat + | Ann wild + > Ann glad +",
    ];
    // No fact or rule bears on the statement, so that the item has them all.
    let found = read(&context(&["Tom cat -"], &rules, &[("Old-Bob so_so +", "neutral")]));
    let formulas = meta(&found.items[0], "formulas");
    assert_eq!(
        formulas["premises"],
        json!([
            "¬Cat(tom)",
            "∀x (Cat(x) → (Furry(x) ∧ ¬Dry(x)))",
            "∀x (Cat(x) ↔ Furry(x))",
            "(∃x Cat(x)) → Glad(ann)",
            "(∃x (Cat(x) ∨ ¬Wild(x))) → (Glad(ann) ∧ ¬Loud(ann))",
            "(∀x ¬Cat(x)) → ¬Glad(ann)",
            "(Cat(tom) ∨ Wild(ann)) → Glad(ann)",
        ])
    );
    assert_eq!(formulas["conclusion"], "So_so(old-bob)");
}

#[test]
fn a_contradictory_support_has_both_proofs() {
    let found =
        read(&context(&["Tom cat +", "Tom dry -"], &["all cat + > all dry +"], &[("Tom dry +", "self_contradiction")]));
    let item = &found.items[0];
    assert_eq!((item.context.as_str(), item.hops, item.label), ("Fact 0. Fact 1. Rule 0.", 1, 3));
    assert!(meta(item, "gold").is_null());
}

#[test]
fn equivalences_go_both_ways_and_what_holds_of_everyone_is_never_known() {
    let rules = ["all cat + = all furry +", "all furry + > Ann glad +"];
    let statements = [("Tom cat +", "entailment"), ("Ann glad +", "neutral")];
    let found = read(&context(&["Tom furry +", "Ann furry +"], &rules, &statements));
    assert_eq!(places(&found), []);
    assert_eq!(found.items[0].hops, 1);
}

#[test]
fn a_label_that_chaining_does_not_give_is_told_and_has_the_whole_context() {
    let found = read(&context(&["Tom cat +"], &["all cat + > all dry +"], &[("Tom dry +", "neutral")]));
    assert_eq!((only(&found).kind, only(&found).field.as_deref()), ("chain-mismatch", Some("labels[0]")));
    assert_eq!((found.items[0].context.as_str(), found.items[0].hops), ("Fact 0. Rule 0.", 0));
}

#[test]
fn one_file_of_the_two_is_told_of() {
    let (language, logic) = context(&["Tom cat +"], &["all cat + > all dry +"], &[("Tom dry +", "entailment")]);
    let found = read_files("logicnli", &[("words.json", language.as_bytes())]);
    assert_eq!((only(&found).kind, found.items.len(), found.items[0].hops), ("no-structure", 1, 0));
    assert_eq!(found.items[0].context, "Fact 0. Rule 0.");
    let found = read_files("logicnli", &[("logic.json", logic.as_bytes())]);
    assert_eq!((only(&found).kind, only(&found).dropped, found.items.len()), ("no-text", true, 0));
}

#[test]
fn labels_and_structures_that_do_not_fit_are_told_of() {
    let (language, logic) = context(&["Tom cat +"], &["all cat + > all dry +"], &[("Tom dry +", "entailment")]);
    let kinds = |language: &str, logic: &str| -> Vec<&'static str> {
        read(&(language.to_string(), logic.to_string())).defects.iter().map(|d| d.kind).collect()
    };
    assert_eq!(kinds(&language.replace("entailment", "perhaps"), &logic)[0], "unknown-label");
    assert_eq!(kinds(&language, &logic.replace("\"imp\"", "\"if\"")), ["no-structure"]);
    assert_eq!(kinds(&language, &logic.replace("entailment", "neutral")), ["conflicting-label"]);
    assert_eq!(kinds(&language.replace("[\"entailment\"]", "[]"), &logic)[0], "missing-field");
    assert_eq!(kinds("{\"0\": {\"facts\": []}}", &logic), ["unknown-shape"]);
}
