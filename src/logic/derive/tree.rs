//! A derivation as data: to be printed for a person, written as JSON, and checked again.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::{Value, json};

use super::cases::Node;
use super::problem::{Origin, Problem, not, ordered};
use crate::logic::formula::Formula;
use crate::logic::normal::{Literal, clauses};
use crate::logic::substitute::Substitution;

/// A derivation.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// How many steps there are, on all branches.
    pub count: usize,
    /// The literals known from the start that some step uses, and why they are.
    pub facts: Vec<(Literal, Origin)>,
    /// The steps until the branch is closed or divides. None at all where two facts contradict each other.
    pub steps: Vec<Step>,
}

/// The application of a clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The ground clause.
    pub clause: Vec<Literal>,
    /// Where it comes from.
    pub origin: Origin,
    /// What is left of it: nothing where it closes the branch, one literal where it becomes known, several cases.
    pub cases: Vec<Case>,
}

/// What follows where a literal is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The literal.
    pub literal: Literal,
    /// The steps of this case; empty where it is the only one, and the steps go on after it.
    pub steps: Vec<Step>,
}

impl Derivation {
    /// The search's tree as data; `None` where facts contradict each other.
    pub(super) fn of(problem: &Problem, node: Option<&Node>) -> Derivation {
        let mut steps = Vec::new();
        let mut used = BTreeSet::new();
        match node {
            Some(node) => collect(problem, node, &mut steps, &mut used),
            None => used.extend(problem.clash.into_iter().flat_map(|lit| [lit, not(lit)])),
        }
        let facts = problem.facts.iter().filter(|(lit, _)| used.contains(lit));
        let facts = facts.map(|(lit, origin)| (problem.literal(*lit), origin.clone())).collect();
        Derivation { count: node.map_or(0, Node::steps), facts, steps }
    }

    /// Checks the derivation against the premises and the conclusion: every clause is what it says it is, only what is
    /// known is struck out, every branch closes, and the count is right. That no derivation is shorter is not checked.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, premises: &[Formula], conclusion: &Formula, unique_names: bool) -> Result<(), String> {
        let negated = Formula::not(conclusion.clone());
        let formulas: Vec<&Formula> = premises.iter().chain([&negated]).collect();
        let clauses = clauses(formulas.iter().copied()).map_err(|e| e.to_string())?;
        let checker = Checker { clauses, unique_names };
        let mut known = Vec::new();
        for (literal, origin) in &self.facts {
            checker.origin(std::slice::from_ref(literal), origin, true)?;
            known.push(literal.clone());
        }
        let count = match self.steps.is_empty() {
            true if known.iter().any(|literal| known.contains(&literal.negated())) => 0,
            true => return Err("nothing is derived, and no two facts contradict each other".to_string()),
            false => checker.branch(&self.steps, &mut known)?,
        };
        if count == self.count { Ok(()) } else { Err(format!("there are {count} steps, not {}", self.count)) }
    }

    /// As JSON: `{"steps":2,"known":[{"literal":…,"from":…}],"derivation":[{"clause":…,"from":…,"gives":…},…]}`.
    /// `premises` is the number of premises.
    pub fn to_json(&self, premises: usize) -> Value {
        let known: Vec<Value> = self
            .facts
            .iter()
            .map(|(literal, origin)| json!({"literal": literal.formula().to_string(), "from": from(origin, premises)}))
            .collect();
        json!({"steps": self.count, "known": known, "derivation": steps_json(&self.steps, premises)})
    }

    /// For a person, one step a line; cases are indented. `premises` is the number of premises; `negated` says that what
    /// is derived is the negation of what the reader calls the conclusion, so that the conclusion itself is assumed.
    pub fn to_text(&self, premises: usize, negated: bool) -> String {
        let mut out = String::new();
        let assumed = if negated { "the conclusion" } else { "the conclusion's negation" };
        let words = |origin: &Origin| words(origin, premises, assumed);
        for (literal, origin) in &self.facts {
            let word = if is_assumption(origin, premises) { "assume" } else { "given" };
            let _ = writeln!(out, "{word} {}   ({})", literal.formula(), words(origin));
        }
        write_steps(&mut out, &self.steps, &words, &mut 0, 0);
        out
    }
}

