//! Normal forms keep what holds, or at least whether anything can.

use llscore::logic::normal::{clauses, negation_normal_form, prenex};
use llscore::logic::{Decision, Formula, Limits, consistent};
use proptest::prelude::*;

use super::formulas::{Shape, closed, closed_of};
use super::small;

/// Formulas without functions.
const FLAT: Shape = Shape { depth: 3, equality: true, function: false, binary: true };

fn is_literal(f: &Formula) -> bool {
    match f {
        Formula::Not(inner) => matches!(**inner, Formula::Pred(..) | Formula::Eq(..)),
        Formula::True | Formula::False | Formula::Pred(..) | Formula::Eq(..) => true,
        _ => false,
    }
}

fn is_nnf(f: &Formula) -> bool {
    match f {
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_nnf),
        Formula::ForAll(_, body) | Formula::Exists(_, body) => is_nnf(body),
        _ => is_literal(f),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn negation_normal_and_prenex_form_hold_where_the_formula_does(
        f in closed(), size in 1usize..4, bits in any::<u64>(),
    ) {
        let model = small::model(size, bits);
        let holds = model.holds(&f).unwrap();
        let nnf = negation_normal_form(&f).unwrap();
        prop_assert!(is_nnf(&nnf), "{nnf}");
        prop_assert_eq!(model.holds(&nnf).unwrap(), holds, "{}", nnf);
        let prenex = prenex(&f).unwrap();
        prop_assert_eq!(model.holds(&prenex).unwrap(), holds, "{}", prenex);
        let mut matrix = &prenex;
        while let Formula::ForAll(_, body) | Formula::Exists(_, body) = matrix {
            matrix = body;
        }
        prop_assert!(!matrix.has_quantifier(), "{prenex}");
        prop_assert!(prenex.free_vars().is_empty());
    }

    #[test]
    fn clauses_can_hold_where_the_formulas_can(f in closed_of(FLAT), g in closed_of(FLAT)) {
        let formulas = [f, g];
        let clauses = clauses(&formulas).unwrap();
        let closed: Vec<Formula> = clauses
            .iter()
            .map(|c| c.vars().iter().fold(c.formula(), |f, x| Formula::for_all(x, f)))
            .collect();
        let kind = |formulas: &[Formula]| match consistent(formulas, &Limits::default()).unwrap() {
            Decision::Model(_) => Some(true),
            Decision::Refuted(_) => Some(false),
            Decision::Undecided(_) => None,
        };
        let (before, after) = (kind(&formulas), kind(&closed));
        // A function symbol that stands for ∃ can make the clauses' question harder, never another one.
        prop_assert!(before == after || before.is_none() || after.is_none(), "{:?} {:?}", before, after);
    }
}
