//! Negation normal form: ¬ at atoms only, no → ; ↔ and ⊕ gone too, or kept where nothing is gained by expanding them.

use crate::logic::formula::{Formula, MAX_DEPTH};

/// The normal form would be too large: each ↔ and ⊕ around another doubles what is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the normal form exceeds {MAX_SIZE} parts")]
pub struct TooLarge;

/// The largest normal form, in formulas that stand in it.
pub(super) const MAX_SIZE: usize = 200_000;

/// The negation normal form: ∧, ∨, ∀ and ∃ over literals, ⊤ and ⊥. Equivalent to the formula; its bound variables keep
/// their names. `A ⊕ B` becomes `(A ∨ B) ∧ (¬A ∨ ¬B)`, `A ↔ B` becomes `(¬A ∨ B) ∧ (A ∨ ¬B)`.
///
/// # Errors
/// [`TooLarge`] where nested ↔ and ⊕ would blow it up.
pub fn negation_normal_form(formula: &Formula) -> Result<Formula, TooLarge> {
    Nnf { keep: false, size: 0 }.of(formula, true, 0)
}

/// As [`negation_normal_form`], but ↔ and ⊕ without quantifiers inside stay as they are (¬ moves into one side), since
/// whoever makes ground instances encodes them as they are.
pub(super) fn with_ground_parts_kept(formula: &Formula) -> Result<Formula, TooLarge> {
    Nnf { keep: true, size: 0 }.of(formula, true, 0)
}

struct Nnf {
    keep: bool,
    size: usize,
}

impl Nnf {
    fn of(&mut self, formula: &Formula, positive: bool, depth: usize) -> Result<Formula, TooLarge> {
        self.size += 1;
        if self.size > MAX_SIZE || depth > MAX_DEPTH {
            return Err(TooLarge);
        }
        let depth = depth + 1;
        let mut all =
            |parts: &[Formula]| parts.iter().map(|f| self.of(f, positive, depth)).collect::<Result<Vec<_>, _>>();
        Ok(match formula {
            Formula::True | Formula::False if positive => formula.clone(),
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Pred(..) | Formula::Eq(..) if positive => formula.clone(),
            Formula::Pred(..) | Formula::Eq(..) => Formula::not(formula.clone()),
            Formula::Not(inner) => self.of(inner, !positive, depth)?,
            Formula::And(parts) if positive => Formula::and(all(parts)?),
            Formula::And(parts) => Formula::or(all(parts)?),
            Formula::Or(parts) if positive => Formula::or(all(parts)?),
            Formula::Or(parts) => Formula::and(all(parts)?),
            Formula::Implies(a, b) => {
                let parts = vec![self.of(a, !positive, depth)?, self.of(b, positive, depth)?];
                if positive { Formula::or(parts) } else { Formula::and(parts) }
            }
            Formula::Xor(..) | Formula::Iff(..) if self.keep && !formula.has_quantifier() => {
                if positive {
                    formula.clone()
                } else {
                    match formula {
                        Formula::Xor(a, b) => Formula::Iff(a.clone(), b.clone()),
                        Formula::Iff(a, b) => Formula::Xor(a.clone(), b.clone()),
                        other => Formula::not(other.clone()),
                    }
                }
            }
            Formula::Xor(a, b) => self.either(a, b, positive, depth)?,
            Formula::Iff(a, b) => self.either(a, b, !positive, depth)?,
            Formula::ForAll(x, body) => quantified(positive, x, self.of(body, positive, depth)?),
            Formula::Exists(x, body) => quantified(!positive, x, self.of(body, positive, depth)?),
        })
    }

    /// `a ⊕ b`, or its negation, in clauses of two.
    fn either(&mut self, a: &Formula, b: &Formula, differ: bool, depth: usize) -> Result<Formula, TooLarge> {
        let first = vec![self.of(a, true, depth)?, self.of(b, differ, depth)?];
        let second = vec![self.of(a, false, depth)?, self.of(b, !differ, depth)?];
        Ok(Formula::And(vec![Formula::or(first), Formula::or(second)]))
    }
}

fn quantified(universal: bool, x: &str, body: Formula) -> Formula {
    if universal { Formula::for_all(x, body) } else { Formula::exists(x, body) }
}
