//! The family of rules, and which of them fit a series with one term missing.
//!
//! The *order* of a rule is the number of numbers that it takes to write the whole series down (its constants and its
//! starting terms) less one: 1 for a constant difference, 3 for a rule on the two terms before.

use std::ops::RangeInclusive;

/// Terms beyond this are not in the family.
const LARGEST: i64 = 100_000;

/// What is done to a term to get the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Add,
    Multiply,
}

/// A kind of rule.
#[derive(Clone, Debug)]
enum Kind {
    /// Differences of this order are constant, and not 0.
    Differences(usize),
    /// These operations in turn, each with a constant of its own.
    Cycle(&'static [Op]),
    /// The term before times a constant, plus a constant.
    Affine,
    /// The term before times a number that grows by 1, plus a constant.
    Growing,
    /// Constants times the two terms before; and a constant, where `true`.
    TwoBefore(bool),
    /// The differences follow [`Kind::Affine`].
    AffineDifferences,
    /// Two rules, for the terms at even and at odd places.
    Interleaved(Box<Rule>, Box<Rule>),
}

/// A rule of the family, its constants open.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// In words.
    pub(super) name: String,
    /// See the module.
    pub(super) order: u32,
    kind: Kind,
}

/// A rule with its constants that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fit {
    /// The rule's name.
    pub(super) name: String,
    pub(super) order: u32,
    /// Its constants.
    pub(super) constants: Vec<i64>,
    /// All terms.
    pub(super) terms: Vec<i64>,
}

const ADD: RangeInclusive<i64> = -99..=99;
const MULTIPLY: [i64; 12] = [2, 3, 4, 5, 6, 7, 8, 9, -2, -3, -4, -5];
const FACTOR: [i64; 8] = [2, 3, 4, 5, 6, -2, -3, -4];
const PLUS: RangeInclusive<i64> = -50..=50;
const BEFORE: RangeInclusive<i64> = -4..=4;
const BEFORE_PLUS: RangeInclusive<i64> = -30..=30;
const GROWING_FROM: RangeInclusive<i64> = 1..=6;
const GROWING_PLUS: RangeInclusive<i64> = -20..=20;

/// Every rule of the family.
pub(super) fn family() -> Vec<Rule> {
    use Op::{Add, Multiply};
    const CYCLES: [(&[Op], &str); 12] = [
        (&[Add], "add a constant"),
        (&[Multiply], "multiply by a constant"),
        (&[Add, Add], "add two constants in turn"),
        (&[Add, Multiply], "add and multiply in turn"),
        (&[Multiply, Add], "multiply and add in turn"),
        (&[Add, Add, Multiply], "add, add, multiply in turn"),
        (&[Add, Multiply, Add], "add, multiply, add in turn"),
        (&[Multiply, Add, Add], "multiply, add, add in turn"),
        (&[Add, Add, Add], "add three constants in turn"),
        (&[Add, Multiply, Add, Multiply], "add, multiply, add, multiply in turn"),
        (&[Multiply, Add, Multiply, Add], "multiply, add, multiply, add in turn"),
        (&[Add, Add, Add, Multiply], "add, add, add, multiply in turn"),
    ];
    let rule = |name: &str, order: usize, kind: Kind| Rule { name: name.to_string(), order: order as u32, kind };
    let mut rules: Vec<Rule> = CYCLES.iter().map(|(ops, name)| rule(name, ops.len(), Kind::Cycle(ops))).collect();
    rules.extend([
        rule("constant second differences", 2, Kind::Differences(2)),
        rule("constant third differences", 3, Kind::Differences(3)),
        rule("constant fourth differences", 4, Kind::Differences(4)),
        rule("multiply by a constant and add a constant", 2, Kind::Affine),
        rule("multiply by a growing number and add a constant", 2, Kind::Growing),
        rule("constants times the two terms before", 3, Kind::TwoBefore(false)),
        rule("constants times the two terms before, plus a constant", 4, Kind::TwoBefore(true)),
        rule("differences that are multiplied by a constant with a constant added", 3, Kind::AffineDifferences),
    ]);
    let parts: Vec<Rule> = rules
        .iter()
        .filter(|rule| matches!(rule.kind, Kind::Cycle([_]) | Kind::Affine | Kind::Differences(2)))
        .cloned()
        .collect();
    for even in &parts {
        for odd in &parts {
            rules.push(Rule {
                name: format!("at even places {}, at odd places {}", odd.name, even.name),
                order: even.order + odd.order + 1,
                kind: Kind::Interleaved(Box::new(even.clone()), Box::new(odd.clone())),
            });
        }
    }
    rules
}

