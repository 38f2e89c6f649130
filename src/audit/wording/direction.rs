//! Walks as LogiQAte words them: legs in the four directions and turns to the left and right, asked how far or in which
//! direction. Anything else in the text (diagonals, angles, clocks, several people) makes it unread.

use super::{Reader, Solved};

/// The reader.
pub(super) const READER: Reader = Reader { task: "logiqate-direction", solve, same };

const COMPASS: [&str; 4] = ["north", "east", "south", "west"];

/// Words that say nothing of where anybody goes. Any other word makes the text unread.
const FILLERS: [&str; 62] = [
    "a",
    "an",
    "the",
    "and",
    "then",
    "finally",
    "next",
    "after",
    "this",
    "that",
    "he",
    "she",
    "person",
    "man",
    "boy",
    "girl",
    "woman",
    "traveler",
    "moves",
    "move",
    "walks",
    "walk",
    "walked",
    "goes",
    "runs",
    "travels",
    "starts",
    "from",
    "point",
    "starting",
    "start",
    "his",
    "her",
    "towards",
    "toward",
    "to",
    "in",
    "direction",
    "again",
    "more",
    "of",
    "for",
    "distance",
    "straight",
    "now",
    "is",
    "at",
    "facing",
    "another",
    "first",
    "by",
    "covers",
    "who",
    "initial",
    "position",
    "turns",
    "turned",
    "turn",
    "takes",
    "moving",
    "forward",
    "due",
];
const UNITS: [&str; 9] = ["km", "m", "meters", "meter", "metres", "blocks", "kilometers", "miles", "steps"];

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Place { distance: bool, direction: bool },
    Facing,
}

fn solve(text: &str) -> Solved {
    match read(text) {
        Ok(answer) => Solved::Answer(answer),
        Err(reason) => Solved::Unread(reason),
    }
}

fn read(text: &str) -> Result<String, String> {
    let lower = text.to_lowercase();
    let (body, asked) = question(&lower).ok_or("the question is not about distance, direction or facing at the end")?;
    let words: Vec<&str> =
        body.split(|c: char| c.is_whitespace() || ",.;:".contains(c)).filter(|word| !word.is_empty()).collect();
    let (mut x, mut y, mut facing, mut unit) = (0_i64, 0_i64, None::<usize>, String::new());
    let (mut length, mut heading, mut legs) = (None::<i64>, None::<usize>, 0);
    for word in words {
        if let Some(direction) = COMPASS.iter().position(|name| *name == word) {
            if heading.replace(direction).is_some() {
                return Err("two directions for one leg".to_string());
            }
        } else if let ("left" | "right", None) = (word, heading) {
            let from = facing.ok_or("a turn of somebody whose heading is not told")?;
            heading = Some((from + if word == "right" { 1 } else { 3 }) % 4);
        } else if let Ok(value) = word.parse::<i64>() {
            if !(1..100_000).contains(&value) || length.replace(value).is_some() {
                return Err(format!("`{word}` is a second length"));
            }
        } else if UNITS.contains(&word) {
            unit = word.to_string();
        } else if !FILLERS.contains(&word) {
            return Err(format!("`{word}` is not understood"));
        }
        // A leg is complete with its length, its unit and its heading.
        if let (Some(n), Some(to), false) = (length, heading, unit.is_empty()) {
            match to {
                0 => y += n,
                1 => x += n,
                2 => y -= n,
                _ => x -= n,
            }
            (facing, length, heading, legs) = (Some(to), None, None, legs + 1);
            unit.clear();
        }
    }
    if length.is_some() || heading.is_some() || legs < 2 {
        return Err("the walk is not told as legs, each with a length and a direction".to_string());
    }
    let facing = facing.map_or("", |facing| COMPASS[facing]).to_string();
    Ok(answer(asked, x, y, facing))
}

