//! Formulas to English sentences.
//!
//! Shapes that people speak of get a sentence of their own, in one of several forms; any other formula is spoken clause by
//! clause (`it is not the case that …`, `both … and …`), which is clumsy and exact.

use super::words::{Domain, Lexicon, Word, article};
use crate::logic::{Formula, Term};
use crate::logicmark::Draw;

/// Puts formulas into words.
pub struct Speaker<'a> {
    lexicon: &'a Lexicon,
    draw: &'a mut Draw,
}

/// The subject of a verb phrase: how the verb agrees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    One,
    /// Of `they` for one person: `they are a baker`.
    They,
    /// Of several: `those who are bakers`.
    Many,
}

impl<'a> Speaker<'a> {
    /// A speaker who knows the words of a lexicon and chooses forms by `draw`.
    pub fn new(lexicon: &'a Lexicon, draw: &'a mut Draw) -> Self {
        Speaker { lexicon, draw }
    }

    /// The formula as a sentence with its full stop; `None` if it has a shape that cannot be spoken.
    pub fn sentence(&mut self, formula: &Formula) -> Option<String> {
        let text = self.natural(formula).or_else(|| self.clause(formula, None))?;
        let mut letters = text.chars();
        let first = letters.next()?;
        Some(format!("{}{}.", first.to_uppercase(), letters.as_str()))
    }

