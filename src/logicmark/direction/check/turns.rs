//! Turns in words, and rules that give them.

use std::collections::BTreeMap;

use super::grammar::matches;

/// Quarter turns clockwise that the words after `turns` tell.
pub(super) fn turn(text: &[String]) -> Result<u8, String> {
    let joined = text.join(" ");
    let quarters = match joined.as_str() {
        "left" => Some(3),
        "right" => Some(1),
        "round" => Some(2),
        _ => None,
    };
    if let Some(quarters) = quarters {
        return Ok(quarters);
    }
    let unread = || format!("`turns {joined}` is no turn by quarters");
    let way = |clockwise: i64, word: &str| match word {
        "clockwise" => Ok(clockwise.rem_euclid(4) as u8),
        "anticlockwise" => Ok((-clockwise).rem_euclid(4) as u8),
        _ => Err(unread()),
    };
    if let Some(caught) = matches("{number} degrees {word}", text) {
        let degrees = caught.number(0)?;
        return if degrees % 90 == 0 { way(degrees / 90, &caught.text(1)) } else { Err(unread()) };
    }
    if let Some(caught) = matches("clockwise , as the hand of a clock goes from {number} to {number}", text) {
        let (from, to) = (caught.number(0)?, caught.number(1)?);
        let hours = (to - from).rem_euclid(12);
        let on_the_face = (1..=12).contains(&from) && (1..=12).contains(&to);
        return if on_the_face && hours % 3 == 0 { Ok((hours / 3) as u8) } else { Err(unread()) };
    }
    for (phrase, quarters) in [("a quarter", 1), ("a half", 2), ("three quarters", 3)] {
        if let Some(caught) = matches(&format!("{{word}} by {phrase} of a circle"), text) {
            return way(quarters, &caught.text(0));
        }
    }
    Err(unread())
}

/// What signs mean: of each, the quarter turns clockwise.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule(BTreeMap<String, u8>);

impl Rule {
    /// Reads `at a red flag she turns left; at a blue flag …`, and who it is for.
    pub(super) fn read(text: &[String]) -> Result<(Self, String), String> {
        let mut rule = Rule::default();
        let mut who = None;
        for case in text.split(|word| word == ";") {
            let joined = case.join(" ");
            let unread = || format!("`{joined}` is no case of a rule");
            let (caught, turn) = match matches("at a {word} {word} {any} goes straight on", case) {
                Some(caught) => (caught, 0),
                None => {
                    let caught = matches("at a {word} {word} {any} turns {word}", case).ok_or_else(unread)?;
                    let turn = turn(caught.words(3))?;
                    (caught, turn)
                }
            };
            let subject = caught.text(2);
            if who.get_or_insert_with(|| subject.clone()) != &subject {
                return Err(format!("the rule is for `{subject}` here, and for another before"));
            }
            let sign = format!("{} {}", caught.text(0), caught.text(1));
            if rule.0.insert(sign.clone(), turn).is_some() {
                return Err(format!("the rule says twice what to do at a {sign}"));
            }
        }
        who.map(|who| (rule, who)).ok_or_else(|| "the rule has no case".to_string())
    }

    /// What a sign means.
    pub(super) fn turn(&self, sign: &str) -> Result<u8, String> {
        self.0.get(sign).copied().ok_or_else(|| format!("no rule says what to do at a {sign}"))
    }
}

#[cfg(test)]
mod tests {
    fn parse(text: &str) -> Result<u8, String> {
        super::turn(&super::super::grammar::words(text))
    }

    #[test]
    fn turns_by_hand() {
        for (text, quarters) in [
            ("left", 3),
            ("right", 1),
            ("round", 2),
            ("90 degrees clockwise", 1),
            ("270 degrees anticlockwise", 1),
            ("180 degrees anticlockwise", 2),
            ("clockwise, as the hand of a clock goes from 11 to 2", 1),
            ("clockwise, as the hand of a clock goes from 3 to 12", 3),
            ("clockwise by three quarters of a circle", 3),
            ("anticlockwise by a quarter of a circle", 3),
        ] {
            assert_eq!(parse(text), Ok(quarters), "{text}");
        }
        for text in [
            "up",
            "45 degrees clockwise",
            "clockwise, as the hand of a clock goes from 1 to 3",
            "by a quarter of a circle",
            "",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
