//! Reworded sentences in their plain form, by what they mean.

use crate::logic::{Formula, Term};
use crate::logicmark::english::read::sentence;

/// The context with every sentence in its plain form: `Every NOUN is a NOUN.`, `NAME is a NOUN.`
pub(super) fn plain(context: &str) -> Result<String, String> {
    let (body, last) = context.trim_end().rsplit_once('.').ok_or("no sentence ends in a full stop")?;
    let sentences = body.split('.').map(one).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("{}{last}", sentences.join(" ")))
}

fn one(text: &str) -> Result<String, String> {
    let formula = sentence(text)?;
    let mut symbols = Symbols::default();
    symbols.collect(&formula).ok_or_else(|| format!("`{}` is about more than nouns of one thing", text.trim()))?;
    let unlike = || format!("`{}` is equivalent to no rule and no fact", text.trim());
    match (&symbols.names[..], &symbols.nouns[..]) {
        ([name], [noun]) => {
            // Of one thing it can only be said that it is one of these, or is not.
            let says = |truth: bool| holds(&formula, &[u8::from(truth)], None);
            if says(true) && !says(false) { Ok(format!("{name} is a {noun}.")) } else { Err(unlike()) }
        }
        ([], [a, b]) => {
            for (from, to, bad) in [(a, b, 0b01), (b, a, 0b10)] {
                // Kinds of things by which of the two nouns apply to them: the rule forbids one kind and no other.
                let as_rule = (1..16_u32).all(|some| {
                    let kinds: Vec<u8> = (0..4).filter(|kind| some >> kind & 1 == 1).collect();
                    holds(&formula, &kinds, Some((a, b))) != kinds.contains(&bad)
                });
                if as_rule {
                    return Ok(format!("Every {from} is a {to}."));
                }
            }
            Err(unlike())
        }
        _ => Err(unlike()),
    }
}

/// The names and the nouns of a formula, each once.
#[derive(Default)]
struct Symbols {
    names: Vec<String>,
    nouns: Vec<String>,
}

impl Symbols {
    fn collect(&mut self, formula: &Formula) -> Option<()> {
        let add = |list: &mut Vec<String>, name: &str| {
            if !list.iter().any(|known| known == name) {
                list.push(name.to_string());
            }
        };
        match formula {
            Formula::Pred(noun, args) => {
                let [term] = &args[..] else { return None };
                add(&mut self.nouns, noun);
                if let Term::App(name, _) = term {
                    add(&mut self.names, name);
                }
                Some(())
            }
            Formula::Not(part) | Formula::ForAll(_, part) | Formula::Exists(_, part) => self.collect(part),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().try_for_each(|part| self.collect(part)),
            Formula::Implies(a, b) | Formula::Xor(a, b) | Formula::Iff(a, b) => {
                self.collect(a)?;
                self.collect(b)
            }
            Formula::True | Formula::False | Formula::Eq(..) => None,
        }
    }
}

/// Whether a formula of one variable at a time holds where things of just these kinds exist. A kind is a bit for each of
/// two nouns; of a name there is one thing and one noun.
fn holds(formula: &Formula, kinds: &[u8], nouns: Option<(&String, &String)>) -> bool {
    of(formula, kinds, nouns, kinds.first().copied().unwrap_or_default())
}

fn of(formula: &Formula, kinds: &[u8], nouns: Option<(&String, &String)>, thing: u8) -> bool {
    let part = |part: &Formula| of(part, kinds, nouns, thing);
    match formula {
        Formula::Pred(noun, _) => {
            let bit = nouns.is_none_or(|(first, _)| **noun == **first);
            thing & if bit { 1 } else { 2 } != 0
        }
        Formula::Not(inner) => !part(inner),
        Formula::And(parts) => parts.iter().all(part),
        Formula::Or(parts) => parts.iter().any(part),
        Formula::Implies(a, b) => !part(a) || part(b),
        Formula::Xor(a, b) => part(a) != part(b),
        Formula::Iff(a, b) => part(a) == part(b),
        Formula::ForAll(_, body) => kinds.iter().all(|kind| of(body, kinds, nouns, *kind)),
        Formula::Exists(_, body) => kinds.iter().any(|kind| of(body, kinds, nouns, *kind)),
        Formula::True => true,
        Formula::False | Formula::Eq(..) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn what_is_equivalent_to_a_rule_or_a_fact_and_what_is_not() {
        for (text, expected) in [
            (
                "Nothing that is not a lompet is a gorvet. Therefore, Rex is a",
                "Every gorvet is a lompet. Therefore, Rex is a",
            ),
            (
                "It is not the case that Rex is not a gorvet. Therefore, Rex is a",
                "Rex is a gorvet. Therefore, Rex is a",
            ),
            (
                "It is not the case that there is something that is a gorvet and is not a lompet. Therefore, Rex is a",
                "Every gorvet is a lompet. Therefore, Rex is a",
            ),
        ] {
            assert_eq!(plain(text).as_deref(), Ok(expected));
        }
        for text in [
            "Nothing that is a lompet is a gorvet. Therefore, Rex is a",
            "Rex is not a gorvet. Therefore, Rex is a",
            "Something is a gorvet if and only if it is a lompet. Therefore, Rex is a",
            "Everything is a gorvet. Therefore, Rex is a",
            "There is something that is a gorvet and is a lompet. Therefore, Rex is a",
        ] {
            assert!(plain(text).is_err(), "{text}");
        }
    }
}
