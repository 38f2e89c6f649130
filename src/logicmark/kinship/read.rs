//! English to statements. Whatever is not understood whole is refused, with the sentence named.

use super::puzzle::{Fact, Person, Puzzle, Step, Term};
use super::table::{Relation, Sex, relation};

/// Most sentences of a context.
const SENTENCES: usize = 40;
/// Most possessives in one term.
const STEPS: usize = 16;

/// Sentences that set the scene and state nothing.
const SCENES: &[&str] = &[
    "These people all belong to one family .",
    "At a family party , the guests explain who they are .",
    "At a wedding , the guests talk about their relatives .",
    "A newcomer to the family is told who is who .",
    "Someone is drawing a family tree from these notes .",
    "Several relatives meet for a meal .",
    "Four friends show each other photographs of their relatives .",
    "Four colleagues talk about the pictures on their desks .",
    "Four people have each brought a photograph to a meeting .",
];

/// What people do with their relatives, between the name and "his" or "her".
const DOINGS: &[&str] = &[
    "lives with",
    "lives near",
    "often visits",
    "works with",
    "plays chess with",
    "goes swimming with",
    "writes every month to",
    "has lunch on Sundays with",
    "has borrowed a book from",
    "has come to the party with",
    "came by train with",
    "is sitting next to",
    "is talking to",
];

/// A statement and the sentence it comes from.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) fact: Fact,
    pub(super) sentence: usize,
}

/// A context, read.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) people: Vec<Option<String>>,
    pub(super) stated: Vec<Stated>,
    /// The sentences, as tokens joined by spaces.
    pub(super) sentences: Vec<String>,
    /// Who showed a picture, and who is in it.
    pub(super) pictures: Vec<(Person, Person)>,
}

