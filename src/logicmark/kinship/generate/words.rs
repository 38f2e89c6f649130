//! The words of kinship that the generator uses, and the squares of endings.

/// What a word says, sex aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Parent,
    Child,
    Spouse,
    Sibling,
    Grandparent,
    FathersParent,
    MothersParent,
    Grandchild,
    GreatGrandparent,
    GreatGrandchild,
    Uncle,
    FathersSide,
    MothersSide,
    Nephew,
    GreatUncle,
    GreatNephew,
    Cousin,
    ParentInLaw,
    ChildInLaw,
    SiblingInLaw,
}

/// Every kind, in the order of its number.
pub(super) const KINDS: [Kind; 20] = [
    Kind::Parent,
    Kind::Child,
    Kind::Spouse,
    Kind::Sibling,
    Kind::Grandparent,
    Kind::FathersParent,
    Kind::MothersParent,
    Kind::Grandchild,
    Kind::GreatGrandparent,
    Kind::GreatGrandchild,
    Kind::Uncle,
    Kind::FathersSide,
    Kind::MothersSide,
    Kind::Nephew,
    Kind::GreatUncle,
    Kind::GreatNephew,
    Kind::Cousin,
    Kind::ParentInLaw,
    Kind::ChildInLaw,
    Kind::SiblingInLaw,
];

/// A word, by place in [`WORDS`].
pub(super) type Word = usize;

/// A word of kinship.
pub(super) struct Entry {
    pub(super) text: &'static str,
    pub(super) kind: Kind,
    /// Whether the person is male, where the word says it.
    pub(super) male: Option<bool>,
    /// How readily a fact is told with it; 0 is never.
    pub(super) weight: usize,
}

const fn entry(text: &'static str, kind: Kind, male: Option<bool>, weight: usize) -> Entry {
    Entry { text, kind, male, weight }
}

/// The words. The order is part of what a seed means.
pub(super) const WORDS: &[Entry] = &[
    entry("father", Kind::Parent, Some(true), 6),
    entry("mother", Kind::Parent, Some(false), 6),
    entry("son", Kind::Child, Some(true), 6),
    entry("daughter", Kind::Child, Some(false), 6),
    entry("husband", Kind::Spouse, Some(true), 6),
    entry("wife", Kind::Spouse, Some(false), 6),
    entry("brother", Kind::Sibling, Some(true), 6),
    entry("sister", Kind::Sibling, Some(false), 6),
    entry("grandfather", Kind::Grandparent, Some(true), 2),
    entry("grandmother", Kind::Grandparent, Some(false), 2),
    entry("paternal grandfather", Kind::FathersParent, Some(true), 1),
    entry("paternal grandmother", Kind::FathersParent, Some(false), 1),
    entry("maternal grandfather", Kind::MothersParent, Some(true), 1),
    entry("maternal grandmother", Kind::MothersParent, Some(false), 1),
    entry("grandson", Kind::Grandchild, Some(true), 2),
    entry("granddaughter", Kind::Grandchild, Some(false), 2),
    entry("great-grandfather", Kind::GreatGrandparent, Some(true), 1),
    entry("great-grandmother", Kind::GreatGrandparent, Some(false), 1),
    entry("great-grandson", Kind::GreatGrandchild, Some(true), 1),
    entry("great-granddaughter", Kind::GreatGrandchild, Some(false), 1),
    entry("uncle", Kind::Uncle, Some(true), 1),
    entry("aunt", Kind::Uncle, Some(false), 1),
    entry("paternal uncle", Kind::FathersSide, Some(true), 1),
    entry("paternal aunt", Kind::FathersSide, Some(false), 1),
    entry("maternal uncle", Kind::MothersSide, Some(true), 1),
    entry("maternal aunt", Kind::MothersSide, Some(false), 1),
    entry("nephew", Kind::Nephew, Some(true), 1),
    entry("niece", Kind::Nephew, Some(false), 1),
    entry("great-uncle", Kind::GreatUncle, Some(true), 1),
    entry("great-aunt", Kind::GreatUncle, Some(false), 1),
    entry("great-nephew", Kind::GreatNephew, Some(true), 1),
    entry("great-niece", Kind::GreatNephew, Some(false), 1),
    entry("father-in-law", Kind::ParentInLaw, Some(true), 3),
    entry("mother-in-law", Kind::ParentInLaw, Some(false), 3),
    entry("son-in-law", Kind::ChildInLaw, Some(true), 3),
    entry("daughter-in-law", Kind::ChildInLaw, Some(false), 3),
    entry("brother-in-law", Kind::SiblingInLaw, Some(true), 1),
    entry("sister-in-law", Kind::SiblingInLaw, Some(false), 1),
    entry("cousin", Kind::Cousin, None, 1),
];

/// Four endings that differ in sex and in one thing more. The people of these puzzles have names that do not tell.
pub(super) const MIXED: &[[&str; 4]] = &[
    ["father", "mother", "son", "daughter"],
    ["grandfather", "grandmother", "grandson", "granddaughter"],
    ["uncle", "aunt", "nephew", "niece"],
    ["father-in-law", "mother-in-law", "son-in-law", "daughter-in-law"],
    ["brother", "sister", "brother-in-law", "sister-in-law"],
    ["father", "mother", "father-in-law", "mother-in-law"],
    ["son", "daughter", "son-in-law", "daughter-in-law"],
    ["grandfather", "grandmother", "great-grandfather", "great-grandmother"],
    ["uncle", "aunt", "great-uncle", "great-aunt"],
    ["nephew", "niece", "great-nephew", "great-niece"],
    ["paternal grandfather", "paternal grandmother", "maternal grandfather", "maternal grandmother"],
    ["father", "mother", "uncle", "aunt"],
    ["son", "daughter", "nephew", "niece"],
];

/// Four endings of one sex that differ in two other things.
pub(super) const ALIKE: &[[&str; 4]] = &[
    ["father", "grandfather", "son", "grandson"],
    ["mother", "grandmother", "daughter", "granddaughter"],
    ["father", "son", "father-in-law", "son-in-law"],
    ["mother", "daughter", "mother-in-law", "daughter-in-law"],
    ["father", "son", "uncle", "nephew"],
    ["mother", "daughter", "aunt", "niece"],
    ["grandfather", "uncle", "grandson", "nephew"],
    ["grandmother", "aunt", "granddaughter", "niece"],
    ["father-in-law", "son-in-law", "uncle", "nephew"],
    ["mother-in-law", "daughter-in-law", "aunt", "niece"],
];

/// The word of this text; the lists here hold no other.
pub(super) fn word(text: &str) -> Word {
    WORDS.iter().position(|entry| entry.text == text).unwrap_or_default()
}

/// Whether a person has one such relative at most.
pub(super) fn single(word: Word) -> bool {
    matches!(
        WORDS[word].kind,
        Kind::Parent | Kind::Spouse | Kind::FathersParent | Kind::MothersParent | Kind::ParentInLaw
    )
}

/// Whether a word leaves open by which way two people are related.
pub(super) fn loose(word: Word) -> bool {
    !single(word) && !matches!(WORDS[word].kind, Kind::Child | Kind::Sibling | Kind::ChildInLaw | Kind::Grandchild)
}

/// Whether everybody has two such relatives or more, so that "only" would be untrue.
pub(super) fn several(word: Word) -> bool {
    matches!(WORDS[word].kind, Kind::Grandparent | Kind::GreatGrandparent)
}
