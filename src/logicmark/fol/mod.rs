//! The task `fol`: whether a statement is true, false or unknown by what is stated.
//!
//! **Meaning.** Classical first-order logic over the people (or animals) that the context is about; a statement is *true*
//! if it follows from the context, *false* if its denial follows, *unknown* if neither does, which two models prove.
//!
//! **The question decides.** Every theory has three lines of reasoning of one depth: one to an affirmed literal, one to a
//! denied one, one with a rule turned round, so that it breaks. So each theory admits questions with all three answers, each
//! affirmed or denied, alike in depth. Which is asked is drawn.

mod check;
mod generate;
mod theory;
mod vocabulary;

use super::{Task, Variant};
use crate::logic::Formula;

use generate::ENDINGS;

/// The entry in the table of tasks.
pub(super) const TASK: Task = Task {
    name: "fol",
    about: "First-order logic in words: is a statement true, false or unknown by what is stated",
    hops: 1..=6,
    variants: &[
        Variant { name: "base", about: "Every baker is patient." },
        Variant {
            name: "obfuscated",
            about: "one to four rewrites a premise: it is not the case that some baker is not patient",
        },
    ],
    endings: 3,
    draw: generate::draw,
    check: check::check,
    signature: check::signature,
};

/// Whether two formulas are the same up to the names of bound variables and the nesting of ∧ and ∨.
fn same(a: &Formula, b: &Formula) -> bool {
    a.alpha_eq(b)
}