impl Story {
    /// Reads a context.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut story = Story::default();
        for sentence in sentences(text)? {
            let line = sentence.join(" ");
            let place = story.sentences.len();
            if story.sentences.contains(&line) {
                return Err(format!("`{line}` is said twice"));
            }
            if place == SENTENCES {
                return Err(format!("more than {SENTENCES} sentences"));
            }
            story.sentences.push(line.clone());
            if SCENES.contains(&line.as_str()) {
                continue;
            }
            let facts = story.sentence(&sentence).ok_or_else(|| format!("`{line}` is not understood"))?;
            story.stated.extend(facts.into_iter().map(|fact| Stated { fact, sentence: place }));
        }
        if story.stated.is_empty() {
            return Err("nothing is stated".to_string());
        }
        Ok(story)
    }

    /// The statements as a puzzle: all of them, or those of some sentences.
    pub(super) fn puzzle(&self, of: Option<&[usize]>) -> Puzzle {
        let wanted = |stated: &&Stated| of.is_none_or(|of| of.contains(&stated.sentence));
        let facts = self.stated.iter().filter(wanted).map(|stated| stated.fact.clone()).collect();
        Puzzle { people: self.people.clone(), facts }
    }

    /// The two people of "How is X related to Y?".
    pub(super) fn question(&self, text: &str) -> Result<(Person, Person), String> {
        let failed = || format!("`question` is not understood: `{text}`");
        let tokens = tokens(text).ok_or_else(failed)?;
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        let (who, of) = match words[..] {
            ["How", "is", ref who @ .., "related", "to", of, "?"]
            | ["What", "is", ref who @ .., "to", of, "?"]
            | ["What", "relation", "is", ref who @ .., "to", of, "?"]
            | ["Who", "is", ref who @ .., "to", of, "?"] => (who, of),
            _ => return Err(failed()),
        };
        let known = |name: &str| self.people.iter().position(|person| person.as_deref() == Some(name));
        let of = known(of).ok_or_else(|| format!("`{of}` is not in the text"))?;
        let who = match who {
            [name] => known(name).ok_or_else(|| format!("`{name}` is not in the text"))?,
            ["the", "person", "in", name, "'s", "picture" | "photograph"] => {
                let owner = known(name).filter(|owner| *owner == of).ok_or_else(failed)?;
                self.pictures.iter().find(|(speaker, _)| *speaker == owner).ok_or_else(failed)?.1
            }
            _ => return Err(failed()),
        };
        if who == of { Err(failed()) } else { Ok((who, of)) }
    }

    fn person(&mut self, name: &str) -> Option<Person> {
        if !is_name(name) {
            return None;
        }
        let known = self.people.iter().position(|person| person.as_deref() == Some(name));
        Some(known.unwrap_or_else(|| {
            self.people.push(Some(name.to_string()));
            self.people.len() - 1
        }))
    }

    /// One sentence.
    fn sentence(&mut self, tokens: &[String]) -> Option<Vec<Fact>> {
        let words: Vec<&str> = tokens.iter().map(String::as_str).collect();
        match words[..] {
            // "Ben is my uncle," said Ann.
            ["\"", ref said @ .., ",", "\"", "said" | "says", name, "."] => {
                let speaker = self.person(name)?;
                self.identity(said, Some(speaker))
            }
            // Ann said, "Ben is my uncle."
            [name, "said" | "says" | "explained" | "explains", ",", "\"", ref said @ .., ".", "\""] => {
                let speaker = self.person(name)?;
                self.identity(said, Some(speaker))
            }
            // Introducing Ben, Ann said, "He is my uncle."
            [
                "Introducing" | "Greeting",
                about,
                ",",
                name,
                "said" | "says",
                ",",
                "\"",
                he @ ("He" | "She"),
                "is",
                ref said @ ..,
                ".",
                "\"",
            ]
            | [
                "Pointing",
                "to",
                about,
                ",",
                name,
                "said" | "says",
                ",",
                "\"",
                he @ ("He" | "She"),
                "is",
                ref said @ ..,
                ".",
                "\"",
            ] => {
                let (about, speaker) = (self.person(about)?, self.person(name)?);
                self.spoken(about, speaker, he, said)
            }
            // Ann showed a picture and said, "He is my uncle."
            [
                name,
                "showed",
                "a",
                "photograph" | "picture",
                "of",
                "a",
                "relative",
                "and",
                "said",
                ",",
                "\"",
                he @ ("He" | "She"),
                "is",
                ref said @ ..,
                ".",
                "\"",
            ]
            | [
                "Pointing",
                "to",
                "a",
                "photograph" | "picture",
                "of",
                "a",
                "relative",
                ",",
                name,
                "said",
                ",",
                "\"",
                he @ ("He" | "She"),
                "is",
                ref said @ ..,
                ".",
                "\"",
            ] => {
                let speaker = self.person(name)?;
                if self.pictures.iter().any(|(owner, _)| *owner == speaker) {
                    return None;
                }
                self.people.push(None);
                let about = self.people.len() - 1;
                self.pictures.push((speaker, about));
                let mut facts = vec![Fact::Apart(about, speaker)];
                facts.extend(self.spoken(about, speaker, he, said)?);
                Some(facts)
            }
            [a, "and", b, "are", ref how @ .., "."] => self.pair(a, b, how),
            // Ann has exactly two children, Ben and Carl.
            [name, "has", "exactly", "two", "children", ",", a, "and", b, "."] => {
                let (of, a, b) = (self.person(name)?, self.person(a)?, self.person(b)?);
                (a != b && a != of && b != of).then(|| vec![Fact::Exactly(of, child(), vec![a, b])])
            }
            // Ann has an uncle called Ben.
            [name, "has", "a" | "an", ref middle @ .., "called" | "named", who, "."] => {
                let (of, who) = (self.person(name)?, self.person(who)?);
                let (found, rest) = noun(middle)?;
                let steps = vec![Step { relation: found, only: false }];
                (rest.is_empty() && who != of).then(|| vec![Fact::Same(Term::just(who), Term { of, steps })])
            }
            [who, "is", "a", kind @ ("man" | "woman" | "boy" | "girl"), "."] => {
                let sex = if matches!(kind, "man" | "boy") { Sex::Male } else { Sex::Female };
                Some(vec![Fact::Is(self.person(who)?, sex)])
            }
            [ref said @ .., "."] => self.doing(said).or_else(|| self.identity(said, None)),
            _ => None,
        }
    }

    /// `He is NP.` of somebody.
    fn spoken(&mut self, about: Person, speaker: Person, he: &str, said: &[&str]) -> Option<Vec<Fact>> {
        let (term, rest) = self.term(said, Some(speaker))?;
        let sex = if he == "He" { Sex::Male } else { Sex::Female };
        let new = rest.is_empty() && !term.steps.is_empty() && term.of == speaker && about != speaker;
        new.then(|| vec![Fact::Is(about, sex), Fact::Same(Term::just(about), term)])
    }

    /// `NP is NP`.
    fn identity(&mut self, words: &[&str], speaker: Option<Person>) -> Option<Vec<Fact>> {
        let (left, rest) = self.term(words, speaker)?;
        let ["is", rest @ ..] = rest else { return None };
        let (right, rest) = self.term(rest, speaker)?;
        // One side at least is a person alone, so that each statement ties two people of the text.
        let ties = left.of != right.of
            && (left.steps.is_empty() != right.steps.is_empty())
            && speaker.is_none_or(|speaker| left.of == speaker || right.of == speaker);
        (rest.is_empty() && ties).then(|| vec![Fact::Same(left, right)])
    }

    /// `Ann lives with her uncle Ben`, with a comma before the name after several possessives.
    fn doing(&mut self, words: &[&str]) -> Option<Vec<Fact>> {
        let (name, rest) = words.split_first()?;
        let at = rest.iter().position(|word| matches!(*word, "his" | "her"))?;
        DOINGS.contains(&rest[..at].join(" ").as_str()).then_some(())?;
        let of = self.person(name)?;
        let sex = if rest[at] == "his" { Sex::Male } else { Sex::Female };
        let (steps, rest) = possessives(&rest[at + 1..])?;
        let who = match rest {
            [",", who] => who,
            [who] if steps.len() == 1 => who,
            _ => return None,
        };
        let who = self.person(who)?;
        (who != of).then(|| vec![Fact::Is(of, sex), Fact::Same(Term::just(who), Term { of, steps })])
    }

    /// `A and B are …`.
    fn pair(&mut self, a: &str, b: &str, how: &[&str]) -> Option<Vec<Fact>> {
        let (a, b) = (self.person(a)?, self.person(b)?);
        let (word, sex) = match how {
            ["married", "to", "each", "other"] | ["husband", "and", "wife"] => ("spouse", None),
            ["brothers"] => ("brother", Some(Sex::Male)),
            ["sisters"] => ("sister", Some(Sex::Female)),
            ["siblings"] => ("sibling", None),
            ["cousins"] => ("cousin", None),
            _ => return None,
        };
        let steps = vec![Step { relation: relation(word)?, only: false }];
        let mut facts = vec![Fact::Same(Term::just(a), Term { of: b, steps })];
        facts.extend(sex.into_iter().flat_map(|sex| [Fact::Is(a, sex), Fact::Is(b, sex)]));
        (a != b).then_some(facts)
    }

    /// A person or a description of one, and what follows it.
    fn term<'a, 'b>(&mut self, words: &'a [&'b str], speaker: Option<Person>) -> Option<(Term, &'a [&'b str])> {
        let mut outer = Vec::new();
        let mut rest = words;
        // "the only son of the mother of …": outermost first.
        while let ["the" | "The" | "a" | "A" | "an" | "An", more @ ..] = rest {
            let (step, more) = match step(more) {
                Some((step, ["of", more @ ..])) => (step, more),
                // A person may be called A.
                _ if rest[0] == "A" => break,
                _ => return None,
            };
            outer.push(step);
            rest = more;
            (outer.len() <= STEPS).then_some(())?;
        }
        let (of, steps, rest) = match rest {
            ["my" | "My", more @ ..] => {
                let (steps, rest) = possessives(more)?;
                (speaker?, steps, rest)
            }
            ["me", rest @ ..] => (speaker?, Vec::new(), rest),
            [name, "'s", more @ ..] => {
                let (steps, rest) = possessives(more)?;
                (self.person(name)?, steps, rest)
            }
            [name, rest @ ..] => (self.person(name)?, Vec::new(), rest),
            [] => return None,
        };
        let steps: Vec<Step> = steps.into_iter().chain(outer.into_iter().rev()).collect();
        (steps.len() <= STEPS).then_some((Term { of, steps }, rest))
    }
}

