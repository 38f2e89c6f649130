//! Free-text puzzles of other data sets, solved: the answer that their own wording has, if it has one.
//!
//! A reader takes what it understands whole and refuses the rest with the reason; it never guesses. The solvers are those
//! that prove LogicMark's items.

mod count;
mod direction;
mod kinship;
mod series;

pub use count::{WordingFigures, WordingRow, figures, readable, solve_all};

/// What a puzzle's wording says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solved {
    /// The one answer.
    Answer(String),
    /// Several answers fit; those found.
    Open(Vec<String>),
    /// Nothing fits: the wording contradicts itself, and how.
    Contradictory(String),
    /// The wording is not understood whole, and what of it is not.
    Unread(String),
}

/// A reader of one kind of puzzle.
#[derive(Debug)]
pub struct Reader {
    /// The task, as importers name it.
    pub task: &'static str,
    /// Solves a question, worded as its data set words it.
    pub solve: fn(&str) -> Solved,
    /// Whether an answer of `solve` and one that a data set states are the same.
    pub same: fn(&str, &str) -> bool,
}

/// Every reader there is.
pub const READERS: &[Reader] = &[kinship::READER, series::READER, direction::READER];
