//! The task `direction` against a plain simulator that is written apart: it looks for words, not for sentences.

use std::collections::BTreeMap;

use llscore::item::Item;
use llscore::logicmark::{Spec, Split, Task, Verdict};
use proptest::prelude::*;

fn task() -> &'static Task {
    Task::find("direction").unwrap()
}

fn items(items: u32, hops: std::ops::RangeInclusive<u32>, seed: u64) -> Vec<Item> {
    task().items(&Spec { items, hops, seed, split: Split::Test }).unwrap()
}

const COMPASS: [&str; 4] = ["north", "east", "south", "west"];

fn compass(word: &str) -> Option<usize> {
    COMPASS.iter().position(|name| *name == word)
}

/// Words without marks.
fn bare(text: &str) -> Vec<String> {
    text.split_whitespace().map(|word| word.trim_matches([',', ';', '.', '?', ':', '(', ')']).to_string()).collect()
}

/// The last length in a text, in its unit.
fn length(text: &str) -> Option<i64> {
    let words = bare(text);
    let unit = |word: &String| ["km", "m", "mile", "miles"].contains(&word.as_str());
    (1..words.len()).rev().find(|at| unit(&words[*at])).and_then(|at| words[at - 1].parse().ok())
}

/// Quarter turns clockwise that a text tells of, if it does.
fn turned(text: &str) -> Option<usize> {
    let after = text.split("turns ").nth(1)?;
    let words = bare(after);
    let way = |quarters: usize| if after.contains("anticlockwise") { (4 - quarters % 4) % 4 } else { quarters % 4 };
    match words[0].as_str() {
        "left" => return Some(3),
        "right" => return Some(1),
        "round" => return Some(2),
        _ => {}
    }
    if let Some(at) = words.iter().position(|word| word == "degrees") {
        let degrees: usize = words[at - 1].parse().ok()?;
        return Some(way(degrees / 90));
    }
    if let Some(at) = words.iter().position(|word| word == "from") {
        let (from, to): (usize, usize) = (words[at + 1].parse().ok()?, words[at + 3].parse().ok()?);
        return Some((to + 12 - from) % 12 / 3);
    }
    if after.contains("three quarters") {
        Some(way(3))
    } else if after.contains("a half") {
        Some(way(2))
    } else {
        after.contains("a quarter").then(|| way(1))
    }
}

/// The colour in a text that the rule knows.
fn sign(text: &str, rule: &BTreeMap<String, usize>) -> Option<usize> {
    bare(text).iter().find_map(|word| rule.get(word).copied())
}

#[derive(Clone, Default)]
struct Walker {
    x: i64,
    y: i64,
    facing: Option<usize>,
}

impl Walker {
    /// One leg: a heading or a turn or a sign, and a length.
    fn leg(&mut self, text: &str, rule: &BTreeMap<String, usize>) -> Option<i64> {
        let n = length(text)?;
        let heading = bare(text).iter().find_map(|word| compass(word));
        match (heading, turned(text), sign(text, rule)) {
            (Some(heading), _, _) => self.facing = Some(heading),
            (_, Some(quarters), _) | (_, None, Some(quarters)) => self.facing = Some((self.facing? + quarters) % 4),
            _ => {}
        }
        match self.facing? {
            0 => self.y += n,
            1 => self.x += n,
            2 => self.y -= n,
            _ => self.x -= n,
        }
        Some(n)
    }
}

fn skipped(sentence: &str) -> bool {
    const NOTHING: [&str; 15] = [
        "straight back",
        "and back",
        "the same way",
        "full circle",
        "again",
        "apples",
        "rain",
        "letter",
        "phones",
        "birds",
        "sandwich",
        "neighbour",
        "boats",
        "tea and",
        "wind blows",
    ];
    NOTHING.iter().any(|words| sentence.contains(words))
}

