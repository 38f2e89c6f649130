//! The one closed vocabulary of the task: invented nouns and plain names.
//!
//! All nouns are six letters long and start with a consonant, all names are three letters long, so that the endings of
//! an item have the same number of characters and bytes and take the same article.

/// People. In alphabetical order; the order is part of what a seed means.
pub(super) const NAMES: [&str; 16] =
    ["Ann", "Ben", "Dan", "Eve", "Fay", "Gus", "Ian", "Joy", "Kim", "Leo", "Max", "Mia", "Ned", "Rex", "Sam", "Zoe"];

/// Invented nouns. In alphabetical order; the order is part of what a seed means.
pub(super) const NOUNS: [&str; 48] = [
    "bandok", "blimet", "brofen", "cavlet", "clonar", "dalpit", "dorven", "drimok", "fandel", "felgat", "flomik",
    "gartok", "glimen", "gorvet", "grufel", "haskin", "hembit", "hulmor", "jandel", "jortik", "kelvat", "klosen",
    "lompet", "lurgen", "mavlik", "mindok", "nalbet", "nimsel", "pandet", "pelmor", "plovin", "quimel", "rasket",
    "ronvel", "salgit", "skovel", "snavet", "sorpin", "stobel", "tarvik", "tembel", "trudok", "vandik", "velmot",
    "wampet", "wendik", "yorbit", "zalmet",
];
