//! Proves an item again from its English, and from nothing else: reads it, then asks the chase and the family search.

use std::collections::BTreeSet;

use serde_json::Value;

use super::chase::{Cases, TooLarge};
use super::families::families;
use super::puzzle::{Fact, Person, Puzzle};
use super::read::Story;
use super::table::{Relation, relation};
use crate::item::Item;
use crate::logicmark::{Signature, Verdict};

/// Families sought that fit an item, and attempts at them.
const FAMILIES: usize = 12;
const TRIES: usize = 60;
/// Longest text looked at, in bytes.
const LONGEST: usize = 20_000;

/// The checker of the task.
pub(super) fn check(item: &Item) -> Verdict {
    match examine(item) {
        Ok(()) => Verdict::Proved,
        Err(verdict) => verdict,
    }
}

fn examine(item: &Item) -> Result<(), Verdict> {
    if !matches!(item.variant.as_str(), "base" | "l1" | "l2") {
        return Err(Verdict::Unchecked(format!("variant `{}` is not known; known: `base`, `l1`, `l2`", item.variant)));
    }
    let (story, who, of) = read(item).map_err(Verdict::Unchecked)?;
    let mut endings: Vec<&'static Relation> = Vec::new();
    for ending in &item.endings {
        let word = relation(ending)
            .ok_or_else(|| Verdict::Unchecked(format!("ending `{ending}` is no word of kinship that is known")))?;
        if endings.iter().any(|old| *old == word || old.walks == word.walks && old.sex == word.sex) {
            return Err(Verdict::False(format!("two `endings` mean `{ending}`")));
        }
        endings.push(word);
    }
    let right = *endings
        .get(item.label)
        .ok_or_else(|| Verdict::False(format!("`label` is {} of {} endings", item.label, endings.len())))?;
    let path = Path::between(&story, who, of)
        .ok_or_else(|| Verdict::False("nothing in the text ties the two people together".to_string()))?;
    depth(item, &path).map_err(Verdict::False)?;
    if let Some(certificate) = &item.certificate {
        certified(item, &story, certificate, (who, right, of)).map_err(Verdict::False)?;
    }

    // Whole families first: they cost little, and one that gives another answer settles the matter.
    let whole = story.puzzle(None);
    for (people, part) in whole.parts() {
        let asked = people.contains(&who);
        let found = families(&part, if asked { FAMILIES } else { 1 }, TRIES);
        if found.is_empty() {
            return Err(match Cases::of(&part) {
                Ok(cases) if cases.is_empty() => Verdict::False("the text contradicts itself".to_string()),
                _ => Verdict::Unchecked("no family was found that fits the text".to_string()),
            });
        }
        for family in found.iter().filter(|_| asked) {
            for (ending, word) in item.endings.iter().zip(&endings) {
                let is = family.related(who, word, of);
                if is != (*word == right) {
                    let how = if is { "right" } else { "wrong" };
                    return Err(Verdict::False(format!("there is a family that fits in which `{ending}` is {how}")));
                }
            }
        }
    }

    // What follows from the sentences of the shortest way follows from all of them; if it does not, all are looked at.
    let near = story.puzzle(Some(&path.sentences));
    match proved(&near, who, of, right, &endings) {
        Ok(Ok(())) => Ok(()),
        _ => match proved(&whole, who, of, right, &endings) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(reason)) => Err(Verdict::False(reason)),
            Err(TooLarge) => Err(Verdict::Unchecked("too many cases to be decided".to_string())),
        },
    }
}

