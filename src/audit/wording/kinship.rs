//! Blood-relation puzzles as LogiQAte words them: loosely punctuated, without hyphens, with letters or names for people.
//!
//! What is understood: "Pointing to a boy, V said, he is …, how is that boy related to V", the like with introductions,
//! and lists of statements ("A is the brother of B, who is the mother of C, how is A related to C"). Everything else is
//! refused with the words that were not understood.

use super::{Reader, Solved};
use crate::logicmark::kinship::chase::Cases;
use crate::logicmark::kinship::puzzle::{Fact, Person, Puzzle, Step, Term};
use crate::logicmark::kinship::table::{RELATIONS, Relation, Sex, relation};

/// The reader of the task.
pub(super) const READER: Reader = Reader { task: "logiqate-kinship", solve, same };

/// Most words of a puzzle.
const WORDS: usize = 200;

/// Spellings of the data set, and ours.
const SPELLINGS: &[(&str, &str)] = &[
    ("great grand father", "great-grandfather"),
    ("greatgrand father", "great-grandfather"),
    ("greatgrandfather", "great-grandfather"),
    ("greatgarndfather", "great-grandfather"),
    ("greatgrandmother", "great-grandmother"),
    ("grand daughter", "granddaughter"),
    ("grand mother", "grandmother"),
    ("grand father", "grandfather"),
    ("brother and sister", "siblings"),
    ("sole", "only"),
    ("younger", ""),
    ("elder", ""),
    ("cousin brother", "cousin"),
    ("whats", "what is"),
    ("realtion", "relation"),
    ("girls", "girl"),
    ("women", "woman"),
    ("fathers only", "father 's only"),
];

/// Words for somebody who is not named, with the sex they tell.
const SOMEBODY: &[(&str, Option<Sex>)] = &[
    ("boy", Some(Sex::Male)),
    ("man", Some(Sex::Male)),
    ("girl", Some(Sex::Female)),
    ("lady", Some(Sex::Female)),
    ("woman", Some(Sex::Female)),
    ("person", None),
    ("photograph", None),
    ("picture", None),
    ("photo", None),
    ("individual", None),
];

/// Solves a puzzle.
fn solve(text: &str) -> Solved {
    let words = words(text);
    if words.len() > WORDS {
        return Solved::Unread("the puzzle is too long".to_string());
    }
    let all: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut reading = Reading::default();
    match reading.whole(&all) {
        Err(reason) => Solved::Unread(reason),
        Ok((who, of)) => reading.answer(who, of),
    }
}

/// Whether two answers are the same: hyphens, spaces and case aside. Several words for one person are each right.
fn same(found: &str, stated: &str) -> bool {
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
    };
    found.split(',').any(|one| plain(one) == plain(stated))
}

/// What has been understood so far.
#[derive(Debug, Default)]
struct Reading {
    puzzle: Puzzle,
    /// The person pointed at or introduced, and the word for him.
    pointed: Option<Person>,
    speaker: Option<Person>,
    /// Descriptions that stand for people: "boy", "woman".
    called: Vec<(String, Person)>,
    /// Whom the last statement was about.
    subject: Option<Person>,
}

type Read<T> = Result<T, String>;

impl Reading {
    /// A whole puzzle: an opening, what is said, and the question.
    fn whole(&mut self, words: &[&str]) -> Read<(Person, Person)> {
        let at = question_at(words).ok_or("no question is found")?;
        let (told, asked) = words.split_at(at);
        self.told(told)?;
        self.question(asked)
    }

