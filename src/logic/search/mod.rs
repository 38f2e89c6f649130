//! Finite models by size: quantifiers become conjunctions and disjunctions over the elements, functions become tables,
//! and a SAT solver fills them in (the way of MACE). Nothing is skolemised, so a model is one of the formulas as they
//! are, and each is checked by the plain evaluator before it is handed out.

mod encode;
mod ground;
mod terms;

use std::collections::BTreeMap;
use std::time::Instant;

use super::formula::{Formula, MAX_DEPTH, Name};
use super::model::{Missing, Model};
use super::sat::Answer;
use encode::{Budget, Encoder};
use ground::Compiler;

/// Tables of more cells than this are not filled.
const MAX_CELLS: usize = 1 << 22;

/// What bounds a search, and what the model must be like.
#[derive(Clone, Debug)]
pub struct SearchOptions<'a> {
    /// Constants that must differ pairwise (unique names); they get a value whether or not a formula uses them.
    pub distinct: &'a [Name],
    /// When to give up.
    pub deadline: Option<Instant>,
    /// How many clauses the grounding may take; formulas are walked through sixteen times as many instances.
    pub max_clauses: usize,
}

impl Default for SearchOptions<'_> {
    fn default() -> Self {
        SearchOptions { distinct: &[], deadline: None, max_clauses: 1_000_000 }
    }
}

/// What a search ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Search {
    /// A model of all the formulas, in which each has been evaluated.
    Found(Model),
    /// There is no model of that size.
    None,
    /// Why nothing is known: `deadline`, `too many clauses`, `too many instances`, `tables too large`, `a variable is free`, `nested too
    /// deep`.
    GaveUp(&'static str),
}

/// Looks for a model with exactly `size` elements in which all of the closed formulas hold.
///
/// ```
/// # use llscore::logic::{Formula, search::{Search, SearchOptions, find_model}};
/// let rains = Formula::pred("Rains", vec![]);
/// assert!(matches!(find_model(&[&rains], 1, &SearchOptions::default()), Search::Found(_)));
/// assert_eq!(find_model(&[&rains, &Formula::not(rains.clone())], 1, &SearchOptions::default()), Search::None);
/// ```
pub fn find_model(formulas: &[&Formula], size: usize, options: &SearchOptions) -> Search {
    let mut compiler = Compiler::default();
    // Constants that differ come first: symmetry lets them have the elements in turn.
    options.distinct.iter().for_each(|name| {
        compiler.function((name, 0));
    });
    let distinct = compiler.functions.len();
    if size == 0 || distinct > size {
        return Search::None;
    }
    let mut nodes = Vec::with_capacity(formulas.len());
    for formula in formulas {
        if formula.depth() > MAX_DEPTH {
            return Search::GaveUp("nested too deep");
        }
        match compiler.formula(formula) {
            Some(node) => nodes.push(node),
            None => return Search::GaveUp("a variable is free"),
        }
    }
    let symbols = compiler.functions.iter().chain(&compiler.predicates);
    let cells = symbols.map(|(_, arity)| size.checked_pow(u32::try_from(*arity).ok()?));
    match cells.sum::<Option<usize>>() {
        Some(cells) if cells <= MAX_CELLS => {}
        _ => return Search::GaveUp("tables too large"),
    }
    let arities: Vec<usize> = compiler.functions.iter().map(|(_, arity)| *arity).collect();
    let mut encoder = Encoder::new(size, options);
    let encoded = encoder
        .constants(&arities, distinct)
        .and_then(|()| nodes.iter().try_for_each(|node| encoder.assert(node, true, &mut Vec::new())));
    if let Err(why) = encoded {
        return Search::GaveUp(why);
    }
    match encoder.solve() {
        Answer::Unsatisfiable => return Search::None,
        Answer::Stopped => return Search::GaveUp("deadline"),
        Answer::Satisfiable => {}
    }
    let mut model = Model { size, functions: BTreeMap::new(), predicates: BTreeMap::new() };
    for (id, (name, arity)) in compiler.functions.iter().enumerate() {
        model.functions.insert(((*name).clone(), *arity), encoder.function_table(id, *arity));
    }
    for (id, (name, arity)) in compiler.predicates.iter().enumerate() {
        model.predicates.insert(((*name).clone(), *arity), encoder.predicate_table(id, *arity));
    }
    if !differ(&model, options.distinct) {
        return unsound(&model);
    }
    for formula in formulas {
        // The evaluator shares no work between instances: it may have far more to do than the search had.
        let (mut budget, mut why) = (Budget::new(options), "");
        let truth = model.holds_unless(formula, &mut || budget.step().inspect_err(|reason| why = reason).is_err());
        match truth {
            Ok(true) => {}
            Err(Missing::Stopped) => return Search::GaveUp(why),
            _ => return unsound(&model),
        }
    }
    Search::Found(model)
}

fn differ(model: &Model, distinct: &[Name]) -> bool {
    let mut values = BTreeMap::new();
    distinct.iter().all(|name| {
        let value = model.functions.get(&(name.clone(), 0));
        values.insert(value, name).is_none_or(|other| other == name)
    })
}

/// The last word is the plain evaluator's.
fn unsound(model: &Model) -> Search {
    debug_assert!(false, "the search found a model in which a formula does not hold:\n{model}");
    Search::GaveUp("the model found does not check")
}
