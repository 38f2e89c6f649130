//! Proves an item again from its English: reads every sentence, and decides with the prover what they say of the statement.

use std::time::Duration;

use serde_json::Value;

use crate::item::Item;
use crate::logic::{Formula, Limits, Relation, Term, Verdict as Says, derive, equivalent, parse, prove};
use crate::logicmark::english::read::sentence;
use crate::logicmark::{Signature, Verdict};

/// The longest text that is read, in bytes.
const LONGEST: usize = 40_000;
/// The deepest derivation that is looked for.
const DEEPEST: u32 = 12;

/// What the text says.
struct Text {
    premises: Vec<Formula>,
    statement: Formula,
}

fn limits() -> Limits {
    Limits { time: Duration::from_secs(10), ..Limits::default() }
}

/// The checker of the task.
pub(super) fn check(item: &Item) -> Verdict {
    let text = match read(item) {
        Ok(text) => text,
        Err(reason) => return Verdict::Unchecked(reason),
    };
    if !["base", "obfuscated"].contains(&item.variant.as_str()) {
        return Verdict::Unchecked(format!("variant `{}` is not known; known: `base`, `obfuscated`", item.variant));
    }
    let says = match verdict(&text) {
        Ok(says) => says,
        Err(reason) => return reason,
    };
    match compare(item, &text, says) {
        Ok(()) => Verdict::Proved,
        Err(reason) => Verdict::False(reason),
    }
}

/// Reads context and question.
fn read(item: &Item) -> Result<Text, String> {
    let question = item.question.as_ref().ok_or("there is no `question`")?;
    if item.context.len() + question.len() > LONGEST {
        return Err(format!("the text is longer than {LONGEST} bytes"));
    }
    let (asked, statement) = question.split_once("? ").ok_or("the question is not `…? STATEMENT.`")?;
    const ASKED: [&str; 3] = [
        "Is the following statement true, false or unknown",
        "Judge this statement by what is known: is it true, false or unknown",
        "By what has been said, is this true, false or unknown",
    ];
    if !ASKED.contains(&asked) {
        return Err(format!("`{asked}?` does not ask whether a statement is true, false or unknown"));
    }
    let statement = sentence(statement.trim().strip_suffix('.').ok_or("the statement does not end in a full stop")?)?;
    let body = item.context.trim().strip_suffix('.').ok_or("`context` does not end in a full stop")?;
    let mut sentences = body.split(". ");
    let opening = sentences.next().unwrap_or_default();
    let known = ["The following is known about ", "This is all that is known about ", "What follows is true of "];
    let about = known.iter().find_map(|start| opening.strip_prefix(start));
    if !about.is_some_and(|about| {
        about.split(' ').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase()))
    }) {
        return Err(format!("`{opening}` does not say whom the context is about"));
    }
    let premises = sentences.map(sentence).collect::<Result<Vec<_>, _>>()?;
    if premises.is_empty() {
        return Err("`context` states nothing".to_string());
    }
    arities(premises.iter().chain([&statement]))?;
    Ok(Text { premises, statement })
}

/// A word that is used with one argument and with two has two meanings.
fn arities<'a>(formulas: impl Iterator<Item = &'a Formula>) -> Result<(), String> {
    let mut known = std::collections::BTreeMap::new();
    for formula in formulas {
        let mut clash = None;
        visit(formula, &mut |name, args| {
            if *known.entry(name.to_string()).or_insert(args.len()) != args.len() {
                clash = Some(name.to_string());
            }
        });
        if let Some(name) = clash {
            return Err(format!("`{name}` is used of one and of two"));
        }
    }
    Ok(())
}

fn visit(formula: &Formula, found: &mut dyn FnMut(&str, &[Term])) {
    match formula {
        Formula::Pred(name, args) => found(name, args),
        Formula::Not(part) | Formula::ForAll(_, part) | Formula::Exists(_, part) => visit(part, found),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| visit(part, found)),
        Formula::Xor(a, b) | Formula::Implies(a, b) | Formula::Iff(a, b) => {
            visit(a, found);
            visit(b, found);
        }
        Formula::True | Formula::False | Formula::Eq(..) => {}
    }
}

