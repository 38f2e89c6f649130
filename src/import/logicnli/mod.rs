//! LogicNLI: contexts of facts and rules with statements, labelled entailment, contradiction, neutral or self_contradiction,
//! in two files: one in words, one in structures (`"Logic"`). Give both; each statement is a record, and `row` is the context.
//!
//! By classical logic the contexts contradict themselves, so that everything follows from each. The labels are about chaining
//! the rules (see `chain`), and an item works on the part of the context that bears on its statement:
//!
//! - entailment: the facts and rules of its proof; contradiction: of the proof of its negation; self_contradiction: of both.
//!   Hops are the depth of the proof in rules (of the deeper one).
//! - neutral: nothing supports it. The context is the facts about its person and the rules that can conclude its attribute,
//!   for or against. Since chaining a part gives no more than chaining the whole, the statement stays neutral.
//!
//! A label that chaining does not give is a defect `chain-mismatch`; its item has the whole context and no hops. The whole
//! context and its structure are in `meta.source` always, and `meta.support` numbers the facts and rules that are used.

mod chain;
mod formula;

use serde_json::{Value, json};

use self::chain::{Closure, Literal, Proof, Rule, Side, close};
use super::answer::Style;
use super::formulas::{Fields, Formulas};
use super::json::{self as records, Parsed};
use super::record::{Draft, Object, Place, Record};
use super::{Finding, Format, Sink, Source};

/// The format `logicnli`.
pub struct LogicNli;

/// The labels, in the data set's order.
const LABELS: [&str; 4] = ["entailment", "contradiction", "neutral", "self_contradiction"];

impl Format for LogicNli {
    fn name(&self) -> &'static str {
        "logicnli"
    }
    fn about(&self) -> &'static str {
        "LogicNLI: the language file and the logic file of a split, both"
    }
    fn read(&self, source: &Source, sink: &mut Sink) {
        read_file(source, &Object::new(), sink);
    }
    /// Files of words are read; those of structures are looked up, by the order in which they are given.
    fn read_all(&self, sources: &[Source], sink: &mut Sink) {
        let tops: Vec<Option<Object>> = sources.iter().map(top).collect();
        let structured = |top: &Option<Object>| top.as_ref().is_some_and(is_structure);
        let mut structures = tops.iter().filter(|top| structured(top)).flatten();
        let words = tops.iter().filter(|top| !structured(top)).count();
        for (source, top) in sources.iter().zip(&tops) {
            sink.open(source);
            if !structured(top) {
                read_file(source, structures.next().unwrap_or(&Object::new()), sink);
            } else if words == 0 {
                for (i, (key, context)) in top.iter().flatten().enumerate() {
                    let source = json!({"key": key, "logic": context});
                    sink.record(Place { row: Some(i), line: None }, source, |record| {
                        record.flag("no-text", "", "a context in structures only; give the file in words too");
                    });
                }
            }
        }
        if words > 0 && structures.next().is_some() {
            sink.flag_file(None, Finding::new("no-text", "", "more files of structures than of words"));
        }
    }
}

/// The one object that a file is.
fn top(source: &Source) -> Option<Object> {
    let mut rows = records::rows(source);
    match (rows.pop(), rows.pop()) {
        (Some((_, Ok(Parsed { value: Value::Object(object), .. }))), None) => Some(object),
        _ => None,
    }
}

/// Whether a file holds structures: its facts are an object, not a list.
fn is_structure(top: &Object) -> bool {
    top.values().next().and_then(|context| context.get("facts")).is_some_and(Value::is_object)
}

fn read_file(source: &Source, structures: &Object, sink: &mut Sink) {
    let Some(top) = top(source) else {
        for (place, row) in records::rows(source) {
            records::give(sink, place, row, &mut |record, _| {
                record.flag("unknown-shape", "", "expected one object with a context under each key");
            });
        }
        return;
    };
    for (row, (key, context)) in top.iter().enumerate() {
        read_context(row, key, context, structures.get(key), sink);
    }
}

