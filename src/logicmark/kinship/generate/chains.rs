//! Roundabout ways to say a word: "father's wife" for "mother".
//!
//! Ways are drawn from walks through invented families. A way says a word where, in every family of a fixed sample and
//! for everybody in it, whoever it leads to is so called (or is the person it started from). That is how they are found;
//! that they are sound is what the checker proves, item by item.

use std::sync::LazyLock;

use super::family::Family;
use super::words::{WORDS, Word, single};
use crate::logicmark::Draw;

/// One possessive: the word, and whether with "only".
pub(super) type Hop = (Word, bool);

/// A way to say a word.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) hops: Vec<Hop>,
    /// It never leads back to where it started.
    pub(super) strict: bool,
}

/// Longest way.
pub(super) const LONGEST: usize = 6;
/// Walks drawn for each length.
const WALKS: [usize; LONGEST + 1] = [0, 0, 6_000, 16_000, 24_000, 24_000, 24_000];
/// Families in the sample.
const FAMILIES: usize = 14;

/// For each word and each length, the ways.
static WAYS: LazyLock<Vec<Vec<Vec<Way>>>> = LazyLock::new(|| {
    let mut draw = Draw::new(0x6b69_6e73_6869_70, 0);
    let families: Vec<Family> = (0..FAMILIES).map(|_| Family::new(&mut draw)).collect();
    let mut ways = vec![vec![Vec::new(); LONGEST + 1]; WORDS.len()];
    let mut seen = std::collections::HashSet::new();
    for (length, &walks) in WALKS.iter().enumerate() {
        for _ in 0..walks {
            let family = &families[draw.below(FAMILIES)];
            let start = draw.below(family.size());
            let Some((hops, end)) = walk(&mut draw, family, start, length) else { continue };
            if !seen.insert(hops.clone()) {
                continue;
            }
            for word in 0..WORDS.len() {
                if family.is(end, word, start)
                    && let Some(strict) = says(&families, &hops, word)
                {
                    ways[word][length].push(Way { hops: hops.clone(), strict });
                }
            }
        }
    }
    ways
});

/// The ways of this length to say a word.
pub(super) fn ways(word: Word, length: usize) -> &'static [Way] {
    WAYS[word].get(length).map_or(&[], Vec::as_slice)
}

/// Where a way leads from a person: everybody whom its words fit.
pub(super) fn ends(family: &Family, hops: &[Hop], of: usize) -> Vec<usize> {
    let mut places = vec![of];
    for &(word, only) in hops {
        let each = places.iter().map(|&at| family.who(word, at)).filter(|all| !only || all.len() == 1);
        places = each.flatten().collect();
        places.sort_unstable();
        places.dedup();
    }
    places
}

/// A walk of so many words, and where it leads.
fn walk(draw: &mut Draw, family: &Family, start: usize, length: usize) -> Option<(Vec<Hop>, usize)> {
    let mut at = start;
    let mut hops: Vec<Hop> = Vec::new();
    for _ in 0..length {
        let word = draw.below(WORDS.len());
        let entry = &WORDS[word];
        let all = family.who(word, at);
        // Plain words are likelier; nobody says "my wife's husband" or "my cousin's".
        let plain = entry.male.is_some() && draw.below(6) < entry.weight;
        let back = matches!(entry.text, "husband" | "wife")
            && hops.last().is_some_and(|&(last, _)| WORDS[last].kind == entry.kind);
        if all.is_empty() || !plain || back {
            return None;
        }
        hops.push((word, !single(word) && all.len() == 1 && draw.below(2) == 0));
        at = all[draw.below(all.len())];
    }
    (at != start).then_some((hops, at))
}

/// Whether whoever the way leads to is always so called; if so, whether it never leads back.
fn says(families: &[Family], hops: &[Hop], word: Word) -> Option<bool> {
    let mut strict = true;
    let mut times = 0;
    for family in families {
        for of in 0..family.size() {
            for end in ends(family, hops, of) {
                times += 1;
                strict &= end != of;
                if end != of && !family.is(end, word, of) {
                    return None;
                }
            }
        }
    }
    // Few examples are no evidence.
    (times >= 6).then_some(strict)
}
