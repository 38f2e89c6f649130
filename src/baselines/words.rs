//! Bags of words: what the words of a text say of its right ending, learned from items with their labels.
//!
//! Naive Bayes over features of an ending, whether it is right. Features are the ending's own words, or every pair of a word
//! of the text before it and a word of the ending (or its position): the order of words is lost, so that nothing can be
//! followed from one sentence to the next.

use std::collections::{BTreeSet, HashMap};

use crate::item::Item;

/// Which words are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bag {
    /// Those of the ending.
    Ending,
    /// Those of the context, each with those of the ending.
    Context,
    /// Those of context and question, each with those of the ending.
    Prompt,
}

/// What was learned.
#[derive(Debug)]
pub(super) struct Words {
    bag: Bag,
    /// How often a feature was there in a right and in a wrong ending.
    counts: HashMap<u64, (u32, u32)>,
    right: f64,
    wrong: f64,
}

impl Words {
    /// Learns from items.
    pub(super) fn learn<'a>(bag: Bag, items: impl IntoIterator<Item = &'a Item>) -> Self {
        let mut words = Words { bag, counts: HashMap::new(), right: 0.0, wrong: 0.0 };
        for item in items {
            for (at, features) in features(bag, item).into_iter().enumerate() {
                let right = at == item.label;
                *(if right { &mut words.right } else { &mut words.wrong }) += 1.0;
                for feature in features {
                    let count = words.counts.entry(feature).or_default();
                    *(if right { &mut count.0 } else { &mut count.1 }) += 1;
                }
            }
        }
        words
    }

    /// A score for each ending; higher is likelier right.
    pub(super) fn scores(&self, item: &Item) -> Vec<f64> {
        let weight = |feature: &u64| {
            let Some((right, wrong)) = self.counts.get(feature) else { return 0.0 };
            let rate = |count: u32, of: f64| (f64::from(count) + 0.5) / (of + 1.0);
            (rate(*right, self.right) / rate(*wrong, self.wrong)).ln()
        };
        features(self.bag, item).iter().map(|features| features.iter().map(weight).sum()).collect()
    }
}

/// The features of each ending, each once, in an order that does not change.
fn features(bag: Bag, item: &Item) -> Vec<BTreeSet<u64>> {
    let mut before: BTreeSet<String> = BTreeSet::new();
    if bag != Bag::Ending {
        before.extend(split(&item.context));
    }
    if bag == Bag::Prompt {
        before.extend(item.question.iter().flat_map(|question| split(question)));
    }
    let ending = |(at, text): (usize, &String)| {
        let words = split(text);
        if bag == Bag::Ending {
            return words.iter().map(|word| hash(&[word])).collect();
        }
        let position = format!("\0{at}");
        let with =
            |word: &String| -> Vec<u64> { words.iter().chain([&position]).map(|own| hash(&[word, own])).collect() };
        before.iter().flat_map(with).collect()
    };
    item.endings.iter().enumerate().map(ending).collect()
}

fn hash(parts: &[&str]) -> u64 {
    // FNV-1a: short words, no need to resist anybody.
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Words in small letters, and marks one by one.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut within = false;
    for c in text.chars() {
        let letter = c.is_alphanumeric();
        if letter && within {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        } else if !c.is_whitespace() {
            words.push(c.to_lowercase().collect());
        }
        within = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_and_marks() {
        assert_eq!(
            split("√34 km (about 5.83), North-east"),
            ["√", "34", "km", "(", "about", "5", ".", "83", ")", ",", "north", "-", "east"]
        );
    }
}
