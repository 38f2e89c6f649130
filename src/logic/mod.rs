//! First-order logic with equality that shows its evidence.
//!
//! Text becomes a [`Formula`] ([`parse`], or [`Question::parse`] for premises and a conclusion); [`prove`] gives a
//! [`Verdict`] with finite models or ground instances as evidence, which [`Answer::check`] checks again, apart from how
//! they were found; [`compare`] tells how two theories stand to each other.

pub mod derive;
mod evidence;
mod formula;
mod ground;
pub mod model;
pub mod normal;
mod question;
mod reading;
mod sat;
pub mod search;
mod substitute;
pub mod syntax;
mod verdict;

pub use formula::{Formula, MAX_DEPTH, Name, Term};
pub use ground::{BadRefutation, Instance, Refutation};
pub use model::{Missing, Model};
pub use question::{Place, Question, Remark};
pub use reading::Reading;
pub use substitute::{Substitution, fresh};
pub use syntax::{Fault, Kind, Parsed, Syntax, parse};
pub use verdict::{Answer, BadEvidence, Decision, Limits, Relation, Verdict, compare, consistent, equivalent, prove};
