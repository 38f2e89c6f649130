//! Numbers in code, and the sentences that tell the code.

use crate::logicmark::Draw;

const PLANETS: [&str; 10] =
    ["Sun", "Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto"];

/// MD5 of the digits as ASCII text.
const MD5: [&str; 10] = [
    "cfcd208495d565ef66e7dff9f98764da",
    "c4ca4238a0b923820dcc509a6f75849b",
    "c81e728d9d4c2f636f067f89cc14862c",
    "eccbc87e4b5ce2fe28308fd9f2a7baf3",
    "a87ff679a2f3e71d9181a67b7542122c",
    "e4da3b7fbbce2345d7772b0674a318d5",
    "1679091c5a880faf6fb5e6087eb1b2dc",
    "8f14e45fceea167a5a36dedd4bea2543",
    "c9f0f895fb98ab9159f51fd0297e236d",
    "45c48cce2e2d7fbdea1afc51c7c6ad26",
];

/// How digits are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    Planets,
    Sums,
    Md5,
}

/// A code: what is done to the digits first, and how they are written.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) reversed: bool,
    /// Added to each digit, tens dropped.
    pub(super) shift: Option<usize>,
    pub(super) writing: Writing,
}

impl Code {
    pub(super) fn plain(writing: Writing) -> Self {
        Code { reversed: false, shift: None, writing }
    }

    /// A pipeline: one or two changes of the digits before they are written.
    pub(super) fn pipeline(draw: &mut Draw) -> Self {
        let which = draw.below(3);
        let writing = [Writing::Planets, Writing::Sums, Writing::Md5][draw.below(3)];
        Code { reversed: which != 1, shift: (which != 0).then(|| 1 + draw.below(9)), writing }
    }

    /// Steps from a coded term back to its number.
    pub(super) fn layers(&self) -> u32 {
        let writing = if self.writing == Writing::Sums { 2 } else { 1 };
        writing + u32::from(self.reversed) + u32::from(self.shift.is_some())
    }

    fn word(&self, digit: usize) -> String {
        match self.writing {
            Writing::Planets => PLANETS[digit].to_string(),
            Writing::Md5 => MD5[digit].to_string(),
            Writing::Sums => PLANETS[digit].to_lowercase().bytes().map(u32::from).sum::<u32>().to_string(),
        }
    }

    /// A number in this code.
    pub(super) fn write(&self, number: i64) -> String {
        let mut digits: Vec<usize> = number.unsigned_abs().to_string().bytes().map(|b| usize::from(b - b'0')).collect();
        if self.reversed {
            digits.reverse();
        }
        if let Some(shift) = self.shift {
            digits.iter_mut().for_each(|digit| *digit = (*digit + shift) % 10);
        }
        let words: Vec<String> = digits.iter().map(|digit| self.word(*digit)).collect();
        let sign = if number < 0 { "minus " } else { "" };
        let text = format!("{sign}{}", words.join(" "));
        if self.writing == Writing::Sums { format!("[{text}]") } else { text }
    }

    /// The code in sentences.
    pub(super) fn told(&self) -> String {
        let mut sentences = Vec::new();
        if self.reversed {
            sentences.push("First the digits of a number are put in reverse order.".to_string());
        }
        if let Some(shift) = self.shift {
            let start = if self.reversed { "Then" } else { "First" };
            sentences.push(format!(
                "{start} each digit is moved up by {shift}, and of ten or more only the last digit is kept."
            ));
        }
        let start = match self.writing {
            Writing::Sums => "In square brackets",
            _ => "In the terms in code",
        };
        let called = match self.writing {
            Writing::Planets => "as a planet",
            Writing::Sums => {
                "as the sum of the character codes of its planet's name in small letters, \
                 where the planets from Sun to Pluto are the digits from nought to nine"
            }
            Writing::Md5 => "as its MD5 digest",
        };
        let list: Vec<String> = (0..10).map(|digit| format!("{digit} is {}", self.word(digit))).collect();
        sentences.push(format!("{start} each digit is written {called}: {}.", list.join(", ")));
        sentences.join(" ")
    }
}
