//! Who is called what.

use crate::logicmark::{Draw, people};

/// Names that men and women have alike.
const EITHER: [&str; 24] = [
    "Alex", "Ashley", "Bobbie", "Casey", "Charlie", "Chris", "Dana", "Drew", "Eden", "Frankie", "Jamie", "Jo", "Kim",
    "Lee", "Leslie", "Morgan", "Pat", "Quinn", "Riley", "Robin", "Rowan", "Sam", "Taylor", "Terry",
];

/// Single letters, but for I and O.
const LETTERS: [&str; 24] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "J", "K", "L", "M", "N", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y",
    "Z",
];

/// Names for people, in this order, that tell their sex.
pub(super) fn telling(draw: &mut Draw, male: &[bool]) -> Vec<&'static str> {
    let (mut men, mut women) = (draw.sample(&people::MEN, male.len()), draw.sample(&people::WOMEN, male.len()));
    let name = |&male: &bool| if male { men.pop() } else { women.pop() };
    male.iter().map(name).map(Option::unwrap_or_default).collect()
}

/// Names for so many people that do not tell their sex: first names, or letters that follow each other.
pub(super) fn silent(draw: &mut Draw, people: usize) -> Vec<&'static str> {
    if draw.below(2) == 0 {
        return draw.sample(&EITHER, people);
    }
    let start = draw.below(LETTERS.len() + 1 - people.min(LETTERS.len()));
    let letters: Vec<&str> = LETTERS.iter().copied().skip(start).take(people).collect();
    draw.sample(&letters, people)
}
