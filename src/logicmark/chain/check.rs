//! Proves an item again from its English, and from nothing else.
//!
//! The context is parsed to facts and rules (any words will do: no vocabulary is consulted), everything that follows
//! for the person is derived breadth first, and the label, the depth and the certificate are held against it. Nothing
//! here is shared with the generator.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::plain::plain;
use crate::item::Item;
use crate::logicmark::{Signature, Verdict};

/// What the context states: who is what, what is what, and whom the last, unfinished sentence is about.
#[derive(Debug, Default)]
struct Theory<'a> {
    facts: BTreeSet<(&'a str, &'a str)>,
    rules: BTreeSet<(&'a str, &'a str)>,
    subject: &'a str,
}

/// How a noun is reached: the fewest rules it takes, and in how many ways it can be done with so few.
#[derive(Clone, Copy)]
struct Reach {
    rules: u32,
    ways: u64,
}

/// The checker of the task.
pub(super) fn check(item: &Item) -> Verdict {
    if item.question.is_some() {
        return Verdict::Unchecked("the item has a `question`; the question must be the end of `context`".to_string());
    }
    let unread = |reason: String| Verdict::Unchecked(format!("`context` cannot be read: {reason}"));
    let plain = match item.variant.as_str() {
        "base" => item.context.clone(),
        "obfuscated" => match plain(&item.context) {
            Ok(plain) => plain,
            Err(reason) => return unread(reason),
        },
        other => {
            return Verdict::Unchecked(format!("variant `{other}` is not known; known: `base`, `obfuscated`"));
        }
    };
    let theory = match parse(&plain) {
        Ok(theory) => theory,
        Err(reason) => return unread(reason),
    };
    let proved = check_answer(item, &theory).and_then(|()| match &item.certificate {
        Some(certificate) => check_certificate(item, &theory, certificate),
        None => Ok(()),
    });
    match proved.and_then(|()| check_rewrites(item)) {
        Ok(()) => Verdict::Proved,
        Err(reason) => Verdict::False(reason),
    }
}

/// As many rewrites are named as there are extra hops: none of a base item.
fn check_rewrites(item: &Item) -> Result<(), String> {
    if item.variant == "base" {
        return match item.extra_hops {
            0 => Ok(()),
            extra => Err(format!("`extra_hops` is {extra} but a base item adds none")),
        };
    }
    let named = item.certificate.as_ref().and_then(|c| c.get("rewrites"));
    let count = |list: &Value| {
        list.as_array().map(|steps| steps.iter().filter_map(Value::as_array).map(Vec::len).collect::<Vec<_>>())
    };
    match named.map(count) {
        None if item.certificate.is_none() && item.extra_hops > item.hops => Ok(()),
        None if item.certificate.is_none() => {
            Err(format!("`extra_hops` is {}, less than one for each sentence of the derivation", item.extra_hops))
        }
        Some(Some(counts)) if counts.len() == item.hops as usize + 1 && !counts.contains(&0) => {
            let sum: usize = counts.iter().sum();
            if sum == item.extra_hops as usize {
                Ok(())
            } else {
                Err(format!("`extra_hops` is {} but {sum} rewrites are named", item.extra_hops))
            }
        }
        _ => Err("certificate: `rewrites` does not list some for the fact and each rule".to_string()),
    }
}

/// The theory up to the names of people and nouns: each noun is known by what leads to it and from it, ever further away.
pub(super) fn signature(item: &Item) -> Result<Signature, String> {
    let theory = parse(&item.context)?;
    let nouns: BTreeSet<&str> =
        theory.rules.iter().flat_map(|&(a, b)| [a, b]).chain(theory.facts.iter().map(|f| f.1)).collect();
    let mut seen: BTreeMap<&str, String> = nouns
        .iter()
        .map(|&noun| {
            let whose: Vec<bool> = theory.facts.iter().filter(|f| f.1 == noun).map(|f| f.0 == theory.subject).collect();
            (noun, format!("{whose:?}{}", item.endings.iter().any(|ending| ending == noun)))
        })
        .collect();
    for _ in 0..nouns.len() {
        let around = |noun: &str| {
            let mut to: Vec<&String> = theory.rules.iter().filter(|r| r.0 == noun).map(|r| &seen[r.1]).collect();
            let mut from: Vec<&String> = theory.rules.iter().filter(|r| r.1 == noun).map(|r| &seen[r.0]).collect();
            to.sort();
            from.sort();
            let text = format!("{}{to:?}{from:?}", seen[noun]);
            blake3::hash(text.as_bytes()).to_hex()[..16].to_string()
        };
        seen = nouns.iter().map(|&noun| (noun, around(noun))).collect();
    }
    let mut all: Vec<&String> = seen.values().collect();
    all.sort();
    let structure = blake3::hash(format!("{all:?}").as_bytes()).to_hex()[..32].to_string();
    Ok(Signature { structure, instance: String::new() })
}