/// What the premises say of the statement, on evidence that is checked apart from the search.
fn verdict(text: &Text) -> Result<Says, Verdict> {
    let answer =
        prove(&text.premises, &text.statement, &limits()).map_err(|fault| Verdict::Unchecked(fault.message.clone()))?;
    answer
        .check(&text.premises, &text.statement)
        .map_err(|bad| Verdict::Unchecked(format!("the evidence does not bear the verdict out: {bad}")))?;
    match answer.verdict {
        Says::Inconsistent => Err(Verdict::False("the premises contradict each other".to_string())),
        Says::Undecided => Err(Verdict::Unchecked("what follows was not found out in time".to_string())),
        says => Ok(says),
    }
}

fn compare(item: &Item, text: &Text, says: Says) -> Result<(), String> {
    if item.endings != super::ENDINGS {
        return Err(format!("`endings` are not {:?}", super::ENDINGS));
    }
    let right = match says {
        Says::Entailed => 0,
        Says::Contradicted => 1,
        _ => 2,
    };
    if item.label != right {
        return Err(format!(
            "by the text the statement is `{}`, not `{}`",
            super::ENDINGS[right],
            item.endings[item.label]
        ));
    }
    let certificate = item.certificate.as_ref();
    if let Some(claim) = certificate.and_then(|c| c.get("claim"))
        && claim.as_str() != Some(super::ENDINGS[right].to_lowercase().as_str())
    {
        return Err("certificate: `claim` is not the labelled ending".to_string());
    }
    depth(item, text, says, certificate)?;
    if item.variant == "base" {
        return if item.extra_hops == 0 {
            Ok(())
        } else {
            Err("`extra_hops` is not 0, but a base item adds none".to_string())
        };
    }
    rewrites(item, text, certificate)
}

/// The number of steps, exactly; of an open statement, with the premise that the certificate says is missing.
fn depth(item: &Item, text: &Text, says: Says, certificate: Option<&Value>) -> Result<(), String> {
    let denied = Formula::not(text.statement.clone());
    let steps = |premises: &[Formula], conclusion: &Formula| {
        let found =
            derive::shortest(premises, conclusion, DEEPEST as usize, &limits()).map_err(|fault| fault.message)?;
        Ok::<_, String>(found.derivation().map(|derivation| derivation.count as u32))
    };
    let found = match says {
        Says::Entailed => steps(&text.premises, &text.statement)?,
        Says::Contradicted => steps(&text.premises, &denied)?,
        _ => {
            let Some(missing) = certificate.and_then(|c| c.get("missing")) else { return Ok(()) };
            let missing = missing
                .as_str()
                .and_then(|text| text.strip_suffix('.'))
                .ok_or("certificate: `missing` is no sentence")?;
            let mut premises = text.premises.clone();
            premises.push(sentence(missing).map_err(|reason| format!("certificate: {reason}"))?);
            match (steps(&premises, &text.statement)?, steps(&premises, &denied)?) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            }
        }
    };
    match found {
        Some(found) if found == item.hops => Ok(()),
        Some(found) => Err(format!("`hops` is {} but the shortest derivation has {found} steps", item.hops)),
        None => Err(format!("`hops` is {} but no derivation of at most {DEEPEST} steps was found", item.hops)),
    }
}

/// Every sentence says what its base premise says, and as many rewrites are named as there are extra hops.
fn rewrites(item: &Item, text: &Text, certificate: Option<&Value>) -> Result<(), String> {
    if item.extra_hops == 0 {
        return Err("`extra_hops` is 0, but a rewritten item adds some".to_string());
    }
    let Some(certificate) = certificate else { return Ok(()) };
    let list = |name: &str| certificate.get(name).and_then(Value::as_array);
    let (Some(base), Some(names)) = (list("base"), list("rewrites")) else {
        return Err("certificate: `base` and `rewrites` are not two lists".to_string());
    };
    if base.len() != text.premises.len() || names.len() != base.len() {
        return Err(format!("certificate: {} base premises for {} sentences", base.len(), text.premises.len()));
    }
    let mut count = 0;
    for (at, (base, premise)) in base.iter().zip(&text.premises).enumerate() {
        let formula =
            base.as_str().and_then(|text| parse(text, None).ok()).ok_or("certificate: a base premise is no formula")?;
        let relation = equivalent(&formula.formula, premise, &limits()).map_err(|fault| fault.message)?.0;
        if relation != Relation::Equivalent {
            return Err(format!("sentence {} of the context does not say what its base premise says", at + 1));
        }
        count += names[at].as_array().map_or(0, Vec::len) as u32;
    }
    if count != item.extra_hops {
        return Err(format!("`extra_hops` is {} but {count} rewrites are named", item.extra_hops));
    }
    Ok(())
}

