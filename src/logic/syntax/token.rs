//! Characters to tokens, each with its column. A character that is no token becomes one of its own, so that the parser
//! can say what stood before it.

use super::dialect::{Dialect, Sign};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Name(String),
    Sign(Sign),
    Bad(char),
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    /// 1-based, in characters.
    pub column: usize,
    /// One past its last character, 1-based.
    pub end: usize,
}

pub(super) fn tokens(text: &str, dialect: &Dialect) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        let (kind, length) = if c.is_alphanumeric() || c == '_' {
            let length = name_length(&chars[at..], dialect.loose_names);
            let name: String = chars[at..at + length].iter().collect();
            match dialect.words.iter().find(|(word, _)| *word == name) {
                Some((_, sign)) => (Kind::Sign(*sign), length),
                None => (Kind::Name(name), length),
            }
        } else {
            let found = dialect.symbols.iter().find(|(symbol, _)| {
                symbol.chars().enumerate().all(|(i, expected)| chars.get(at + i) == Some(&expected))
            });
            match found {
                Some((symbol, sign)) => (Kind::Sign(*sign), symbol.chars().count()),
                None => (Kind::Bad(c), 1),
            }
        };
        out.push(Token { kind, column: at + 1, end: at + length + 1 });
        at += length;
    }
    out
}

/// How many characters belong to the name at the start of `chars`.
fn name_length(chars: &[char], loose: bool) -> usize {
    // A combining accent belongs to the letter before it.
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || ('\u{300}'..='\u{36f}').contains(&c);
    let mut length = 1;
    while let Some(&c) = chars.get(length) {
        let goes_on = match c {
            '’' => loose,
            // A hyphen joins two parts; at the end of a name it is something else.
            '-' => loose && chars.get(length + 1).is_some_and(|&next| inside(next)),
            _ => inside(c),
        };
        if !goes_on {
            break;
        }
        length += 1;
    }
    length
}
