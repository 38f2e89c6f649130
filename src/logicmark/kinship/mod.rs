//! The task `kinship`: how two people of a family are related, told by way of others.
//!
//! A context tells of twelve members of one family, or of four people and the pictures they show, and admits four
//! questions of one depth whose right answers are the four endings; one of them is asked. The variants `l1` and `l2` say
//! the same of the same people by way of others still ("Ben's mother" becomes "Ben's father's wife").
//!
//! **Conventions.** Everybody has one father, a man, and one mother, a woman, who are married to each other. Nobody has
//! more than one spouse, ever, and spouses are of different sex. Brothers and sisters share both parents. Nobody is
//! married to a blood relation. Spouses are of one generation. Different names are different people; somebody who is
//! only described may be anybody. The family need not be told whole, but "only" is about all there are.

pub mod chase;
mod check;
pub mod families;
mod generate;
pub mod puzzle;
mod read;
pub mod table;

use super::{Task, Variant};

/// The entry in the table of tasks.
pub(super) const TASK: Task = Task {
    name: "kinship",
    about: "Family relations: how two people are related, over 1 to 6 told relations",
    hops: 1..=6,
    variants: &[
        Variant { name: "base", about: "Anna is Ben's mother." },
        Variant { name: "l1", about: "Anna is Ben's father's wife." },
        Variant { name: "l2", about: "Anna is the only daughter-in-law of Ben's father's mother." },
    ],
    endings: 4,
    draw: generate::draw,
    check: check::check,
    signature: check::signature,
};