/// The theory and the statement up to the names of predicates and individuals and the order of premises: every symbol is
/// known by the places in which it stands, and by the symbols beside it, ever further away.
pub(super) fn signature(item: &Item) -> Result<Signature, String> {
    let text = read(item)?;
    let all: Vec<&Formula> = text.premises.iter().chain([&text.statement]).collect();
    let mut colours: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for _ in 0..6 {
        let mut next: std::collections::BTreeMap<String, Vec<String>> = std::collections::BTreeMap::new();
        for (at, formula) in all.iter().enumerate() {
            let asked = at + 1 == all.len();
            let whole = shape(formula, &colours, None);
            visit(formula, &mut |name, args| {
                let constants = args
                    .iter()
                    .filter_map(|term| if let Term::App(name, _) = term { Some(name.as_ref()) } else { None });
                for symbol in std::iter::once(name).chain(constants) {
                    let here = shape(formula, &colours, Some(symbol));
                    next.entry(symbol.to_string()).or_default().push(format!("{asked}{whole}{here}"));
                }
            });
        }
        colours = next
            .into_iter()
            .map(|(name, mut places)| {
                places.sort();
                (name, blake3::hash(places.join("|").as_bytes()).to_hex()[..16].to_string())
            })
            .collect();
    }
    let mut shapes: Vec<String> = text.premises.iter().map(|formula| shape(formula, &colours, None)).collect();
    shapes.sort();
    shapes.push(shape(&text.statement, &colours, None));
    let structure = blake3::hash(shapes.join("|").as_bytes()).to_hex()[..32].to_string();
    Ok(Signature { structure, instance: String::new() })
}

/// A formula with its symbols replaced by their colours, one of them marked.
fn shape(formula: &Formula, colours: &std::collections::BTreeMap<String, String>, marked: Option<&str>) -> String {
    let colour = |name: &str| {
        let mark = if marked == Some(name) { "!" } else { "" };
        format!("{mark}{}", colours.get(name).map_or("", String::as_str))
    };
    let inner = |part: &Formula| shape(part, colours, marked);
    // The order of the parts of conjunctions and disjunctions is no part of the shape.
    let sorted = |parts: Vec<String>| {
        let mut parts = parts;
        parts.sort();
        parts.join(",")
    };
    match formula {
        Formula::Pred(name, args) => {
            let args: Vec<String> = args
                .iter()
                .map(|term| match term {
                    Term::Var(name) => name.to_string(),
                    Term::App(name, _) => colour(name),
                })
                .collect();
            format!("{}({})", colour(name), args.join(","))
        }
        Formula::Not(part) => format!("¬{}", inner(part)),
        Formula::And(parts) => format!("∧[{}]", sorted(parts.iter().map(inner).collect())),
        Formula::Or(parts) => format!("∨[{}]", sorted(parts.iter().map(inner).collect())),
        Formula::Xor(a, b) => format!("⊕[{}]", sorted(vec![inner(a), inner(b)])),
        Formula::Iff(a, b) => format!("↔[{}]", sorted(vec![inner(a), inner(b)])),
        Formula::Implies(a, b) => format!("→[{},{}]", inner(a), inner(b)),
        Formula::ForAll(name, part) => format!("∀{name}{}", inner(part)),
        Formula::Exists(name, part) => format!("∃{name}{}", inner(part)),
        Formula::True => "⊤".to_string(),
        Formula::False => "⊥".to_string(),
        Formula::Eq(..) => "=".to_string(),
    }
}
