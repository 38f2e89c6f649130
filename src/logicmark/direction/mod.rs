//! The task `direction`: where a walk leads, where a walker faces, where people stand from each other, and when they meet.
//!
//! **Conventions.** The ground is flat and its directions are the four of the compass. `north-east` means anywhere strictly
//! between north and east; a place straight to the north lies `north`. Whoever walks in a direction faces it afterwards.
//! Distances are as the crow flies; √ stays as it is, with factors that are squares taken out, and is given to two decimals
//! beside it. Turning left or right is by a quarter, turning round by a half.
//!
//! **The question decides.** A walk passes places P0 to P(h+1), and its four questions ask for P(h) from P0, P(h+1) from P1,
//! and both the other way round; of four people, each stands somewhere from another; a direction lies ahead, behind, left and
//! right; each of four walkers has gone some way when two and two have met.

mod check;
mod generate;

use super::{Task, Variant};

/// The entry in the table of tasks.
pub(super) const TASK: Task = Task {
    name: "direction",
    about: "Where a walk leads, in distance and direction; facing; two people; when they meet",
    hops: 1..=6,
    variants: &[
        Variant { name: "base", about: "legs in compass directions, or left and right turns" },
        Variant { name: "detour", about: "stretches and turns that cancel each other" },
        Variant { name: "turns", about: "the same walk in relative turns, quarter turns and clock hands" },
        Variant { name: "conditional", about: "turns that a rule gives: at a red flag left, at a blue one right" },
        Variant { name: "story", about: "events that move nobody" },
    ],
    endings: 4,
    draw: generate::draw,
    check: check::check,
    signature: check::signature,
};