fn read_context(row: usize, key: &str, context: &Value, structure: Option<&Value>, sink: &mut Sink) {
    let place = Place { row: Some(row), line: None };
    let whole = json!({"key": key, "language": context, "logic": structure});
    let lists = ["facts", "rules", "statements", "labels"].map(|name| context.get(name).and_then(Value::as_array));
    let [Some(facts), Some(rules), Some(statements), Some(labels)] = lists else {
        sink.record(place, whole, |record| {
            record.flag("unknown-shape", "", "expected lists `facts`, `rules`, `statements` and `labels`");
        });
        return;
    };
    let texts = |list: &[Value]| list.iter().map(|v| v.as_str().unwrap_or_default().to_string()).collect::<Vec<_>>();
    let theory = structure.map(|structure| Theory::read(structure, facts.len(), rules.len()));
    let words = Words { facts: texts(facts), rules: texts(rules) };
    for at in 0..statements.len().max(labels.len()) {
        let (statement, label) = (statements.get(at), labels.get(at));
        let source = json!({
            "key": key, "facts": facts, "rules": rules, "statement": statement, "label": label,
            "logic": structure.map(|s| json!({
                "facts": s.get("facts"), "rules": s.get("rules"),
                "statement": entry(s, "statements", at), "label": entry(s, "labels", at),
            })),
        });
        sink.record(place, source, |record| {
            for (name, list) in [("facts", facts), ("rules", rules)] {
                for (i, _) in list.iter().enumerate().filter(|(_, v)| !v.is_string()) {
                    record.flag("wrong-type", &format!("{name}[{i}]"), "must be a text");
                }
            }
            read_statement(record, at, statement, label, &words, theory.as_ref(), structure);
        });
    }
}

fn entry<'a>(structure: &'a Value, list: &str, at: usize) -> Option<&'a Value> {
    structure.get(list)?.get(at.to_string())
}

struct Words {
    facts: Vec<String>,
    rules: Vec<String>,
}

/// A context's structure, and all that chaining gives.
struct Theory {
    facts: Vec<Literal>,
    rules: Vec<Rule>,
    closure: Closure,
}

impl Theory {
    /// What is wrong, where the structure is not that of the words.
    fn read(structure: &Value, facts: usize, rules: usize) -> Result<Theory, String> {
        let object =
            |name: &str| structure.get(name).and_then(Value::as_object).ok_or(format!("`{name}` is no object"));
        let by_number = |name: &str, count: usize| -> Result<Vec<&Value>, String> {
            let map = object(name)?;
            if map.len() != count {
                return Err(format!("{} {name} in the structure, {count} in words", map.len()));
            }
            (0..count).map(|i| map.get(&i.to_string()).ok_or(format!("`{name}.{i}` is missing"))).collect()
        };
        let read = |name: &str, i: usize, value: &Value| literal(value).ok_or(format!("`{name}.{i}` is no literal"));
        let facts = by_number("facts", facts)?;
        let facts = facts.into_iter().enumerate().map(|(i, v)| read("facts", i, v)).collect::<Result<Vec<_>, _>>()?;
        let rules = by_number("rules", rules)?;
        let rules = rules.into_iter().enumerate().map(|(i, v)| rule(v).ok_or(format!("`rules.{i}` is no rule")));
        let rules = rules.collect::<Result<Vec<_>, _>>()?;
        let statements = object("statements")?.values().filter_map(literal);
        let sides = rules.iter().flat_map(|rule| [&rule.p, &rule.q]).flat_map(|side| side.literals.iter().cloned());
        let mut people: Vec<String> = facts.iter().cloned().chain(statements).chain(sides).map(|l| l.who).collect();
        people.retain(|who| who != "all" && who != "exist");
        people.sort();
        people.dedup();
        let closure = close(&facts, &rules, &people);
        Ok(Theory { facts, rules, closure })
    }

    /// The label that chaining gives, and the part of the context that bears on the statement.
    fn judge(&self, statement: &Literal) -> (usize, Proof) {
        match (self.closure.proof(statement), self.closure.proof(&statement.negated())) {
            (Some(proof), None) => (0, proof),
            (None, Some(proof)) => (1, proof),
            (None, None) => (2, self.around(statement)),
            (Some(one), Some(other)) => (3, one.and(&other)),
        }
    }

    /// The facts about a statement's person, and the rules that can conclude its attribute; all, where there are none.
    fn around(&self, statement: &Literal) -> Proof {
        let concludes = |side: &Side| {
            side.literals.iter().any(|l| l.what == statement.what && (l.who == statement.who || l.who == "all"))
        };
        let facts = self.facts.iter().enumerate().filter(|(_, f)| f.who == statement.who).map(|(i, _)| i);
        let rules = self.rules.iter().enumerate();
        let rules = rules.filter(|(_, r)| concludes(&r.q) || (r.both_ways && concludes(&r.p))).map(|(i, _)| i);
        let part = Proof { facts: facts.collect(), rules: rules.collect(), depth: 0 };
        if part.facts.is_empty() && part.rules.is_empty() { self.whole() } else { part }
    }

    fn whole(&self) -> Proof {
        Proof { facts: (0..self.facts.len()).collect(), rules: (0..self.rules.len()).collect(), depth: 0 }
    }
}

