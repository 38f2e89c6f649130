//! Reads a context: how terms are coded, and the series.

use super::code::{Code, Layer, Writing};

/// The longest text that is read, in bytes; and the most terms.
const LONGEST: usize = 20_000;
const MOST_TERMS: usize = 40;

/// A term that is shown: a number, or one written by a letter, `a·n + b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Form {
    pub(super) times: i64,
    pub(super) plus: i64,
}

/// What a context shows.
#[derive(Clone, Debug)]
pub(super) struct Series {
    /// The terms, none where the question mark stands.
    pub(super) terms: Vec<Option<Form>>,
    /// Terms in code, and layers of the code.
    pub(super) coded: u32,
    pub(super) layers: u32,
    /// Terms by a letter, if there are any: the letter.
    pub(super) letter: Option<char>,
}

/// Reads a whole context.
pub(super) fn read(context: &str) -> Result<Series, String> {
    if context.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let body = context.trim().strip_suffix('.').ok_or("it does not end in a full stop")?;
    let (mut layers, mut code, mut list, mut letter) = (Vec::new(), None, None, None);
    for sentence in body.split(". ") {
        let sentence = sentence.trim();
        let refused = |reason: String| format!("`{}`: {reason}", start(sentence));
        if let Some(layer) = layer(sentence) {
            layers.push(layer.map_err(refused)?);
        } else if let Some(told) = writing(sentence) {
            let (writing, words) = told.map_err(refused)?;
            if code.replace(Code::new(writing, words, layers.clone()).map_err(refused)?).is_some() {
                return Err(refused("a second code".to_string()));
            }
        } else if let Some(told) = any_number(sentence) {
            if letter.replace(told).is_some() {
                return Err(refused("a second letter".to_string()));
            }
        } else if let Some((before, terms)) = sentence.split_once(": ") {
            if !is_words(before) || list.replace(terms).is_some() {
                return Err(refused("a second series, or figures beside it".to_string()));
            }
        } else if !is_words(sentence) {
            return Err(refused("is not a sentence of this task".to_string()));
        }
    }
    if !layers.is_empty() && code.is_none() {
        return Err("digits are changed but no code is told".to_string());
    }
    series(list.ok_or("there is no series")?, code.as_ref(), letter)
}

fn start(text: &str) -> String {
    text.chars().take(60).collect()
}

/// A sentence that says nothing of numbers.
fn is_words(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphabetic() || " ,'()-[]".contains(c))
}

/// What is done to the digits first.
fn layer(sentence: &str) -> Option<Result<Layer, String>> {
    let rest = ["First ", "Then "].iter().find_map(|start| sentence.strip_prefix(start))?;
    if rest == "the digits of a number are put in reverse order" {
        return Some(Ok(Layer::Reverse));
    }
    let by = rest
        .strip_prefix("each digit is moved up by ")?
        .strip_suffix(", and of ten or more only the last digit is kept")?;
    let by = by.parse::<u32>().ok().filter(|by| (1..=9).contains(by));
    Some(by.map(Layer::Shift).ok_or_else(|| "digits are moved by 1 to 9".to_string()))
}

/// How digits are written: what it is called, and the list.
fn writing(sentence: &str) -> Option<Result<(Writing, Vec<String>), String>> {
    const CALLED: [(&str, Writing); 3] = [
        ("each digit is written as a planet", Writing::Planets),
        (
            "each digit is written as the sum of the character codes of its planet's name in small letters, \
             where the planets from Sun to Pluto are the digits from nought to nine",
            Writing::Sums,
        ),
        ("each digit is written as its MD5 digest", Writing::Md5),
    ];
    let (called, list) = sentence.split_once(": ")?;
    let called = ["In the terms in code ", "In square brackets ", "Then "]
        .iter()
        .find_map(|start| called.strip_prefix(start))?;
    let writing = CALLED.iter().find(|(name, _)| *name == called)?.1;
    let mut words = Vec::new();
    for (digit, entry) in list.split(", ").enumerate() {
        let Some((number, word)) = entry.split_once(" is ") else { return Some(Err(format!("`{entry}` is no entry"))) };
        if number != digit.to_string() {
            return Some(Err(format!("`{entry}` is not the entry of {digit}")));
        }
        words.push(word.to_string());
    }
    Some(Ok((writing, words)))
}

/// `Here n stands for any whole number`.
fn any_number(sentence: &str) -> Option<char> {
    let letter = sentence.strip_prefix("Here ")?.strip_suffix(" stands for any whole number")?;
    let mut chars = letter.chars();
    chars.next().filter(|c| c.is_ascii_lowercase() && chars.next().is_none())
}

fn series(list: &str, code: Option<&Code>, letter: Option<char>) -> Result<Series, String> {
    let mut series = Series { terms: Vec::new(), coded: 0, layers: code.map_or(0, |code| code.depth), letter };
    for text in list.split(", ") {
        if series.terms.len() == MOST_TERMS {
            return Err(format!("the series has more than {MOST_TERMS} terms"));
        }
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let term = if text == "?" {
            None
        } else if let Some(value) = number(text) {
            Some(Form { times: 0, plus: value })
        } else if let Some(value) = code.and_then(|code| code.decode(bare.unwrap_or(text))) {
            series.coded += 1;
            Some(Form { times: 0, plus: value })
        } else if let Some(form) = letter.and_then(|letter| form(text, letter)) {
            series.coded += 1;
            Some(form)
        } else {
            return Err(format!("`{text}` is no term that can be read"));
        };
        series.terms.push(term);
    }
    if series.terms.iter().filter(|term| term.is_none()).count() != 1 {
        return Err("the series does not have one question mark".to_string());
    }
    if letter.is_some() {
        series.layers = 1;
    }
    Ok(series)
}

/// A whole number, with `-` or `minus` before it where it is negative.
pub(super) fn number(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix("minus ").or_else(|| text.strip_prefix('-')) {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let plain = !digits.is_empty() && digits.len() <= 7 && digits.bytes().all(|b| b.is_ascii_digit());
    let nought = digits.len() > 1 && digits.starts_with('0');
    plain
        .then(|| digits.parse::<i64>().ok())
        .flatten()
        .filter(|_| !(nought || sign < 0 && digits == "0"))
        .map(|n| sign * n)
}

/// `n`, `4n`, `n + 2`, `2n - 6`.
pub(super) fn form(text: &str, letter: char) -> Option<Form> {
    let mut parts = text.split(' ');
    let (first, rest) = (parts.next()?, parts.collect::<Vec<_>>());
    let factor = first.strip_suffix(letter)?;
    let times = match factor {
        "" => 1,
        "-" => -1,
        factor => number(factor).filter(|n| n.abs() > 1)?,
    };
    let plus = match &rest[..] {
        [] => 0,
        ["+", digits] => number(digits).filter(|n| *n > 0)?,
        ["-", digits] => -number(digits).filter(|n| *n > 0)?,
        _ => return None,
    };
    Some(Form { times, plus })
}
