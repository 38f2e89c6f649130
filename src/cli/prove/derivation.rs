//! The shortest derivation beside a verdict that has one.

use serde_json::{Value, json};

use crate::logic::derive::{Shortest, shortest};
use crate::logic::{Answer, Formula, Limits, Verdict};

/// The shortest derivation of the conclusion, or of its negation, where one of them follows.
pub(super) fn of(
    answer: &Answer,
    premises: &[Formula],
    conclusion: &Formula,
    most: usize,
    limits: &Limits,
) -> Option<Shortest> {
    let goal = match answer.verdict {
        Verdict::Entailed => conclusion.clone(),
        Verdict::Contradicted => Formula::not(conclusion.clone()),
        _ => return None,
    };
    let unknown = |fault: crate::logic::Fault| Shortest::Unknown { reason: fault.message, at_least: 0 };
    // The verdict is what was asked for: its derivation has a fifth of the time on top.
    let limits = Limits { time: limits.time / 5, ..*limits };
    Some(shortest(premises, &goal, most, &limits).unwrap_or_else(unknown))
}

/// Adds `hops`, a number or null, and the derivation or why there is none to the evidence.
pub(super) fn add(evidence: &mut Value, shortest: Option<&Shortest>, premises: usize) {
    match shortest {
        None => {}
        Some(Shortest::Found(derivation)) => {
            evidence["hops"] = json!(derivation.count);
            evidence["derivation"] = derivation.to_json(premises);
        }
        Some(Shortest::Unknown { reason, at_least }) => {
            evidence["hops"] = Value::Null;
            evidence["hops_at_least"] = json!(at_least);
            evidence["hops_unknown"] = json!(reason);
        }
    }
}
