//! What is a variable by its spelling.

use super::Syntax;
use super::dialect::Sign;
use super::parse::Parser;
use super::token;

/// Whether a name is spelt like a variable: u … z, and a digit may follow.
pub(super) fn looks_like_variable(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| ('u'..='z').contains(&c))
        && chars.next().is_none_or(|c| c.is_ascii_digit())
        && chars.next().is_none()
}

impl Parser<'_> {
    /// Takes the comma of `∃x, y (…)`, which binds both. What follows must be spelt like a variable: in `∃x, P(x)` the comma
    /// is a slip.
    pub(super) fn another_variable(&mut self) -> bool {
        let next = self.tokens.get(self.at + 1).map(|token| &token.kind);
        let follows = matches!(next, Some(token::Kind::Name(name)) if looks_like_variable(name));
        self.dialect.syntax == Syntax::Folio && follows && self.takes(Sign::Comma)
    }
}
