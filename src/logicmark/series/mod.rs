//! The task `series`: which number belongs in the place of the question mark.
//!
//! **The family of rules.** Operations in turn (up to four, each adding or multiplying by a constant), constant differences of
//! the second to the fourth order, a factor and a summand, a growing factor and a summand, the two terms before with factors
//! and perhaps a summand, differences that are multiplied and added to, and two series in turn. The bounds of all constants
//! are in `check/family.rs`.
//!
//! **Unique.** Every rule of the whole family that fits the shown terms, with any constants, gives the same missing term. The
//! order of the simplest one is the depth: the number of numbers that it takes to write the series down, less one.
//!
//! **The endings** are a square: the answer, one slip away, another slip away, both; the answer is any of its corners.

mod check;
mod generate;

use super::{Task, Variant};

/// The entry in the table of tasks.
pub(super) const TASK: Task = Task {
    name: "series",
    about: "Number series: which term belongs in the place of the question mark",
    hops: 1..=5,
    variants: &[
        Variant { name: "base", about: "3, 6, 12, 24, ?" },
        Variant { name: "planet", about: "digits as planets, from Sun, 0, to Pluto, 9" },
        Variant { name: "ascii", about: "digits as sums of the character codes of planets" },
        Variant { name: "md5", about: "digits as MD5 digests" },
        Variant { name: "symbolic", about: "terms by a letter: n, 2n, 4n, 8n, ?" },
        Variant { name: "pipeline", about: "several codes one after the other" },
    ],
    endings: 4,
    draw: generate::draw,
    check: check::check,
    signature: check::signature,
};

/// The missing terms that the simplest rules of the family give for a row with one term missing, each once, ascending; none
/// where no rule fits.
#[must_use]
pub fn simplest_ways_on(shown: &[Option<i64>]) -> Vec<i64> {
    check::simplest_ways_on(shown)
}
