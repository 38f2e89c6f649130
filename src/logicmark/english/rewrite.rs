//! Equivalences by which formulas are rewritten: each is a name and a step at the root of a formula.
//!
//! They are those of the Logifus paper (De Morgan, double negation, contraposition, forms of implication, biconditional and
//! exclusive or, quantifier duality, exportation) and distribution. Every step keeps the meaning; the tests hold each against
//! the prover.

use crate::logic::Formula;
use crate::logicmark::Draw;

/// One way of rewriting the root of a formula; `None` where its shape does not allow it.
type Step = fn(&Formula) -> Option<Formula>;

/// A named equivalence.
pub struct Rewrite {
    /// Its name.
    pub name: &'static str,
    step: Step,
}

fn not(formula: &Formula) -> Formula {
    match formula {
        Formula::Not(inner) => (**inner).clone(),
        other => Formula::not(other.clone()),
    }
}

fn pair(parts: &[Formula]) -> Option<(&Formula, &Formula)> {
    if let [a, b] = parts { Some((a, b)) } else { None }
}

/// Every rewrite there is.
pub const REWRITES: &[Rewrite] = &[
    Rewrite {
        name: "contraposition",
        step: |f| if let Formula::Implies(a, b) = f { Some(Formula::implies(not(b), not(a))) } else { None },
    },
    Rewrite {
        name: "implication as disjunction",
        step: |f| if let Formula::Implies(a, b) = f { Some(Formula::Or(vec![not(a), (**b).clone()])) } else { None },
    },
    Rewrite {
        name: "implication as disjunction",
        step: |f| if let Formula::Implies(a, b) = f { Some(Formula::Or(vec![(**b).clone(), not(a)])) } else { None },
    },
    Rewrite {
        name: "implication as denied conjunction",
        step: |f| {
            let Formula::Implies(a, b) = f else { return None };
            Some(Formula::not(Formula::And(vec![(**a).clone(), not(b)])))
        },
    },
    Rewrite {
        name: "quantifier duality",
        step: |f| match f {
            Formula::ForAll(x, body) => Some(Formula::not(Formula::Exists(x.clone(), Box::new(not(body))))),
            Formula::Exists(x, body) => Some(Formula::not(Formula::ForAll(x.clone(), Box::new(not(body))))),
            Formula::Not(inner) => match &**inner {
                Formula::ForAll(x, body) => Some(Formula::Exists(x.clone(), Box::new(not(body)))),
                Formula::Exists(x, body) => Some(Formula::ForAll(x.clone(), Box::new(not(body)))),
                _ => None,
            },
            _ => None,
        },
    },
    Rewrite {
        name: "De Morgan",
        step: |f| match f {
            Formula::Not(inner) => match &**inner {
                Formula::And(parts) => pair(parts).map(|(a, b)| Formula::Or(vec![not(a), not(b)])),
                Formula::Or(parts) => pair(parts).map(|(a, b)| Formula::And(vec![not(a), not(b)])),
                _ => None,
            },
            Formula::And(parts) => pair(parts).map(|(a, b)| Formula::not(Formula::Or(vec![not(a), not(b)]))),
            Formula::Or(parts) => pair(parts).map(|(a, b)| Formula::not(Formula::And(vec![not(a), not(b)]))),
            _ => None,
        },
    },
    Rewrite {
        name: "double negation",
        step: |f| match f {
            Formula::Pred(..) => Some(Formula::not(Formula::not(f.clone()))),
            _ => None,
        },
    },
    Rewrite {
        name: "exportation",
        step: |f| {
            let Formula::Implies(a, c) = f else { return None };
            let Formula::And(parts) = &**a else { return None };
            pair(parts).map(|(a, b)| Formula::implies(a.clone(), Formula::implies(b.clone(), (**c).clone())))
        },
    },
    Rewrite {
        name: "biconditional as two implications",
        step: |f| {
            let Formula::Iff(a, b) = f else { return None };
            let [a, b] = [&**a, &**b].map(Clone::clone);
            Some(Formula::And(vec![Formula::implies(a.clone(), b.clone()), Formula::implies(b, a)]))
        },
    },
    Rewrite {
        name: "biconditional as two cases",
        step: |f| {
            let Formula::Iff(a, b) = f else { return None };
            let neither = Formula::And(vec![not(a), not(b)]);
            Some(Formula::Or(vec![Formula::And(vec![(**a).clone(), (**b).clone()]), neither]))
        },
    },
    Rewrite {
        name: "exclusive or as conjunction",
        step: |f| {
            let Formula::Xor(a, b) = f else { return None };
            let parts = vec![(**a).clone(), (**b).clone()];
            Some(Formula::And(vec![Formula::Or(parts.clone()), Formula::not(Formula::And(parts))]))
        },
    },
    Rewrite {
        name: "exclusive or as biconditional",
        step: |f| if let Formula::Xor(a, b) = f { Some(Formula::iff((**a).clone(), not(b))) } else { None },
    },
    Rewrite {
        name: "distribution",
        step: |f| {
            let Formula::Implies(a, c) = f else { return None };
            match (&**a, &**c) {
                (Formula::Or(parts), _) => pair(parts).map(|(a, b)| {
                    Formula::And(vec![
                        Formula::implies(a.clone(), (**c).clone()),
                        Formula::implies(b.clone(), (**c).clone()),
                    ])
                }),
                (_, Formula::And(parts)) => pair(parts).map(|(b, d)| {
                    Formula::And(vec![
                        Formula::implies((**a).clone(), b.clone()),
                        Formula::implies((**a).clone(), d.clone()),
                    ])
                }),
                _ => None,
            }
        },
    },
];