/// `["Eli", "soft", "-", …]`.
fn literal(value: &Value) -> Option<Literal> {
    let text = |i: usize| value.get(i).and_then(Value::as_str);
    let holds = match text(2)? {
        "+" => true,
        "-" => false,
        _ => return None,
    };
    Some(Literal { who: text(0)?.to_string(), what: text(1)?.to_string(), holds })
}

/// `{"p": {"fact": […], "conj": "none"}, "q": …, "type": "imp"}`.
fn rule(value: &Value) -> Option<Rule> {
    let side = |name: &str| -> Option<Side> {
        let side = value.get(name)?;
        let literals: Option<Vec<Literal>> = side.get("fact")?.as_array()?.iter().map(literal).collect();
        let literals = literals.filter(|list| !list.is_empty())?;
        let or = match side.get("conj")?.as_str()? {
            "or" => true,
            "and" => false,
            "none" if literals.len() == 1 => false,
            _ => return None,
        };
        Some(Side { literals, or })
    };
    let both_ways = match value.get("type")?.as_str()? {
        "equ" => true,
        "imp" => false,
        _ => return None,
    };
    Some(Rule { p: side("p")?, q: side("q")?, both_ways })
}

fn read_statement(
    record: &mut Record,
    at: usize,
    statement: Option<&Value>,
    label_value: Option<&Value>,
    words: &Words,
    theory: Option<&Result<Theory, String>>,
    structure: Option<&Value>,
) {
    let field = |name: &str| format!("{name}[{at}]");
    let endings = LABELS.map(str::to_string);
    let text = statement.and_then(|v| record.text_of(v, &field("statements")));
    let label = label_value.and_then(|v| record.answer(v, &field("labels"), &endings, Style::Text));
    for (name, there) in [("statements", statement.is_some()), ("labels", label_value.is_some())] {
        if !there {
            record.flag("missing-field", &field(name), "statements and labels are not as many");
        }
    }
    let (Some(text), Some(label)) = (text, label) else { return };
    let whole = Proof { facts: (0..words.facts.len()).collect(), rules: (0..words.rules.len()).collect(), depth: 0 };
    let literal = structure.and_then(|s| entry(s, "statements", at)).and_then(literal);
    if let Some(other) = structure.and_then(|s| entry(s, "labels", at)).filter(|other| Some(*other) != label_value) {
        let message = format!("the structures have the label {other}; that of the words is taken");
        record.flag("conflicting-label", &field("labels"), message);
    }
    let mut formulas = None;
    let part = match (theory, literal) {
        (Some(Ok(theory)), Some(literal)) => {
            let (found, part) = theory.judge(&literal);
            let part = if found == label {
                part
            } else {
                let message = format!("labelled {}, but chaining the rules gives {}", LABELS[label], LABELS[found]);
                record.flag("chain-mismatch", &field("labels"), message);
                whole
            };
            let facts = part.facts.iter().map(|i| formula::literal(&theory.facts[*i]));
            let premises: Vec<String> =
                facts.chain(part.rules.iter().map(|i| formula::rule(&theory.rules[*i]))).collect();
            let count = premises.len();
            let made = Formulas { premises, conclusion: Some(formula::literal(&literal)) };
            formulas = Some(record.formulas(made, count, Fields { premises: "logic", conclusion: "logic.statement" }));
            part
        }
        (Some(Err(reason)), _) => {
            record.flag("no-structure", "logic", format!("the structure cannot be used: {reason}"));
            whole
        }
        (Some(Ok(_)), None) => {
            record.flag(
                "no-structure",
                &format!("logic.statements.{at}"),
                "the statement's structure is missing or unknown",
            );
            whole
        }
        (None, _) => {
            record.flag("no-structure", "logic", "no structure for this context; give the logic file too");
            whole
        }
    };
    let sentences = part.facts.iter().filter_map(|i| words.facts.get(*i));
    let sentences: Vec<String> =
        sentences.chain(part.rules.iter().filter_map(|i| words.rules.get(*i))).cloned().collect();
    let context = record.join(&sentences, "context");
    let mut meta = Object::new();
    meta.insert("support".into(), json!({"facts": part.facts, "rules": part.rules}));
    record.item(Draft {
        suffix: format!("/{at:02}"),
        hops: part.depth,
        context,
        question: Some(format!("Does the following statement follow? {}", text.trim())),
        endings: endings.to_vec(),
        label,
        gold: ["entailed", "contradicted", "unknown"].get(label).copied(),
        formulas,
        meta,
        ..Draft::default()
    });
}