/// The right ending holds in every family that fits, the others in none.
fn proved(
    puzzle: &Puzzle,
    who: Person,
    of: Person,
    right: &'static Relation,
    endings: &[&'static Relation],
) -> Result<Result<(), String>, TooLarge> {
    let cases = Cases::of(puzzle)?;
    if !cases.all(who, right, of) {
        return Ok(Err(format!("`{}` does not follow from the text", right.name)));
    }
    for ending in endings.iter().filter(|ending| **ending != right) {
        if !cases.none(who, ending, of)? {
            return Ok(Err(format!("`{}` is not ruled out by the text", ending.name)));
        }
    }
    Ok(Ok(()))
}

fn read(item: &Item) -> Result<(Story, Person, Person), String> {
    let question = item.question.as_deref().ok_or("there is no `question`")?;
    if item.context.len() > LONGEST || question.len() > LONGEST || item.endings.len() > 16 {
        return Err("the text is too long".to_string());
    }
    let story = Story::read(&item.context).map_err(|reason| format!("`context`: {reason}"))?;
    let (who, of) = story.question(question)?;
    Ok((story, who, of))
}

/// The shortest way through the statements from one person to the other.
struct Path {
    /// Statements on it.
    edges: u32,
    /// Possessives in them.
    steps: u32,
    /// The sentences it takes, and those that say of what sex its people are.
    sentences: Vec<usize>,
    /// Whether the person asked about is one in a picture.
    picture: bool,
    /// How many ways are as short.
    ways: u32,
}

impl Path {
    fn between(story: &Story, who: Person, of: Person) -> Option<Self> {
        let ties: Vec<(Person, Person, u32, usize)> = story
            .stated
            .iter()
            .flat_map(|stated| match &stated.fact {
                Fact::Same(a, b) if a.of != b.of => {
                    vec![(a.of, b.of, (a.steps.len() + b.steps.len()) as u32, stated.sentence)]
                }
                Fact::Exactly(of, _, who) => who.iter().map(|&n| (*of, n, 1, stated.sentence)).collect(),
                _ => Vec::new(),
            })
            .collect();
        // Fewest statements, then fewest possessives; each person is settled in rounds.
        type Reach = (u32, u32, u32, Vec<usize>);
        let mut best: Vec<Option<Reach>> = vec![None; story.people.len()];
        best[who] = Some((0, 0, 1, Vec::new()));
        for round in 0..story.people.len() as u32 {
            let before = best.clone();
            for &(a, b, steps, sentence) in &ties {
                for (from, to) in [(a, b), (b, a)] {
                    let Some((edges, sum, ways, ref via)) = before[from] else { continue };
                    if edges != round || before[to].is_some() {
                        continue;
                    }
                    let new = (edges + 1, sum + steps);
                    match &mut best[to] {
                        Some(old) if (old.0, old.1) == new => old.2 = old.2.saturating_add(ways),
                        Some(old) if (old.0, old.1) < new => {}
                        slot => {
                            let mut via = via.clone();
                            via.push(sentence);
                            *slot = Some((new.0, new.1, ways, via));
                        }
                    }
                }
            }
        }
        let (edges, steps, ways, mut sentences) = best[of].clone()?;
        let on: BTreeSet<Person> =
            ties.iter().filter(|tie| sentences.contains(&tie.3)).flat_map(|tie| [tie.0, tie.1]).collect();
        let sexes = story.stated.iter().filter(|stated| match &stated.fact {
            Fact::Is(person, _) => on.contains(person),
            Fact::Apart(a, b) => on.contains(a) && on.contains(b),
            _ => false,
        });
        sentences.extend(sexes.map(|stated| stated.sentence));
        sentences.sort_unstable();
        sentences.dedup();
        Some(Path { edges, steps, ways, sentences, picture: story.people[who].is_none() })
    }
}

/// `hops` and `extra_hops` are what the text says.
fn depth(item: &Item, path: &Path) -> Result<(), String> {
    if item.variant == "base" && item.extra_hops != 0 {
        return Err(format!("`extra_hops` is {} but a base item adds none", item.extra_hops));
    }
    if item.variant != "base" && item.extra_hops == 0 {
        return Err("`extra_hops` is 0 but this variant adds some".to_string());
    }
    if path.ways != 1 {
        return Err(format!("{} ways are equally short; only one is allowed", path.ways));
    }
    let total = item.hops.checked_add(item.extra_hops);
    if total != Some(path.steps) {
        return Err(format!(
            "`hops` and `extra_hops` are {} and {} but the shortest way has {} possessives",
            item.hops, item.extra_hops, path.steps
        ));
    }
    // Where the question is about a picture, how many of them are added cannot be seen.
    if !path.picture && item.hops != path.edges {
        return Err(format!("`hops` is {} but the shortest way has {} statements", item.hops, path.edges));
    }
    Ok(())
}

/// The certificate claims the labelled ending, and its sentences are in the text and suffice.
fn certified(
    item: &Item,
    story: &Story,
    certificate: &Value,
    (who, right, of): (Person, &'static Relation, Person),
) -> Result<(), String> {
    if certificate.get("method").and_then(Value::as_str) != Some("chase") {
        return Err("certificate: `method` is not `chase`".to_string());
    }
    if certificate.get("claim").and_then(Value::as_str) != Some(right.name) {
        return Err(format!("certificate: `claim` is not the labelled ending, `{}`", item.endings[item.label]));
    }
    let list = certificate.get("sentences").and_then(Value::as_array);
    let list = list.ok_or("certificate: `sentences` is not a list of sentence numbers")?;
    let mut sentences = Vec::new();
    for number in list {
        let place = number.as_u64().and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_sub(1));
        let place = place.filter(|place| *place < story.sentences.len());
        sentences.push(place.ok_or_else(|| format!("certificate: there is no sentence {number}"))?);
    }
    match Cases::of(&story.puzzle(Some(&sentences))) {
        Ok(cases) if cases.all(who, right, of) => Ok(()),
        _ => Err(format!("certificate: `{}` does not follow from its sentences", right.name)),
    }
}

/// The statements as a graph up to the names of people: each person is known by what ties him to whom, ever further away.
pub(super) fn signature(item: &Item) -> Result<Signature, String> {
    let (story, who, of) = read(item)?;
    let ties: Vec<(Person, Person, String)> = story
        .stated
        .iter()
        .flat_map(|stated| match &stated.fact {
            Fact::Same(a, b) => {
                let words = |steps: &[super::puzzle::Step]| {
                    let words: Vec<String> = steps
                        .iter()
                        .map(|s| format!("{}{}", if s.only { "only " } else { "" }, s.relation.name))
                        .collect();
                    words.join("'s ")
                };
                vec![(a.of, b.of, format!("{}={}", words(&a.steps), words(&b.steps)))]
            }
            Fact::Exactly(of, relation, who) => {
                who.iter().map(|&n| (n, *of, format!("all {}", relation.name))).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    let mut seen: Vec<String> =
        (0..story.people.len()).map(|n| format!("{}{}{}", n == who, n == of, story.people[n].is_none())).collect();
    for _ in 0..story.people.len().min(24) {
        let around = |n: usize| {
            let mut near: Vec<String> = ties
                .iter()
                .flat_map(|(a, b, how)| {
                    let mut near = Vec::new();
                    if *a == n {
                        near.push(format!(">{how}>{}", seen[*b]));
                    }
                    if *b == n {
                        near.push(format!("<{how}<{}", seen[*a]));
                    }
                    near
                })
                .collect();
            near.sort();
            blake3::hash(format!("{}{near:?}", seen[n]).as_bytes()).to_hex()[..16].to_string()
        };
        seen = (0..story.people.len()).map(around).collect();
    }
    seen.sort();
    let structure = blake3::hash(format!("{seen:?}").as_bytes()).to_hex()[..32].to_string();
    Ok(Signature { structure, instance: String::new() })
}
