//! What is asked, and the answer and depth that the simulated world gives.

use super::answer::{Answer, place};
use super::grammar::{first_match, words};
use super::world::{Mark, Road, World};

/// The answer, and the steps to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Solved {
    pub(super) answer: Answer,
    pub(super) hops: u32,
    /// Steps that a wording adds, of each kind.
    pub(super) added: Added,
    /// The kind of question, and the ways that matter to it, the asked ones first: headings and lengths.
    pub(super) kind: String,
    pub(super) ways: Vec<Vec<(u8, i64)>>,
}

/// Steps that wordings add.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Added {
    pub(super) detours: u32,
    pub(super) turns: u32,
    pub(super) decisions: u32,
    pub(super) events: u32,
}

impl Added {
    fn of(marks: &[Mark]) -> Self {
        let count = |kind: Mark| marks.iter().filter(|mark| **mark == kind).count() as u32;
        let detours = marks.iter().map(|mark| if let Mark::Detour(steps) = mark { *steps } else { 0 }).sum();
        Added { detours, turns: count(Mark::Turn), decisions: count(Mark::Decision), events: 0 }
    }
}

fn legs(marks: &[Mark]) -> u32 {
    marks.iter().filter(|mark| **mark == Mark::Leg).count() as u32
}

/// The answer to a question.
pub(super) fn solve(world: &World, question: &str) -> Result<Solved, String> {
    let text = question.trim();
    let body = text.strip_suffix('?').ok_or_else(|| format!("the question `{text}` does not end in `?`"))?;
    let words = words(&body.replace(". ", " . "));
    let unread = || format!("the question `{text}` is not one of this task");
    let mut solved = between_places(world, &words)
        .or_else(|| between_people(world, &words))
        .or_else(|| facing(world, &words))
        .or_else(|| meeting(world, &words))
        .ok_or_else(unread)??;
    solved.added.events = world.events;
    Ok(solved)
}

fn between_places(world: &World, words: &[String]) -> Option<Result<Solved, String>> {
    let (at, caught) = first_match(
        &[
            "How far is the {place} from the {place} , and in which direction",
            "In which direction and how far from the {place} does the {place} lie",
            "Somebody stands at the {place} . How far away and in which direction is the {place}",
            "Seen from the {place} , how far off and in which direction is the {place}",
        ],
        words,
    )?;
    let (seen, from) = if at == 0 { (0, 1) } else { (1, 0) };
    Some(places(world, &caught.text(seen), &caught.text(from)))
}

fn places(world: &World, seen: &str, from: &str) -> Result<Solved, String> {
    let stop = |name: &str| world.stops.get(name).ok_or_else(|| format!("the walk does not come to the {name}"));
    let (a, b) = (stop(from)?, stop(seen)?);
    let unit = world.unit.as_deref().unwrap_or_default();
    let answer = place(b.at.0 - a.at.0, b.at.1 - a.at.1, unit).ok_or("the two places are one")?;
    let walker = world.people.values().next().ok_or("there is no walker")?;
    let (low, high) = (a.marks.min(b.marks), a.marks.max(b.marks));
    let stretch = &walker.marks[low..high];
    // Whoever follows turns must do so from the start on, to know the heading.
    let told = Added::of(&walker.marks[..high]);
    let added = Added { detours: Added::of(stretch).detours, ..told };
    let first = legs(&walker.marks[..low]);
    let kind = format!("places {first} {}", if a.marks < b.marks { "on" } else { "back" });
    Ok(Solved { answer, hops: legs(stretch), added, kind, ways: vec![walker.path.clone()] })
}

fn between_people(world: &World, words: &[String]) -> Option<Result<Solved, String>> {
    let (at, caught) = first_match(
        &[
            "How far is {name} from {name} in the end , and in which direction",
            "In which direction and how far from {name} does {name} stand in the end",
            "Seen from {name} , how far off and in which direction is {name} at the end",
        ],
        words,
    )?;
    let (seen, from) = if at == 0 { (0, 1) } else { (1, 0) };
    Some(people(world, &caught.text(seen), &caught.text(from)))
}

