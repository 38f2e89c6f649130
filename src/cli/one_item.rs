//! `llscore run --context … --ending …`: one item, without a file and without a folder for results.

use super::progress::Console;
use super::run::{RunArgs, engine_options, size};
use super::{complain, dry_run, print, print_json, settings, visible};
use crate::engine::Engine;
use crate::item::Item;
use crate::prompt::Prompter;
use crate::results::{Norm, Sample, flag};
use crate::score::{Job, Preparer};
use crate::{Error, Result};

/// Scores the item and prints a line for each ending; 1 if it could not be scored.
///
/// # Errors
/// As a whole run's.
pub fn run(context: &str, args: &RunArgs, console: Console) -> Result<u8> {
    let item = Item {
        id: "item".to_string(),
        task: "item".to_string(),
        group: "item".to_string(),
        variant: "base".to_string(),
        hops: 0,
        extra_hops: 0,
        context: context.to_string(),
        question: None,
        endings: args.ending.clone(),
        label: 0,
        certificate: None,
        meta: None,
    };
    let mut opened = args.model.open(console)?;
    let options = settings::score_options(args, &opened.model.spec)?;
    let prompter = args.chat.apply(Prompter::new(args.delimiter.clone()), &mut opened, console)?;
    let preparer = Preparer { encoder: &opened.encoder, prompter: &prompter, vocab: opened.model.spec.vocab, options };
    let items = [&item];
    let asked = size(args.token_budget);
    if args.dry_run {
        return dry_run::show(&opened, &preparer, &items, false, asked);
    }
    let job = Job::new(&items, &preparer, &opened.model, asked);
    let options = engine_options(args, &opened.model, console);
    let engine = Engine::new(opened.model, options, &|_, _| ())?;
    let mut sample = None;
    job.run(
        &engine,
        &mut |_, s| {
            sample = Some(s);
            Ok(())
        },
        &mut |_| Ok(()),
    )?;
    let sample = sample.ok_or_else(|| Error::usage("the item was not scored"))?;
    if args.json {
        print_json(&sample)?;
    } else {
        print(&table(&item, &sample, args.norm))?;
    }
    if let Some(why) = &sample.error {
        complain("error", why);
    }
    for flag in &sample.flags {
        console.note(match flag.as_str() {
            flag::BOUNDARY_MERGE => "a token spans the join of context and ending and was scored with the ending",
            flag::TRUNCATED => "the context was cut from the left to fit",
            flag::UNKNOWN_TOKEN => "some text has no token of its own and was read as the unknown token",
            flag::SKIPPED => "the item is over-long and was left out, as asked",
            other => other,
        });
    }
    Ok(u8::from(sample.is_error()))
}

/// A line for each ending, the choice marked.
fn table(item: &Item, sample: &Sample, norm: Norm) -> String {
    let (Some(endings), Some(choice)) = (&sample.endings, &sample.choice) else {
        return String::new();
    };
    let by = if norm == Norm::Sum { norm.to_string() } else { format!("per {norm}") };
    let mut text = format!("  {:>12} {by:>12} {:>7}  ending\n", "logprob", "tokens");
    for (i, (score, ending)) in endings.iter().zip(&item.endings).enumerate() {
        let mark = if choice.get(norm) == Some(i) { '*' } else { ' ' };
        let normed = norm.score(score).unwrap_or(f64::NAN);
        text += &format!("{mark} {:>12.4} {normed:>12.4} {:>7}  {}\n", score.logprob, score.tokens, visible(ending));
    }
    let by = if norm == Norm::Sum { String::new() } else { format!(" per {norm}") };
    let tie = if sample.ties.contains(&norm) { ", the first of a tie" } else { "" };
    text + &format!("* chosen by log-likelihood{by}{tie}\n")
}
