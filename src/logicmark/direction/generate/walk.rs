//! What happens, before it is put into words.

use crate::logicmark::Draw;

/// Quarter turns clockwise from north.
pub(super) type Heading = u8;

/// The names of the headings.
pub(super) const HEADINGS: [&str; 4] = ["north", "east", "south", "west"];

/// A stretch straight ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leg {
    pub(super) heading: Heading,
    pub(super) length: i64,
}

/// Steps to the east and to the north.
pub(super) fn displacement(legs: &[Leg]) -> (i64, i64) {
    legs.iter().fold((0, 0), |(x, y), leg| match leg.heading {
        0 => (x, y + leg.length),
        1 => (x + leg.length, y),
        2 => (x, y - leg.length),
        _ => (x - leg.length, y),
    })
}

/// `count` legs, mostly with a bend between two; straight on and back happen too where `any` allows.
pub(super) fn legs(draw: &mut Draw, count: usize, any: bool) -> Vec<Leg> {
    let mut heading = draw.below(4) as Heading;
    let mut legs: Vec<Leg> = Vec::new();
    for at in 0..count {
        if at > 0 {
            let turn = match draw.below(if any { 8 } else { 6 }) {
                0..3 => 1,
                3..6 => 3,
                6 => 0,
                _ => 2,
            };
            heading = (heading + turn) % 4;
        }
        legs.push(Leg { heading, length: 1 + draw.below(9) as i64 });
    }
    legs
}

/// The turn between two headings, in quarters clockwise.
pub(super) fn turn(from: Heading, to: Heading) -> u8 {
    (to + 4 - from) % 4
}
