//! Operators in a row: `P ∧ Q ∧ R` is one list, `P → Q → R` nests to the right, `P ⊕ Q ⊕ R` to the left.

use super::dialect::{Binary, Chain};
use super::parse::Parse;
use super::refuse::too_deep;
use crate::logic::formula::{Formula, MAX_DEPTH};

/// Formulas with one operator between them, each with its nesting; the last is still to come.
pub(super) struct Run {
    pub level: usize,
    pub operator: Binary,
    /// Where the first operator stands.
    pub column: usize,
    pub parts: Vec<(Formula, usize)>,
}

impl Run {
    /// The whole run with its last part.
    pub fn close(mut self, chain: Chain, last: (Formula, usize)) -> Parse<(Formula, usize)> {
        self.parts.push(last);
        let heights = self.parts.iter().map(|(_, height)| *height);
        let deeper = |below: usize, height: usize| below.max(height) + 1;
        let height = match chain {
            Chain::Flat => heights.max().map(|height| height + 1),
            Chain::Right => heights.rev().reduce(deeper),
            Chain::Left | Chain::Refused => heights.reduce(deeper),
        };
        // Before anything nests, since what is nested too deeply cannot even be dropped.
        let height = height.filter(|&h| h <= MAX_DEPTH).ok_or_else(|| too_deep(self.column))?;
        let parts = self.parts.into_iter().map(|(formula, _)| formula);
        let operator = self.operator;
        let formula = match (chain, operator) {
            (Chain::Flat, Binary::And) => Formula::And(parts.collect()),
            (Chain::Flat, _) => Formula::Or(parts.collect()),
            (Chain::Right, _) => parts.rev().reduce(|right, left| join(operator, left, right)).unwrap_or(Formula::True),
            _ => parts.reduce(|left, right| join(operator, left, right)).unwrap_or(Formula::True),
        };
        Ok((formula, height))
    }
}

fn join(operator: Binary, left: Formula, right: Formula) -> Formula {
    match operator {
        Binary::And => Formula::And(vec![left, right]),
        Binary::Or => Formula::Or(vec![left, right]),
        Binary::Xor => Formula::xor(left, right),
        Binary::Implies => Formula::implies(left, right),
        Binary::ImpliedBy => Formula::implies(right, left),
        Binary::Iff => Formula::iff(left, right),
    }
}
