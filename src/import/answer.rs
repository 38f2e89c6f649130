//! An answer as a source spells it, to the index of an ending.

use serde_json::Value;

use super::record::{Record, kind_of, short};

/// How an answer may point at its choice, other than by an index that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// By its text: `True`. Digits are text.
    Text,
    /// By its text or its letter: `B`, `B)`, `(B)`.
    Letter,
    /// By its text, its letter, or its index from 0 in digits. The text goes first.
    Any,
    /// As [`Style::Any`]; the index goes first.
    IndexFirst,
}

impl Record {
    /// The index of the right choice. Leaves a defect where there is none, and where it is spelt otherwise than the choice.
    pub(super) fn answer(&mut self, value: &Value, field: &str, choices: &[String], style: Style) -> Option<usize> {
        match value {
            Value::Null => self.hidden(field),
            Value::Number(number) => match number.as_i64() {
                Some(-1) => self.hidden(field),
                Some(index) if style != Style::Text => {
                    self.in_range(usize::try_from(index).ok(), field, value, choices)
                }
                _ => self.unknown(field, &value.to_string(), choices),
            },
            Value::String(text) if text.trim().is_empty() || text.trim() == "-1" => self.hidden(field),
            Value::String(text) => self.answer_text(text, field, choices, style),
            Value::Bool(truth) => self.answer_text(&truth.to_string(), field, choices, style),
            other => {
                self.flag("wrong-type", field, format!("must be an answer, is {}", kind_of(other)));
                None
            }
        }
    }

    fn answer_text(&mut self, text: &str, field: &str, choices: &[String], style: Style) -> Option<usize> {
        let exact = choices.iter().position(|choice| choice == text);
        let index = match style {
            Style::Any | Style::IndexFirst => text.trim().parse::<usize>().ok(),
            _ => None,
        };
        let pointed = match style {
            Style::Text => None,
            _ => index.or_else(|| letter(text)),
        };
        if let (Some(exact), Some(pointed)) = (exact, pointed.filter(|i| *i < choices.len()))
            && exact != pointed
        {
            let taken = if style == Style::IndexFirst { pointed } else { exact };
            let message =
                format!("`{text}` is the text of choice {exact} and points at choice {pointed}; {taken} is taken");
            self.flag("ambiguous-label", field, message);
            return Some(taken);
        }
        if exact.is_some() {
            return exact;
        }
        // Digits that are no index may still be the text of a choice that is spelt a little otherwise.
        if let Some(pointed) = pointed.filter(|i| *i < choices.len()) {
            return Some(pointed);
        }
        let wanted = key(text);
        let mut loose = choices.iter().enumerate().filter(|(_, choice)| key(choice) == wanted).map(|(i, _)| i);
        if let (Some(found), None) = (loose.next(), loose.next()) {
            let message = format!("`{}` stands for `{}`", short(text), short(&choices[found]));
            self.flag("label-spelling", field, message);
            return Some(found);
        }
        match pointed {
            Some(_) => self.in_range(pointed, field, &Value::from(text), choices),
            None => self.unknown(field, text, choices),
        }
    }

    fn in_range(&mut self, index: Option<usize>, field: &str, value: &Value, choices: &[String]) -> Option<usize> {
        let found = index.filter(|i| *i < choices.len());
        if found.is_none() {
            let message = format!("is {value}, of {} choices; indices count from 0", choices.len());
            self.flag("label-out-of-range", field, message);
        }
        found
    }

    fn hidden(&mut self, field: &str) -> Option<usize> {
        self.flag("hidden-label", field, "the answer is not given");
        None
    }

    fn unknown(&mut self, field: &str, text: &str, choices: &[String]) -> Option<usize> {
        let known: Vec<String> = choices.iter().take(8).map(|choice| format!("`{}`", short(choice))).collect();
        self.flag("unknown-label", field, format!("`{}` is none of {}", short(text), known.join(", ")));
        None
    }
}

/// `B`, `b)`, `(B)`, `B.`: the index of a letter.
pub(super) fn letter(text: &str) -> Option<usize> {
    let inner = text.trim().trim_start_matches('(').trim_end_matches([')', '.', ':']);
    let mut chars = inner.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_ascii_alphabetic() => Some(usize::from(c.to_ascii_uppercase() as u8 - b'A')),
        _ => None,
    }
}

/// What two spellings of one answer share: its letters and digits, in lower case, and a point or sign within a number.
pub(super) fn key(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |i: usize| chars.get(i).is_some_and(char::is_ascii_digit);
    let keep = |i: usize, c: char| {
        c.is_alphanumeric()
            || (c == '.' && i > 0 && digit(i - 1) && digit(i + 1))
            || (c == '-' && digit(i + 1) && (i == 0 || !chars[i - 1].is_alphanumeric()))
    };
    chars.iter().enumerate().filter(|(i, c)| keep(*i, **c)).flat_map(|(_, c)| c.to_lowercase()).collect()
}

/// Options without their letters, as `A) True` is written: `True`. Where they are not lettered in order, as they are.
pub(super) fn unlettered(options: &[String]) -> Vec<String> {
    let strip = |(i, option): (usize, &String)| -> Option<String> {
        let (head, rest) = option.split_once([')', '.', ':'])?;
        (head.trim_start_matches('(').len() == 1 && letter(head) == Some(i)).then(|| rest.trim().to_string())
    };
    let stripped: Option<Vec<String>> = options.iter().enumerate().map(strip).collect();
    stripped.unwrap_or_else(|| options.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_answer_share_a_key() {
        for (a, b) in [("Brother ", "brother"), ("Sister-in-law\"", "Sister in law"), ("4.64\u{a0}km", "4.64 km")] {
            assert_eq!(key(a), key(b));
        }
        for (a, b) in [("4.64 km", "464 km"), ("-9", "9"), ("Aunt", "Uncle")] {
            assert_ne!(key(a), key(b));
        }
    }

    #[test]
    fn letters_come_off_only_where_all_are_lettered_in_order() {
        let options = |list: &[&str]| unlettered(&list.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(options(&["A) True", "B) False"]), ["True", "False"]);
        assert_eq!(options(&["(A) x", "(B) y"]), ["x", "y"]);
        assert_eq!(options(&["A) x", "C) y"]), ["A) x", "C) y"]);
        assert_eq!(options(&["A cat", "A dog"]), ["A cat", "A dog"]);
    }
}
