//! Which way somebody faces after some turns.

use super::style::{Rule, Style, measured, plain};
use super::walk::{HEADINGS, Heading};
use super::words::{MANNERS, Person, capital, event, length};
use super::{Question, Told, each};
use crate::logicmark::Draw;

pub(super) fn group(draw: &mut Draw, hops: usize) -> Option<(Question, Vec<Told>)> {
    let manner = MANNERS[draw.below(MANNERS.len())];
    let person = Person::some(draw, 1)[0];
    let start = draw.below(4) as Heading;
    let turns: Vec<u8> = (0..hops).map(|_| [1, 3, 1, 3, 2][draw.below(5)]).collect();
    // After some turns there is a stretch to go, which changes no heading.
    let walks: Vec<Option<String>> =
        (0..hops).map(|_| (draw.below(2) == 0).then(|| length(2 + draw.below(18) as i64, manner.unit))).collect();
    let end = turns.iter().fold(start, |heading, turn| (heading + turn) % 4);
    let side = draw.below(4);
    let name = person.name;
    let text = match side {
        0 => [
            format!("Which direction lies straight ahead of {name} now?"),
            format!("Which direction does {name} face at the end?"),
        ],
        1 => [
            format!("Which direction lies on {name}'s right now?"),
            format!("Which direction is to the right of {name} at the end?"),
        ],
        2 => [
            format!("Which direction lies behind {name} now?"),
            format!("Which direction is behind {name} at the end?"),
        ],
        _ => [
            format!("Which direction lies on {name}'s left now?"),
            format!("Which direction is to the left of {name} at the end?"),
        ],
    };
    let text = text[draw.below(2)].clone();
    let answers: [String; 4] = std::array::from_fn(|n| HEADINGS[(usize::from(end) + side + n) % 4].to_string());
    let (they, moves, unit) = (person.they(), manner.moves, manner.unit);
    let told = each(|style| {
        let rule = Rule::new(draw);
        let mut sentences = vec![manner.setting.to_string()];
        sentences.push(match draw.below(3) {
            0 => format!("{name} faces {}.", HEADINGS[usize::from(start)]),
            1 => format!("{name} is facing {} at first.", HEADINGS[usize::from(start)]),
            _ => format!("At the start {name} faces {}.", HEADINGS[usize::from(start)]),
        });
        if style == Style::Conditional {
            sentences.push(rule.told(draw, they, &turns));
        }
        let odd = draw.below(hops);
        let mut extra = 0;
        for (at, turn) in turns.iter().enumerate() {
            if style == Style::Detour && (at == odd || draw.below(4) == 0) {
                let (one, other) = if draw.below(2) == 0 { ("left", "right") } else { ("right", "left") };
                let (sentence, steps) = match draw.below(3) {
                    0 => (format!("{} turns {one}, and then {other} again.", capital(they)), 2),
                    1 => (format!("{} turns round, and turns round again.", capital(they)), 2),
                    _ => (format!("{} turns a full circle to the {one}.", capital(they)), 1),
                };
                sentences.push(sentence);
                extra += steps;
            }
            let way = match style {
                Style::Turns => measured(draw, *turn),
                _ => plain(*turn).to_string(),
            };
            extra += u32::from(matches!(style, Style::Turns | Style::Conditional));
            sentences.push(match (style, &walks[at]) {
                (Style::Conditional, None) => format!("{} sees {}.", capital(they), rule.sign(*turn)),
                (Style::Conditional, Some(n)) => {
                    format!("{} sees {}, and {moves} {n}.", capital(they), rule.sign(*turn))
                }
                (_, None) => match draw.below(2) {
                    0 => format!("{} turns {way}.", capital(they)),
                    _ => format!("Then {they} turns {way}."),
                },
                (_, Some(n)) => match draw.below(3) {
                    0 => format!("{} turns {way}, and {moves} {n}.", capital(they)),
                    1 => format!("Next {they} turns {way}, and {moves} on for {n}."),
                    _ => format!("{} turns {way}, and goes straight on for {n}.", capital(they)),
                },
            });
            if style == Style::Story && (at == odd || draw.below(4) == 0) {
                sentences.push(event(draw, &person, unit));
                extra += 1;
            }
        }
        Told { context: sentences.join(" "), extra }
    });
    Some((Question { text, answers }, told))
}