/// `5 km, north` and the like, by floating point.
fn apart(x: i64, y: i64, unit: &str) -> Option<String> {
    let ns = if y > 0 {
        "north"
    } else if y < 0 {
        "south"
    } else {
        ""
    };
    let ew = if x > 0 {
        "east"
    } else if x < 0 {
        "west"
    } else {
        ""
    };
    let direction = [ns, ew].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("-");
    let square = x * x + y * y;
    let root = (square as f64).sqrt();
    if direction.is_empty() {
        return None;
    }
    if root.fract() == 0.0 {
        let unit = if root == 1.0 && unit == "miles" { "mile" } else { unit };
        return Some(format!("{root} {unit}, {direction}"));
    }
    let out = (1..=square).rev().find(|n| square % (n * n) == 0).unwrap();
    let factor = if out == 1 { String::new() } else { out.to_string() };
    Some(format!("{factor}√{} {unit} (about {root:.2} {unit}), {direction}", square / (out * out)))
}

/// The answer that the text has, if this simulator finds it.
fn simulate(item: &Item) -> Option<String> {
    let body = item.context.split(" (North-east").next()?;
    let question = item.question.as_ref()?;
    let mut rule = BTreeMap::new();
    let mut people: BTreeMap<String, Walker> = BTreeMap::new();
    let mut places: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    let mut roads: Vec<i64> = Vec::new();
    let mut pairs: Vec<(String, i64, String, i64, usize)> = Vec::new();
    let mut only = String::new();
    let unit = body.split_whitespace().find_map(|word| {
        let word = word.trim_matches([',', '.', ';']);
        ["km", "m", "miles", "mile"].contains(&word).then(|| if word == "mile" { "miles" } else { word }.to_string())
    });
    let unit = unit.unwrap_or_default();
    for sentence in body.trim_end_matches('.').split(". ").skip(1) {
        if skipped(sentence) {
            continue;
        }
        let last_place = sentence.rsplit("the ").next().unwrap().to_string();
        if let Some(cases) = sentence.strip_prefix("The rule is this: ") {
            for case in cases.split("; ") {
                let colour = case.split_whitespace().nth(2)?.to_string();
                rule.insert(colour, if case.contains("straight on") { 0 } else { turned(case)? });
            }
        } else if sentence.contains("towards each other") {
            let speeds = sentence.split("; ").nth(1)?;
            let words = bare(speeds);
            let at: Vec<usize> = (0..words.len()).filter(|at| words[*at] == "at").collect();
            let by = |n: usize| words[at[n] + 1].parse::<i64>().ok();
            let second = speeds.split(", ").nth(1)?.split(' ').next()?.to_string();
            pairs.push((words[0].clone(), by(0)?, second, by(1)?, roads.len().checked_sub(1)?));
        } else if sentence.contains("the road") || sentence.contains("The road") {
            let mut walker = Walker::default();
            let told = ["runs", "points", "turns", "comes"]
                .iter()
                .filter_map(|verb| sentence.find(&format!(" {verb} ")))
                .min()?;
            let way = &sentence[told..];
            let rest = way.strip_prefix(" points ").map(|rest| (compass(rest.split(' ').next().unwrap()), rest));
            let way = match rest {
                Some((facing, rest)) => {
                    walker.facing = facing;
                    rest.split_once(" at first and ")?.1
                }
                None => way,
            };
            let legs: Option<Vec<i64>> = way.split(", then ").map(|leg| walker.leg(leg, &rule)).collect();
            roads.push(legs?.iter().sum());
        } else if [" all start at ", " meet at ", " are all at "].iter().any(|verb| sentence.contains(verb)) {
            let names = bare(sentence).into_iter().filter(|word| word.starts_with(char::is_uppercase));
            people.extend(names.map(|name| (name, Walker::default())));
        } else if sentence.contains(" stays at ") || sentence.contains(" remains at ") {
        } else if people.len() > 1 {
            let (name, rest) = sentence.split_once(' ')?;
            let mut walker = people.get(name)?.clone();
            let way = match rest.strip_prefix("faces ") {
                Some(rest) => {
                    let (heading, rest) = rest.split_once(" and ")?;
                    walker.facing = compass(heading);
                    rest
                }
                None => rest,
            };
            way.split(", then ").map(|leg| walker.leg(leg, &rule)).collect::<Option<Vec<i64>>>()?;
            people.insert(name.to_string(), walker);
        } else if only.is_empty() {
            let words = bare(sentence);
            only = words
                .iter()
                .skip(usize::from(words[0] == "At") * 3)
                .find(|w| w.starts_with(char::is_uppercase))?
                .clone();
            let mut walker = Walker::default();
            if sentence.contains("fac") {
                walker.facing = words.iter().find_map(|word| compass(word));
            }
            if sentence.contains(" the ") && !sentence.starts_with("At the start") {
                let place = last_place.split(", facing").next().unwrap().to_string();
                places.insert(place, (0, 0));
            }
            people.insert(only.clone(), walker);
        } else {
            let walker = people.get_mut(&only)?;
            if places.is_empty() {
                let quarters = turned(sentence).or_else(|| sign(sentence, &rule))?;
                walker.facing = Some((walker.facing? + quarters) % 4);
            } else {
                walker.leg(sentence, &rule)?;
                places.insert(last_place, (walker.x, walker.y));
            }
        }
    }
    let asked = bare(question);
    let named = |at: usize| {
        let known: Vec<&String> = asked.iter().filter(|word| people.contains_key(*word)).collect();
        known.get(at).map(|name| (*name).clone())
    };
    let swapped = !question.starts_with("How far is");
    let order = if swapped { [1, 0] } else { [0, 1] };
    if question.contains("road") {
        let names: Vec<&String> =
            asked.iter().filter(|word| pairs.iter().any(|p| p.0 == **word || p.2 == **word)).collect();
        let (name, other) = (*names.first()?, *names.get(1)?);
        let pair = pairs.iter().find(|p| p.0 == *name || p.2 == *name)?;
        if pair.0 != *other && pair.2 != *other {
            return None;
        }
        let speed = if pair.0 == *name { pair.1 } else { pair.3 };
        let (over, under) = (roads.get(pair.4)? * speed, pair.1 + pair.3);
        let one = if over == under && unit == "miles" { "mile" } else { &unit };
        return (over % under == 0).then(|| format!("{} {one}", over / under));
    }
    if question.starts_with("Which direction") {
        let name = bare(&question.replace("'s", "")).into_iter().find(|word| people.contains_key(word))?;
        let facing = people.get(&name)?.facing?;
        let side = if question.contains("right") {
            1
        } else if question.contains("behind") {
            2
        } else {
            3 * usize::from(question.contains("left"))
        };
        return Some(COMPASS[(facing + side) % 4].to_string());
    }
    if places.len() > 1 {
        let mut known: Vec<(usize, (i64, i64))> =
            places.iter().filter_map(|(place, at)| Some((question.find(&format!("the {place}"))?, *at))).collect();
        known.sort_unstable();
        let (seen, from) = (known.get(order[0])?.1, known.get(order[1])?.1);
        return apart(seen.0 - from.0, seen.1 - from.1, &unit);
    }
    let (seen, from) = (people.get(&named(order[0])?)?, people.get(&named(order[1])?)?);
    apart(seen.x - from.x, seen.y - from.y, &unit)
}