/// The text before the question, and what it asks.
fn question(text: &str) -> Option<(&str, Asked)> {
    let starts = ["find ", "in which direction", "in what distance", "how far", "what is the", "determine", "what was"];
    let at = starts.iter().filter_map(|start| text.find(start)).min()?;
    let (body, asked) = text.split_at(at);
    let first = asked.contains("first movement");
    let moving = asked.contains("facing") || asked.contains("of motion") || asked.contains("moving");
    let distance = asked.contains("far")
        || asked.contains("distance")
        || asked.contains("how many")
        || asked.contains("displacement");
    let direction = asked.contains("direction") || asked.contains("displacement");
    match (first, moving) {
        (true, _) => None,
        (_, true) => Some((body, Asked::Facing)),
        _ if distance || direction => Some((body, Asked::Place { distance, direction })),
        _ => None,
    }
}

fn answer(asked: Asked, x: i64, y: i64, facing: String) -> String {
    let Asked::Place { distance, direction } = asked else { return facing };
    let far = ((x * x + y * y) as f64).sqrt();
    let along = if y > 0 {
        "north"
    } else if y < 0 {
        "south"
    } else {
        ""
    };
    let across = if x > 0 {
        "east"
    } else if x < 0 {
        "west"
    } else {
        ""
    };
    let way: Vec<&str> = [along, across].into_iter().filter(|part| !part.is_empty()).collect();
    let way = if way.is_empty() { "none".to_string() } else { way.join("-") };
    let mut parts = Vec::new();
    if distance {
        parts.push(format!("{far:.2}"));
    }
    if direction {
        parts.push(way);
    }
    parts.join(", ")
}

/// Equal as far as distances and directions are told on both sides, and something is.
fn same(found: &str, stated: &str) -> bool {
    let ((distance, direction), (other, way)) = (parts(found), parts(stated));
    let near = match (distance, other) {
        (Some(a), Some(b)) => (a - b).abs() <= 0.006 * a.abs().max(1.0),
        (Some(_), None) => false,
        _ => true,
    };
    near && match (&direction, &way) {
        (Some(a), Some(b)) => a == b,
        (Some(a), None) => a == "none",
        (None, _) => true,
    }
}

/// The first number of an answer, and the direction in it, if there are any.
fn parts(text: &str) -> (Option<f64>, Option<String>) {
    let lower = text.to_lowercase();
    let number: String =
        lower.chars().skip_while(|c| !c.is_ascii_digit()).take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphabetic()).collect();
    let short = [("ne", "north-east"), ("nw", "north-west"), ("se", "south-east"), ("sw", "south-west")];
    let both = [
        ("northeast", "north-east"),
        ("northwest", "north-west"),
        ("southeast", "south-east"),
        ("southwest", "south-west"),
    ];
    let whole = words
        .iter()
        .find_map(|word| short.iter().chain(&both).find(|(name, _)| name == word).map(|(_, full)| full.to_string()));
    let named: Vec<&str> = words.iter().copied().filter(|word| COMPASS.contains(word)).collect();
    let direction = whole.or(if named.is_empty() { None } else { Some(named.join("-")) });
    let nowhere = words.iter().any(|word| ["none", "origin"].contains(word)).then(|| "none".to_string());
    (number.trim_end_matches('.').parse().ok(), direction.or(nowhere))
}

#[cfg(test)]
mod tests {
    use super::{Solved, same, solve};

    #[test]
    fn walks_by_hand() {
        for (text, answer) in [
            (
                "A person walks 3 km East, then turns left and walks 4 km. Find distance and direction from the start.",
                "5.00, north-east",
            ),
            ("A man walks 10 m North, right 5 m, right 10 m, right 5 m. Find direction", "none"),
            ("A boy walks 2 km south, then turns right and walks 1 km. In which direction is he facing?", "west"),
        ] {
            assert_eq!(solve(text), Solved::Answer(answer.to_string()), "{text}");
        }
        for text in [
            "A person walks 3 km North-East, then 2 km East. Find distance.",
            "A man turns left and walks 3 km, then 2 km east. Find distance.",
            "The hour hand points north at 3. In which direction does the minute hand point?",
        ] {
            assert!(matches!(solve(text), Solved::Unread(_)), "{text}");
        }
        assert!(same("8.94, north-east", "8.94 km, NE") && same("5.00", "5 m") && !same("5.00", "6 m"));
        assert!(same("none", "0, 0") && !same("none", "South") && !same("5.00", "East"));
    }
}
