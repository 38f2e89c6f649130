//! A controlled English for first-order logic: every sentence has exactly one reading.
//!
//! [`say`] puts formulas into words, with a lexicon that knows which words are nouns, adjectives and verbs. [`read`] reads
//! sentences back without any lexicon, from their form alone, finds *all* readings, and refuses a sentence that has none or
//! several. Neither knows the other.
//!
//! Predicates are named by their words: `baker` for “is a baker”, `patient` for “is patient”, `own_a_bicycle` for “owns a
//! bicycle”, `trust` for “trusts Ben”. Everybody (or everything) that there is makes up the domain.

pub mod read;
pub mod rewrite;
pub mod say;
pub mod words;
