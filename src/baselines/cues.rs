//! What can be seen of an ending without reading.

use super::words::split;
use crate::item::Item;

/// A score for each ending, the highest being the answer.
pub(super) fn longest(item: &Item) -> Vec<f64> {
    item.endings.iter().map(|ending| ending.chars().count() as f64).collect()
}

pub(super) fn shortest(item: &Item) -> Vec<f64> {
    longest(item).into_iter().map(|length| -length).collect()
}

pub(super) fn first(item: &Item) -> Vec<f64> {
    (0..item.endings.len()).map(|at| -(at as f64)).collect()
}

/// How often the ending stands in context and question, as whole words.
pub(super) fn mentioned(item: &Item) -> Vec<f64> {
    let mut text = split(&item.context);
    text.extend(item.question.iter().flat_map(|question| split(question)));
    let count = |ending: &String| {
        let words = split(ending);
        if words.is_empty() { 0.0 } else { text.windows(words.len()).filter(|window| *window == words).count() as f64 }
    };
    item.endings.iter().map(count).collect()
}

/// How near the ending is to the others: minus the sum of its edit distances to them.
pub(super) fn central(item: &Item) -> Vec<f64> {
    let texts: Vec<Vec<char>> = item.endings.iter().map(|ending| ending.chars().collect()).collect();
    texts.iter().map(|a| -(texts.iter().map(|b| distance(a, b)).sum::<usize>() as f64)).collect()
}

/// Levenshtein's distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn edit_distances() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (a, b, expected) in [("kitten", "sitting", 3), ("", "abc", 3), ("aunt", "aunt", 0), ("uncle", "aunt", 4)] {
            assert_eq!(distance(&chars(a), &chars(b)), expected, "{a} {b}");
        }
    }
}
