//! Rules with their constants, run forward over numbers or over forms `a·n + b`.

use crate::logicmark::Draw;

/// A term `times · n + plus`; a number where `times` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) times: i64,
    pub(super) plus: i64,
}

impl Term {
    fn scaled(self, by: i64) -> Term {
        Term { times: self.times * by, plus: self.plus * by }
    }
    fn and(self, other: Term) -> Term {
        Term { times: self.times + other.times, plus: self.plus + other.plus }
    }
    fn more(self, by: i64) -> Term {
        Term { plus: self.plus + by, ..self }
    }
}

/// A rule with constants, by how it makes the next term.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// For each turn: a factor and a summand.
    Turns(Vec<(i64, i64)>),
    /// Differences of a differences' … order, the last constant; the others to start with.
    Differences(Vec<i64>),
    /// The factor of the first step, and the summand.
    Growing(i64, i64),
    /// Factors of the term before and the one before that, a summand, and how far the second term is from the first.
    TwoBefore(i64, i64, i64, i64),
    /// Factor and summand of the differences, and the first difference.
    AffineDifferences(i64, i64, i64),
    /// Two rules and how far their starts are apart.
    Interleaved(Box<Rule>, Box<Rule>, i64),
}

fn sum(draw: &mut Draw, most: usize) -> i64 {
    let size = 1 + draw.below(most) as i64;
    if draw.below(3) == 0 { -size } else { size }
}

fn factor(draw: &mut Draw) -> i64 {
    [2, 3, 2, 3, 4, 5, -2, -3][draw.below(8)]
}

impl Rule {
    /// A rule of this order.
    pub(super) fn draw(draw: &mut Draw, order: u32) -> Rule {
        match (order, draw.below(12)) {
            (1, 0..9) => Rule::Turns(vec![(1, sum(draw, 60))]),
            (1, _) => Rule::Turns(vec![([2, 3, 4, 5, 6, 7, -2, -3][draw.below(8)], 0)]),
            (2, 0 | 1) => Rule::Differences(vec![sum(draw, 20), sum(draw, 9)]),
            (2, 2..5) => Rule::Turns(vec![(factor(draw), sum(draw, 30))]),
            (2, 5 | 6) => Rule::Turns(vec![(1, sum(draw, 30)), (1, sum(draw, 30))]),
            (2, 7 | 8) => Rule::Turns(vec![(1, sum(draw, 20)), (factor(draw), 0)]),
            (2, 9 | 10) => Rule::Turns(vec![(factor(draw), 0), (1, sum(draw, 20))]),
            (2, _) => Rule::Growing(1 + draw.below(4) as i64, sum(draw, 12)),
            (3, 0) => Rule::Differences(vec![sum(draw, 15), sum(draw, 12), sum(draw, 12)]),
            (3, 1..4) => {
                Rule::TwoBefore([1, 2, 3, -1, 2][draw.below(5)], [1, 2, -1, 3, -2][draw.below(5)], 0, sum(draw, 9))
            }
            (3, 4 | 5) => Rule::AffineDifferences(factor(draw), sum(draw, 12), sum(draw, 9)),
            (3, 6..9) => {
                let mut turns = vec![(1, sum(draw, 20)), (1, sum(draw, 20)), (factor(draw), 0)];
                turns.rotate_left(draw.below(3));
                Rule::Turns(turns)
            }
            (3, _) => Rule::interleaved(draw, 1, 1),
            (4, 0) => Rule::Differences(vec![sum(draw, 9), sum(draw, 9), sum(draw, 6), sum(draw, 9)]),
            (4, 1..4) => {
                let (one, two) = ([1, 2, 3, -1][draw.below(4)], [1, 2, -1, -2][draw.below(4)]);
                Rule::TwoBefore(one, two, sum(draw, 15), sum(draw, 9))
            }
            (4, 4..7) => match draw.below(3) {
                0 => Rule::Turns(vec![(1, sum(draw, 20)), (factor(draw), 0), (1, sum(draw, 20)), (factor(draw), 0)]),
                1 => Rule::Turns(vec![(factor(draw), 0), (1, sum(draw, 20)), (factor(draw), 0), (1, sum(draw, 20))]),
                _ => Rule::Turns(vec![(1, sum(draw, 20)), (1, sum(draw, 20)), (1, sum(draw, 20)), (factor(draw), 0)]),
            },
            (4, _) => {
                let (even, odd) = if draw.below(2) == 0 { (1, 2) } else { (2, 1) };
                Rule::interleaved(draw, even, odd)
            }
            _ => Rule::interleaved(draw, 2, 2),
        }
    }

