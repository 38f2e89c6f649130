//! LogicNLI's structures as formulas: `∀x (Kind(x) → (Calm(x) ∧ ¬Rude(x)))`, `(∃x Kind(x)) → Calm(tom)`.
//!
//! Attributes begin with a capital, names are in lower case, as is common in formulas of this kind; what cannot stand in a
//! name becomes `_`.

use super::chain::{Literal, Rule, Side};

/// A literal as a formula.
pub(super) fn literal(literal: &Literal) -> String {
    let person = match literal.who.as_str() {
        "all" | "exist" => "x".to_string(),
        name => name_of(&name.to_lowercase()),
    };
    let mut predicate = name_of(&literal.what);
    if let Some(first) = predicate.get(..1) {
        predicate.replace_range(..1, &first.to_uppercase());
    }
    format!("{}{predicate}({person})", if literal.holds { "" } else { "¬" })
}

/// A rule as a formula. A side about `exist`, or about `all` where the other is not, has its quantifier of its own.
pub(super) fn rule(rule: &Rule) -> String {
    let arrow = if rule.both_ways { "↔" } else { "→" };
    let shared = rule.p.is_of("all") && rule.q.is_of("all");
    let (p, q) = (side(&rule.p, shared), side(&rule.q, shared));
    if shared { format!("∀x ({p} {arrow} {q})") } else { format!("{p} {arrow} {q}") }
}

fn side(side: &Side, shared: bool) -> String {
    let joint = if side.or { " ∨ " } else { " ∧ " };
    let parts: Vec<String> = side.literals.iter().map(literal).collect();
    let body = if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(joint)) };
    if side.is_of("exist") {
        format!("(∃x {body})")
    } else if side.is_of("all") && !shared {
        format!("(∀x {body})")
    } else {
        body
    }
}

fn name_of(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '\'' { c } else { '_' }).collect()
}
