//! Reads a context sentence by sentence, and simulates what it says.

use super::grammar::{Caught, first_match, is_motion, matches, words};
use super::turns::{Rule, turn};
use super::world::{Mark, Road, Walker, World};

/// The longest context that is read, in bytes.
const LONGEST: usize = 20_000;

/// What the note on directions must say, without its brackets.
const NOTE: &str = "(North-east means anywhere between north and east, and so on.)";

/// Reads a whole context.
pub(super) fn read(context: &str) -> Result<World, String> {
    if context.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let mut world = World::default();
    let body = context.trim();
    let body = body.strip_suffix(NOTE).unwrap_or(body).trim_end();
    let body = body.strip_suffix('.').ok_or("it does not end in a full stop")?;
    for (at, sentence) in body.split(". ").enumerate() {
        let words = words(sentence);
        let refused = |reason: String| format!("`{}`: {reason}", sentence.trim());
        match told(&mut world, &words) {
            Some(done) => done.map_err(refused)?,
            None if at == 0 && is_setting(&words) => {}
            None => return Err(refused("is not a sentence of this task".to_string())),
        }
    }
    Ok(world)
}

/// A first sentence that says where we are and nothing that could be simulated.
fn is_setting(words: &[String]) -> bool {
    const TELLING: [&str; 10] = ["turns", "turn", "faces", "facing", "north", "east", "south", "west", "left", "right"];
    words.iter().enumerate().all(|(at, word)| {
        let name = at > 0 && word.starts_with(char::is_uppercase);
        let motion = is_motion(word);
        !name && !motion && !TELLING.contains(&word.as_str()) && !word.contains(|c: char| c.is_ascii_digit())
    })
}

/// One reader for each kind of sentence; `None` where the sentence is not of the kind.
type Reader = fn(&mut World, &[String]) -> Option<Result<(), String>>;

const READERS: &[Reader] = &[start, faces, rule, everybody, stays, detour, road, pair, leg, turning, person, event];

fn told(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    READERS.iter().find_map(|reader| reader(world, words))
}

/// Somebody new: the single walker starts at a place.
fn start(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    let (at, caught) = first_match(
        &[
            "{name} starts at the {place}",
            "{name} begins at the {place}",
            "{name} sets out from the {place}",
            "{name} stands at the {place} , facing {heading}",
        ],
        words,
    )?;
    let facing = (at == 3).then(|| caught.heading(2));
    let name = caught.text(0);
    Some(introduce(world, &name, Walker { facing, ..Walker::default() }).and_then(|()| {
        if world.people.len() > 1 {
            return Err("a second person starts somewhere".to_string());
        }
        world.arrive(&name, &caught.text(1))
    }))
}

fn introduce(world: &mut World, name: &str, walker: Walker) -> Result<(), String> {
    world.last = Some(name.to_string());
    match world.people.insert(name.to_string(), walker) {
        None => Ok(()),
        Some(_) => Err(format!("`{name}` is introduced twice")),
    }
}

/// Somebody new: which way they face.
fn faces(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    let patterns =
        ["{name} faces {heading}", "{name} is facing {heading} at first", "At the start {name} faces {heading}"];
    let (_, caught) = first_match(&patterns, words)?;
    let start = Some(caught.heading(1));
    let walker = Walker { start, facing: start, ..Walker::default() };
    Some(introduce(world, &caught.text(0), walker))
}

fn rule(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    let said = ["The", "rule", "is", "this", ":"];
    let cases = words.get(said.len()..).filter(|_| words[..said.len()].iter().eq(&said))?;
    Some(Rule::read(cases).and_then(|rule| match world.rule.replace(rule) {
        None => Ok(()),
        Some(_) => Err("there are two rules".to_string()),
    }))
}