fn collect(problem: &Problem, node: &Node, out: &mut Vec<Step>, used: &mut BTreeSet<u32>) {
    let step = |clause: usize, cases: Vec<Case>| Step {
        clause: problem.clauses[clause].lits.iter().map(|lit| problem.literal(*lit)).collect(),
        origin: problem.clauses[clause].origin.clone(),
        cases,
    };
    let (Node::Close(clause) | Node::Derive(clause, ..) | Node::Cases(clause, _)) = node;
    used.extend(problem.clauses[*clause].lits.iter().map(|lit| not(*lit)));
    match node {
        Node::Close(clause) => out.push(step(*clause, Vec::new())),
        Node::Derive(clause, lit, next) => {
            out.push(step(*clause, vec![Case { literal: problem.literal(*lit), steps: Vec::new() }]));
            collect(problem, next, out, used);
        }
        Node::Cases(clause, cases) => {
            let cases = cases.iter().map(|(lit, node)| {
                let mut steps = Vec::new();
                collect(problem, node, &mut steps, used);
                Case { literal: problem.literal(*lit), steps }
            });
            let cases = cases.collect();
            out.push(step(*clause, cases));
        }
    }
}

/// The plain checker: nothing of the search is used.
struct Checker {
    clauses: Vec<crate::logic::normal::Clause>,
    unique_names: bool,
}

impl Checker {
    fn branch(&self, steps: &[Step], known: &mut Vec<Literal>) -> Result<usize, String> {
        let before = known.len();
        let mut count = 0;
        for (number, step) in steps.iter().enumerate() {
            self.origin(&step.clause, &step.origin, false)?;
            count += 1;
            let left: BTreeSet<&Literal> = step.clause.iter().filter(|l| !known.contains(&l.negated())).collect();
            let cases: BTreeSet<&Literal> = step.cases.iter().map(|case| &case.literal).collect();
            if !left.is_subset(&cases) {
                return Err(format!("a step strikes out what is not refuted, of {}", clause_text(&step.clause)));
            }
            if left != cases || cases.len() < step.cases.len() {
                return Err(format!("a case is not what is left, of {}", clause_text(&step.clause)));
            }
            match &step.cases[..] {
                [] if number + 1 == steps.len() => break,
                [only] if number + 1 < steps.len() && only.steps.is_empty() => known.push(only.literal.clone()),
                [_, _, ..] if number + 1 == steps.len() => {
                    for case in &step.cases {
                        known.push(case.literal.clone());
                        count += self.branch(&case.steps, known)?;
                        known.pop();
                    }
                }
                _ => return Err("a branch does not end where it is closed".to_string()),
            }
        }
        known.truncate(before);
        if steps.is_empty() { Err("a branch is not closed".to_string()) } else { Ok(count) }
    }

    /// Whether a ground clause comes from where it says; a fact, from a clause of one literal.
    fn origin(&self, clause: &[Literal], origin: &Origin, fact: bool) -> Result<(), String> {
        let key = |literals: &mut dyn Iterator<Item = (bool, Formula)>| -> BTreeSet<(bool, Formula)> {
            literals
                .map(|(positive, atom)| (positive, ordered(atom)))
                .filter(|(positive, atom)| *positive || !matches!(atom, Formula::Eq(s, t) if s == t))
                .collect()
        };
        let given = key(&mut clause.iter().map(|l| (l.positive, l.atom.clone())));
        let right = match origin {
            Origin::Formula { source, bindings } => {
                let by: Substitution = bindings.iter().cloned().collect();
                let mut from = self.clauses.iter().filter(|c| c.source == *source && (!fact || c.literals.len() == 1));
                from.any(|c| {
                    let mut instance = c.literals.iter().map(|l| (l.positive, l.atom.substitute(&by)));
                    c.vars().iter().all(|x| by.contains_key(x)) && key(&mut instance) == given
                }) && bindings.iter().all(|(_, t)| t.is_ground())
            }
            Origin::Equality => is_equality_axiom(clause),
            Origin::UniqueNames => {
                self.unique_names
                    && matches!(clause, [Literal { positive: false, atom: Formula::Eq(s, t) }]
                        if s != t && s.depth() == 1 && t.depth() == 1)
            }
        };
        if right {
            Ok(())
        } else {
            Err(format!("{} is not an instance of where it is said to come from", clause_text(clause)))
        }
    }
}