/// A series with unknown terms.
type Shown<'a> = &'a [Option<i64>];

impl Rule {
    /// Every choice of constants with which the rule gives all terms that are shown.
    pub(super) fn fits(&self, shown: Shown<'_>) -> Vec<Fit> {
        let all = match &self.kind {
            Kind::Differences(order) => differences(*order, shown),
            Kind::Cycle(ops) => cycle(ops, shown),
            Kind::Affine => affine(shown),
            Kind::Growing => growing(shown),
            Kind::TwoBefore(plus) => two_before(*plus, shown),
            Kind::AffineDifferences => affine_differences(shown),
            Kind::Interleaved(even, odd) => interleaved(even, odd, shown),
        };
        let fit = |(constants, terms)| Fit { name: self.name.clone(), order: self.order, constants, terms };
        all.into_iter().filter(|(_, terms)| agrees(terms, shown)).map(fit).collect()
    }
}

/// Constants and terms.
type Found = Vec<(Vec<i64>, Vec<i64>)>;

fn agrees(terms: &[i64], shown: Shown<'_>) -> bool {
    terms.len() == shown.len()
        && terms.iter().all(|term| term.abs() <= LARGEST)
        && terms.iter().zip(shown).all(|(term, shown)| shown.is_none_or(|shown| shown == *term))
}

/// The terms from `first` on, each by `next` from its place and the terms before; `None` if one is out of range.
fn run(first: &[i64], count: usize, next: impl Fn(usize, &[i64]) -> Option<i64>) -> Option<Vec<i64>> {
    let mut terms = first.to_vec();
    while terms.len() < count {
        let term = next(terms.len(), &terms).filter(|term| term.abs() <= LARGEST)?;
        terms.push(term);
    }
    Some(terms)
}

/// The polynomial of this degree through the first shown terms, at every place, by Newton's divided differences as exact
/// fractions.
fn differences(order: usize, shown: Shown<'_>) -> Found {
    let known: Vec<(i128, i128)> =
        shown.iter().enumerate().filter_map(|(at, term)| Some((at as i128, i128::from((*term)?)))).collect();
    if known.len() < order + 2 {
        return Vec::new();
    }
    let points = &known[..=order];
    let value = |at: i128| -> Option<i64> {
        // Lagrange, over one common denominator at a time.
        let (mut over, mut under) = (0_i128, 1_i128);
        for (j, (xj, yj)) in points.iter().enumerate() {
            let (mut a, mut b) = (*yj, 1_i128);
            for (k, (xk, _)) in points.iter().enumerate().filter(|(k, _)| *k != j) {
                let _ = k;
                a = a.checked_mul(at - xk)?;
                b = b.checked_mul(xj - xk)?;
            }
            over = over.checked_mul(b)?.checked_add(a.checked_mul(under)?)?;
            under = under.checked_mul(b)?;
            let common = gcd(over, under);
            (over, under) = (over / common, under / common);
        }
        (over % under == 0).then(|| i64::try_from(over / under).ok()).flatten()
    };
    let Some(terms) = (0..shown.len()).map(|at| value(at as i128)).collect::<Option<Vec<i64>>>() else {
        return Vec::new();
    };
    let mut row = terms.clone();
    for _ in 0..order {
        row = row.windows(2).map(|pair| pair[1] - pair[0]).collect();
    }
    match row.first() {
        Some(&constant) if constant != 0 => vec![(vec![constant], terms)],
        _ => Vec::new(),
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs().max(1) } else { gcd(b, a % b) }
}

/// Operations in turn: a constant follows from the first shown term that needs it; where that is not shown, all are tried.
fn cycle(ops: &[Op], shown: Shown<'_>) -> Found {
    let Some(Some(first)) = shown.first() else { return Vec::new() };
    let mut open: Vec<(Vec<i64>, Vec<i64>)> = vec![(Vec::new(), vec![*first])];
    for at in 1..shown.len() {
        let place = (at - 1) % ops.len();
        let mut next = Vec::new();
        for (constants, terms) in open {
            let last = terms[at - 1];
            let choices: Vec<i64> = match constants.get(place) {
                Some(constant) => vec![*constant],
                None => match (ops[place], shown[at]) {
                    (Op::Add, Some(term)) => vec![term - last],
                    (Op::Add, None) => ADD.collect(),
                    (Op::Multiply, _) => MULTIPLY.to_vec(),
                },
            };
            for constant in choices {
                let term = match ops[place] {
                    Op::Add => last + constant,
                    Op::Multiply => last * constant,
                };
                let allowed =
                    constant != 0 && term.abs() <= LARGEST && (ops[place] == Op::Multiply || ADD.contains(&constant));
                if allowed && shown[at].is_none_or(|shown| shown == term) {
                    let mut constants = constants.clone();
                    if constants.len() == place {
                        constants.push(constant);
                    }
                    next.push((constants, [&terms[..], &[term]].concat()));
                }
            }
        }
        open = next;
    }
    // A cycle of equal parts is a shorter one.
    open.retain(|(constants, _)| constants.len() == ops.len());
    open
}

