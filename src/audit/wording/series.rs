//! Number series as LogiQAte words them: terms with commas between, some digit by digit as planets, sums of character codes
//! or MD5 digests, an unknown one marked.

use super::{Reader, Solved};
use crate::logicmark::series::simplest_ways_on;

/// The reader.
pub(super) const READER: Reader = Reader { task: "logiqate-series", solve, same };

const PLANETS: [&str; 10] =
    ["sun", "mercury", "venus", "earth", "mars", "jupiter", "saturn", "uranus", "neptune", "pluto"];
/// The first digits of the MD5 digests of the ten digits tell them apart.
const MD5_STARTS: [&str; 10] = ["cfcd", "c4ca", "c81e", "eccb", "a87f", "e4da", "1679", "8f14", "c9f0", "45c4"];
const MARKS: [&str; 4] = ["?", "...", "…", "_"];

fn solve(text: &str) -> Solved {
    let (row, question) = text.split_once('\n').unwrap_or((text, ""));
    if question.contains("wrong") {
        return Solved::Unread("asks for the term that does not belong".to_string());
    }
    let mut shown = Vec::new();
    for term in row.split(',').map(str::trim).filter(|term| !term.is_empty()) {
        if MARKS.contains(&term) {
            shown.push(None);
        } else if let Some(value) = number(term) {
            shown.push(Some(value));
        } else {
            return Solved::Unread(format!("`{}` is no whole number", term.chars().take(40).collect::<String>()));
        }
    }
    match shown.iter().filter(|term| term.is_none()).count() {
        0 => return Solved::Unread("no mark stands for an unknown term".to_string()),
        1 => {}
        n => return Solved::Unread(format!("{n} terms are unknown")),
    }
    match &simplest_ways_on(&shown)[..] {
        [] => Solved::Unread("no rule of the family fits".to_string()),
        [one] => Solved::Answer(one.to_string()),
        several => Solved::Open(several.iter().map(i64::to_string).collect()),
    }
}

/// A number in figures, or digit by digit in one of the codes, which may be mixed.
fn number(term: &str) -> Option<i64> {
    let words: Vec<String> = term.split_whitespace().map(str::to_lowercase).collect();
    if let [one] = &words[..]
        && let (Ok(value), None) = (one.parse::<i64>(), digit(one))
    {
        return (value.abs() < 10_000_000).then_some(value);
    }
    let digits: Vec<i64> = words.iter().map(|word| digit(word)).collect::<Option<_>>()?;
    (digits.len() <= 7).then(|| digits.iter().fold(0, |value, digit| 10 * value + digit))
}

/// The digit of a code word.
fn digit(word: &str) -> Option<i64> {
    let of = |at: Option<usize>| at.map(|digit| digit as i64);
    let planet = PLANETS.iter().position(|planet| *planet == word);
    let sum = PLANETS.iter().position(|planet| planet.bytes().map(u32::from).sum::<u32>().to_string() == word);
    let md5 = (word.len() == 32).then(|| MD5_STARTS.iter().position(|start| word.starts_with(start))).flatten();
    of(planet.or(sum).or(md5))
}

fn same(found: &str, stated: &str) -> bool {
    found.trim() == stated.trim().trim_end_matches(".0")
}

#[cfg(test)]
mod tests {
    use super::{Solved, solve};

    #[test]
    fn rows_in_figures_and_in_codes() {
        for row in [
            "1, 3, 6, 10, 15, ?",
            "Mercury, 3, Saturn, Mercury Sun, 15, ...",
            "775, 532, 669, 775 342, 775 771, ?",
            "c4ca4238a0b923820dcc509a6f75849b, 3, 6, 10, 15, ?",
        ] {
            assert_eq!(solve(row), Solved::Answer("21".to_string()), "{row}");
        }
        for row in [
            "1, 3, 6, 10, 15",
            "1, 2.5, 4, ?",
            "1, ?, 6, ?",
            "1, 3, 6, 10, 15, 22\nWhich number in the series is wrong?",
        ] {
            assert!(matches!(solve(row), Solved::Unread(_)), "{row}");
        }
    }
}
