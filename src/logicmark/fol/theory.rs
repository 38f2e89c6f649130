//! Theories: three lines of reasoning of one depth, one to a truth, one to a falsehood, one that breaks, among others that
//! lead nowhere.

use super::vocabulary::Vocabulary;
use crate::logic::{Formula, Term};
use crate::logicmark::Draw;

/// Rules of a theory, whatever its depth: what a shallow one does not need leads nowhere.
const RULES: usize = 18;
/// Facts beside those that start the lines.
const SPARE_FACTS: usize = 3;

/// A predicate and whether it is affirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Literal {
    predicate: String,
    positive: bool,
}

impl Literal {
    fn of(&self, subject: &Term) -> Formula {
        let atom = Formula::pred(&self.predicate, vec![subject.clone()]);
        if self.positive { atom } else { Formula::not(atom) }
    }
}

/// A theory and what may be asked of it.
pub(super) struct Theory {
    pub(super) premises: Vec<Formula>,
    /// Follows after as many steps as the depth says; an affirmed literal.
    pub(super) truth: Formula,
    /// Follows after as many; a denied literal.
    pub(super) denial: Formula,
    /// Neither it nor its denial follows; an affirmed literal.
    pub(super) open: Formula,
    /// The premise that is missing for `open` or its denial to follow after as many steps.
    pub(super) missing: Formula,
}

fn x() -> Term {
    Term::var("x")
}

fn for_all(body: Formula) -> Formula {
    Formula::ForAll("x".into(), Box::new(body))
}

/// A line of reasoning: the premises that it needs, where it ends, and which of its premises are rules.
struct Line {
    facts: Vec<Formula>,
    rules: Vec<Formula>,
    end: Formula,
}

impl Theory {
    /// A theory whose lines have `hops` steps each; `None` if the vocabulary runs out.
    pub(super) fn draw(draw: &mut Draw, vocabulary: &mut Vocabulary, hops: usize) -> Option<Theory> {
        let truth = line(draw, vocabulary, hops, true)?;
        let denial = line(draw, vocabulary, hops, false)?;
        let positive = draw.below(2) == 0;
        let mut broken = line(draw, vocabulary, hops, positive)?;
        // The rule turned round: what needs it no longer follows.
        let at = draw.below(hops);
        let missing = broken.rules[at].clone();
        broken.rules[at] = turned(&missing)?;
        let open = match &broken.end {
            Formula::Not(inner) => (**inner).clone(),
            end => end.clone(),
        };
        let mut premises: Vec<Formula> =
            [&truth, &denial, &broken].iter().flat_map(|line| line.facts.iter().chain(&line.rules).cloned()).collect();
        let rules = truth.rules.len() + denial.rules.len() + broken.rules.len();
        spare(draw, vocabulary, &mut premises, RULES.saturating_sub(rules))?;
        draw.shuffle(&mut premises);
        Some(Theory { premises, truth: truth.end, denial: denial.end, open, missing })
    }
}

/// A line of `hops` steps that ends in a literal of this sign.
fn line(draw: &mut Draw, vocabulary: &mut Vocabulary, hops: usize, positive: bool) -> Option<Line> {
    let mut who = Term::constant(vocabulary.name()?);
    let mut at = literal(draw, vocabulary)?;
    let mut line = Line { facts: vec![at.of(&who)], rules: Vec::new(), end: Formula::True };
    for step in 0..hops {
        let mut next = literal(draw, vocabulary)?;
        if step + 1 == hops {
            next.positive = positive;
        }
        let (from, to) = (at.of(&x()), next.of(&x()));
        let rule = match draw.below(10) {
            0 | 1 => Formula::implies(from, to),
            2 => {
                let beside = literal(draw, vocabulary)?;
                line.facts.push(beside.of(&who));
                let mut both = vec![from, beside.of(&x())];
                draw.shuffle(&mut both);
                Formula::implies(Formula::And(both), to)
            }
            3 => {
                let other = literal(draw, vocabulary)?;
                let mut either = vec![from, other.of(&x())];
                draw.shuffle(&mut either);
                Formula::implies(Formula::Or(either), to)
            }
            4 => {
                let other = literal(draw, vocabulary)?;
                let mut both = vec![to, other.of(&x())];
                draw.shuffle(&mut both);
                Formula::implies(from, Formula::And(both))
            }
            5 => {
                // One of the two, and the other is denied by a fact.
                let other = Literal { positive: true, ..literal(draw, vocabulary)? };
                line.facts.push(Formula::not(other.of(&who)));
                let mut sides = [to, other.of(&x())];
                draw.shuffle(&mut sides);
                let [a, b] = sides;
                Formula::implies(from, if draw.below(2) == 0 { Formula::xor(a, b) } else { Formula::Or(vec![a, b]) })
            }
            6 => Formula::iff(from, to),
            7 if step + 1 < hops || positive => {
                // From one to another who has to do with them.
                let tie = vocabulary.tie(draw)?;
                let other = Term::constant(vocabulary.name()?);
                line.facts.push(Formula::pred(&tie, vec![other.clone(), who.clone()]));
                who = other;
                let y = Term::var("y");
                let known = Formula::And(vec![Formula::pred(&tie, vec![x(), y.clone()]), at.of(&y)]);
                Formula::implies(Formula::Exists("y".into(), Box::new(known)), to)
            }
            8 => Formula::implies(next.denied().of(&x()), at.denied().of(&x())),
            _ => Formula::implies(from, to),
        };
        line.rules.push(for_all(rule));
        at = next;
    }
    line.end = at.of(&who);
    Some(line)
}