/// Four people at one place.
fn everybody(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    let names = "{name} , {name} , {name} and {name}";
    let (_, caught) = ["all start at", "meet at", "are all at"]
        .iter()
        .find_map(|verb| Some((0, matches(&format!("{names} {verb} the {{place}}"), words)?)))?;
    Some((0..4).try_for_each(|at| introduce(world, &caught.text(at), Walker::default())).and_then(|()| {
        match world.start.replace(caught.text(4)) {
            None => Ok(()),
            Some(_) => Err("people start twice".to_string()),
        }
    }))
}

fn stays(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    let (_, caught) = first_match(&["{name} stays at the {place}", "{name} remains at the {place}"], words)?;
    let name = caught.text(0);
    Some(walk_begins(world, &name).and_then(|()| {
        if world.start == Some(caught.text(1)) { Ok(()) } else { Err("nobody has started there".to_string()) }
    }))
}

/// The walk of one of several people is told, once.
fn walk_begins(world: &mut World, name: &str) -> Result<(), String> {
    world.walker(name)?;
    world.last = Some(name.to_string());
    if world.start.is_none() {
        return Err("the people have not been told where they start".to_string());
    }
    if world.told.iter().any(|other| other == name) {
        return Err(format!("the walk of `{name}` is told twice"));
    }
    world.told.push(name.to_string());
    Ok(())
}

/// Steps that cancel each other.
fn detour(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    const THERE_AND_BACK: [&str; 5] = [
        "From there {they} {moves} {number} {unit} {heading} and comes straight back",
        "{they} first makes a detour of {number} {unit} to the {heading} and back",
        "{they} {moves} {number} {unit} {heading} to look at the view , and returns the same way",
        "{name} first {moves} {number} {unit} {heading} and comes straight back",
        "{name} first makes a detour of {number} {unit} to the {heading} and back",
    ];
    const TURNS: [(&str, u32); 6] = [
        ("{they} turns left , and then right again", 2),
        ("{they} turns right , and then left again", 2),
        ("{they} turns round , and turns round again", 2),
        ("{they} turns a full circle to the left", 1),
        ("{they} turns a full circle to the right", 1),
        ("Before setting out , {name} {moves} {number} {unit} {heading} and comes straight back", 2),
    ];
    if let Some((at, steps, caught)) =
        TURNS.iter().enumerate().find_map(|(at, (pattern, steps))| Some((at, *steps, matches(pattern, words)?)))
    {
        if at == TURNS.len() - 1 {
            let name = caught.text(0);
            return Some(world.measure(&caught.text(3)).map(|()| {
                // The road is told before those who go along it, so this may be the first that is heard of them.
                world.people.entry(name.clone()).or_default().marks.push(Mark::Detour(steps));
                world.last = Some(name);
            }));
        }
        return Some(world.pronoun().and_then(|name| world.walker(&name).map(|w| w.marks.push(Mark::Detour(steps)))));
    }
    let (at, caught) = first_match(&THERE_AND_BACK, words)?;
    let skip = usize::from(at == 0 || at == 2 || at == 3);
    let name = if at < 3 { world.pronoun() } else { Ok(caught.text(0)) };
    Some(name.and_then(|name| {
        world.measure(&caught.text(2 + skip))?;
        if at >= 3 && (world.start.is_none() || world.told.contains(&name)) {
            return Err("it is not told in time".to_string());
        }
        if at < 3 && world.here.is_none() {
            return Err("nobody is anywhere".to_string());
        }
        world.walker(&name)?.marks.push(Mark::Detour(2));
        world.last = Some(name);
        Ok(())
    }))
}

