//! Roundabout ways to say a word: "father's wife" for "mother".
//!
//! Ways are drawn from walks through invented families. A way says a word where, in every family of a fixed sample and
//! for everybody in it, whoever it leads to is so called (or is the person it started from). That is how they are found;
//! that they are sound is what the checker proves, item by item.

use std::sync::LazyLock;

use super::family::Family;
use super::words::{Kind, WORDS, Word, several, single};
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
const WALKS: [usize; LONGEST + 1] = [0, 0, 4_000, 9_000, 12_000, 12_000, 12_000];
/// Families in the sample.
const FAMILIES: usize = 14;

/// For each word and each length, the ways.
static STOCK: LazyLock<Stock> = LazyLock::new(|| {
    let mut draw = Draw::new(0x006b_696e_7368_6970, 0);
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
            for (word, ways) in ways.iter_mut().enumerate() {
                if family.is(end, word, start)
                    && let Some(strict) = says(&families, &hops, word, 6)
                {
                    ways[length].push(Way { hops: hops.clone(), strict });
                }
            }
        }
    }
    Stock { families, ways }
});

/// The sample, and for each word and each length the ways.
struct Stock {
    families: Vec<Family>,
    ways: Vec<Vec<Vec<Way>>>,
}

/// Whether possessives say a word, and somebody in the sample is there of whom they can be said.
pub(super) fn sound(hops: &[Hop], word: Word) -> bool {
    let spouses = |pair: &[Hop]| pair.iter().all(|&(word, _)| WORDS[word].kind == Kind::Spouse);
    !hops.windows(2).any(spouses) && says(&STOCK.families, hops, word, 1).is_some()
}

/// The ways of this length to say a word.
pub(super) fn ways(word: Word, length: usize) -> &'static [Way] {
    STOCK.ways[word].get(length).map_or(&[], Vec::as_slice)
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
        // Nobody says "my wife's husband" or "my cousin's".
        let fits = |word: &Word| {
            let entry = &WORDS[*word];
            let back = matches!(entry.text, "husband" | "wife")
                && hops.last().is_some_and(|&(last, _)| WORDS[last].kind == entry.kind);
            entry.male.is_some() && !back && !family.who(*word, at).is_empty()
        };
        let word = (0..20).map(|_| weighted(draw)).find(fits)?;
        let all = family.who(word, at);
        hops.push((word, !single(word) && !several(word) && all.len() == 1 && draw.below(2) == 0));
        at = all[draw.below(all.len())];
    }
    (at != start).then_some((hops, at))
}

/// A word, the readier the likelier.
pub(super) fn weighted(draw: &mut Draw) -> Word {
    let total: usize = WORDS.iter().map(|entry| entry.weight).sum();
    let mut place = draw.below(total);
    // The sum of the weights is never reached.
    (0..WORDS.len())
        .find(|&n| {
            let here = place < WORDS[n].weight;
            place = place.saturating_sub(WORDS[n].weight);
            here
        })
        .unwrap_or_default()
}

/// Whether whoever the way leads to is always so called; if so, whether it never leads back.
/// Fewer examples than `least` are no evidence.
fn says(families: &[Family], hops: &[Hop], word: Word, least: usize) -> Option<bool> {
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
    (times >= least).then_some(strict)
}
