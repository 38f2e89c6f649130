//! Random closed formulas over few symbols, for laws that all formulas obey.

use llscore::logic::{Formula, Term};
use proptest::collection::vec;
use proptest::prelude::*;

/// What the formulas may hold. Always: `S`, `P(x)`, the constants a, b, c, every connective, shadowed variables and
/// vacuous quantifiers.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How deeply connectives and quantifiers nest, before what is free is bound around the whole.
    pub depth: u32,
    /// Whether `=` occurs.
    pub equality: bool,
    /// Whether the function `f/1` occurs.
    pub function: bool,
    /// Whether `R/2` occurs.
    pub binary: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { depth: 4, equality: true, function: true, binary: true }
    }
}

/// Closed formulas with everything that [`Shape`] allows.
pub fn closed() -> BoxedStrategy<Formula> {
    closed_of(Shape::default())
}

/// Closed formulas of a shape.
pub fn closed_of(shape: Shape) -> BoxedStrategy<Formula> {
    (open(shape), vec(any::<bool>(), 3)).prop_map(|(formula, all)| close(formula, &all)).boxed()
}

/// One to `most` closed formulas.
pub fn theory_of(shape: Shape, most: usize) -> BoxedStrategy<Vec<Formula>> {
    vec(closed_of(shape), 1..=most).boxed()
}

fn close(formula: Formula, all: &[bool]) -> Formula {
    formula.free_vars().into_iter().zip(all).fold(formula, |body, (x, all)| match all {
        true => Formula::for_all(&x, body),
        false => Formula::exists(&x, body),
    })
}

fn variable() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["x", "y", "z"])
}

fn term(function: bool) -> BoxedStrategy<Term> {
    let constant = prop::sample::select(vec!["a", "b", "c"]).prop_map(Term::constant);
    let leaf = prop_oneof![2 => variable().prop_map(Term::var), 1 => constant].boxed();
    if !function {
        return leaf;
    }
    let apply = |t: Term| Term::App("f".into(), vec![t]);
    prop_oneof![4 => leaf.clone(), 2 => leaf.clone().prop_map(apply), 1 => leaf.prop_map(move |t| apply(apply(t)))]
        .boxed()
}

fn atom(shape: Shape) -> BoxedStrategy<Formula> {
    let (one, two) = (term(shape.function), (term(shape.function), term(shape.function)));
    let mut atoms = vec![
        (
            1,
            prop_oneof![6 => Just(Formula::pred("S", vec![])), 1 => Just(Formula::True), 1 => Just(Formula::False)]
                .boxed(),
        ),
        (4, one.prop_map(|t| Formula::pred("P", vec![t])).boxed()),
    ];
    if shape.binary {
        atoms.push((4, two.clone().prop_map(|(s, t)| Formula::pred("R", vec![s, t])).boxed()));
    }
    if shape.equality {
        atoms.push((2, two.prop_map(|(s, t)| Formula::Eq(s, t)).boxed()));
    }
    prop::strategy::Union::new_weighted(atoms).boxed()
}

fn open(shape: Shape) -> BoxedStrategy<Formula> {
    let pair = |part: &BoxedStrategy<Formula>| (part.clone(), part.clone());
    let grow = move |part: BoxedStrategy<Formula>| {
        prop_oneof![
            2 => part.clone().prop_map(Formula::not),
            2 => vec(part.clone(), 2..=3).prop_map(Formula::And),
            2 => vec(part.clone(), 2..=3).prop_map(Formula::Or),
            1 => pair(&part).prop_map(|(a, b)| Formula::xor(a, b)),
            2 => pair(&part).prop_map(|(a, b)| Formula::implies(a, b)),
            1 => pair(&part).prop_map(|(a, b)| Formula::iff(a, b)),
            3 => (variable(), part.clone()).prop_map(|(x, body)| Formula::for_all(x, body)),
            3 => (variable(), part).prop_map(|(x, body)| Formula::exists(x, body)),
        ]
    };
    atom(shape).prop_recursive(shape.depth, 24, 3, grow).boxed()
}