/// A road from a place to another.
fn road(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    // Up to the first verb it says which road, from there on how it runs.
    let verb = words.iter().position(|word| ["runs", "turns", "comes", "points"].contains(&word.as_str()))?;
    let (head, mut tail) = words.split_at(verb);
    let patterns = ["The road from the {place} to the {place}", "From the {place} to the {place} the road"];
    let (_, caught) = first_match(&patterns, head)?;
    let ends = [caught.text(0), caught.text(1)];
    let facing =
        tail.get(..5).and_then(|first| matches("points {heading} at first and", first)).map(|caught| caught.heading(0));
    if facing.is_some() {
        tail = &tail[5..];
    }
    Some(way(world, tail, Walker { facing, ..Walker::default() }, &["the road"], &["runs"]).and_then(|walker| {
        let (walker, length) = walker;
        if ends[0] == ends[1] || world.roads.iter().any(|road| road.ends.iter().any(|end| ends.contains(end))) {
            return Err("two roads share a place".to_string());
        }
        world.roads.push(Road { ends, length, marks: walker.marks, path: walker.path, pair: None });
        Ok(())
    }))
}

/// The two who go along the road that was told last.
fn pair(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    let setting_out =
        "{name} sets out from the {place} and {name} from the {place} at the same time , towards each other ;";
    let speeds = "{name} {moves} at {number} {unit} {word} {word} , {name} at {number} {unit} {word} {word}";
    let caught = matches(&format!("{setting_out} {speeds}"), words)?;
    Some(read_pair(world, &caught))
}

fn read_pair(world: &mut World, caught: &Caught<'_>) -> Result<(), String> {
    let (a, b) = (caught.text(0), caught.text(2));
    let per = [8, 9, 13, 14].map(|at| caught.text(at).replace('_', " "));
    if (caught.text(4), caught.text(10)) != (a.clone(), b.clone()) || a == b {
        return Err("the speeds are not those of the two who set out".to_string());
    }
    if per[..2] != per[2..] || !["a hour", "an hour", "a minute"].contains(&per[..2].join(" ").as_str()) {
        return Err("the speeds are not told by the same time".to_string());
    }
    for at in [7, 12] {
        world.measure(&caught.text(at))?;
    }
    let taken =
        world.roads.iter().flat_map(|road| &road.pair).any(|(people, _)| people.contains(&a) || people.contains(&b));
    let road = world.roads.last_mut().ok_or("there is no road")?;
    if taken || road.pair.is_some() || road.ends != [caught.text(1), caught.text(3)] {
        return Err("they do not set out from the two ends of the road, or more than two do".to_string());
    }
    let speeds = [caught.number(6)?, caught.number(11)?];
    if speeds.contains(&0) {
        return Err("somebody does not move".to_string());
    }
    road.pair = Some(([a.clone(), b.clone()], speeds));
    for name in [a, b] {
        world.people.entry(name.clone()).or_default();
        world.last = Some(name);
    }
    Ok(())
}

/// A way in one breath, from where `walker` stands: the walker afterwards, and the length of the way.
fn way(
    world: &mut World,
    text: &[String],
    mut walker: Walker,
    who: &[&str],
    verbs: &[&str],
) -> Result<(Walker, i64), String> {
    let mut length = 0;
    let mut pieces: Vec<Vec<String>> = vec![Vec::new()];
    for (at, word) in text.iter().enumerate() {
        let joint = word == "," && text.get(at + 1).is_some_and(|next| next == "then");
        match word.as_str() {
            _ if joint => pieces.push(Vec::new()),
            "then" if at > 0 && text[at - 1] == "," => {}
            _ => pieces.last_mut().into_iter().for_each(|piece| piece.push(word.clone())),
        }
    }
    let moves = |verb: String| if verbs.is_empty() { is_motion(&verb) } else { verbs.contains(&verb.as_str()) };
    for (at, piece) in pieces.iter().enumerate() {
        let unread = || format!("`{}` is no part of a way", piece.join(" "));
        let patterns = [
            "{word} {number} {unit} {heading}",
            "{word} straight on for {number} {unit}",
            "turns {any} and {word} {number} {unit}",
            "comes to a {word} {word} and {word} {number} {unit}",
            "{number} {unit} {heading}",
        ];
        let (form, caught) = first_match(&patterns, piece).ok_or_else(unread)?;
        let (verb, number, unit) = [(0, 1, 2), (0, 1, 2), (1, 2, 3), (2, 3, 4), (0, 0, 1)][form];
        if form < 4 && !moves(caught.text(verb)) || form == 4 && at == 0 {
            return Err(unread());
        }
        world.measure(&caught.text(unit))?;
        let step = caught.number(number)?;
        length += step;
        match form {
            0 => walker.head(caught.heading(3), step)?,
            1 => walker.forward(step)?,
            2 => {
                walker.turn(turn(caught.words(0))?, Mark::Turn)?;
                walker.forward(step)?;
            }
            3 => {
                let sign = format!("{} {}", caught.text(0), caught.text(1));
                walker.turn(world.sign(&sign, who)?, Mark::Decision)?;
                walker.forward(step)?;
            }
            _ => walker.head(caught.heading(2), step)?,
        }
    }
    Ok((walker, length))
}