    fn told(&mut self, words: &[&str]) -> Read<()> {
        let mut rest = skip(words);
        // "Pointing to a boy, V said": who is pointed at, and who speaks.
        if let Some(at) =
            rest.iter().position(|w| matches!(*w, "said" | "says" | "saying" | "recalled" | "introduces" | "stated"))
        {
            let (opening, speech) = (&rest[..at], skip(&rest[at + 1..]));
            let verb = rest[at];
            let mut people = Vec::new();
            let pointing =
                opening.first().is_some_and(|w| matches!(*w, "pointing" | "introducing" | "looking" | "when" | "if"));
            for (n, word) in opening.iter().enumerate() {
                if let Some(person) = self.somebody(word) {
                    let to = n > 0 && opening[n - 1] == "to" && opening.first() != Some(&"pointing");
                    // "said to Mohan" and "in a photograph" say nothing about the family.
                    if !to && !people.contains(&person) && (people.is_empty() || !thing(word)) {
                        people.push(person);
                    }
                }
            }
            match people[..] {
                [about, speaker] if pointing => {
                    self.pointed = Some(about);
                    self.speaker = Some(speaker);
                    self.puzzle.facts.push(Fact::Apart(about, speaker));
                }
                [speaker] => self.speaker = Some(speaker),
                _ => return Err(format!("who speaks of whom is not understood: `{}`", opening.join(" "))),
            }
            rest = speech;
            if verb == "introduces" {
                // "A girl introduces a boy as the son of her uncle": her own uncle.
                let [name, "as", more @ ..] = drop_article(rest) else {
                    return Err(format!("`{}`", rest.join(" ")));
                };
                let failed = || format!("`{}`", rest.join(" "));
                let about = self.somebody(name).ok_or_else(failed)?;
                self.pointed = self.speaker;
                let (term, after) = self.term(more).ok_or_else(failed)?;
                self.pointed = Some(about);
                self.puzzle.facts.push(Fact::Same(Term::just(about), term));
                rest = after;
            }
            if let ["to", name, more @ ..] = rest
                && is_name(name)
            {
                rest = skip(more);
            }
        }
        while !skip(rest).is_empty() {
            rest = self.statement(skip(rest))?;
        }
        Ok(())
    }