fn affine(shown: Shown<'_>) -> Found {
    let [Some(first), second, ..] = shown else { return Vec::new() };
    let mut found = Vec::new();
    for factor in FACTOR {
        let plus: Vec<i64> = match second {
            Some(second) => vec![second - factor * first],
            None => PLUS.collect(),
        };
        for plus in plus.into_iter().filter(|plus| *plus != 0 && PLUS.contains(plus)) {
            let terms = run(&[*first], shown.len(), |at, terms| Some(factor * terms[at - 1] + plus));
            found.extend(terms.map(|terms| (vec![factor, plus], terms)));
        }
    }
    found
}

fn growing(shown: Shown<'_>) -> Found {
    let Some(Some(first)) = shown.first() else { return Vec::new() };
    let mut found = Vec::new();
    for from in GROWING_FROM {
        for plus in GROWING_PLUS {
            let terms = run(&[*first], shown.len(), |at, terms| Some((from + at as i64 - 1) * terms[at - 1] + plus));
            found.extend(terms.filter(|terms| agrees(terms, shown)).map(|terms| (vec![from, plus], terms)));
        }
    }
    found
}

fn two_before(plus: bool, shown: Shown<'_>) -> Found {
    let [Some(first), Some(second), third, ..] = shown else { return Vec::new() };
    let mut found = Vec::new();
    for one in BEFORE {
        for two in BEFORE.filter(|two| *two != 0) {
            let open: Vec<i64> = match (plus, third) {
                (false, _) => vec![0],
                (true, Some(third)) => vec![third - one * second - two * first],
                (true, None) => BEFORE_PLUS.collect(),
            };
            for constant in open.into_iter().filter(|c| !plus || *c != 0 && BEFORE_PLUS.contains(c)) {
                let terms = run(&[*first, *second], shown.len(), |at, terms| {
                    Some(one * terms[at - 1] + two * terms[at - 2] + constant)
                });
                let constants = if plus { vec![one, two, constant] } else { vec![one, two] };
                found.extend(terms.filter(|terms| agrees(terms, shown)).map(|terms| (constants, terms)));
            }
        }
    }
    found
}

fn affine_differences(shown: Shown<'_>) -> Found {
    let [Some(first), Some(second), ..] = shown else { return Vec::new() };
    let mut found = Vec::new();
    for factor in FACTOR {
        for plus in PLUS.filter(|plus| *plus != 0) {
            let terms = run(&[*first, *second], shown.len(), |at, terms| {
                Some(terms[at - 1] + factor * (terms[at - 1] - terms[at - 2]) + plus)
            });
            found.extend(terms.filter(|terms| agrees(terms, shown)).map(|terms| (vec![factor, plus], terms)));
        }
    }
    found
}

fn interleaved(even: &Rule, odd: &Rule, shown: Shown<'_>) -> Found {
    let part = |from: usize| shown.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
    let (evens, odds) = (part(0), part(1));
    // Half a series of three terms says nothing of a rule.
    if evens.iter().flatten().count() <= even.order as usize + 1
        || odds.iter().flatten().count() <= odd.order as usize + 1
    {
        return Vec::new();
    }
    let mut found = Vec::new();
    let odd_fits = odd.fits(&odds);
    for a in even.fits(&evens) {
        for b in &odd_fits {
            let terms =
                (0..shown.len()).map(|at| if at % 2 == 0 { a.terms[at / 2] } else { b.terms[at / 2] }).collect();
            found.push(([&a.constants[..], &b.constants[..]].concat(), terms));
        }
    }
    found
}

/// All fits of the whole family.
pub(super) fn all_fits(shown: Shown<'_>) -> Vec<Fit> {
    family().iter().flat_map(|rule| rule.fits(shown)).collect()
}
