//! English sentences to formulas.

use std::collections::BTreeSet;

use crate::logic::{Formula, Term};

/// The most words of a sentence that is read.
const LONGEST: usize = 120;
/// The most readings that are followed at once; a sentence that has more is refused.
const MOST: usize = 64;
/// How deeply clauses may be nested.
const DEEPEST: usize = 24;

/// The variable that a pronoun stands for, and that of “someone who” as an object.
const PRONOUN: &str = "x";
const OBJECT: &str = "y";

/// Words that are no nouns, adjectives or verbs.
const FUNCTION: [&str; 46] = [
    "a",
    "an",
    "the",
    "is",
    "are",
    "not",
    "does",
    "do",
    "and",
    "or",
    "both",
    "either",
    "but",
    "if",
    "then",
    "only",
    "it",
    "they",
    "that",
    "who",
    "which",
    "whom",
    "for",
    "there",
    "someone",
    "something",
    "everyone",
    "everything",
    "nobody",
    "nothing",
    "anyone",
    "anything",
    "every",
    "each",
    "all",
    "no",
    "some",
    "those",
    "case",
    "holds",
    "in",
    "near",
    "at",
    "whoever",
    "such",
    "unless",
];

/// Reads one sentence, without its full stop.
///
/// # Errors
/// What is wrong with it: no reading, or more than one.
pub fn sentence(text: &str) -> Result<Formula, String> {
    let words = words(text);
    let refused = |reason: &str| Err(format!("`{}` {reason}", text.trim()));
    if words.is_empty() || words.len() > LONGEST {
        return refused("is empty or too long");
    }
    let reader = Reader { words: &words };
    let mut found: BTreeSet<Formula> = BTreeSet::new();
    let Some(readings) = reader.clause(0, 0) else { return refused("has too many readings") };
    // Readings that differ in the names of bound variables alone do not occur: each has its own.
    found.extend(
        readings
            .into_iter()
            .filter(|(formula, at)| *at == words.len() && is_closed(formula, &mut Vec::new()))
            .map(|r| r.0),
    );
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => refused("is no sentence that can be read"),
        (Some(_), Some(_)) => refused("can be read in more than one way"),
    }
}

/// Words and commas; the first word with a small letter unless it is a name.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for piece in text.split_whitespace() {
        let core = piece.trim_end_matches(',');
        words.push(core.to_string());
        words.extend(piece[core.len()..].chars().map(String::from));
    }
    if let Some(first) = words.first_mut() {
        let small = first.to_lowercase();
        if FUNCTION.contains(&small.as_str()) {
            *first = small;
        }
    }
    words
}

/// Whether every variable is bound.
fn is_closed(formula: &Formula, bound: &mut Vec<String>) -> bool {
    match formula {
        Formula::Pred(_, args) => args.iter().all(|term| match term {
            Term::Var(name) => bound.iter().any(|known| **known == **name),
            Term::App(..) => true,
        }),
        Formula::Not(part) => is_closed(part, bound),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(|part| is_closed(part, bound)),
        Formula::Xor(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => is_closed(a, bound) && is_closed(b, bound),
        Formula::ForAll(name, part) | Formula::Exists(name, part) => {
            bound.push(name.to_string());
            let closed = is_closed(part, bound);
            bound.pop();
            closed
        }
        Formula::True | Formula::False | Formula::Eq(..) => true,
    }
}

/// Readings of a stretch that begins somewhere, each with where it ends. `None`: too many.
type Readings = Option<Vec<(Formula, usize)>>;

/// How a verb agrees: `owns`, `own`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    One,
    Many,
}

struct Reader<'a> {
    words: &'a [String],
}

fn x() -> Term {
    Term::var(PRONOUN)
}

fn for_all(body: Formula) -> Formula {
    Formula::ForAll(PRONOUN.into(), Box::new(body))
}

fn exists(body: Formula) -> Formula {
    Formula::Exists(PRONOUN.into(), Box::new(body))
}