impl Rewrite {
    /// The formula with its root rewritten.
    #[must_use]
    pub fn at_root(&self, formula: &Formula) -> Option<Formula> {
        (self.step)(formula)
    }
}

/// Rewrites a formula at a place drawn among all places where some rewrite applies: the name, and the new formula.
pub fn once(draw: &mut Draw, formula: &Formula) -> Option<(&'static str, Formula)> {
    let mut all = Vec::new();
    everywhere(formula, &mut |name, new| all.push((name, new)));
    // Of double negations there are many places, of the others few: the kind is drawn first.
    let mut names: Vec<&'static str> = all.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    names.dedup();
    let name = *names.get(draw.below(names.len()))?;
    let these: Vec<&(&'static str, Formula)> = all.iter().filter(|(other, _)| *other == name).collect();
    these.get(draw.below(these.len())).map(|found| (**found).clone())
}

/// Every formula that one rewrite makes of this one.
fn everywhere(formula: &Formula, found: &mut dyn FnMut(&'static str, Formula)) {
    for rewrite in REWRITES {
        if let Some(new) = rewrite.at_root(formula) {
            found(rewrite.name, new);
        }
    }
    match formula {
        Formula::Not(inner) => everywhere(inner, &mut |name, new| found(name, Formula::not(new))),
        Formula::And(parts) | Formula::Or(parts) => {
            for at in 0..parts.len() {
                everywhere(&parts[at], &mut |name, new| {
                    let mut parts = parts.clone();
                    parts[at] = new;
                    found(
                        name,
                        if matches!(formula, Formula::And(_)) { Formula::And(parts) } else { Formula::Or(parts) },
                    );
                });
            }
        }
        Formula::Xor(a, b) => sides(a, b, Formula::xor, found),
        Formula::Implies(a, b) => sides(a, b, Formula::implies, found),
        Formula::Iff(a, b) => sides(a, b, Formula::iff, found),
        Formula::ForAll(x, body) => {
            everywhere(body, &mut |name, new| found(name, Formula::ForAll(x.clone(), Box::new(new))));
        }
        // `trusts someone who is a baker` is one phrase.
        Formula::Exists(x, body) if **x != *"y" => {
            everywhere(body, &mut |name, new| found(name, Formula::Exists(x.clone(), Box::new(new))));
        }
        _ => {}
    }
}

fn sides(
    a: &Formula,
    b: &Formula,
    join: fn(Formula, Formula) -> Formula,
    found: &mut dyn FnMut(&'static str, Formula),
) {
    everywhere(a, &mut |name, new| found(name, join(new, b.clone())));
    everywhere(b, &mut |name, new| found(name, join(a.clone(), new)));
}