fn people(world: &World, seen: &str, from: &str) -> Result<Solved, String> {
    let person = |name: &str| {
        let told = world.told.iter().any(|other| other == name);
        let walker = world.people.get(name).filter(|_| told);
        walker.ok_or_else(|| format!("where `{name}` goes is not told"))
    };
    let (a, b) = (person(from)?, person(seen)?);
    let unit = world.unit.as_deref().unwrap_or_default();
    let answer = place(b.at.0 - a.at.0, b.at.1 - a.at.1, unit).ok_or("the two stand at one place")?;
    let marks = [&a.marks[..], &b.marks[..]].concat();
    let mut others: Vec<_> = world
        .people
        .iter()
        .filter(|(name, _)| ![seen, from].contains(&name.as_str()))
        .map(|(_, w)| w.path.clone())
        .collect();
    others.sort();
    let ways = [vec![b.path.clone(), a.path.clone()], others].concat();
    Ok(Solved { answer, hops: legs(&marks), added: Added::of(&marks), kind: "people".to_string(), ways })
}

fn facing(world: &World, words: &[String]) -> Option<Result<Solved, String>> {
    const SIDES: [(&str, u8); 8] = [
        ("Which direction lies straight ahead of {name} now", 0),
        ("Which direction does {name} face at the end", 0),
        ("Which direction lies on {any} right now", 1),
        ("Which direction is to the right of {name} at the end", 1),
        ("Which direction lies behind {name} now", 2),
        ("Which direction is behind {name} at the end", 2),
        ("Which direction lies on {any} left now", 3),
        ("Which direction is to the left of {name} at the end", 3),
    ];
    let (side, caught) =
        SIDES.iter().find_map(|(pattern, side)| Some((*side, super::grammar::matches(pattern, words)?)))?;
    let name = caught.text(0);
    let name = name.strip_suffix("'s").unwrap_or(&name);
    let walker = world.people.get(name).ok_or_else(|| format!("nobody is called `{name}`"));
    Some(walker.and_then(|walker| {
        let heading = walker.facing.ok_or_else(|| format!("where `{name}` faces is not told"))?;
        let added = Added::of(&walker.marks);
        let asked = (heading + side) % 4;
        let start = walker.start.ok_or_else(|| format!("where `{name}` faces at first is not told"))?;
        let ways = vec![vec![(start, 0)], walker.path.clone(), vec![(asked, 0)]];
        Ok(Solved {
            answer: Answer::Heading(asked),
            hops: added.turns + added.decisions,
            added,
            kind: "facing".to_string(),
            ways,
        })
    }))
}

fn meeting(world: &World, words: &[String]) -> Option<Result<Solved, String>> {
    let (at, caught) = first_match(
        &[
            "How far along the road has {name} come when {they} meets {name}",
            "What distance along the road has {name} covered by the time {they} meets {name}",
            "{name} and {name} meet on the road . How far along it has {name} come by then",
        ],
        words,
    )?;
    let (one, other) = if at == 2 { (caught.text(0), caught.text(1)) } else { (caught.text(0), caught.text(2)) };
    if at == 2 && caught.text(2) != one {
        return Some(Err(format!("`{}` is not the first of those who meet", caught.text(2))));
    }
    let road = world.roads.iter().find_map(|road| {
        let (people, speeds) = road.pair.as_ref()?;
        let end = people.iter().position(|name| *name == one)?;
        (people[1 - end] == other).then_some((road, people, speeds, end))
    });
    let found = road.ok_or_else(|| format!("`{one}` and `{other}` do not walk towards each other"));
    Some(found.and_then(|(road, people, speeds, end)| on_the_road(world, road, people, *speeds, end)))
}

fn on_the_road(
    world: &World,
    road: &Road,
    people: &[String; 2],
    speeds: [i64; 2],
    end: usize,
) -> Result<Solved, String> {
    if world.slow_events > 0 {
        return Err("something happens that may keep somebody from the road".to_string());
    }
    let (over, under) = (road.length * speeds[end], speeds[0] + speeds[1]);
    let common = gcd(over, under);
    let mut added = Added::of(&road.marks);
    added.detours =
        people.iter().filter_map(|name| world.people.get(name)).map(|walker| Added::of(&walker.marks).detours).sum();
    let unit = world.unit.clone().unwrap_or_default();
    let answer = Answer::Length { over: over / common, under: under / common, unit };
    let others = world.roads.iter().filter(|other| other.ends != road.ends).map(|other| other.path.clone());
    let mut ways = vec![road.path.clone(), vec![(0, speeds[end]), (0, speeds[1 - end])]];
    ways.extend(others);
    Ok(Solved { answer, hops: legs(&road.marks), added, kind: format!("meeting {end}"), ways })
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
