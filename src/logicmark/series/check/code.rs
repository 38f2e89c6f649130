//! Codes: how digits are written, as the text itself says, and what the text's words promise of them.

use md5::{Digest, Md5};

/// The planets in the order of their digits.
const PLANETS: [&str; 10] =
    ["Sun", "Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune", "Pluto"];

/// What is done to the digits before they are written in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// Their order is reversed.
    Reverse,
    /// So much is added to each, tens dropped.
    Shift(u32),
}

/// A code that the text describes.
#[derive(Clone, Debug)]
pub(super) struct Code {
    /// Before the digits are written.
    pub(super) layers: Vec<Layer>,
    /// The code word of each digit, as the text lists them.
    words: Vec<String>,
    /// Layers in all: those before, and those of the writing itself.
    pub(super) depth: u32,
}

/// What the text calls the writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writing {
    Planets,
    Sums,
    Md5,
}

impl Code {
    /// A code from the list in the text; an error where the list is not what its name says, or two digits share a word.
    pub(super) fn new(writing: Writing, words: Vec<String>, layers: Vec<Layer>) -> Result<Self, String> {
        if words.len() != 10 {
            return Err(format!("the code lists {} digits, not ten", words.len()));
        }
        for (digit, word) in words.iter().enumerate() {
            let right = match writing {
                Writing::Planets => PLANETS[digit].to_string(),
                Writing::Sums => {
                    let sum: u32 = PLANETS[digit].to_lowercase().bytes().map(u32::from).sum();
                    sum.to_string()
                }
                Writing::Md5 => Md5::digest(digit.to_string()).iter().map(|byte| format!("{byte:02x}")).collect(),
            };
            if *word != right {
                return Err(format!("the code says that {digit} is `{word}`, but it is `{right}`"));
            }
            if words[..digit].contains(word) {
                return Err(format!("the code word `{word}` stands for two digits"));
            }
        }
        // Sums of codes are two steps: the planet, then its letters.
        let depth = layers.len() as u32 + if writing == Writing::Sums { 2 } else { 1 };
        Ok(Code { layers, words, depth })
    }

    /// The number that a coded term stands for; `None` if it is not written in this code.
    pub(super) fn decode(&self, term: &str) -> Option<i64> {
        let (negative, term) = match term.strip_prefix("minus ") {
            Some(rest) => (true, rest),
            None => (false, term),
        };
        let mut digits: Vec<u32> = term
            .split(' ')
            .map(|word| self.words.iter().position(|known| known == word).map(|digit| digit as u32))
            .collect::<Option<_>>()?;
        if digits.is_empty() || digits.len() > 7 {
            return None;
        }
        for layer in self.layers.iter().rev() {
            match layer {
                Layer::Reverse => digits.reverse(),
                Layer::Shift(by) => digits.iter_mut().for_each(|digit| *digit = (*digit + 10 - by % 10) % 10),
            }
        }
        // A number does not begin with a nought.
        if digits.len() > 1 && digits[0] == 0 {
            return None;
        }
        let value = digits.iter().fold(0, |value, digit| 10 * value + i64::from(*digit));
        Some(if negative { -value } else { value })
    }
}