fn child() -> &'static Relation {
    relation("child").unwrap_or(&super::table::RELATIONS[0])
}

/// `mother's only brother's wife`.
fn possessives<'a, 'b>(words: &'a [&'b str]) -> Option<(Vec<Step>, &'a [&'b str])> {
    let (first, mut rest) = step(words)?;
    let mut steps = vec![first];
    while let ["'s", more @ ..] = rest {
        let (next, more) = step(more)?;
        steps.push(next);
        rest = more;
        (steps.len() <= STEPS).then_some(())?;
    }
    Some((steps, rest))
}

/// A word of kinship, with or without "only".
fn step<'a, 'b>(words: &'a [&'b str]) -> Option<(Step, &'a [&'b str])> {
    let (only, words) = match words {
        ["only", rest @ ..] => (true, rest),
        _ => (false, words),
    };
    let (relation, rest) = noun(words)?;
    Some((Step { relation, only }, rest))
}

fn noun<'a, 'b>(words: &'a [&'b str]) -> Option<(&'static Relation, &'a [&'b str])> {
    if let [side @ ("paternal" | "maternal"), word, rest @ ..] = words {
        return Some((relation(&format!("{side} {word}"))?, rest));
    }
    let (word, rest) = words.split_first()?;
    Some((relation(word)?, rest))
}

/// One capital and small letters or nothing, and no word that these texts use otherwise.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    let others = ["The", "He", "She", "My", "His", "Her", "Introducing", "Pointing", "Greeting", "I", "An"];
    letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && letters.all(|c| c.is_ascii_lowercase())
        && !others.contains(&word)
}