    /// One statement, and what follows it.
    fn statement<'a, 'b>(&mut self, words: &'a [&'b str]) -> Read<&'a [&'b str]> {
        let failed = || format!("`{}`", words.iter().take(9).copied().collect::<Vec<_>>().join(" "));
        // "A and B are siblings"
        if let [a, "and", b, "are", how @ ..] = words
            && is_name(a)
            && is_name(b)
        {
            let (word, sex, rest) = match how {
                ["siblings", rest @ ..] => ("sibling", None, rest),
                ["brothers", rest @ ..] => ("brother", Some(Sex::Male), rest),
                ["sisters", rest @ ..] => ("sister", Some(Sex::Female), rest),
                ["a", "married", "couple", rest @ ..] | ["married", rest @ ..] => ("spouse", None, rest),
                _ => return Err(failed()),
            };
            let (a, b) = (self.person(a), self.person(b));
            self.same(Term::just(a), vec![step(word, false)], b);
            for person in [a, b] {
                self.puzzle.facts.extend(sex.map(|sex| Fact::Is(person, sex)));
            }
            return Ok(rest);
        }
        // "… and grandmother of Ann": of whom the statement before was about.
        if let (Some(subject), Some((_, ["of", ..]))) = (self.subject, possessives(drop_article(words))) {
            let (right, rest) = self.term(words).ok_or_else(failed)?;
            if !matches!(rest, ["is", ..]) {
                self.puzzle.facts.push(Fact::Same(Term::just(subject), right));
                return Ok(rest);
            }
        }
        let (left, rest) = self.term(words).ok_or_else(failed)?;
        self.subject = left.steps.is_empty().then_some(left.of);
        // "Ann, who is the sister of Ben, is the mother of Carl"
        let mut rest = rest;
        if let ["who", "is", more @ ..] | [",", "who", "is", more @ ..] = rest {
            let (right, after) = self.term(more).ok_or_else(failed)?;
            self.puzzle.facts.push(Fact::Same(left.clone(), right));
            match skip(after) {
                again @ ["is", ..] => rest = again,
                _ => return Ok(after),
            }
        }
        let rest = match rest {
            ["is", "married", "to" | "of" | "with", more @ ..] => {
                let (right, rest) = self.term(more).ok_or_else(failed)?;
                let mut right = right;
                right.steps.push(step("spouse", false));
                self.puzzle.facts.push(Fact::Same(left.clone(), right));
                rest
            }
            ["is" | "am", more @ ..] => {
                let (right, rest) = self.term(more).ok_or_else(failed)?;
                if left.of == right.of && left.steps.is_empty() {
                    return Err(failed());
                }
                self.puzzle.facts.push(Fact::Same(left, right.clone()));
                // "…, who is sister of A": of whoever was named last.
                if let ["who", "is", ..] | [",", "who", "is", ..] = rest {
                    let rest = skip(rest);
                    let last = right.of;
                    let (more, after) = self.term(&rest[2..]).ok_or_else(failed)?;
                    self.puzzle.facts.push(Fact::Same(Term::just(last), more));
                    self.subject = Some(last);
                    return Ok(after);
                }
                rest
            }
            _ => return Err(failed()),
        };
        match rest {
            [] | ["," | "." | "and", ..] => Ok(rest),
            // A full stop that was lost.
            [name, "is" | "'s" | "and", ..] if is_name(name) => Ok(rest),
            _ => Err(format!("`{}`", rest.iter().take(9).copied().collect::<Vec<_>>().join(" "))),
        }
    }

    fn question(&mut self, words: &[&str]) -> Read<(Person, Person)> {
        let line = words.join(" ");
        let failed = || format!("the question `{line}`");
        let words: Vec<&str> = words
            .iter()
            .copied()
            .filter(|w| !matches!(*w, "," | "." | "?" | "if" | "then" | "so" | "the" | "that" | "this" | "a" | "an"))
            .collect();
        // "on the stage", "in the photograph" after a person.
        let mut plain = Vec::new();
        let mut skipping = false;
        for (n, word) in words.iter().enumerate() {
            if matches!(*word, "in" | "on") {
                skipping = true;
            } else if skipping && (thing(word) || *word == "stage") && n > 0 {
                skipping = false;
            } else if !skipping {
                plain.push(*word);
            }
        }
        let pair = match plain[..] {
            ["how", "is", who, "related", "to", of]
            | ["how", who, "is", "related", "to", of]
            | ["how", who, "related", "to", of]
            | ["how", "are", who, "related", "to", of]
            | ["who", "is", who, "to", of]
            | ["who", who, "is", "to", of]
            | ["what", "is", "relation" | "relationship", "of", who, "to", of]
            | ["what", "is", "relation" | "relationship" | "connection", "between", who, "and", of]
            | ["what", "is", who, "'s", "relationship", "with" | "to", of] => (who, of),
            _ => return Err(failed()),
        };
        let who = self.known(pair.0).ok_or_else(failed)?;
        let of = self.known(pair.1).ok_or_else(failed)?;
        if who == of { Err(failed()) } else { Ok((who, of)) }
    }

    /// A description: "the only son of my mother's father", "her mother's brother", a name.
    fn term<'a, 'b>(&mut self, words: &'a [&'b str]) -> Option<(Term, &'a [&'b str])> {
        let mut outer: Vec<Step> = Vec::new();
        let mut rest = words;
        loop {
            let more = drop_article(rest);
            let Some((mut chain, after)) = possessives(more) else { break };
            let ["of", after @ ..] = after else { break };
            chain.reverse();
            outer.extend(chain);
            rest = after;
        }
        rest = drop_article(rest);
        let (of, steps, rest) = match rest {
            ["my", more @ ..] => {
                let (steps, rest) = possessives(more)?;
                (self.speaker_or_new(), steps, rest)
            }
            [his @ ("his" | "her"), more @ ..] => {
                let of = self.pointed?;
                self.puzzle.facts.push(Fact::Is(of, if *his == "his" { Sex::Male } else { Sex::Female }));
                let (steps, rest) = possessives(more)?;
                (of, steps, rest)
            }
            [he @ ("he" | "she"), rest @ ..] => {
                let of = self.pointed_or_new();
                self.puzzle.facts.push(Fact::Is(of, if *he == "he" { Sex::Male } else { Sex::Female }));
                (of, Vec::new(), rest)
            }
            ["i" | "me", rest @ ..] => (self.speaker?, Vec::new(), rest),
            [kind, "in", "the" | "a", _, rest @ ..] if SOMEBODY.iter().any(|(word, _)| word == kind) => {
                let of = self.somebody(kind)?;
                self.pointed.get_or_insert(of);
                (of, Vec::new(), rest)
            }
            [kind, rest @ ..] if SOMEBODY.iter().any(|(word, _)| word == kind) => {
                let of = self.somebody(kind)?;
                self.pointed.get_or_insert(of);
                (of, Vec::new(), rest)
            }
            ["this" | "that", kind, rest @ ..] if SOMEBODY.iter().any(|(word, _)| word == kind) => {
                let of = self.somebody(kind)?;
                self.pointed.get_or_insert(of);
                (of, Vec::new(), rest)
            }
            [name, "'s", more @ ..] if is_name(name) => {
                let of = self.person(name);
                let (steps, rest) = possessives(more)?;
                (of, steps, rest)
            }
            [name, rest @ ..] if is_name(name) => (self.person(name), Vec::new(), rest),
            _ => return None,
        };
        // "my son Manish": the name of the person just described.
        let rest = match rest {
            [name, more @ ..] if is_name(name) && !steps.is_empty() => {
                let who = self.person(name);
                self.puzzle.facts.push(Fact::Same(Term::just(who), Term { of, steps: steps.clone() }));
                more
            }
            _ => rest,
        };
        Some((Term { of, steps: steps.into_iter().chain(outer.into_iter().rev()).collect() }, rest))
    }

    fn same(&mut self, who: Term, steps: Vec<Step>, of: Person) {
        self.puzzle.facts.push(Fact::Same(who, Term { of, steps }));
    }

    fn person(&mut self, name: &str) -> Person {
        let known = self.puzzle.people.iter().position(|person| person.as_deref() == Some(name));
        known.unwrap_or_else(|| {
            self.puzzle.people.push(Some(name.to_string()));
            self.puzzle.people.len() - 1
        })
    }

    fn pointed_or_new(&mut self) -> Person {
        if let Some(pointed) = self.pointed {
            return pointed;
        }
        self.puzzle.people.push(None);
        let new = self.puzzle.people.len() - 1;
        self.pointed = Some(new);
        if let Some(speaker) = self.speaker {
            self.puzzle.facts.push(Fact::Apart(new, speaker));
        }
        new
    }

    /// Whoever says "my".
    fn speaker_or_new(&mut self) -> Person {
        if let Some(speaker) = self.speaker {
            return speaker;
        }
        self.puzzle.people.push(None);
        let new = self.puzzle.people.len() - 1;
        self.speaker = Some(new);
        self.puzzle.facts.extend(self.pointed.map(|pointed| Fact::Apart(pointed, new)));
        new
    }

    /// A name, or a word such as "boy".
    fn somebody(&mut self, word: &str) -> Option<Person> {
        if is_name(word) {
            return Some(self.person(word));
        }
        let (word, sex) = SOMEBODY.iter().find(|(known, _)| *known == word)?;
        if let Some((_, person)) = self.called.iter().find(|(called, _)| called == word) {
            return Some(*person);
        }
        self.puzzle.people.push(None);
        let new = self.puzzle.people.len() - 1;
        self.puzzle.facts.extend(sex.map(|sex| Fact::Is(new, sex)));
        self.called.push(((*word).to_string(), new));
        Some(new)
    }

    /// Somebody spoken of before: a name, a description, or a pronoun.
    fn known(&self, word: &str) -> Option<Person> {
        let is = |name: &Option<String>| name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(word));
        let named = self.puzzle.people.iter().position(is);
        let called = self.called.iter().find(|(called, _)| called == word).map(|(_, person)| *person);
        let other = match word {
            "he" | "she" | "him" | "her" => self.pointed,
            "me" | "i" => self.speaker,
            // "that man" of somebody in a photograph.
            _ if SOMEBODY.iter().any(|(known, _)| *known == word) => self.pointed,
            _ => None,
        };
        named.or(called).or(other)
    }

    fn answer(&self, who: Person, of: Person) -> Solved {
        let Ok(cases) = Cases::of(&self.puzzle) else {
            return Solved::Unread("there are too many cases to decide".to_string());
        };
        if cases.is_empty() {
            return Solved::Contradictory("no family fits what is said".to_string());
        }
        if cases.one(who, of) {
            return Solved::Answer("himself, herself".to_string());
        }
        let names = |list: Vec<&'static Relation>| -> Vec<String> {
            list.into_iter().map(|relation| relation.name.to_string()).collect()
        };
        let sure: Vec<&Relation> = RELATIONS.iter().filter(|relation| cases.all(who, relation, of)).collect();
        if !sure.is_empty() {
            return Solved::Answer(names(sure).join(", "));
        }
        Solved::Open(names(RELATIONS.iter().filter(|relation| cases.none(who, relation, of) == Ok(false)).collect()))
    }
}

