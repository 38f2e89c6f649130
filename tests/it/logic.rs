//! First-order logic: syntaxes, laws, exports.

mod export;
mod strategy;
mod support;
mod syntax;
