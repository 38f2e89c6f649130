//! The three syntaxes: examples of what is read, refused and warned of, and laws over random formulas.

mod deep;
mod faults;
mod laws;
mod readings;
mod substitution;
