//! Proves an item again from its text: reads the series, decodes it by what the text says, tries the whole family of rules.

mod code;
mod family;
mod read;

use std::collections::BTreeMap;

use crate::item::Item;
use crate::logicmark::{Signature, Verdict};
use family::{Fit, all_fits};
use read::{Form, Series, form, number};

/// Values of the letter at which a series of forms is tried: a rule holds for every value if it does, with the same
/// constants, for all of these, and its answers lie on one line.
const VALUES: [i64; 3] = [3, 5, 11];

/// The checker of the task.
pub(super) fn check(item: &Item) -> Verdict {
    match solved(item) {
        Err(reason) => Verdict::Unchecked(reason),
        Ok(solved) => match compare(item, &solved) {
            Ok(()) => Verdict::Proved,
            Err(reason) => Verdict::False(reason),
        },
    }
}

/// A series and the ways in which it goes on.
struct Solved {
    series: Series,
    /// Every rule that fits, with its constants, and the missing term that it gives.
    fits: Vec<(Fit, Form)>,
}

fn solved(item: &Item) -> Result<Solved, String> {
    let question = item.question.as_deref().ok_or("there is no `question`")?;
    const QUESTIONS: [&str; 4] = [
        "Which number should replace the question mark?",
        "What belongs in the place of the question mark?",
        "Which term is hidden by the question mark?",
        "What does the question mark stand for?",
    ];
    if !QUESTIONS.contains(&question) {
        return Err(format!("the question `{question}` is not one of this task"));
    }
    let known = ["base", "planet", "ascii", "md5", "symbolic", "pipeline"];
    if !known.contains(&item.variant.as_str()) {
        return Err(format!("variant `{}` is not known; known: {}", item.variant, known.join(", ")));
    }
    let series = read::read(&item.context).map_err(|reason| format!("`context` cannot be read: {reason}"))?;
    let missing = series.terms.iter().position(Option::is_none).ok_or("there is no question mark")?;
    if missing < 2 {
        return Err("the question mark stands at the first or second place".to_string());
    }
    let fits = if series.letter.is_some() { by_letter(&series, missing) } else { at(&series, 0, missing) };
    Ok(Solved { series, fits })
}

/// Fits with the letter at a value, and the missing number.
fn at(series: &Series, value: i64, missing: usize) -> Vec<(Fit, Form)> {
    let shown: Vec<Option<i64>> = series.terms.iter().map(|term| term.map(|t| t.times * value + t.plus)).collect();
    let with = |fit: Fit| {
        let plus = fit.terms[missing];
        (fit, Form { times: 0, plus })
    };
    all_fits(&shown).into_iter().map(with).collect()
}

/// Rules that fit for every value of the letter, and the missing form.
fn by_letter(series: &Series, missing: usize) -> Vec<(Fit, Form)> {
    let mut found: BTreeMap<(String, Vec<i64>), (Fit, Vec<i64>)> = BTreeMap::new();
    for value in VALUES {
        for (fit, answer) in at(series, value, missing) {
            let key = (fit.name.clone(), fit.constants.clone());
            found.entry(key).or_insert_with(|| (fit, Vec::new())).1.push(answer.plus);
        }
    }
    let line = |(fit, answers): (Fit, Vec<i64>)| {
        let [a, b, c] = answers[..] else { return None };
        let times = (b - a) / (VALUES[1] - VALUES[0]);
        let form = Form { times, plus: a - times * VALUES[0] };
        let holds = |value: i64, answer: i64| form.times * value + form.plus == answer;
        (holds(VALUES[1], b) && holds(VALUES[2], c)).then_some((fit, form))
    };
    found.into_values().filter_map(line).collect()
}

/// The labelled ending is the only way on, by every rule of the family; no other ending is, and the depths are right.
fn compare(item: &Item, solved: &Solved) -> Result<(), String> {
    let read = |text: &String| match solved.series.letter {
        Some(letter) => form(text, letter).or_else(|| number(text).map(|plus| Form { times: 0, plus })),
        None => number(text).map(|plus| Form { times: 0, plus }),
    };
    let mut answers = Vec::new();
    for (index, ending) in item.endings.iter().enumerate() {
        let answer = read(ending).ok_or_else(|| format!("ending {index}, `{ending}`, is no term"))?;
        if answers.contains(&answer) {
            return Err(format!("ending {index}, `{ending}`, says the same as another"));
        }
        answers.push(answer);
    }
    let Some((simplest, _)) = solved.fits.iter().min_by_key(|(fit, _)| fit.order) else {
        return Err("no rule of the family fits the series".to_string());
    };
    for (fit, way_on) in &solved.fits {
        if *way_on != answers[item.label] {
            let constants: Vec<String> = fit.constants.iter().map(i64::to_string).collect();
            return Err(format!(
                "ending {}, `{}`, is labelled right, but “{}” with {} gives another term",
                item.label,
                item.endings[item.label],
                fit.name,
                constants.join(", ")
            ));
        }
    }
    if item.hops != simplest.order {
        return Err(format!("`hops` is {} but the simplest rule that fits is of order {}", item.hops, simplest.order));
    }
    let extra = if item.variant == "base" { 0 } else { solved.series.layers * solved.series.coded };
    if item.extra_hops != extra || item.variant == "base" && solved.series.coded > 0 {
        return Err(format!(
            "`extra_hops` is {} but the text has {} coded terms",
            item.extra_hops, solved.series.coded
        ));
    }
    let claim = item.certificate.as_ref().and_then(|c| c.get("claim"));
    match claim {
        Some(claim) if claim.as_str() != Some(&item.endings[item.label]) => {
            Err("certificate: `claim` is not the labelled ending".to_string())
        }
        _ => Ok(()),
    }
}

/// The simplest rule with its constants; and the terms.
pub(super) fn signature(item: &Item) -> Result<Signature, String> {
    let solved = solved(item)?;
    let rule = solved.fits.iter().map(|(fit, _)| (fit.order, &fit.name, &fit.constants)).min();
    let (_, name, constants) = rule.ok_or("no rule of the family fits the series")?;
    Ok(Signature { structure: format!("{name}: {constants:?}"), instance: format!("{:?}", solved.series.terms) })
}

/// Whether every rule of the family that fits goes on alike, and the order of the simplest; for a generator to keep what
/// is unique.
pub(super) fn is_unique(shown: &[Option<i64>], missing: usize, answer: i64, order: u32) -> bool {
    let fits = all_fits(shown);
    let least = fits.iter().map(|fit| fit.order).min();
    least == Some(order) && fits.iter().all(|fit| fit.terms.get(missing) == Some(&answer))
}

/// The missing terms that the simplest rules of the family give, each once, ascending; none where no rule fits.
pub(super) fn simplest_ways_on(shown: &[Option<i64>]) -> Vec<i64> {
    let Some(missing) = shown.iter().position(Option::is_none) else { return Vec::new() };
    let fits = all_fits(shown);
    let least = fits.iter().map(|fit| fit.order).min();
    let ways = fits.iter().filter(|fit| Some(fit.order) == least).filter_map(|fit| fit.terms.get(missing).copied());
    ways.collect::<std::collections::BTreeSet<i64>>().into_iter().collect()
}