/// Where the question starts: at the last word that can start one.
fn question_at(words: &[&str]) -> Option<usize> {
    (0..words.len()).rev().find(|&n| match words[n..] {
        ["how", ..] | ["what", "is", ..] => true,
        ["who", "is", ref more @ ..] => more.len() < 9 && more.contains(&"to"),
        _ => false,
    })
}

/// `mother's only brother`.
fn possessives<'a, 'b>(words: &'a [&'b str]) -> Option<(Vec<Step>, &'a [&'b str])> {
    let mut steps = Vec::new();
    let mut rest = words;
    loop {
        let (only, more) = match rest {
            ["only", more @ ..] => (true, more),
            _ => (false, rest),
        };
        let (name, more) = match more {
            [side @ ("paternal" | "maternal"), word, more @ ..] => (format!("{side} {word}"), more),
            [word, more @ ..] => ((*word).to_string(), more),
            [] => return None,
        };
        steps.push(Step { relation: relation(&name)?, only });
        match more {
            ["'s", more @ ..] => rest = more,
            _ => return Some((steps, more)),
        }
    }
}

fn step(word: &str, only: bool) -> Step {
    Step { relation: relation(word).unwrap_or(&RELATIONS[0]), only }
}

fn drop_article<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    match words {
        ["the" | "a" | "an", rest @ ..] => rest,
        _ => words,
    }
}