/// The walk of one of several people.
fn person(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    let (name, rest) = words.split_first()?;
    world.people.contains_key(name).then_some(())?;
    world.start.as_ref()?;
    let (facing, rest) = match matches("faces {heading} and", rest.get(..3)?) {
        Some(caught) => (Some(caught.heading(0)), &rest[3..]),
        None => (None, rest),
    };
    Some(walk_begins(world, name).and_then(|()| {
        let mut walker = world.walker(name)?.clone();
        walker.facing = facing;
        let (walker, _) = way(world, rest, walker, &["everybody"], &[])?;
        *world.walker(name)? = walker;
        Ok(())
    }))
}

/// A leg of the single walker, to a place.
fn leg(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    // Of each: the form, and where place left, number, unit, heading, turn, sign and place reached stand; 99 for none.
    const FORMS: [(&str, [usize; 7]); 12] = [
        ("{they} {moves} {number} {unit} {heading} to the {place}", [99, 2, 3, 4, 99, 99, 5]),
        ("From there {they} {moves} {number} {unit} {heading} and reaches the {place}", [99, 2, 3, 4, 99, 99, 5]),
        ("The next stretch , {number} {unit} {heading} , brings {them} to the {place}", [99, 0, 1, 2, 99, 99, 4]),
        ("{they} then {moves} {heading} for {number} {unit} , as far as the {place}", [99, 3, 4, 2, 99, 99, 5]),
        ("From the {place} {they} {moves} {number} {unit} due {heading} to the {place}", [0, 3, 4, 5, 99, 99, 6]),
        ("From the {place} {they} {moves} straight on for {number} {unit} to the {place}", [0, 3, 4, 99, 99, 99, 5]),
        ("At the {place} {they} turns {any} , and {moves} {number} {unit} to the {place}", [0, 4, 5, 99, 2, 99, 6]),
        (
            "At first , at the {place} , {they} turns {any} , and {moves} {number} {unit} to the {place}",
            [0, 4, 5, 99, 2, 99, 6],
        ),
        (
            "Having arrived at the {place} , {they} turns {any} , and {moves} {number} {unit} to the {place}",
            [0, 4, 5, 99, 2, 99, 6],
        ),
        ("{they} turns {any} , and after {number} {unit} reaches the {place}", [99, 2, 3, 99, 1, 99, 4]),
        (
            "At the {place} {they} sees a {word} {word} , and {moves} {number} {unit} to the {place}",
            [0, 5, 6, 99, 99, 2, 7],
        ),
        (
            "There is a {word} {word} at the {place} ; {they} obeys the rule and {moves} {number} {unit} to the {place}",
            [2, 5, 6, 99, 99, 0, 7],
        ),
    ];
    let (slots, caught) = FORMS.iter().find_map(|(pattern, slots)| Some((slots, matches(pattern, words)?)))?;
    Some(read_leg(world, &caught, *slots))
}

