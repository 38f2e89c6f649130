//! A way told in one breath: legs, turns and signs one after the other.

use super::style::{Rule, Style, measured, plain};
use super::walk::{HEADINGS, Heading, Leg, turn};
use super::words::length;
use crate::logicmark::Draw;

/// What goes the way: `walks`, `runs`.
pub(super) struct Mover<'a> {
    pub(super) moves: &'a str,
    pub(super) unit: &'a str,
    /// The heading before the first leg, where turns are told.
    pub(super) facing: Heading,
}

/// The turns before each leg.
pub(super) fn turns(facing: Heading, legs: &[Leg]) -> Vec<u8> {
    let before = std::iter::once(facing).chain(legs.iter().map(|leg| leg.heading));
    legs.iter().zip(before).map(|(leg, before)| turn(before, leg.heading)).collect()
}

/// `walks 3 km north, then 4 km east and then 1 km south`, or the same by turns or signs; and the steps that this adds.
pub(super) fn way(draw: &mut Draw, mover: &Mover<'_>, legs: &[Leg], style: Style, rule: &Rule) -> (String, u32) {
    let Mover { moves, unit, facing } = mover;
    let turns = turns(*facing, legs);
    let mut extra = 0;
    let parts: Vec<String> = legs
        .iter()
        .zip(&turns)
        .enumerate()
        .map(|(at, (leg, turn))| {
            let length = length(leg.length, unit);
            match (style, turn) {
                (Style::Turns, 0) => format!("{moves} straight on for {length}"),
                (Style::Turns, turn) => {
                    extra += 1;
                    let way = if draw.below(3) == 0 { measured(draw, *turn) } else { plain(*turn).to_string() };
                    format!("turns {way} and {moves} {length}")
                }
                (Style::Conditional, turn) => {
                    extra += 1;
                    format!("comes to {} and {moves} {length}", rule.sign(*turn))
                }
                _ if at == 0 => format!("{moves} {length} {}", HEADINGS[usize::from(leg.heading)]),
                _ => format!("{length} {}", HEADINGS[usize::from(leg.heading)]),
            }
        })
        .collect();
    (parts.join(", then "), extra)
}
