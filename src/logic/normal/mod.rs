//! Normal forms: negation normal form, prenex form, Skolem form, clauses.
//!
//! Each keeps what can be proved: negation normal form and prenex form are equivalent to the formula; Skolem form and
//! clauses have a model exactly if the formula has one.

mod clauses;
mod nnf;
mod prenex;
mod skolem;

pub use clauses::{Clause, Literal, clauses};
pub use nnf::{TooLarge, negation_normal_form};
pub use prenex::prenex;
pub use skolem::{Matrix, Skolem, Skolemizer};
