//! Where one place of a walk lies from another.

use super::style::{Rule, Style, measured, plain};
use super::walk::{HEADINGS, Heading, Leg, displacement, legs, turn};
use super::words::{MANNERS, Manner, PLACES, Person, capital, event, length as length_of};
use super::{Question, Told, all_differ, answer, convention, each};
use crate::logicmark::Draw;

/// One walker, a walk of one leg more than is asked about, and a place at the end of each leg.
struct Walk {
    person: Person,
    manner: Manner,
    places: Vec<&'static str>,
    legs: Vec<Leg>,
    /// The heading before the first leg, where turns are told.
    facing: Heading,
}

pub(super) fn group(draw: &mut Draw, hops: usize) -> Option<(Question, Vec<Told>)> {
    let legs = legs(draw, hops + 1, true);
    let manner = MANNERS[draw.below(MANNERS.len())];
    let answers = answers(&legs, hops, manner.unit)?;
    if !all_differ(&answers) {
        return None;
    }
    let facing = (legs[0].heading + 1 + 2 * draw.below(2) as Heading) % 4;
    let places = draw.sample(&PLACES, hops + 2);
    let walk = Walk { person: Person::some(draw, 1)[0], manner, places, legs, facing };
    // Which stretch is asked about, and from which end.
    let asked = draw.below(4);
    let (first, reversed) = (asked / 2, asked % 2 == 1);
    let mut ordered = answers.clone();
    ordered.swap(0, asked);
    let (mut seen, mut from) = (walk.places[first + hops], walk.places[first]);
    if reversed {
        std::mem::swap(&mut seen, &mut from);
    }
    let text = match draw.below(4) {
        0 => format!("How far is the {seen} from the {from}, and in which direction?"),
        1 => format!("In which direction and how far from the {from} does the {seen} lie?"),
        2 => format!("Somebody stands at the {from}. How far away and in which direction is the {seen}?"),
        _ => format!("Seen from the {from}, how far off and in which direction is the {seen}?"),
    };
    let note = convention(&answers);
    let told = each(|style| {
        let (sentences, extra) = tell(draw, &walk, style, hops, first);
        Told { context: format!("{} {}{note}", walk.manner.setting, sentences.join(" ")), extra }
    });
    Some((Question { text, answers: ordered }, told))
}

/// The two stretches, each from both ends.
fn answers(legs: &[Leg], hops: usize, unit: &str) -> Option<[String; 4]> {
    let (a, b) = (displacement(&legs[..hops]), displacement(&legs[1..]));
    Some([
        answer::place(a.0, a.1, unit)?,
        answer::place(-a.0, -a.1, unit)?,
        answer::place(b.0, b.1, unit)?,
        answer::place(-b.0, -b.1, unit)?,
    ])
}

/// The walk in sentences, and what the style adds on the stretch that begins at place `first`.
fn tell(draw: &mut Draw, walk: &Walk, style: Style, hops: usize, first: usize) -> (Vec<String>, u32) {
    let Walk { person, manner, places, legs, facing } = walk;
    let (they, moves, unit) = (person.they(), manner.moves, manner.unit);
    let turned = matches!(style, Style::Turns | Style::Conditional);
    let mut sentences = Vec::new();
    let rule = Rule::new(draw);
    let turns: Vec<u8> = legs
        .iter()
        .enumerate()
        .map(|(at, leg)| turn(if at == 0 { *facing } else { legs[at - 1].heading }, leg.heading))
        .collect();
    sentences.push(match (turned, draw.below(3)) {
        (true, _) => format!("{} stands at the {}, facing {}.", person.name, places[0], HEADINGS[usize::from(*facing)]),
        (false, 0) => format!("{} starts at the {}.", person.name, places[0]),
        (false, 1) => format!("{} sets out from the {}.", person.name, places[0]),
        (false, _) => format!("{} begins at the {}.", person.name, places[0]),
    });
    if style == Style::Conditional {
        sentences.push(rule.told(draw, they, &turns));
    }
    let detours = detours(draw, hops);
    let events = if style == Style::Story { events(draw, legs.len()) } else { Vec::new() };
    let mut extra = events.len() as u32;
    for (at, leg) in legs.iter().enumerate() {
        let (here, there, length) = (places[at], places[at + 1], length_of(leg.length, unit));
        let heading = HEADINGS[usize::from(leg.heading)];
        let asked = (first..first + hops).contains(&at);
        if style == Style::Detour && detours.contains(&at) {
            let (length, way) = (length_of(1 + draw.below(5) as i64, unit), HEADINGS[draw.below(4)]);
            sentences.push(match draw.below(3) {
                0 => format!("From there {they} {moves} {length} {way} and comes straight back."),
                1 => format!("{} first makes a detour of {length} to the {way} and back.", capital(they)),
                _ => format!("{} {moves} {length} {way} to look at the view, and returns the same way.", capital(they)),
            });
            extra += if asked { 2 } else { 0 };
        }
        let counted = at < first + hops;
        sentences.push(match style {
            Style::Turns if turns[at] == 0 => {
                format!("From the {here} {they} {moves} straight on for {length} to the {there}.")
            }
            Style::Turns => {
                extra += u32::from(counted);
                let way = if draw.below(3) == 0 { measured(draw, turns[at]) } else { plain(turns[at]).to_string() };
                match draw.below(3) {
                    0 => format!("At the {here} {they} turns {way}, and {moves} {length} to the {there}."),
                    1 => format!("{} turns {way}, and after {length} reaches the {there}.", capital(they)),
                    _ => format!(
                        "Having arrived at the {here}, {they} turns {way}, and {moves} {length} to the {there}."
                    )
                    .replace("Having arrived at", if at == 0 { "At first, at" } else { "Having arrived at" }),
                }
            }
            Style::Conditional => {
                extra += u32::from(counted);
                let sign = rule.sign(turns[at]);
                match draw.below(2) {
                    0 => format!("At the {here} {they} sees {sign}, and {moves} {length} to the {there}."),
                    _ => format!(
                        "There is {sign} at the {here}; {they} obeys the rule and {moves} {length} to the {there}."
                    ),
                }
            }
            _ => match draw.below(5) {
                0 => format!("{} {moves} {length} {heading} to the {there}.", capital(they)),
                1 => format!("From there {they} {moves} {length} {heading} and reaches the {there}."),
                2 => format!("The next stretch, {length} {heading}, brings {} to the {there}.", person.them()),
                3 => format!("{} then heads {heading} for {length}, as far as the {there}.", capital(they)),
                _ => format!("From the {here} {they} {moves} {length} due {heading} to the {there}."),
            },
        });
        if events.contains(&at) {
            sentences.push(event(draw, person, unit));
        }
    }
    (sentences, extra)
}

/// Legs before which a detour is made: at least one on either stretch.
fn detours(draw: &mut Draw, hops: usize) -> Vec<usize> {
    let mut at = vec![draw.below(hops + 1)];
    if at[0] == 0 {
        at.push(1 + draw.below(hops));
    } else if at[0] == hops {
        at.push(draw.below(hops));
    }
    at
}

/// Legs after which something happens.
fn events(draw: &mut Draw, legs: usize) -> Vec<usize> {
    let all: Vec<usize> = (0..legs).collect();
    let count = 1 + draw.below(2);
    draw.sample(&all, count)
}
