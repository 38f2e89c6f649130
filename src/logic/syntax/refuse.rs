//! What is wrong where the parser cannot go on: the class, the column, and what to do.

use super::dialect::Sign;
use super::fault::{Fault, Kind};
use super::parse::{Parse, Parser};
use super::token::{self, Token};
use super::variables::looks_like_variable;
use crate::logic::formula::MAX_DEPTH;

impl Parser<'_> {
    /// Fails where the text ends after an operator.
    pub(super) fn operand(&self, column: usize, what: &str) -> Parse<()> {
        if self.at < self.tokens.len() {
            return Ok(());
        }
        Err(Fault::new(column, Kind::MissingOperand, format!("nothing follows {what}")))
    }

    /// Fails where a quantifier's variable is the beginning of an atom: `∃ P(x)`, `∀xP(x)`.
    pub(super) fn variable_is_there(&self) -> Parse<()> {
        let (Some(name), Some(rest)) = (self.at.checked_sub(1).map(|i| &self.tokens[i]), self.tokens.get(self.at..))
        else {
            return Ok(());
        };
        let token::Kind::Name(text) = &name.kind else { return Ok(()) };
        let follows = |at: usize| rest.get(at).map(|token| &token.kind);
        let atom = follows(0) == Some(&token::Kind::Sign(Sign::Open))
            && rest[0].column == name.end
            && matches!(follows(1), Some(token::Kind::Name(_)))
            && matches!(follows(2), Some(token::Kind::Sign(Sign::Close | Sign::Comma)));
        if !atom || looks_like_variable(text) {
            return Ok(());
        }
        let message = format!("`{text}(` stands where the quantifier's variable belongs; write `∀x {text}(x)`");
        Err(Fault::new(name.column, Kind::MissingOperand, message))
    }

    /// What is wrong where a formula should begin.
    pub(super) fn no_formula(&self) -> Fault {
        let column = self.column();
        match self.peek() {
            Some(&token::Kind::Bad(c)) => bad(column, c),
            Some(token::Kind::Sign(Sign::Dot)) => bad(column, '.'),
            Some(token::Kind::Sign(Sign::Comma)) => {
                Fault::new(column, Kind::MissingOperand, "a comma where a formula belongs")
            }
            _ => self.or_unbalanced(Fault::new(column, Kind::MissingOperand, "a formula is missing here")),
        }
    }

    /// What is wrong with a token that follows a whole formula.
    pub(super) fn after_formula(&self, token: &Token) -> Fault {
        let column = token.column;
        let rest = &self.tokens[self.at..];
        let goes_on = |tokens: &[Token]| {
            tokens.iter().any(|t| matches!(t.kind, token::Kind::Name(_) | token::Kind::Sign(Sign::True | Sign::False)))
        };
        match &token.kind {
            // Only marks follow: the formula was whole.
            token::Kind::Bad(_) | token::Kind::Sign(Sign::Dot | Sign::Comma) if self.depth == 0 && !goes_on(rest) => {
                Fault::new(column, Kind::Trailing, "something follows the formula; remove it")
            }
            token::Kind::Bad(c) => bad(column, *c),
            token::Kind::Sign(Sign::Dot) => bad(column, '.'),
            token::Kind::Sign(Sign::Close) => Fault::new(column, Kind::Unbalanced, "a `)` too many"),
            token::Kind::Sign(Sign::Comma) => Fault::new(
                column,
                Kind::MissingOperator,
                "a comma where an operator belongs; write `∧` or what is meant",
            ),
            _ => Fault::new(column, Kind::MissingOperator, "an operator is missing before this"),
        }
    }

    pub(super) fn two_words(&self, first: &str) -> Fault {
        let (before, token) = (&self.tokens[self.at - 1], &self.tokens[self.at]);
        let second = match &token.kind {
            token::Kind::Name(name) => name.as_str(),
            _ => "",
        };
        Fault::new(
            before.end,
            Kind::SpaceInName,
            format!("a name of two words, `{first} {second}`; write it as one, `{first}_{second}`, or add an operator"),
        )
    }

    pub(super) fn unclosed(&self, column: usize) -> Fault {
        Fault::new(column, Kind::Unbalanced, "this `(` is not closed")
    }

    /// Where the parentheses do not pair, that is what is wrong; else the given fault.
    pub(super) fn or_unbalanced(&self, otherwise: Fault) -> Fault {
        let mut open = Vec::new();
        for token in self.tokens {
            match token.kind {
                token::Kind::Sign(Sign::Open) => open.push(token.column),
                token::Kind::Sign(Sign::Close) if open.pop().is_none() => {
                    return Fault::new(token.column, Kind::Unbalanced, "a `)` too many");
                }
                _ => {}
            }
        }
        open.last().map_or(otherwise, |&column| self.unclosed(column))
    }
}

pub(super) fn too_deep(column: usize) -> Fault {
    Fault::new(column, Kind::TooDeep, format!("nested more than {MAX_DEPTH} deep; write it with fewer parentheses"))
}

pub(super) fn variable_as_formula(column: usize, name: &str) -> Fault {
    Fault::new(column, Kind::UnexpectedToken, format!("the variable `{name}` stands where a formula belongs"))
}

/// A character that is no token, with what was probably meant.
pub(super) fn bad(column: usize, c: char) -> Fault {
    let meant = match c {
        '^' | '&' => "; write `∧`",
        '|' => "; write `∨`",
        '⟷' | '⇔' | '⟺' | '≡' => "; write `↔`",
        '⇒' | '⟶' | '⊃' | '-' | '>' => "; write `→`",
        '~' | '!' => "; write `¬`",
        '.' => " here: a name holds no dot",
        '+' => " here: a name holds letters, digits, `_`, `-` and `'`",
        _ => "",
    };
    Fault::new(column, Kind::BadToken, format!("the character `{c}` (U+{:04X}) is no token{meant}", u32::from(c)))
}