    fn people(&self) -> bool {
        self.lexicon.domain == Domain::People
    }
    fn every(&self) -> &'static str {
        if self.people() { "everyone" } else { "everything" }
    }
    fn some(&self) -> &'static str {
        if self.people() { "someone" } else { "something" }
    }
    fn none(&self) -> &'static str {
        if self.people() { "nobody" } else { "nothing" }
    }
    fn which(&self) -> &'static str {
        if self.people() { "who" } else { "that" }
    }
    fn they(&self) -> &'static str {
        if self.people() { "they" } else { "it" }
    }
    /// How a verb agrees with the pronoun.
    fn pronoun(&self) -> Number {
        if self.people() { Number::They } else { Number::One }
    }

    /// One of the forms that people use for a shape; `None` for other shapes.
    fn natural(&mut self, formula: &Formula) -> Option<String> {
        match formula {
            Formula::ForAll(x, body) => match &**body {
                Formula::Implies(condition, result) => self.rule(x, condition, result),
                Formula::Iff(a, b) => {
                    let (a, b) = (self.verbs(a, x, Number::One)?, self.verbs(b, x, self.pronoun())?);
                    Some(format!("{} {a} if and only if {} {b}", self.some(), self.they()))
                }
                // `Everyone does not sing` could mean that somebody does.
                other if starts_affirmed(other) => {
                    Some(format!("{} {}", self.every(), self.verbs(other, x, Number::One)?))
                }
                _ => None,
            },
            Formula::Exists(x, body) => {
                let body = self.verbs(body, x, Number::One)?;
                Some(match self.draw.below(2) {
                    0 => format!("there is {} {} {body}", self.some(), self.which()),
                    _ => format!("{} {body}", self.some()),
                })
            }
            Formula::Not(inner) => match &**inner {
                Formula::Exists(x, body) => {
                    let body = self.verbs(body, x, Number::One)?;
                    Some(match self.draw.below(3) {
                        0 => format!("it is not the case that there is {} {} {body}", self.some(), self.which()),
                        1 => format!("it is not the case that {} {body}", self.some()),
                        _ => format!("there is {} {} {body}", self.none(), self.which()),
                    })
                }
                _ => self.of_a_name(formula),
            },
            _ => self.of_a_name(formula),
        }
    }

    /// `Ann is a baker and owns a bicycle`: what is said of one name.
    fn of_a_name(&mut self, formula: &Formula) -> Option<String> {
        let name = name_of(formula)?;
        Some(format!("{name} {}", self.verbs(formula, &name, Number::One)?))
    }

    /// ∀x (condition → result).
    fn rule(&mut self, x: &str, condition: &Formula, result: &Formula) -> Option<String> {
        let (some, they, which) = (self.some(), self.they(), self.which());
        let noun = match condition {
            Formula::Pred(name, args) if args.len() == 1 => match self.lexicon.word(name) {
                Some(Word::Noun(noun)) => Some(*noun),
                _ => None,
            },
            _ => None,
        };
        // A negative result may be denied of nobody.
        if let (Formula::Not(denied), true) = (result, self.draw.below(3) > 0)
            && matches!(**denied, Formula::Pred(..))
        {
            let denied = self.verbs(denied, x, Number::One)?;
            return Some(match noun {
                Some(noun) if self.draw.below(2) == 0 => format!("no {noun} {denied}"),
                _ => format!("{} {which} {} {denied}", self.none(), self.verbs(condition, x, Number::One)?),
            });
        }
        // `Every baker is not rude` could mean that some are.
        let form = if starts_affirmed(result) { self.draw.below(8) } else { 5 };
        if let Some(noun) = noun
            && form < 4
        {
            return Some(match form {
                0 | 1 => format!("every {noun} {}", self.verbs(result, x, Number::One)?),
                2 => format!("all {noun}s {}", self.verbs(result, x, Number::Many)?),
                _ => format!("each {noun} {}", self.verbs(result, x, Number::One)?),
            });
        }
        // `only those who …`: the condition behind the result, single verbs only, or it would be hard to follow.
        let single = |f: &Formula| matches!(f, Formula::Pred(_, args) if args.len() == 1);
        if form == 4 && single(condition) && single(result) {
            let (result, condition) = (self.verbs(result, x, Number::Many)?, self.verbs(condition, x, Number::Many)?);
            return Some(format!("only those {which} {result} {condition}"));
        }
        if form == 5 || form == 6 {
            let condition = self.verbs(condition, x, Number::One)?;
            return Some(format!("if {some} {condition}, then {they} {}", self.verbs(result, x, self.pronoun())?));
        }
        let subject = if self.draw.below(3) == 0 && self.people() { "anyone" } else { self.every() };
        let condition = self.verbs(condition, x, Number::One)?;
        Some(format!("{subject} {which} {condition} {}", self.verbs(result, x, Number::One)?))
    }

    /// What is said of the subject `of` (a variable or a name): one verb phrase or two.
    fn verbs(&mut self, formula: &Formula, of: &str, number: Number) -> Option<String> {
        match formula {
            Formula::And(parts) | Formula::Or(parts) if parts.len() == 2 => {
                let joint = if matches!(formula, Formula::And(_)) { "and" } else { "or" };
                Some(format!("{} {joint} {}", self.verb(&parts[0], of, number)?, self.verb(&parts[1], of, number)?))
            }
            Formula::Xor(a, b) => {
                Some(format!("either {} or {}, but not both", self.verb(a, of, number)?, self.verb(b, of, number)?))
            }
            other => self.verb(other, of, number),
        }
    }

    /// A literal about the subject, or a relation to somebody who is something.
    fn verb(&mut self, formula: &Formula, of: &str, number: Number) -> Option<String> {
        let (atom, negative) = match formula {
            Formula::Not(inner) => (&**inner, true),
            other => (other, false),
        };
        if let Formula::Exists(y, body) = atom {
            // `trusts someone who is a baker`; its denial would be hard to hear.
            let Formula::And(parts) = &**body else { return None };
            let [Formula::Pred(relation, args), other] = &parts[..] else { return None };
            let Some(Word::Relation(verb)) = self.lexicon.word(relation) else { return None };
            let [subject, object] = &args[..] else { return None };
            if negative || !is(subject, of) || !is(object, y) || number == Number::Many {
                return None;
            }
            let verb = if number == Number::One { format!("{verb}s") } else { (*verb).to_string() };
            return Some(format!("{verb} someone who {}", self.verb(other, y, Number::One)?));
        }
        let Formula::Pred(name, args) = atom else { return None };
        if !args.first().is_some_and(|subject| is(subject, of)) {
            return None;
        }
        let be = match (number, negative) {
            (Number::One, false) => "is",
            (Number::One, true) => "is not",
            (_, false) => "are",
            (_, true) => "are not",
        };
        let act = |verb: &str, rest: &str| {
            let gap = if rest.is_empty() { "" } else { " " };
            match (number, negative) {
                (Number::One, false) => format!("{verb}s{gap}{rest}"),
                (Number::One, true) => format!("does not {verb}{gap}{rest}"),
                (_, false) => format!("{verb}{gap}{rest}"),
                (_, true) => format!("do not {verb}{gap}{rest}"),
            }
        };
        match (self.lexicon.word(name)?, &args[1..]) {
            (Word::Noun(noun), []) if number == Number::Many => Some(format!("{be} {noun}s")),
            (Word::Noun(noun), []) => Some(format!("{be} {} {noun}", article(noun))),
            (Word::Adjective(adjective), []) => Some(format!("{be} {adjective}")),
            (Word::Verb(verb, rest), []) => Some(act(verb, rest)),
            (Word::Relation(verb), [Term::App(other, none)]) if none.is_empty() => Some(act(verb, other)),
            _ => None,
        }
    }

    /// Any formula as a clause; `of` is the variable that a pronoun stands for.
    fn clause(&mut self, formula: &Formula, of: Option<&str>) -> Option<String> {
        if let Some(of) = of
            && let Some(simple) = self.verb(formula, of, self.pronoun())
        {
            return Some(format!("{} {simple}", self.they()));
        }
        if let Some(name) = name_of(formula)
            && let Some(simple) = self.verb(formula, &name, Number::One)
        {
            return Some(format!("{name} {simple}"));
        }
        match formula {
            Formula::Not(inner) => Some(format!("it is not the case that {}", self.clause_or_natural(inner, of)?)),
            Formula::And(parts) if parts.len() == 2 => {
                Some(format!("both {} and {}", self.clause(&parts[0], of)?, self.clause(&parts[1], of)?))
            }
            Formula::Or(parts) if parts.len() == 2 => {
                Some(format!("either {} or {}, or both", self.clause(&parts[0], of)?, self.clause(&parts[1], of)?))
            }
            Formula::Xor(a, b) => {
                Some(format!("either {} or {}, but not both", self.clause(a, of)?, self.clause(b, of)?))
            }
            Formula::Implies(a, b) => Some(format!("if {}, then {}", self.clause(a, of)?, self.clause(b, of)?)),
            // Between whole clauses it could not be told how far each reaches.
            Formula::Iff(a, b) if is_literal(a) && is_literal(b) => {
                Some(format!("{} if and only if {}", self.clause(a, of)?, self.clause(b, of)?))
            }
            Formula::ForAll(x, body) => {
                Some(format!("for {} it holds that {}", self.every(), self.clause(body, Some(x))?))
            }
            Formula::Exists(x, body) => {
                let such = if self.people() { "someone for whom" } else { "something for which" };
                Some(format!("there is {such} it holds that {}", self.clause(body, Some(x))?))
            }
            _ => None,
        }
    }

    /// A closed part may be spoken naturally within a clause.
    fn clause_or_natural(&mut self, formula: &Formula, of: Option<&str>) -> Option<String> {
        match formula {
            Formula::ForAll(..) | Formula::Exists(..) if of.is_none() => {
                self.natural(formula).or_else(|| self.clause(formula, of))
            }
            _ => self.clause(formula, of),
        }
    }
}