/// Exactly one ending follows, it is the labelled one, and its shortest derivation has `hops` rules and no rival.
fn check_answer(item: &Item, theory: &Theory) -> Result<(), String> {
    let reached = consequences(theory);
    let distinct: BTreeSet<&String> = item.endings.iter().collect();
    if distinct.len() != item.endings.len() {
        return Err("two `endings` are the same".to_string());
    }
    let mentioned: BTreeSet<&str> = theory
        .rules
        .iter()
        .flat_map(|&(from, to)| [from, to])
        .chain(theory.facts.iter().map(|&(_, noun)| noun))
        .collect();
    for (index, ending) in item.endings.iter().enumerate() {
        if !mentioned.contains(ending.as_str()) {
            return Err(format!("ending {index}, `{ending}`, does not occur in `context`"));
        }
        let reach = reached.get(ending.as_str());
        match (index == item.label, reach) {
            (true, None) => return Err(format!("ending {index}, `{ending}`, is labelled right but does not follow")),
            (false, Some(_)) => return Err(format!("ending {index}, `{ending}`, follows but is not the labelled one")),
            (false, None) => {}
            (true, Some(reach)) if reach.rules != item.hops => {
                return Err(format!("`hops` is {} but the shortest derivation has {} rules", item.hops, reach.rules));
            }
            (true, Some(reach)) if reach.ways != 1 => {
                return Err(format!("there are {} shortest derivations; only one is allowed", reach.ways));
            }
            (true, Some(_)) => {}
        }
    }
    Ok(())
}

/// All nouns that follow for the subject, with the length and number of their shortest derivations.
fn consequences<'a>(theory: &Theory<'a>) -> BTreeMap<&'a str, Reach> {
    let mut reached: BTreeMap<&str, Reach> = BTreeMap::new();
    let stated = theory.facts.iter().filter(|(name, _)| *name == theory.subject);
    let mut frontier: BTreeMap<&str, u64> = stated.map(|&(_, noun)| (noun, 1)).collect();
    for rules in 0.. {
        for (&noun, &ways) in &frontier {
            reached.insert(noun, Reach { rules, ways });
        }
        let mut next: BTreeMap<&str, u64> = BTreeMap::new();
        for &(from, to) in &theory.rules {
            if let Some(ways) = frontier.get(from)
                && !reached.contains_key(to)
            {
                let sum = next.entry(to).or_insert(0);
                *sum = sum.saturating_add(*ways);
            }
        }
        if next.is_empty() {
            break;
        }
        frontier = next;
    }
    reached
}

/// The certificate's premises stand in the text, each of its steps is sound, and it ends at the labelled ending.
fn check_certificate(item: &Item, theory: &Theory, certificate: &Value) -> Result<(), String> {
    let method = certificate.get("method").and_then(Value::as_str);
    if method != Some("forward-chaining") {
        return Err("certificate: `method` is not `forward-chaining`".to_string());
    }
    let claim = certificate.get("claim").and_then(Value::as_str).ok_or("certificate: `claim` is not a string")?;
    let (who, what) = fact(claim).ok_or("certificate: `claim` is not a statement `NAME is a NOUN.`")?;
    if who != theory.subject || what != item.endings[item.label] {
        return Err(format!("certificate: `claim` is `{claim}`, not the subject and the labelled ending"));
    }
    let facts = sentences(certificate, "facts")?;
    let rules = sentences(certificate, "rules")?;
    let derivation = sentences(certificate, "derivation")?;
    if certificate.get("derivation_length").and_then(Value::as_u64) != Some(u64::from(item.hops)) {
        return Err(format!("certificate: `derivation_length` is not `hops`, {}", item.hops));
    }
    if rules.len() != item.hops as usize || derivation.len() != rules.len() {
        return Err(format!(
            "certificate: {} rules and {} derivation steps, but `hops` is {}",
            rules.len(),
            derivation.len(),
            item.hops
        ));
    }
    let mut known = BTreeSet::new();
    for sentence in facts {
        let fact = fact(sentence).filter(|fact| theory.facts.contains(fact));
        known.insert(fact.ok_or_else(|| format!("certificate: fact `{sentence}` is not in the text"))?);
    }
    for (by, so) in rules.into_iter().zip(derivation) {
        let (from, to) = rule(by)
            .filter(|rule| theory.rules.contains(rule))
            .ok_or_else(|| format!("certificate: rule `{by}` is not in the text"))?;
        let (name, noun) = fact(so).ok_or_else(|| format!("certificate: `{so}` is not a statement"))?;
        if noun != to || !known.contains(&(name, from)) {
            return Err(format!("certificate: `{so}` does not follow by `{by}` from what came before"));
        }
        known.insert((name, noun));
    }
    if !known.contains(&(who, what)) {
        return Err(format!("certificate: the derivation does not arrive at `{claim}`"));
    }
    Ok(())
}