/// Splits a text into sentences of tokens.
fn sentences(text: &str) -> Result<Vec<Vec<String>>, String> {
    let all = tokens(text).ok_or("a character that no sentence of this task has")?;
    let mut sentences = Vec::new();
    let mut sentence: Vec<String> = Vec::new();
    let mut open = false;
    for (n, token) in all.iter().enumerate() {
        sentence.push(token.clone());
        if token == "\"" {
            open = !open;
        }
        let stop = match token.as_str() {
            "." | "?" => !open && all.get(n + 1).is_none_or(|next| next != "\"" || sentence.len() > 1),
            "\"" => !open && sentence.len() > 1 && matches!(sentence[sentence.len() - 2].as_str(), "." | "?"),
            _ => false,
        };
        if stop {
            sentences.push(std::mem::take(&mut sentence));
        }
    }
    if sentence.is_empty() { Ok(sentences) } else { Err(format!("`{}` is no whole sentence", sentence.join(" "))) }
}

/// Words, marks, and `'s`.
fn tokens(text: &str) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    for word in text.split_whitespace() {
        let mut rest = word;
        while let Some(c) = rest.chars().next() {
            let length = if c.is_ascii_alphabetic() {
                rest.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(rest.len())
            } else if rest.starts_with("'s") {
                2
            } else if matches!(c, '.' | ',' | '?' | '"') {
                1
            } else {
                return None;
            };
            tokens.push(rest[..length].to_string());
            rest = &rest[length..];
        }
    }
    Some(tokens)
}