fn is(term: &Term, of: &str) -> bool {
    match term {
        Term::Var(name) => **name == *of,
        Term::App(name, args) => args.is_empty() && **name == *of,
    }
}

/// The name that all literals of a formula without quantifiers begin with.
fn name_of(formula: &Formula) -> Option<String> {
    match formula {
        Formula::Pred(_, args) => match args.first()? {
            Term::App(name, none) if none.is_empty() => Some(name.to_string()),
            _ => None,
        },
        Formula::Not(inner) => name_of(inner),
        Formula::And(parts) | Formula::Or(parts) => {
            let name = name_of(parts.first()?)?;
            parts.iter().all(|part| name_of(part).as_deref() == Some(&name)).then_some(name)
        }
        Formula::Xor(a, b) => name_of(a).filter(|name| name_of(b).as_deref() == Some(name)),
        _ => None,
    }
}

/// Whether the first verb of a phrase affirms.
fn starts_affirmed(formula: &Formula) -> bool {
    match formula {
        Formula::And(parts) | Formula::Or(parts) => parts.first().is_some_and(starts_affirmed),
        Formula::Not(_) => false,
        _ => true,
    }
}

fn is_literal(formula: &Formula) -> bool {
    match formula {
        Formula::Pred(..) => true,
        Formula::Not(inner) => matches!(**inner, Formula::Pred(..)),
        _ => false,
    }
}