#[test]
fn the_simulator_finds_the_labelled_ending_of_every_item() {
    for item in items(32, 1..=6, 17) {
        let found = simulate(&item);
        assert_eq!(
            found.as_ref(),
            Some(&item.endings[item.label]),
            "{}\n{}\n{:?}",
            item.id,
            item.context,
            item.question
        );
        assert_eq!((task().check)(&item), Verdict::Proved, "{}", item.id);
        assert_eq!((task().check)(&Item { certificate: None, ..item.clone() }), Verdict::Proved, "{}", item.id);
    }
}

#[test]
fn the_four_endings_are_two_answers_from_both_sides() {
    for item in items(16, 1..=6, 8).iter().filter(|item| item.endings[0].contains(", ")) {
        let direction = |ending: &str| ending.rsplit(", ").next().unwrap().to_string();
        let opposite = |direction: &str| -> String {
            let other = |word: &str| COMPASS[(compass(word).unwrap() + 2) % 4];
            direction.split('-').map(other).collect::<Vec<_>>().join("-")
        };
        for ending in &item.endings {
            let (distance, own) = (ending.rsplit_once(", ").unwrap().0, direction(ending));
            let mirrored = format!("{distance}, {}", opposite(&own));
            assert!(item.endings.contains(&mirrored), "{:?}", item.endings);
        }
    }
}