fn skip<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let start = words.iter().position(|w| !matches!(*w, "," | "." | "?" | "if" | "and" | "then" | "so" | "that"));
    &words[start.unwrap_or(words.len())..]
}

fn thing(word: &str) -> bool {
    matches!(word, "photograph" | "picture" | "photo" | "individual")
}

/// Names keep their capital, everything else is in small letters.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// The words of a text in the spelling that this reader knows, marks apart.
fn words(text: &str) -> Vec<String> {
    let mut plain = text.replace(['\u{2019}', '\u{2018}'], "'").replace('-', " ");
    let mut tokens: Vec<String> = Vec::new();
    for mark in [",", ".", "?", "\"", ":"] {
        plain = plain.replace(mark, &format!(" {} ", if mark == "\"" || mark == ":" { "," } else { mark }));
    }
    plain = plain.replace("'s", " 's").replace(" '", " ");
    for word in plain.split_whitespace() {
        let lower = word.to_ascii_lowercase();
        tokens.push(if common(&lower) && !(word.len() == 1 && is_name(word)) { lower } else { word.to_string() });
    }
    for token in &mut tokens {
        if token.len() == 1 && token.starts_with(|c: char| c.is_ascii_lowercase() && !matches!(c, 'a' | 'i' | 's')) {
            token.make_ascii_uppercase();
        }
    }
    // "A girl": an article, not a name.
    for n in 1..tokens.len() {
        if tokens[n - 1] == "A" && SOMEBODY.iter().any(|(word, _)| *word == tokens[n]) {
            tokens[n - 1] = "a".to_string();
        }
    }
    let mut line = format!(" {} ", tokens.join(" "));
    for base in ["father", "mother", "son", "daughter", "brother", "sister"] {
        for glued in [
            format!("{base}inlaws"),
            format!("{base}inlaw"),
            format!("{base} inlaw"),
            format!("{base} in law"),
            format!("{base}in law"),
        ] {
            line = line.replace(&format!(" {glued} "), &format!(" {base}-in-law "));
        }
    }
    for (theirs, ours) in SPELLINGS {
        line = line.replace(&format!(" {theirs} "), &format!(" {ours} "));
    }
    // "mothers brother", "grandmother grandson": an apostrophe that was lost.
    let mut out: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let lost = word.strip_suffix('s').filter(|base| relation(base).is_some());
        match lost {
            Some(base)
                if relation(word).is_none()
                    && !matches!(word, "brothers" | "sisters" | "siblings" | "cousins" | "daughters" | "sons") =>
            {
                out.extend([base.to_string(), "s".to_string()]);
            }
            _ => out.push(word.to_string()),
        }
    }
    for word in &mut out {
        if word == "s" {
            *word = "'s".to_string();
        }
    }
    out
}

/// Whether a word is one of the language rather than a name.
fn common(lower: &str) -> bool {
    const COMMON: &[&str] = &[
        "pointing",
        "introducing",
        "looking",
        "when",
        "if",
        "how",
        "who",
        "what",
        "she",
        "he",
        "his",
        "her",
        "the",
        "a",
        "an",
        "is",
        "i",
        "this",
        "that",
        "my",
        "boy",
        "man",
        "girl",
        "lady",
        "woman",
        "person",
        "out",
        "then",
        "so",
        "yesterday",
        "whats",
        "whom",
        "station",
        "stage",
        "on",
        "in",
        "to",
        "towards",
        "and",
        "of",
        "said",
        "says",
    ];
    COMMON.contains(&lower) || lower.contains("inlaw") || relation(lower).is_some() || lower.starts_with("great")
}
