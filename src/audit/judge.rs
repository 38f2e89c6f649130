//! Questions to [`crate::logic`], with their answers checked: an answer whose evidence does not hold is none.

use crate::logic::{Answer, Decision, Formula, Limits, Relation, Verdict, compare, consistent, prove};

/// What premises say of a conclusion; the reason where the question cannot be put or its evidence is no evidence.
pub(super) fn verdict(premises: &[Formula], conclusion: &Formula, limits: &Limits) -> Result<Answer, String> {
    let answer = prove(premises, conclusion, limits).map_err(|fault| fault.message)?;
    answer.check(premises, conclusion).map_err(|bad| format!("the evidence does not hold: {bad}"))?;
    Ok(answer)
}

/// Whether formulas can hold together.
pub(super) fn together(formulas: &[Formula], limits: &Limits) -> Decision {
    match consistent(formulas, limits) {
        Ok(decision) => checked(decision, &formulas.iter().collect::<Vec<_>>(), limits),
        Err(fault) => Decision::Undecided(fault.message),
    }
}

/// How one theory stands to another, with the evidence of both directions.
pub(super) fn relation(original: &[Formula], other: &[Formula], limits: &Limits) -> (Relation, [Decision; 2]) {
    let (relation, [one, two]) = match compare(original, other, limits) {
        Ok(found) => found,
        Err(fault) => {
            return (Relation::Undecided, [(); 2].map(|()| Decision::Undecided(fault.message.clone())));
        }
    };
    let check = |decision: Decision, from: &[Formula], to: &[Formula]| {
        let negated = Formula::not(Formula::and(to.to_vec()));
        checked(decision, &from.iter().chain([&negated]).collect::<Vec<_>>(), limits)
    };
    let evidence = [check(one, original, other), check(two, other, original)];
    let undecided = evidence.iter().any(|decision| matches!(decision, Decision::Undecided(_)));
    (if undecided { Relation::Undecided } else { relation }, evidence)
}

fn checked(decision: Decision, formulas: &[&Formula], limits: &Limits) -> Decision {
    match decision.check(formulas, limits.unique_names) {
        Ok(()) => decision,
        Err(bad) => Decision::Undecided(format!("the evidence does not hold: {bad}")),
    }
}

/// Whether an answer says that the premises hold together; none where it does not say.
pub(super) fn premises_hold(answer: &Answer) -> Option<bool> {
    match answer.verdict {
        Verdict::Inconsistent => Some(false),
        _ if answer.with.model().is_some() || answer.without.model().is_some() => Some(true),
        _ => None,
    }
}