impl Literal {
    fn denied(&self) -> Literal {
        Literal { positive: !self.positive, ..self.clone() }
    }
}

fn literal(draw: &mut Draw, vocabulary: &mut Vocabulary) -> Option<Literal> {
    Some(Literal { predicate: vocabulary.predicate()?, positive: draw.below(4) > 0 })
}

/// The rule with condition and result exchanged.
fn turned(rule: &Formula) -> Option<Formula> {
    let Formula::ForAll(_, body) = rule else { return None };
    match &**body {
        // Exchanged, the other side of a choice or of a tie would make a sentence of another kind.
        Formula::Implies(a, b) if !matches!(**a, Formula::Exists(..)) => {
            Some(for_all(Formula::implies((**b).clone(), (**a).clone())))
        }
        _ => None,
    }
}

/// Facts and rules that touch the lines only from outside: a rule leads from something new, or to something new.
fn spare(draw: &mut Draw, vocabulary: &mut Vocabulary, premises: &mut Vec<Formula>, rules: usize) -> Option<()> {
    let names: Vec<Term> = premises.iter().filter_map(first_constant).collect();
    let mut known: Vec<Literal> = premises.iter().flat_map(literals).collect();
    for _ in 0..SPARE_FACTS {
        let new = literal(draw, vocabulary)?;
        premises.push(new.of(&names[draw.below(names.len())]));
        known.push(new);
    }
    for _ in 0..rules {
        let new = literal(draw, vocabulary)?;
        let old = known[draw.below(known.len())].clone();
        let rule = match draw.below(3) {
            0 => Formula::implies(new.of(&x()), old.of(&x())),
            1 => Formula::implies(old.of(&x()), new.of(&x())),
            _ => {
                let third = literal(draw, vocabulary)?;
                match draw.below(3) {
                    0 => Formula::implies(Formula::And(vec![old.of(&x()), new.of(&x())]), third.of(&x())),
                    1 => Formula::implies(new.of(&x()), Formula::Or(vec![old.of(&x()), third.of(&x())])),
                    _ => Formula::implies(old.of(&x()), Formula::And(vec![new.of(&x()), third.of(&x())])),
                }
            }
        };
        premises.push(for_all(rule));
        known.push(new);
    }
    Some(())
}

/// The constant of a fact.
fn first_constant(premise: &Formula) -> Option<Term> {
    match premise {
        Formula::Pred(_, args) => args.first().cloned(),
        Formula::Not(inner) => first_constant(inner),
        _ => None,
    }
}

/// The literals of one variable or name in a premise.
fn literals(premise: &Formula) -> Vec<Literal> {
    match premise {
        Formula::Pred(name, args) if args.len() == 1 => vec![Literal { predicate: name.to_string(), positive: true }],
        Formula::Not(inner) => literals(inner).into_iter().map(|literal| literal.denied()).collect(),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().flat_map(literals).collect(),
        Formula::Implies(a, b) | Formula::Xor(a, b) | Formula::Iff(a, b) => [literals(a), literals(b)].concat(),
        Formula::ForAll(_, body) | Formula::Exists(_, body) => literals(body),
        _ => Vec::new(),
    }
}
