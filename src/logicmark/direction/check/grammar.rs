//! Sentences against patterns: fixed words, and places in them that take words of a kind.

/// What a pattern has caught, in the order of its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caught<'a>(Vec<&'a [String]>);

impl<'a> Caught<'a> {
    /// The words caught by the place `at`, joined by spaces.
    pub(super) fn text(&self, at: usize) -> String {
        self.0[at].join(" ")
    }
    /// Those words apart.
    pub(super) fn words(&self, at: usize) -> &'a [String] {
        self.0[at]
    }
    /// The number caught by the place `at`.
    pub(super) fn number(&self, at: usize) -> Result<i64, String> {
        number(&self.0[at][0]).ok_or_else(|| format!("`{}` is no number from 0 to 1000000", self.text(at)))
    }
    /// The quarter turns clockwise from north of the heading caught by the place `at`.
    pub(super) fn heading(&self, at: usize) -> u8 {
        heading(&self.0[at][0]).unwrap_or_default()
    }
}

pub(super) fn number(word: &str) -> Option<i64> {
    let digits = !word.is_empty() && word.len() <= 7 && word.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| word.parse().ok()).flatten().filter(|n| *n <= 1_000_000)
}

pub(super) fn heading(word: &str) -> Option<u8> {
    ["north", "east", "south", "west"].iter().position(|name| *name == word).map(|at| at as u8)
}

/// Verbs by which somebody gets on.
const MOTION: [&str; 16] = [
    "walks", "cycles", "drives", "rides", "runs", "skis", "goes", "heads", "hikes", "jogs", "rows", "sails", "flies",
    "moves", "marches", "strolls",
];

pub(super) fn is_motion(word: &str) -> bool {
    MOTION.contains(&word)
}

/// A unit by its one name: a mile and miles are the same.
pub(super) fn unit(word: &str) -> String {
    if word == "mile" { "miles".to_string() } else { word.to_string() }
}

const UNITS: [&str; 7] = ["km", "m", "mile", "miles", "metres", "steps", "yards"];

/// Words, and the marks `, ; : ? ( )` as words of their own; a full stop is not one.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for piece in text.split_whitespace() {
        let mut rest = piece;
        while let Some(mark) = rest.chars().next().filter(|c| "(,;:?)".contains(*c)) {
            words.push(mark.to_string());
            rest = &rest[mark.len_utf8()..];
        }
        let core = rest.trim_end_matches(['(', ',', ';', ':', '?', ')']);
        if !core.is_empty() {
            words.push(core.to_string());
        }
        words.extend(rest[core.len()..].chars().map(String::from));
    }
    words
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.clone().count() > 0 && letters.all(char::is_lowercase)
}

fn is_lower(word: &str) -> bool {
    word.chars().all(char::is_lowercase)
}

/// The kinds of places in a pattern, each with the most words that it takes and what they must be.
fn fits(kind: &str, words: &[String]) -> bool {
    let one = |holds: &dyn Fn(&str) -> bool| words.len() == 1 && holds(&words[0]);
    match kind {
        "{name}" => one(&is_name),
        "{they}" => one(&|w| ["she", "he", "it", "She", "He", "It"].contains(&w)),
        "{them}" => one(&|w| ["her", "him", "it"].contains(&w)),
        "{number}" => one(&|w| number(w).is_some()),
        "{unit}" => one(&|w| UNITS.contains(&w)),
        "{heading}" => one(&|w| heading(w).is_some()),
        "{moves}" => one(&is_motion),
        "{word}" => one(&is_lower),
        "{place}" => {
            words.len() <= 2 && words.iter().all(|w| is_lower(w) && !["the", "and", "to", "from"].contains(&&w[..]))
        }
        "{any}" => true,
        _ => false,
    }
}

/// Matches the words against a pattern: words stand for themselves (the first in either case of its first letter), `{…}`
/// takes words of a kind. The match that gives earlier places fewer words is taken.
pub(super) fn matches<'a>(pattern: &str, words: &'a [String]) -> Option<Caught<'a>> {
    let parts: Vec<&str> = pattern.split(' ').collect();
    let mut caught = Vec::new();
    go(&parts, words, true, &mut caught).then_some(Caught(caught))
}

fn go<'a>(parts: &[&str], words: &'a [String], first: bool, caught: &mut Vec<&'a [String]>) -> bool {
    let Some((part, rest)) = parts.split_first() else { return words.is_empty() };
    if !part.starts_with('{') {
        let Some((word, after)) = words.split_first() else { return false };
        let same = word == part || first && word.eq_ignore_ascii_case(part);
        return same && go(rest, after, false, caught);
    }
    let most = match *part {
        "{place}" => 2,
        "{any}" => 24,
        _ => 1,
    };
    for take in 1..=most.min(words.len()) {
        if fits(part, &words[..take]) {
            caught.push(&words[..take]);
            if go(rest, &words[take..], false, caught) {
                return true;
            }
            caught.pop();
        }
    }
    false
}

/// The first of some patterns that matches, by its index.
pub(super) fn first_match<'a>(patterns: &[&str], words: &'a [String]) -> Option<(usize, Caught<'a>)> {
    patterns.iter().enumerate().find_map(|(at, pattern)| Some((at, matches(pattern, words)?)))
}
