//! How far somebody has gone when two who walk towards each other meet.

use super::segments::{Mover, turns, way};
use super::style::{Rule, Style};
use super::walk::{HEADINGS, Heading, Leg, legs};
use super::words::{MANNERS, PLACES, Person, event, length};
use super::{Question, Told, all_differ, each, words};
use crate::logicmark::Draw;

/// A road and the two who go along it, one from each end.
struct Road {
    places: [&'static str; 2],
    legs: Vec<Leg>,
    facing: Heading,
    people: [Person; 2],
    speeds: [i64; 2],
}

pub(super) fn group(draw: &mut Draw, hops: usize) -> Option<(Question, Vec<Told>)> {
    let manner = MANNERS[draw.below(MANNERS.len())];
    let (moves, unit) = (manner.moves, manner.unit);
    let per = if unit == "m" { "a minute" } else { "an hour" };
    let people = Person::some(draw, 4);
    let places = draw.sample(&PLACES, 4);
    let mut roads = Vec::new();
    let mut answers: Vec<String> = Vec::new();
    for n in 0..2 {
        let legs = legs(draw, hops, false);
        let length: i64 = legs.iter().map(|leg| leg.length).sum();
        let speeds = [2 + draw.below(9) as i64, 2 + draw.below(9) as i64];
        let both = speeds[0] + speeds[1];
        if (length * speeds[0]) % both != 0 {
            return None;
        }
        answers.extend(speeds.iter().map(|speed| words::length(length * speed / both, unit)));
        let facing = (legs[0].heading + 1 + 2 * draw.below(2) as Heading) % 4;
        roads.push(Road {
            places: [places[2 * n], places[2 * n + 1]],
            legs,
            facing,
            people: [people[2 * n], people[2 * n + 1]],
            speeds,
        });
    }
    let answers: [String; 4] = answers.try_into().ok()?;
    if !all_differ(&answers) {
        return None;
    }
    let asked = draw.below(4);
    let mut ordered = answers;
    ordered.swap(0, asked);
    let (road, end) = (asked / 2, asked % 2);
    let (one, other) = (&roads[road].people[end], &roads[road].people[1 - end]);
    let text = match draw.below(3) {
        0 => format!("How far along the road has {} come when {} meets {}?", one.name, one.they(), other.name),
        1 => format!(
            "What distance along the road has {} covered by the time {} meets {}?",
            one.name,
            one.they(),
            other.name
        ),
        _ => {
            format!("{} and {} meet on the road. How far along it has {} come by then?", one.name, other.name, one.name)
        }
    };
    let told = each(|style| {
        let rule = Rule::new(draw);
        let mut sentences = vec![manner.setting.to_string()];
        let used: Vec<u8> = roads.iter().flat_map(|road| turns(road.facing, &road.legs)).collect();
        if style == Style::Conditional {
            sentences.push(rule.told(draw, "the road", &used));
        }
        let mut extra = 0;
        for (n, it) in roads.iter().enumerate() {
            let asked = n == road;
            let mover = Mover { moves: "runs", unit, facing: it.facing };
            let (told, steps) = way(draw, &mover, &it.legs, style, &rule);
            extra += if asked { steps } else { 0 };
            let first = match style {
                Style::Turns | Style::Conditional => {
                    format!(" points {} at first and", HEADINGS[usize::from(it.facing)])
                }
                _ => String::new(),
            };
            let [from, to] = it.places;
            sentences.push(match draw.below(2) {
                0 => format!("The road from the {from} to the {to}{first} {told}."),
                _ => format!("From the {from} to the {to} the road{first} {told}."),
            });
            let [a, b] = &it.people;
            if style == Style::Detour {
                let walker = &it.people[draw.below(2)];
                let (length, heading) = (length(1 + draw.below(5) as i64, unit), HEADINGS[draw.below(4)]);
                sentences.push(format!(
                    "Before setting out, {} {moves} {length} {heading} and comes straight back.",
                    walker.name
                ));
                extra += if asked { 2 } else { 0 };
            }
            sentences.push(format!(
                "{} sets out from the {from} and {} from the {to} at the same time, towards each other; {} {moves} at {} {unit} {per}, {} at {} {unit} {per}.",
                a.name, b.name, a.name, it.speeds[0], b.name, it.speeds[1]
            ));
            if style == Style::Story {
                let person = &it.people[draw.below(2)];
                sentences.push(before(draw, person, unit));
                extra += 1;
            }
        }
        Told { context: sentences.join(" "), extra }
    });
    Some((Question { text, answers: ordered }, told))
}

/// An event that costs no time on the road.
fn before(draw: &mut Draw, person: &Person, unit: &str) -> String {
    loop {
        let event = event(draw, person, unit);
        // Nobody may stop on the way here, or they would meet elsewhere.
        if event.contains("phones") || event.contains("wind") {
            return event;
        }
    }
}
