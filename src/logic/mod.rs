//! First-order logic with equality that shows its evidence: formulas, their syntaxes, normal forms, and verdicts.

mod formula;
pub mod normal;
mod substitute;
pub mod syntax;

pub use formula::{Formula, MAX_DEPTH, Name, Term};
pub use substitute::{Substitution, fresh};
pub use syntax::{Fault, Kind, Parsed, Syntax, parse};
