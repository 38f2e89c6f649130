//! The words that generators put in: which predicate is spoken by a noun, an adjective or a verb.

use std::collections::BTreeMap;

/// How a predicate is spoken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// `is a baker`.
    Noun(&'static str),
    /// `is patient`.
    Adjective(&'static str),
    /// `owns a bicycle`: the verb in its base form, and what follows it.
    Verb(&'static str, &'static str),
    /// `trusts Ben`: the verb in its base form, of two arguments.
    Relation(&'static str),
}

impl Word {
    /// The predicate's name in formulas.
    #[must_use]
    pub fn predicate(&self) -> String {
        match self {
            Word::Noun(word) | Word::Adjective(word) | Word::Relation(word) | Word::Verb(word, "") => {
                (*word).to_string()
            }
            Word::Verb(verb, rest) => format!("{verb}_{}", rest.replace(' ', "_")),
        }
    }
}

/// What a domain is made of, and how its members are spoken of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// `everyone`, `they are`.
    People,
    /// `everything`, `it is`.
    Things,
}

/// Words by the names of predicates.
#[derive(Clone, Debug)]
pub struct Lexicon {
    /// How members of the domain are spoken of.
    pub domain: Domain,
    words: BTreeMap<String, Word>,
}

impl Lexicon {
    /// A lexicon of these words.
    #[must_use]
    pub fn new(domain: Domain, words: &[Word]) -> Self {
        Lexicon { domain, words: words.iter().map(|word| (word.predicate(), word.clone())).collect() }
    }

    /// The word of a predicate.
    #[must_use]
    pub fn word(&self, predicate: &str) -> Option<&Word> {
        self.words.get(predicate)
    }
}

/// `a` or `an`.
#[must_use]
pub fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