    fn interleaved(draw: &mut Draw, even: u32, odd: u32) -> Rule {
        let part = |draw: &mut Draw, order: u32| match (order, draw.below(3)) {
            (1, 0) => Rule::Turns(vec![([2, 3, -2][draw.below(3)], 0)]),
            (1, _) => Rule::Turns(vec![(1, sum(draw, 30))]),
            (_, 0) => Rule::Differences(vec![sum(draw, 15), sum(draw, 9)]),
            _ => Rule::Turns(vec![([2, 3, -2][draw.below(3)], sum(draw, 15))]),
        };
        let (even, odd) = (part(draw, even), part(draw, odd));
        Rule::Interleaved(Box::new(even), Box::new(odd), sum(draw, 30))
    }

    /// Terms from a first one.
    pub(super) fn run(&self, first: Term, count: usize) -> Vec<Term> {
        let mut terms = vec![first];
        match self {
            Rule::Turns(turns) => {
                while terms.len() < count {
                    let (factor, plus) = turns[(terms.len() - 1) % turns.len()];
                    terms.push(terms[terms.len() - 1].scaled(factor).more(plus));
                }
            }
            Rule::Differences(start) => {
                let mut steps = start.clone();
                while terms.len() < count {
                    terms.push(terms[terms.len() - 1].more(steps[0]));
                    for at in 0..steps.len() - 1 {
                        steps[at] += steps[at + 1];
                    }
                }
            }
            Rule::Growing(from, plus) => {
                for step in 0..count as i64 - 1 {
                    terms.push(terms[step as usize].scaled(from + step).more(*plus));
                }
            }
            Rule::TwoBefore(one, two, plus, second) => {
                terms.push(first.more(*second));
                while terms.len() < count {
                    let n = terms.len();
                    terms.push(terms[n - 1].scaled(*one).and(terms[n - 2].scaled(*two)).more(*plus));
                }
            }
            Rule::AffineDifferences(factor, plus, start) => {
                let mut step = *start;
                while terms.len() < count {
                    terms.push(terms[terms.len() - 1].more(step));
                    step = step * factor + plus;
                }
            }
            Rule::Interleaved(even, odd, apart) => {
                let half = count.div_ceil(2);
                let (evens, odds) = (even.run(first, half), odd.run(first.more(*apart), half));
                terms = (0..count).map(|at| if at % 2 == 0 { evens[at / 2] } else { odds[at / 2] }).collect();
            }
        }
        terms.truncate(count);
        terms
    }

    /// In words, for the certificate.
    pub(super) fn told(&self) -> String {
        let turn = |(factor, plus): &(i64, i64)| match (factor, plus) {
            (1, plus) => format!("add {plus}"),
            (factor, 0) => format!("multiply by {factor}"),
            (factor, plus) => format!("multiply by {factor} and add {plus}"),
        };
        match self {
            Rule::Turns(turns) => turns.iter().map(turn).collect::<Vec<_>>().join(", then "),
            Rule::Differences(start) => {
                format!("differences of order {} are all {}", start.len(), start.last().copied().unwrap_or_default())
            }
            Rule::Growing(from, plus) => {
                format!("multiply by {from}, {}, {} and so on, and add {plus}", from + 1, from + 2)
            }
            Rule::TwoBefore(one, two, plus, _) => {
                format!("{one} times the term before, {two} times the one before that, and {plus}")
            }
            Rule::AffineDifferences(factor, plus, _) => format!("differences: multiply by {factor} and add {plus}"),
            Rule::Interleaved(even, odd, _) => format!("two series in turn: {}; {}", even.told(), odd.told()),
        }
    }
}