fn read_leg(world: &mut World, caught: &Caught<'_>, slots: [usize; 7]) -> Result<(), String> {
    let [left, number, unit, heading, told, sign, reached] = slots;
    let there = |slot: usize| slot != 99;
    let name = world.pronoun()?;
    if world.people.len() != 1 || world.here.is_none() {
        return Err("only a single walker who has started somewhere goes from place to place".to_string());
    }
    if there(left) {
        world.is_at(&caught.text(left))?;
    }
    world.measure(&caught.text(unit))?;
    let turned = if there(told) {
        Some((turn(caught.words(told))?, Mark::Turn))
    } else if there(sign) {
        let text = format!("{} {}", caught.text(sign), caught.text(sign + 1));
        Some((world.sign(&text, &["she", "he", "it"])?, Mark::Decision))
    } else {
        None
    };
    let length = caught.number(number)?;
    let walker = world.walker(&name)?;
    if let Some((quarters, mark)) = turned {
        walker.turn(quarters, mark)?;
    }
    if there(heading) {
        walker.head(caught.heading(heading), length)?;
    } else {
        walker.forward(length)?;
    }
    world.arrive(&name, &caught.text(reached))
}

/// A turn of somebody who goes to no place in particular.
fn turning(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    // Where the turn stands, or the sign, and whether a stretch follows.
    const FORMS: [(&str, bool, Option<usize>); 7] = [
        ("{they} sees a {word} {word}", true, None),
        ("{they} sees a {word} {word} , and {moves} {number} {unit}", true, Some(4)),
        ("{they} turns {any} , and {moves} {number} {unit}", false, Some(3)),
        ("Next {they} turns {any} , and {moves} on for {number} {unit}", false, Some(3)),
        ("{they} turns {any} , and {moves} straight on for {number} {unit}", false, Some(3)),
        ("Then {they} turns {any}", false, None),
        ("{they} turns {any}", false, None),
    ];
    let (sign, stretch, caught) =
        FORMS.iter().find_map(|(pattern, sign, stretch)| Some((*sign, *stretch, matches(pattern, words)?)))?;
    Some(world.pronoun().and_then(|name| {
        let (quarters, mark) = if sign {
            let text = format!("{} {}", caught.text(1), caught.text(2));
            (world.sign(&text, &["she", "he", "it"])?, Mark::Decision)
        } else {
            (turn(caught.words(1))?, Mark::Turn)
        };
        let mut length = 0;
        if let Some(number) = stretch {
            world.measure(&caught.text(number + 1))?;
            length = caught.number(number)?;
        }
        if world.here.is_some() || world.start.is_some() || !world.roads.is_empty() {
            return Err("a turn alone is told of somebody who goes from place to place".to_string());
        }
        let walker = world.walker(&name)?;
        walker.turn(quarters, mark)?;
        walker.path.push((walker.facing.unwrap_or_default(), length));
        Ok(())
    }))
}

/// What happens without moving anybody.
fn event(world: &mut World, words: &[String]) -> Option<Result<(), String>> {
    const FORMS: [(&str, bool); 11] = [
        ("{they} stops there to buy {number} {word}", true),
        ("There {they} waits {number} minutes for the {any}", true),
        ("{they} reads a letter from a friend who lives {number} {unit} to the {heading}", true),
        ("{they} photographs {number} {word} that fly {heading}", true),
        ("{they} rests for {number} minutes and eats a {word}", true),
        ("There {they} meets a neighbour who is on the way {heading}", true),
        ("{they} counts {number} {word} on the river , all heading {heading}", true),
        ("{they} drinks some {word} and checks {word} {word}", true),
        ("Her {word} phones from a town {number} {unit} to the {heading}", false),
        ("His {word} phones from a town {number} {unit} to the {heading}", false),
        ("A cold wind blows from the {heading} , and {they} buttons up {word} {word}", false),
    ];
    let slow = FORMS.iter().find_map(|(pattern, slow)| matches(pattern, words).map(|_| *slow))?;
    world.events += 1;
    world.slow_events += u32::from(slow);
    Some(world.pronoun().map(drop))
}
