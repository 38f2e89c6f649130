//! First-order logic: syntaxes, laws, exports.

mod export;
mod normal;
mod small;
mod strategy;
mod support;
mod syntax;
mod verdict;
