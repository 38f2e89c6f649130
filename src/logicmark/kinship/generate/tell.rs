//! A fact in English, in one of several forms.

use super::chains::Hop;
use super::words::{Kind, WORDS, Word, single};
use crate::logicmark::Draw;

/// `who` is reached from `of` by these possessives.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) who: usize,
    pub(super) of: usize,
    pub(super) hops: Vec<Hop>,
}

/// The manner of a whole context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Statements about people.
    Notes,
    /// People speak of themselves.
    Talk,
    /// Both.
    Mixed,
}

/// What opens a context of each manner; an empty one is none.
pub(super) const OPENINGS: [(Manner, &str); 9] = [
    (Manner::Notes, ""),
    (Manner::Notes, "These people all belong to one family."),
    (Manner::Notes, "Someone is drawing a family tree from these notes."),
    (Manner::Notes, "A newcomer to the family is told who is who."),
    (Manner::Talk, "At a family party, the guests explain who they are."),
    (Manner::Talk, "At a wedding, the guests talk about their relatives."),
    (Manner::Mixed, "Several relatives meet for a meal."),
    (Manner::Mixed, "At a family party, the guests explain who they are."),
    (Manner::Mixed, ""),
];

/// What opens a context about pictures.
pub(super) const PICTURES: [&str; 3] = [
    "Four friends show each other photographs of their relatives.",
    "Four colleagues talk about the pictures on their desks.",
    "Four people have each brought a photograph to a meeting.",
];

/// What somebody does with a relative.
const DOINGS: [&str; 10] = [
    "lives with",
    "lives near",
    "often visits",
    "works with",
    "plays chess with",
    "goes swimming with",
    "writes every month to",
    "has lunch on Sundays with",
    "has borrowed a book from",
    "came by train with",
];

/// What somebody does at a party.
const AT_PARTY: [&str; 4] = ["has come to the party with", "came by train with", "is sitting next to", "is talking to"];

/// Choices for one fact, drawn once so that all variants of a group tell it in a like manner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) kind: usize,
    doing: usize,
    apart: usize,
    many: usize,
}

impl Form {
    pub(super) fn new(draw: &mut Draw, manner: Manner, opening: &str) -> Self {
        let kind = match manner {
            Manner::Notes => [0, 0, 1, 1, 2, 3, 3][draw.below(7)],
            Manner::Talk => 4 + draw.below(4),
            Manner::Mixed => draw.below(8),
        };
        let doing = if opening.contains("party") || opening.contains("meal") && draw.below(2) == 0 {
            DOINGS.len() + draw.below(AT_PARTY.len())
        } else {
            draw.below(DOINGS.len())
        };
        Form { kind, doing, apart: draw.below(12), many: draw.below(2) }
    }

    /// The form that says of what sex the owner is.
    pub(super) fn telling_sex(self) -> Self {
        Form { kind: 3, ..self }
    }
}

/// The fact as a sentence, and whether it says of what sex the owner is.
pub(super) fn sentence(fact: &Fact, form: Form, names: &[&str], male: &[bool], wrong: bool) -> String {
    let (who, of) = (names[fact.who], names[fact.of]);
    let (last, only) = fact.hops[fact.hops.len() - 1];
    let he = if male[fact.who] { "He" } else { "She" };
    let phrase = |base: &str| phrase(base, &fact.hops, form.apart, wrong && !single(last));
    match form.kind {
        1 => format!("{} is {who}.", capital(&phrase(of))),
        2 if fact.hops.len() == 1 && !single(last) && !only => {
            format!("{of} has {} {} called {who}.", article(last), WORDS[last].text)
        }
        2 if fact.hops.len() == 1 && WORDS[last].kind == Kind::Spouse => {
            format!("{who} and {of} are {}.", ["married to each other", "husband and wife"][form.many])
        }
        3 => {
            let doing = DOINGS.iter().chain(&AT_PARTY).nth(form.doing).unwrap_or(&DOINGS[0]);
            let his = if male[fact.of] { "his" } else { "her" };
            let comma = if fact.hops.len() > 1 { "," } else { "" };
            format!("{of} {doing} {his} {}{comma} {who}.", saxon(&fact.hops))
        }
        4 => format!("\"{who} is {},\" said {of}.", phrase("my")),
        5 => format!("{of} said, \"{who} is {}.\"", phrase("my")),
        6 => format!("Introducing {who}, {of} said, \"{he} is {}.\"", phrase("my")),
        7 => format!("Pointing to {who}, {of} said, \"{he} is {}.\"", phrase("my")),
        _ => format!("{who} is {}.", phrase(of)),
    }
}

/// Whether the form says of what sex the owner is.
pub(super) fn tells_owner(fact: &Fact, form: Form) -> bool {
    form.kind == 3 || WORDS[fact.hops[0].0].kind == Kind::Spouse && form.kind != 2
}

/// Whether the form says of what sex the person is.
pub(super) fn tells_person(fact: &Fact, form: Form) -> bool {
    let (last, _) = fact.hops[fact.hops.len() - 1];
    match form.kind {
        6 | 7 => true,
        2 if WORDS[last].kind == Kind::Spouse => false,
        _ => WORDS[last].male.is_some(),
    }
}

/// What somebody says about the picture of a relative.
pub(super) fn picture(speaker: &str, male: bool, hops: &[Hop], form: Form, thing: &str) -> String {
    let he = if male { "He" } else { "She" };
    let phrase = phrase("my", hops, form.apart, false);
    if form.many == 0 {
        format!("Pointing to a {thing} of a relative, {speaker} said, \"{he} is {phrase}.\"")
    } else {
        format!("{speaker} showed a {thing} of a relative and said, \"{he} is {phrase}.\"")
    }
}

/// "Ben's mother's only brother", "the only brother of Ben's mother" and what lies between.
fn phrase(base: &str, hops: &[Hop], apart: usize, several: bool) -> String {
    // No more than three possessives in a row with 's.
    let inside = match hops.len() {
        1 => apart % 2,
        n => (apart % n + usize::from(n < 4)).min(2 + apart % 2),
    };
    let mut text = match (base, inside) {
        ("my", 0) => format!("my {}", saxon(&hops[..1])),
        (_, 0) => base.to_string(),
        ("my", _) => format!("my {}", saxon(&hops[..inside])),
        _ => format!("{base}'s {}", saxon(&hops[..inside])),
    };
    let from = if base == "my" { inside.max(1) } else { inside };
    for (n, &(word, only)) in hops.iter().enumerate().skip(from) {
        let last = n + 1 == hops.len();
        let the = match (only, last && several) {
            (true, _) => "the only".to_string(),
            (false, true) => article(word).to_string(),
            (false, false) => "the".to_string(),
        };
        text = format!("{the} {} of {text}", WORDS[word].text);
    }
    text
}

/// "mother's only brother".
fn saxon(hops: &[Hop]) -> String {
    let word = |&(word, only): &Hop| format!("{}{}", if only { "only " } else { "" }, WORDS[word].text);
    hops.iter().map(word).collect::<Vec<_>>().join("'s ")
}

fn article(word: Word) -> &'static str {
    if WORDS[word].text.starts_with(['a', 'u']) { "an" } else { "a" }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
