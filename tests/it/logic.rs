//! First-order logic: syntaxes, laws, exports, verdicts on random theories.

mod export;
mod random;
mod strategy;
mod support;
mod syntax;
mod theories;
#[cfg(feature = "z3")]
mod z3;
