//! Proves an item again from its English, and from nothing else: reads it, simulates it, compares values.

mod answer;
mod grammar;
mod question;
mod read;
mod turns;
mod world;

use crate::item::Item;
use crate::logicmark::{Signature, Verdict};
use question::{Added, Solved};

/// The checker of the task.
pub(super) fn check(item: &Item) -> Verdict {
    let solved = match solved(item) {
        Ok(solved) => solved,
        Err(reason) => return Verdict::Unchecked(reason),
    };
    let mut answers = Vec::new();
    for ending in &item.endings {
        match answer::read(ending) {
            Ok(answer) => answers.push(answer),
            Err(reason) => return Verdict::Unchecked(reason),
        }
    }
    match extra(&item.variant, &solved.added) {
        Err(reason) => Verdict::Unchecked(reason),
        Ok(extra) => match compare(item, &solved, &answers, extra) {
            Ok(()) => Verdict::Proved,
            Err(reason) => Verdict::False(reason),
        },
    }
}

fn solved(item: &Item) -> Result<Solved, String> {
    let question = item.question.as_ref().ok_or("there is no `question`")?;
    let world = read::read(&item.context).map_err(|reason| format!("`context` cannot be read: {reason}"))?;
    question::solve(&world, question)
}

/// The steps that the variant adds; an error where the text has steps of another variant's kind.
fn extra(variant: &str, added: &Added) -> Result<u32, String> {
    let counts =
        [("detour", added.detours), ("turns", added.turns), ("conditional", added.decisions), ("story", added.events)];
    if variant != "base" && !counts.iter().any(|(name, _)| *name == variant) {
        return Err(format!("variant `{variant}` is not known"));
    }
    Ok(counts.iter().find(|(name, _)| *name == variant).map_or(0, |(_, count)| *count))
}

/// The labelled ending is the answer, no other is, and the depths are right.
fn compare(item: &Item, solved: &Solved, answers: &[answer::Answer], extra: u32) -> Result<(), String> {
    for (index, answer) in answers.iter().enumerate() {
        let ending = &item.endings[index];
        if std::mem::discriminant(answer) != std::mem::discriminant(&solved.answer) {
            return Err(format!("ending {index}, `{ending}`, is no answer to the question"));
        }
        if answers[..index].contains(answer) {
            return Err(format!("ending {index}, `{ending}`, says the same as another"));
        }
        match (index == item.label, *answer == solved.answer) {
            (true, false) => {
                return Err(format!("ending {index}, `{ending}`, is labelled right but the text leads elsewhere"));
            }
            (false, true) => return Err(format!("ending {index}, `{ending}`, is right but not the labelled one")),
            _ => {}
        }
    }
    if item.hops != solved.hops {
        return Err(format!("`hops` is {} but the way asked about has {} steps", item.hops, solved.hops));
    }
    if item.extra_hops != extra {
        return Err(format!("`extra_hops` is {} but the wording adds {extra} steps", item.extra_hops));
    }
    let claim = item.certificate.as_ref().and_then(|c| c.get("claim"));
    match claim {
        Some(claim) if claim.as_str() != Some(&item.endings[item.label]) => {
            Err("certificate: `claim` is not the labelled ending".to_string())
        }
        _ => Ok(()),
    }
}

/// The kind of question and the headings of all ways, up to rotation and reflection; and the lengths.
pub(super) fn signature(item: &Item) -> Result<Signature, String> {
    let solved = solved(item)?;
    let seen = |turn: u8, mirrored: bool| {
        let heading = |h: u8| (if mirrored { (4 - h) % 4 } else { h } + turn) % 4;
        let way = |way: &Vec<(u8, i64)>| way.iter().map(|(h, _)| heading(*h).to_string()).collect::<String>();
        solved.ways.iter().map(way).collect::<Vec<_>>().join(" ")
    };
    let views = (0..4).flat_map(|turn| [seen(turn, false), seen(turn, true)]);
    let structure = format!("{}: {}", solved.kind, views.min().unwrap_or_default());
    let lengths: Vec<i64> = solved.ways.iter().flatten().map(|(_, length)| *length).collect();
    Ok(Signature { structure, instance: format!("{lengths:?}") })
}