/// Whether the clause holds wherever equality is equality: its positive literal follows from its negative ones.
fn is_equality_axiom(clause: &[Literal]) -> bool {
    let formulas: Vec<Formula> = clause.iter().map(|l| l.negated().formula()).collect();
    let formulas: Vec<&Formula> = formulas.iter().collect();
    crate::logic::ground::contradict(&formulas)
}

fn steps_json(steps: &[Step], premises: usize) -> Vec<Value> {
    let one = |step: &Step| {
        let mut value = json!({"clause": clause_text(&step.clause), "from": from(&step.origin, premises)});
        match &step.cases[..] {
            [] => value["gives"] = json!("⊥"),
            [only] => value["gives"] = json!(only.literal.formula().to_string()),
            cases => {
                let list = cases.iter().map(|case| {
                    json!({"case": case.literal.formula().to_string(), "derivation": steps_json(&case.steps, premises)})
                });
                value["cases"] = list.collect();
            }
        }
        value
    };
    steps.iter().map(one).collect()
}

fn from(origin: &Origin, premises: usize) -> Value {
    match origin {
        Origin::Formula { source, bindings } => {
            let with: serde_json::Map<String, Value> =
                bindings.iter().map(|(x, t)| (x.to_string(), t.to_string().into())).collect();
            match *source < premises {
                true => json!({"premise": source, "with": with}),
                false => json!({"negated_conclusion": true, "with": with}),
            }
        }
        Origin::Equality => json!({"equality": true}),
        Origin::UniqueNames => json!({"unique_names": true}),
    }
}

fn words(origin: &Origin, premises: usize, assumed: &str) -> String {
    match origin {
        Origin::Formula { source, bindings } => {
            let mut out = match *source < premises {
                true => format!("premise {}", source + 1),
                false => assumed.to_string(),
            };
            for (x, t) in bindings {
                let _ = write!(out, ", {x} = {t}");
            }
            out
        }
        Origin::Equality => "equality".to_string(),
        Origin::UniqueNames => "different names".to_string(),
    }
}

fn is_assumption(origin: &Origin, premises: usize) -> bool {
    matches!(origin, Origin::Formula { source, .. } if *source >= premises)
}

/// A clause as an implication from what its negative literals deny, where it has both kinds.
fn clause_text(clause: &[Literal]) -> String {
    let (positive, negative): (Vec<&Literal>, Vec<&Literal>) = clause.iter().partition(|l| l.positive);
    let positive: Vec<Formula> = positive.into_iter().map(Literal::formula).collect();
    if positive.is_empty() || negative.is_empty() {
        return Formula::or(clause.iter().map(Literal::formula).collect()).to_string();
    }
    let negative = negative.into_iter().map(|l| l.atom.clone()).collect();
    Formula::implies(Formula::and(negative), Formula::or(positive)).to_string()
}

fn write_steps(out: &mut String, steps: &[Step], words: &dyn Fn(&Origin) -> String, number: &mut usize, indent: usize) {
    let margin = " ".repeat(indent);
    for step in steps {
        *number += 1;
        let origin = words(&step.origin);
        let _ = write!(out, "{margin}{number}. {}   ({origin})", clause_text(&step.clause));
        match &step.cases[..] {
            [] => {
                let _ = writeln!(out, ": contradiction");
            }
            [only] => {
                let _ = writeln!(out, ": so {}", only.literal.formula());
            }
            cases => {
                let _ = writeln!(out, ": {} cases", cases.len());
                for case in cases {
                    let _ = writeln!(out, "{margin}   case {}", case.literal.formula());
                    write_steps(out, &case.steps, words, number, indent + 6);
                }
            }
        }
    }
}
