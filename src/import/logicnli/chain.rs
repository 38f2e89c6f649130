//! Chaining the rules of a LogicNLI context, and the proof of a statement.
//!
//! Facts and rules speak of literals: a person, an attribute, a sign. A rule fires when its premise is known literally;
//! there is no contraposition, no negation as failure, and contradictory literals do not stop it. A rule about `all` holds for
//! each person; one from `exist` fires for any person. A rule from `all` to named persons ("if everyone is …") never fires:
//! facts about some people do not tell of everyone. `equ` rules go both ways. Breadth first, so that the first proof of a
//! literal is one of least depth.

use std::collections::BTreeMap;

/// A person, an attribute, and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Literal {
    /// A name, `all` or `exist`.
    pub who: String,
    pub what: String,
    pub holds: bool,
}

impl Literal {
    pub fn negated(&self) -> Self {
        Literal { holds: !self.holds, ..self.clone() }
    }

    /// Of one person, where it is of `all` or `exist`.
    fn of(&self, person: &str) -> Self {
        match self.who.as_str() {
            "all" | "exist" => Literal { who: person.to_string(), ..self.clone() },
            _ => self.clone(),
        }
    }
}

/// One side of a rule: literals joined by ∧, or by ∨.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub literals: Vec<Literal>,
    pub or: bool,
}

impl Side {
    pub fn is_of(&self, who: &str) -> bool {
        self.literals.iter().any(|literal| literal.who == who)
    }
}

/// `p → q`, or `p ↔ q`.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub p: Side,
    pub q: Side,
    pub both_ways: bool,
}

/// Where a literal comes from.
#[derive(Clone, Debug)]
enum Origin {
    Fact(usize),
    Rule(usize, Vec<Literal>),
}

/// Everything that follows, each with its depth.
#[derive(Clone, Debug, Default)]
pub(super) struct Closure {
    known: BTreeMap<Literal, (u32, Origin)>,
}

/// A proof: the facts and rules it uses (0-based, ascending) and its depth in rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Proof {
    pub facts: Vec<usize>,
    pub rules: Vec<usize>,
    pub depth: u32,
}

impl Proof {
    /// Both proofs together; the depth is the greater.
    pub fn and(&self, other: &Proof) -> Proof {
        let merge = |a: &[usize], b: &[usize]| {
            let mut all = [a, b].concat();
            all.sort_unstable();
            all.dedup();
            all
        };
        Proof {
            facts: merge(&self.facts, &other.facts),
            rules: merge(&self.rules, &other.rules),
            depth: self.depth.max(other.depth),
        }
    }
}

/// Chains the rules from the facts until nothing new follows. `people` are those that rules may speak of.
pub(super) fn close(facts: &[Literal], rules: &[Rule], people: &[String]) -> Closure {
    let mut known: BTreeMap<Literal, (u32, Origin)> = BTreeMap::new();
    for (i, fact) in facts.iter().enumerate() {
        known.entry(fact.clone()).or_insert((0, Origin::Fact(i)));
    }
    for round in 1.. {
        let mut fresh: BTreeMap<Literal, Origin> = BTreeMap::new();
        for (i, rule) in rules.iter().enumerate() {
            fire(&rule.p, &rule.q, i, people, &known, &mut fresh);
            if rule.both_ways {
                fire(&rule.q, &rule.p, i, people, &known, &mut fresh);
            }
        }
        if fresh.is_empty() {
            break;
        }
        known.extend(fresh.into_iter().map(|(literal, origin)| (literal, (round, origin))));
    }
    Closure { known }
}

fn fire(
    p: &Side,
    q: &Side,
    rule: usize,
    people: &[String],
    known: &BTreeMap<Literal, (u32, Origin)>,
    fresh: &mut BTreeMap<Literal, Origin>,
) {
    // A disjunction concludes no literal; what exists is nobody that a literal could name.
    if (q.or && q.literals.len() > 1) || q.is_of("exist") || (p.is_of("all") && !q.is_of("all")) {
        return;
    }
    let once = [String::new()];
    let people = if [p, q].iter().any(|side| side.is_of("all") || side.is_of("exist")) { people } else { &once };
    for person in people {
        let needed: Vec<Literal> = p.literals.iter().map(|literal| literal.of(person)).collect();
        let from = if p.or {
            let first = needed.iter().filter_map(|l| known.get(l).map(|(depth, _)| (*depth, l))).min();
            first.map(|(_, literal)| vec![literal.clone()])
        } else {
            needed.iter().all(|literal| known.contains_key(literal)).then_some(needed)
        };
        let Some(from) = from else { continue };
        for literal in &q.literals {
            let literal = literal.of(person);
            if !known.contains_key(&literal) {
                fresh.entry(literal).or_insert_with(|| Origin::Rule(rule, from.clone()));
            }
        }
    }
}

impl Closure {
    /// The proof of a literal, where it follows.
    pub fn proof(&self, literal: &Literal) -> Option<Proof> {
        let (depth, _) = self.known.get(literal)?;
        let mut proof = Proof { depth: *depth, ..Proof::default() };
        let mut open = vec![literal.clone()];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(literal) = open.pop() {
            match self.known.get(&literal) {
                _ if !seen.insert(literal.clone()) => {}
                Some((_, Origin::Fact(i))) => proof.facts.push(*i),
                Some((_, Origin::Rule(i, from))) => {
                    proof.rules.push(*i);
                    open.extend(from.iter().cloned());
                }
                None => {}
            }
        }
        Some(proof.and(&Proof::default()))
    }
}
