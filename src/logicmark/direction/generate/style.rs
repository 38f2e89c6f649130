//! The ways in which a variant tells of turns and adds to a walk.

use super::words::{COLOURS, MARKS};
use crate::logicmark::Draw;

/// The variants, in the order of the task's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Base,
    Detour,
    Turns,
    Conditional,
    Story,
}

pub(super) const STYLES: [Style; 5] = [Style::Base, Style::Detour, Style::Turns, Style::Conditional, Style::Story];

/// `left`, `right`, `round`: a turn in quarters clockwise that is not straight on.
pub(super) fn plain(turn: u8) -> &'static str {
    match turn {
        1 => "right",
        2 => "round",
        _ => "left",
    }
}

/// The same by angle or by the hand of a clock, as in `turns …`.
pub(super) fn measured(draw: &mut Draw, turn: u8) -> String {
    match draw.below(3) {
        0 => {
            let (clockwise, other) = (u32::from(turn) * 90, (4 - u32::from(turn)) * 90);
            if draw.below(3) > 0 {
                let (small, way) = if clockwise <= other { (clockwise, "clockwise") } else { (other, "anticlockwise") };
                format!("{small} degrees {way}")
            } else {
                format!("{other} degrees anticlockwise")
            }
        }
        1 => {
            let from = 1 + draw.below(12);
            let to = (from + 3 * usize::from(turn) - 1) % 12 + 1;
            format!("clockwise, as the hand of a clock goes from {from} to {to}")
        }
        _ => {
            let (quarters, way) = if draw.below(2) == 0 { (turn, "clockwise") } else { (4 - turn, "anticlockwise") };
            let part = ["a quarter", "a half", "three quarters"][usize::from(quarters) - 1];
            format!("{way} by {part} of a circle")
        }
    }
}

/// Which colour of a mark stands for which turn.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    mark: &'static str,
    /// For straight on, right, round and left.
    colours: Vec<&'static str>,
}

impl Rule {
    pub(super) fn new(draw: &mut Draw) -> Self {
        Rule { mark: MARKS[draw.below(MARKS.len())], colours: draw.sample(&COLOURS, 4) }
    }

    /// `a red flag`.
    pub(super) fn sign(&self, turn: u8) -> String {
        format!("a {} {}", self.colours[usize::from(turn)], self.mark)
    }

    /// The rule in words, for turns that occur; `who` is a subject in the singular: `everybody`, `the road`.
    pub(super) fn told(&self, draw: &mut Draw, who: &str, used: &[u8]) -> String {
        let mut turns: Vec<u8> = (0..4).filter(|turn| used.contains(turn)).collect();
        // A rule of one case only would be none.
        if turns.len() == 1 {
            turns.push(if turns[0] == 1 { 3 } else { 1 });
        }
        draw.shuffle(&mut turns);
        let cases: Vec<String> = turns
            .iter()
            .map(|&turn| {
                let does = match turn {
                    0 => "goes straight on".to_string(),
                    turn => format!("turns {}", plain(turn)),
                };
                format!("at {} {who} {does}", self.sign(turn))
            })
            .collect();
        format!("The rule is this: {}.", cases.join("; "))
    }
}