/// A list of sentences in the certificate.
fn sentences<'a>(certificate: &'a Value, field: &str) -> Result<Vec<&'a str>, String> {
    let list = certificate.get(field).and_then(Value::as_array);
    let strings = list.and_then(|list| list.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
    strings.ok_or_else(|| format!("certificate: `{field}` is not a list of sentences"))
}

/// Reads the whole context: sentences that end in a full stop, then `Therefore, NAME is a`.
fn parse(context: &str) -> Result<Theory<'_>, String> {
    let (body, last) = context.trim_end().rsplit_once('.').ok_or("no sentence ends in a full stop")?;
    let mut theory = Theory { subject: subject(last), ..Theory::default() };
    if theory.subject.is_empty() {
        return Err(format!("it ends in `{}`, not in `Therefore, NAME is a`", last.trim()));
    }
    for sentence in body.split('.') {
        let new = if let Some(rule) = rule(sentence) {
            theory.rules.insert(rule)
        } else if let Some(fact) = fact(sentence) {
            theory.facts.insert(fact)
        } else {
            return Err(format!("`{}` is neither `Every NOUN is a NOUN` nor `NAME is a NOUN`", sentence.trim()));
        };
        if !new {
            return Err(format!("`{}` is stated twice", sentence.trim()));
        }
    }
    Ok(theory)
}

/// The name in `Therefore, NAME is a`, or nothing.
fn subject(text: &str) -> &str {
    match words(text)[..] {
        ["Therefore,", name, "is", "a" | "an"] if is_name(name) => name,
        _ => "",
    }
}

/// `Every NOUN is a NOUN`, with or without the full stop.
fn rule(sentence: &str) -> Option<(&str, &str)> {
    match words(sentence.trim_end().trim_end_matches('.'))[..] {
        ["Every", from, "is", "a" | "an", to] if is_noun(from) && is_noun(to) => Some((from, to)),
        _ => None,
    }
}

/// `NAME is a NOUN`, with or without the full stop.
fn fact(sentence: &str) -> Option<(&str, &str)> {
    match words(sentence.trim_end().trim_end_matches('.'))[..] {
        [name, "is", "a" | "an", noun] if is_name(name) && is_noun(noun) => Some((name, noun)),
        _ => None,
    }
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// A capital, then small letters.
fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
}

/// Small letters.
fn is_noun(word: &str) -> bool {
    !word.is_empty() && word.chars().all(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::{consequences, parse};

    #[test]
    fn what_follows_by_hand() {
        let theory = parse(
            "Every b is a c. Ann is a a. Every a is a b. Every x is a b. Bob is a x. Every c is a d. Every a is a c. \
             Therefore, Ann is a",
        )
        .unwrap();
        let all: Vec<_> =
            consequences(&theory).into_iter().map(|(noun, reach)| (noun, reach.rules, reach.ways)).collect();
        assert_eq!(all, [("a", 0, 1), ("b", 1, 1), ("c", 1, 1), ("d", 2, 1)]);
    }

    #[test]
    fn two_ways_of_equal_length_are_counted_and_circles_end() {
        let theory = parse(
            "Ann is a a. Every a is a b. Every a is a c. Every b is a d. Every c is a d. Every d is a a. Therefore, Ann is a",
        )
        .unwrap();
        let d = consequences(&theory)["d"];
        assert_eq!((d.rules, d.ways), (2, 2));
    }

    #[test]
    fn text_of_another_form_is_refused_with_the_sentence() {
        for (text, named) in [
            ("Every a is a b. No b is a c. Therefore, Ann is a", "No b is a c"),
            ("Every a is a b. Ann is a a. So Ann is a", "So Ann is a"),
            ("Every a is a b. Every a is a b. Therefore, Ann is a", "stated twice"),
            ("Ann", "full stop"),
            ("", "full stop"),
        ] {
            let reason = parse(text).unwrap_err();
            assert!(reason.contains(named), "{reason}");
        }
    }
}