/// A word of the text that matters, changed for another of its kind.
fn spoil(item: &Item, at: usize, how: usize) -> Option<Item> {
    let words: Vec<&str> = item.context.split(' ').collect();
    let core = |word: &str| word.trim_matches([',', '.', ';', ':']).to_string();
    let places: Vec<usize> = (0..words.len())
        .filter(|at| {
            let word = core(words[*at]);
            let number = word.parse::<i64>().is_ok();
            number || compass(&word).is_some() || ["left", "right", "round"].contains(&word.as_str())
        })
        .collect();
    let at = *places.get(at % places.len().max(1))?;
    let word = core(words[at]);
    let new = if let Ok(number) = word.parse::<i64>() {
        (number + [1, 2, 3, 7][how % 4]).to_string()
    } else if let Some(heading) = compass(&word) {
        COMPASS[(heading + 1 + how % 3) % 4].to_string()
    } else {
        ["left", "right", "round"].iter().filter(|other| **other != word).nth(how % 2)?.to_string()
    };
    let mut changed: Vec<String> = words.iter().map(ToString::to_string).collect();
    changed[at] = words[at].replacen(&word, &new, 1);
    Some(Item { context: changed.join(" "), ..item.clone() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_item_that_leads_elsewhere_is_proved(seed: u64, hops in 1u32..=6, index in 0usize..80, at in 0usize..200, how in 0usize..12) {
        let item = items(16, hops..=hops, seed).remove(index);
        let Some(spoilt) = spoil(&item, at, how) else { return Ok(()) };
        if simulate(&spoilt).as_ref() != Some(&item.endings[item.label]) {
            prop_assert_ne!((task().check)(&spoilt), Verdict::Proved, "{:?}", spoilt);
        }
        // A sentence left out, and one that stands twice.
        let sentences: Vec<&str> = item.context.split(". ").collect();
        let which = 1 + at % (sentences.len() - 1);
        let mut fewer = sentences.clone();
        fewer.remove(which);
        let fewer = Item { context: fewer.join(". "), ..item.clone() };
        if simulate(&fewer).as_ref() != Some(&item.endings[item.label]) {
            prop_assert_ne!((task().check)(&fewer), Verdict::Proved, "{:?}", fewer);
        }
        let mut other = item.clone();
        other.label = (item.label + 1 + how % 3) % 4;
        prop_assert_ne!((task().check)(&other), Verdict::Proved);
        let mut twice = item.clone();
        twice.endings[(item.label + 1) % 4] = item.endings[item.label].clone();
        prop_assert_ne!((task().check)(&twice), Verdict::Proved);
        prop_assert_ne!((task().check)(&Item { hops: item.hops + 1, ..item.clone() }), Verdict::Proved);
        prop_assert_ne!((task().check)(&Item { extra_hops: item.extra_hops + 1, ..item.clone() }), Verdict::Proved);
    }

    #[test]
    fn no_text_breaks_the_checker(text in ".{0,200}", question in ".{0,60}", ending in ".{0,20}") {
        let mut item = items(1, 1..=1, 1).remove(0);
        item.context = text;
        item.question = Some(question);
        item.endings[0] = ending;
        prop_assert_ne!((task().check)(&item), Verdict::Proved);
    }
}
