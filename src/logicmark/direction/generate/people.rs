//! Where one person stands from another, after walks that begin at one place.

use super::segments::{Mover, turns, way};
use super::style::{Rule, Style};
use super::walk::{HEADINGS, Heading, Leg, displacement, legs};
use super::words::{MANNERS, PLACES, Person, event, length};
use super::{Question, Told, all_differ, answer, convention, each};
use crate::logicmark::Draw;

pub(super) fn group(draw: &mut Draw, hops: usize) -> Option<(Question, Vec<Told>)> {
    let manner = MANNERS[draw.below(MANNERS.len())];
    let (moves, unit) = (manner.moves, manner.unit);
    let people = Person::some(draw, 4);
    let place = PLACES[draw.below(PLACES.len())];
    // Two pairs, each with as many legs together as the depth asks; somebody may stay where they are.
    let mut walks: Vec<Vec<Leg>> = Vec::new();
    for _ in 0..2 {
        let one = draw.below(hops + 1);
        walks.push(legs(draw, one, false));
        walks.push(legs(draw, hops - one, false));
    }
    let apart = |a: usize, b: usize| {
        let (a, b) = (displacement(&walks[a]), displacement(&walks[b]));
        answer::place(a.0 - b.0, a.1 - b.1, unit)
    };
    let answers = [apart(0, 1)?, apart(1, 0)?, apart(2, 3)?, apart(3, 2)?];
    if !all_differ(&answers) {
        return None;
    }
    let asked = draw.below(4);
    let (one, other) = [(0, 1), (1, 0), (2, 3), (3, 2)][asked];
    let mut ordered = answers.clone();
    ordered.swap(0, asked);
    let (seen, from) = (people[one].name, people[other].name);
    let text = match draw.below(3) {
        0 => format!("How far is {seen} from {from} in the end, and in which direction?"),
        1 => format!("In which direction and how far from {from} does {seen} stand in the end?"),
        _ => format!("Seen from {from}, how far off and in which direction is {seen} at the end?"),
    };
    let mut order: Vec<usize> = (0..4).collect();
    draw.shuffle(&mut order);
    let facing: Vec<Heading> = walks
        .iter()
        .map(|legs| legs.first().map_or(0, |leg| (leg.heading + 1 + 2 * draw.below(2) as Heading) % 4))
        .collect();
    let note = convention(&answers);
    let told = each(|style| {
        let rule = Rule::new(draw);
        let names: Vec<&str> = order.iter().map(|at| people[*at].name).collect();
        let mut sentences = vec![format!(
            "{} {}, {}, {} and {} {} the {place}.",
            manner.setting,
            names[0],
            names[1],
            names[2],
            names[3],
            ["all start at", "meet at", "are all at"][draw.below(3)]
        )];
        let used: Vec<u8> = (0..4).flat_map(|at| turns(facing[at], &walks[at])).collect();
        if style == Style::Conditional {
            sentences.push(rule.told(draw, "everybody", &used));
        }
        let mut extra = 0;
        // One of each pair makes a detour, or has something happen to them.
        let odd = [draw.below(2), 2 + draw.below(2)];
        for &at in &order {
            let (person, legs) = (&people[at], &walks[at]);
            let asked = at == one || at == other;
            if style == Style::Detour && odd.contains(&at) {
                let (length, heading) = (length(1 + draw.below(5) as i64, unit), HEADINGS[draw.below(4)]);
                sentences.push(match draw.below(2) {
                    0 => format!("{} first {moves} {length} {heading} and comes straight back.", person.name),
                    _ => format!("{} first makes a detour of {length} to the {heading} and back.", person.name),
                });
                extra += if asked { 2 } else { 0 };
            }
            if legs.is_empty() {
                sentences.push(match draw.below(2) {
                    0 => format!("{} stays at the {place}.", person.name),
                    _ => format!("{} remains at the {place}.", person.name),
                });
            } else {
                let (told, steps) = way(draw, &Mover { moves, unit, facing: facing[at] }, legs, style, &rule);
                extra += if asked { steps } else { 0 };
                let first = match style {
                    Style::Turns | Style::Conditional => format!(" faces {} and", HEADINGS[usize::from(facing[at])]),
                    _ => String::new(),
                };
                sentences.push(format!("{}{first} {told}.", person.name));
            }
            if style == Style::Story && odd.contains(&at) {
                sentences.push(event(draw, person, unit));
                extra += 1;
            }
        }
        Told { context: format!("{}{note}", sentences.join(" ")), extra }
    });
    Some((Question { text, answers: ordered }, told))
}
