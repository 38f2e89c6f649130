//! Puzzles about four people and the pictures that they show.

use super::chains::{Hop, Way, sound, ways};
use super::tell::{Form, Manner, PICTURES, picture};
use super::words::{WORDS, word};
use super::{Square, names};
use crate::logicmark::Draw;

/// One puzzle with these four answers, each over so many possessives.
pub(super) fn draw(draw: &mut Draw, hops: usize, endings: [&'static str; 4], mixed: bool) -> Option<Square> {
    let speaker_male = draw.below(2) == 0;
    // How many possessives are told in a roundabout way.
    let changed = (hops / 2).min(2);
    let mut wordings: Vec<[Vec<Hop>; 3]> = Vec::new();
    for ending in endings {
        let all = ways(word(ending), hops);
        let found = (0..200).find_map(|_| {
            let way = all.get(draw.below(all.len()))?;
            let spouse = match WORDS[way.hops[0].0].text {
                "husband" => Some(false),
                "wife" => Some(true),
                _ => None,
            };
            if !mixed && spouse.is_some_and(|male| male != speaker_male) {
                return None;
            }
            let mut places: Vec<usize> = (0..hops).filter(|&n| !way.hops[n].1).collect();
            draw.shuffle(&mut places);
            (places.len() >= changed).then_some(())?;
            places.truncate(changed);
            let one = roundabout(draw, way, &places, &[2])?;
            let two = roundabout(draw, way, &places, &[3])?;
            (sound(&one, word(ending)) && sound(&two, word(ending))).then_some(())?;
            Some([way.hops.clone(), one, two])
        })?;
        wordings.push(found);
    }
    let names = if mixed { names::silent(draw, 4) } else { names::telling(draw, &[speaker_male; 4]) };
    let opening = PICTURES[draw.below(PICTURES.len())];
    let thing = if opening.contains("pictures") { "picture" } else { "photograph" };
    let forms: Vec<Form> = (0..4).map(|_| Form::new(draw, Manner::Talk, "")).collect();
    let mut order = [0, 1, 2, 3];
    draw.shuffle(&mut order);
    let sentence = |n: usize, asked: usize| {
        let male = WORDS[word(endings[asked])].male == Some(true);
        picture(names[asked], male, &wordings[asked][n], forms[asked], thing)
    };
    let context = |n: usize| {
        let told: Vec<String> = order.iter().map(|&asked| sentence(n, asked)).collect();
        format!("{opening} {}", told.join(" "))
    };
    let extra = |n: usize| [0, 1, 2, 3].map(|asked| (wordings[asked][n].len() - hops) as u32);
    let number = |asked: usize| order.iter().position(|&n| n == asked).unwrap_or_default() + 2;
    Some(Square {
        endings,
        contexts: [0, 1, 2].map(context),
        questions: [0, 1, 2, 3]
            .map(|asked| format!("How is the person in {}'s {thing} related to {}?", names[asked], names[asked])),
        extra: [0, 1, 2].map(extra),
        proofs: [0, 1, 2, 3].map(|asked| vec![number(asked)]),
    })
}

/// The way with the words at these places told by ways of their own.
fn roundabout(draw: &mut Draw, way: &Way, places: &[usize], lengths: &[usize]) -> Option<Vec<Hop>> {
    let mut hops = Vec::new();
    for (n, &hop) in way.hops.iter().enumerate() {
        if !places.contains(&n) {
            hops.push(hop);
            continue;
        }
        let all = ways(hop.0, lengths[draw.below(lengths.len())]);
        // One "only" after the other soon contradict each other.
        let plain = |way: &&Way| way.strict && way.hops.iter().all(|(_, only)| !only);
        let new =
            (0..20).find_map(|n| all.get(draw.below(all.len())).filter(|way| way.strict && (n > 9 || plain(way))))?;
        hops.extend(&new.hops);
    }
    Some(hops)
}
