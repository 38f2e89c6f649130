//! First-order logic: syntaxes, laws, exports, normal forms, verdicts.

mod derive;
mod export;
mod formulas;
mod model;
mod normal;
mod random;
mod search;
mod small;
mod strategy;
mod support;
mod syntax;
mod theories;
mod verdict;
#[cfg(feature = "z3")]
mod z3;
