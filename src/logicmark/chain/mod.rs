//! The task `chain`: deduction over an invented ontology, by hop depth.
//!
//! The context states who is what ("Rex is a gorvet.") and what is what ("Every gorvet is a lompet."), shuffled, and
//! breaks off at "Therefore, Rex is a"; exactly one of the four endings follows, after `hops` applications of a rule.
//!
//! **No shortcut.** Every item has four people and four copies of one and the same rule pattern, one copy a person,
//! under different nouns and tied together by rules that run from one copy to the next in a ring. The four endings are
//! the same place of the four copies. Turning the ring maps the theory to itself and each ending to the next, so the
//! four endings agree in *every* property that does not mention the person asked about: how often they occur, where,
//! as what part of a rule, how far from a fact, with how many neighbours. For the person asked about, one follows.
//!
//! **Depth is not length.** Every item states the same number of rules and facts. What a shallow item does not need for
//! its derivation goes into rules that lead nowhere.

mod check;
mod generate;
mod plain;
mod reword;
mod words;

use super::{Task, Variant};

/// The entry in the table of tasks.
pub(super) const TASK: Task = Task {
    name: "chain",
    about: "Deduction over an invented ontology: which of four nouns follows for a person, after 1 to 8 rules",
    hops: 1..=8,
    variants: &[
        Variant { name: "base", about: "Every gorvet is a lompet." },
        Variant {
            name: "obfuscated",
            about: "one to three rewrites a sentence: nothing that is not a lompet is a gorvet",
        },
    ],
    endings: generate::COPIES,
    draw: generate::draw,
    check: check::check,
    signature: check::signature,
};