impl Reader<'_> {
    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// Where the phrase that begins at `at` ends, if it stands there.
    fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let parts = phrase.split(' ');
        let count = parts.clone().count();
        parts.enumerate().all(|(n, part)| self.word(at + n) == part).then_some(at + count)
    }

    fn any(&self, at: usize, phrases: &[&str]) -> Option<usize> {
        phrases.iter().find_map(|phrase| self.phrase(at, phrase))
    }

    /// Whether a verb phrase begins with a denial.
    fn denies(&self, at: usize) -> bool {
        self.any(at, &["is not", "are not", "does not", "do not"]).is_some()
    }

    /// A clause: what can be true or false, pronouns left free.
    fn clause(&self, at: usize, depth: usize) -> Readings {
        if depth > DEEPEST || at >= self.words.len() {
            return Some(Vec::new());
        }
        let mut found = Vec::new();
        if let Some(after) = self.phrase(at, "it is not the case that") {
            found.extend(self.clause(after, depth + 1)?.into_iter().map(|(f, end)| (Formula::not(f), end)));
        }
        if let Some(after) = self.phrase(at, "both") {
            self.two(after, "and", depth, &mut found, |a, b| Formula::And(vec![a, b]), "")?;
        }
        if let Some(after) = self.phrase(at, "either") {
            self.two(after, "or", depth, &mut found, |a, b| Formula::Or(vec![a, b]), ", or both")?;
            self.two(after, "or", depth, &mut found, Formula::xor, ", but not both")?;
        }
        if let Some(after) = self.phrase(at, "if") {
            self.two(after, ", then", depth, &mut found, Formula::implies, "")?;
            self.if_someone(after, &mut found)?;
        }
        for (phrase, universal) in [
            ("for everyone it holds that", true),
            ("for everything it holds that", true),
            ("there is someone for whom it holds that", false),
            ("there is something for which it holds that", false),
        ] {
            if let Some(after) = self.phrase(at, phrase) {
                let bind = if universal { for_all } else { exists };
                found.extend(self.clause(after, depth + 1)?.into_iter().map(|(f, end)| (bind(f), end)));
            }
        }
        self.quantified(at, &mut found)?;
        self.simple(at, &mut found)?;
        (found.len() <= MOST).then_some(found)
    }

    /// Two clauses with a joint between them and a close after them.
    fn two(
        &self,
        at: usize,
        joint: &str,
        depth: usize,
        found: &mut Vec<(Formula, usize)>,
        join: fn(Formula, Formula) -> Formula,
        close: &str,
    ) -> Option<()> {
        for (left, end) in self.clause(at, depth + 1)? {
            let Some(after) = self.phrase(end, joint) else { continue };
            for (right, end) in self.clause(after, depth + 1)? {
                let end = if close.is_empty() { Some(end) } else { self.phrase(end, close) };
                found.extend(end.map(|end| (join(left.clone(), right), end)));
                if found.len() > MOST {
                    return None;
                }
            }
        }
        Some(())
    }

    /// `if someone is a baker, then they are patient`, from after the `if`.
    fn if_someone(&self, at: usize, found: &mut Vec<(Formula, usize)>) -> Option<()> {
        let Some(after) = self.any(at, &["someone", "something"]) else { return Some(()) };
        for (condition, end) in self.verbs(after, Number::One, &x())? {
            let Some(after) = self.phrase(end, ", then") else { continue };
            for (result, end) in self.pronoun(after)? {
                found.push((for_all(Formula::implies(condition.clone(), result)), end));
            }
        }
        Some(())
    }

    /// `they are patient`, `it is patient`.
    fn pronoun(&self, at: usize) -> Readings {
        if let Some(after) = self.phrase(at, "they") {
            return self.verbs(after, Number::Many, &x());
        }
        match self.phrase(at, "it") {
            Some(after) => self.verbs(after, Number::One, &x()),
            None => Some(Vec::new()),
        }
    }

    /// Clauses about everyone, someone, nobody.
    fn quantified(&self, at: usize, found: &mut Vec<(Formula, usize)>) -> Option<()> {
        for (phrase, none) in [
            ("there is someone who", false),
            ("there is something that", false),
            ("there is nobody who", true),
            ("there is nothing that", true),
        ] {
            if let Some(after) = self.phrase(at, phrase) {
                for (body, end) in self.verbs(after, Number::One, &x())? {
                    found.push((if none { Formula::not(exists(body)) } else { exists(body) }, end));
                }
            }
        }
        let every = ["everyone", "everything", "anyone", "anything"];
        let none = ["nobody", "nothing"];
        for (subjects, negative) in [(&every[..], false), (&none[..], true)] {
            let Some(after) = self.any(at, subjects) else { continue };
            // `Everyone does not sing` is read in two ways by people, so in none here.
            let plain =
                if negative || !self.denies(after) { self.verbs(after, Number::One, &x())? } else { Vec::new() };
            for (result, end) in plain {
                found.push((if negative { Formula::not(exists(result)) } else { for_all(result) }, end));
            }
            let Some(after) = self.any(after, &["who", "that"]) else { continue };
            for (condition, end) in self.verbs(after, Number::One, &x())? {
                if !negative && self.denies(end) {
                    continue;
                }
                for (result, end) in self.verbs(end, Number::One, &x())? {
                    let result = if negative { Formula::not(result) } else { result };
                    found.push((for_all(Formula::implies(condition.clone(), result)), end));
                }
            }
        }
        if let Some(after) = self.any(at, &["someone", "something"]) {
            for (body, end) in self.verbs(after, Number::One, &x())? {
                if let Some(after) = self.phrase(end, "if and only if") {
                    for (other, end) in self.pronoun(after)? {
                        found.push((for_all(Formula::iff(body.clone(), other)), end));
                    }
                }
                found.push((exists(body), end));
            }
        }
        self.nouns(at, found)?;
        if let Some(after) = self.any(at, &["only those who", "only those that"]) {
            for (condition, end) in self.verbs(after, Number::Many, &x())? {
                for (result, end) in self.verbs(end, Number::Many, &x())? {
                    found.push((for_all(Formula::implies(result, condition.clone())), end));
                }
            }
        }
        (found.len() <= MOST).then_some(())
    }

    /// `every baker`, `no baker`, `all bakers`, `some baker`.
    fn nouns(&self, at: usize, found: &mut Vec<(Formula, usize)>) -> Option<()> {
        let (first, noun) = (self.word(at), self.word(at + 1));
        if !is_open(noun) {
            return Some(());
        }
        let singular = if first == "all" { noun.strip_suffix('s') } else { Some(noun) };
        let Some(singular) = singular else { return Some(()) };
        let is = Formula::pred(singular, vec![x()]);
        let number = if first == "all" { Number::Many } else { Number::One };
        if matches!(first, "every" | "each" | "all") && self.denies(at + 2) {
            return Some(());
        }
        for (result, end) in self.verbs(at + 2, number, &x())? {
            let formula = match first {
                "every" | "each" | "all" => for_all(Formula::implies(is.clone(), result)),
                "no" => for_all(Formula::implies(is.clone(), Formula::not(result))),
                "some" => exists(Formula::And(vec![is.clone(), result])),
                _ => return Some(()),
            };
            found.push((formula, end));
        }
        Some(())
    }

    /// A name or a pronoun and what it does; also two of these with `if and only if`.
    fn simple(&self, at: usize, found: &mut Vec<(Formula, usize)>) -> Option<()> {
        for (left, end) in self.subject(at)? {
            if let Some(after) = self.phrase(end, "if and only if") {
                for (right, end) in self.subject(after)? {
                    found.push((Formula::iff(left.clone(), right), end));
                }
            }
            found.push((left, end));
        }
        Some(())
    }

    fn subject(&self, at: usize) -> Readings {
        let mut found = self.pronoun(at)?;
        if is_name(self.word(at)) {
            found.extend(self.verbs(at + 1, Number::One, &Term::constant(self.word(at)))?);
        }
        Some(found)
    }

    /// One verb phrase, or two with `and`, `or`, or `either … or …, but not both`.
    fn verbs(&self, at: usize, number: Number, of: &Term) -> Readings {
        let mut found = Vec::new();
        if let Some(after) = self.phrase(at, "either") {
            for (left, end) in self.verb(after, number, of)? {
                let Some(after) = self.phrase(end, "or") else { continue };
                for (right, end) in self.verb(after, number, of)? {
                    let end = self.phrase(end, ", but not both");
                    found.extend(end.map(|end| (Formula::xor(left.clone(), right), end)));
                }
            }
        }
        for (left, end) in self.verb(at, number, of)? {
            for (joint, join) in [("and", Formula::and as fn(Vec<Formula>) -> Formula), ("or", Formula::or)] {
                let Some(after) = self.phrase(end, joint) else { continue };
                for (right, end) in self.verb(after, number, of)? {
                    found.push((join(vec![left.clone(), right]), end));
                }
            }
            found.push((left, end));
        }
        (found.len() <= MOST).then_some(found)
    }

    /// `is [not] a baker`, `is [not] patient`, `owns a bicycle`, `does not own a bicycle`, `trusts Ben`.
    fn verb(&self, at: usize, number: Number, of: &Term) -> Readings {
        let one = number == Number::One;
        if let Some(after) = self.phrase(at, if one { "is" } else { "are" }) {
            let (negative, after) = self.phrase(after, "not").map_or((false, after), |after| (true, after));
            return Some(
                self.complement(after, number, of).into_iter().map(|(f, end)| (sign(f, negative), end)).collect(),
            );
        }
        if let Some(after) = self.phrase(at, if one { "does not" } else { "do not" }) {
            let verb = self.word(after);
            let found = if is_open(verb) { self.object(after + 1, verb, of)? } else { Vec::new() };
            return Some(found.into_iter().map(|(f, end)| (Formula::not(f), end)).collect());
        }
        let word = self.word(at);
        let base = if one { word.strip_suffix('s').filter(|base| !base.ends_with('s')) } else { Some(word) };
        match base.filter(|_| is_open(word)) {
            Some(base) if base.len() > 1 => self.object(at + 1, base, of),
            _ => Some(Vec::new()),
        }
    }

    /// What stands after `is`.
    fn complement(&self, at: usize, number: Number, of: &Term) -> Vec<(Formula, usize)> {
        let named = |name: &str, end| vec![(Formula::pred(name, vec![of.clone()]), end)];
        if let Some(after) = self.any(at, &["a", "an"]) {
            let noun = self.word(after);
            let vowel = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
            let article = self.word(at) == if vowel { "an" } else { "a" };
            return if is_open(noun) && article { named(noun, after + 1) } else { Vec::new() };
        }
        let word = self.word(at);
        if !is_open(word) {
            return Vec::new();
        }
        let mut found = named(word, at + 1);
        // `all bakers are nurses`: a noun in the plural; adjectives that end in s do so in `ous` or `less`.
        if number == Number::Many
            && let Some(noun) = word.strip_suffix('s').filter(|noun| !noun.ends_with('s') && !noun.ends_with("ou"))
        {
            found = named(noun, at + 1);
        }
        found
    }

    /// What stands after a verb in its base form.
    fn object(&self, at: usize, verb: &str, of: &Term) -> Readings {
        let named = |name: String, end| (Formula::pred(&name, vec![of.clone()]), end);
        let mut found = vec![named(verb.to_string(), at)];
        let (first, second) = (self.word(at), self.word(at + 1));
        if matches!(first, "a" | "an") && is_open(second) {
            found.push(named(format!("{verb}_{first}_{second}"), at + 2));
        }
        if matches!(first, "in" | "near" | "at") && is_name(second) {
            found.push(named(format!("{verb}_{first}_{second}"), at + 2));
        }
        if is_open(first) {
            found.push(named(format!("{verb}_{first}"), at + 1));
        }
        let related = |other: Term| Formula::pred(verb, vec![of.clone(), other]);
        if is_name(first) {
            found.push((related(Term::constant(first)), at + 1));
        }
        if let (Some(after), true) = (self.phrase(at, "someone who"), *of != Term::var(OBJECT)) {
            for (body, end) in self.verb(after, Number::One, &Term::var(OBJECT))? {
                let both = Formula::And(vec![related(Term::var(OBJECT)), body]);
                found.push((Formula::Exists(OBJECT.into(), Box::new(both)), end));
            }
        }
        Some(found)
    }
}

fn sign(formula: Formula, negative: bool) -> Formula {
    if negative { Formula::not(formula) } else { formula }
}

/// A noun, adjective or verb: small letters, and no word of the language's own.
fn is_open(word: &str) -> bool {
    word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase()) && !FUNCTION.contains(&word)
}

/// A capital, then small letters.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.clone().next().is_some()
        && letters.all(char::is_lowercase)
}
