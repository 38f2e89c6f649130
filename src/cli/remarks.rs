//! What the user should hear about a run's samples besides the table: failed items, tokens across the join, and numbers
//! that look as if something were wrong with the model or the text.

use std::path::Path;

use super::complain;
use super::progress::Console;
use crate::results::{Norm, Sample, flag};

/// Single-token endings that together hold less than this, on average, are not what the model expects there.
const TINY_MASS: f64 = 0.01;

/// Says all of it; errors are said under `--quiet` too. `file` is where the samples are.
pub fn say(samples: &[Sample], file: &Path, console: Console) {
    let failed = samples.iter().filter(|s| s.is_error());
    if let Some(text) = failures(failed.map(|s| (s.id.as_str(), s.error.as_deref().unwrap_or_default())), samples.len())
    {
        complain("error", format!("{text}; see `error` in {}", file.display()));
    }
    let merges = samples.iter().filter(|s| s.has_flag(flag::BOUNDARY_MERGE)).count();
    if merges > 0 {
        console.note(format!(
            "in {} a token spans the join of context and ending and was scored with the ending (flag `{}`)",
            of(merges, samples.len(), "item"),
            flag::BOUNDARY_MERGE
        ));
    }
    let unknown = samples.iter().filter(|s| s.has_flag(flag::UNKNOWN_TOKEN)).count();
    if unknown > 0 {
        console.note(format!(
            "in {} some text has no token of its own and was read as the unknown token (flag `{}`)",
            of(unknown, samples.len(), "item"),
            flag::UNKNOWN_TOKEN
        ));
    }
    suspicious(samples).iter().for_each(|text| console.note(text));
}

/// How many items failed, and why the first did; `None` where none did.
pub fn failures<'a>(mut failed: impl Iterator<Item = (&'a str, &'a str)>, all: usize) -> Option<String> {
    let (id, why) = failed.next()?;
    let count = 1 + failed.count();
    let first = if count > 1 { "the first, " } else { "" };
    Some(format!("{} failed: {first}`{id}`: {why}", of(count, all, "item")))
}

/// `1 of 1 item`, `3 of 10 items`.
fn of(count: usize, all: usize, what: &str) -> String {
    format!("{count} of {all} {what}{}", if all == 1 { "" } else { "s" })
}

/// Notes on numbers that a healthy model and text hardly give.
fn suspicious(samples: &[Sample]) -> Vec<String> {
    let scored: Vec<_> = samples.iter().filter_map(|s| Some((s, s.endings.as_deref()?))).collect();
    let several: Vec<_> = scored.iter().filter(|(_, endings)| endings.len() > 1).collect();
    let mut notes = Vec::new();
    let all_tied = |endings: &[crate::results::EndingScore]| endings.iter().all(|e| e.logprob == endings[0].logprob);
    if !several.is_empty() && several.iter().all(|(s, e)| s.ties.contains(&Norm::Sum) && all_tied(e)) {
        notes.push(
            "within every item all endings have the same log-likelihood; the endings are equal, or the weights are broken"
                .to_string(),
        );
    }
    if !several.is_empty() && several.iter().all(|(_, endings)| endings.iter().all(|e| e.tokens == 1)) {
        let mass: f64 = several.iter().flat_map(|(_, endings)| *endings).map(|e| e.logprob.exp()).sum();
        let mass = mass / several.len() as f64;
        if mass < TINY_MASS {
            notes.push(format!(
                "the endings, of one token each, together have a probability of {mass:.1e} on average; the model expects \
                 something else there: other words, or another --delimiter"
            ));
        }
    }
    notes
}
