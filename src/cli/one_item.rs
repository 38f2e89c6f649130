//! `llscore run --context … --ending …`: one item, without a file and without a folder for results.

use super::progress::Console;
use super::run::{RunArgs, size};
use super::{print, print_json, settings};
use crate::engine::{Engine, EngineOptions};
use crate::item::Item;
use crate::prompt::Prompter;
use crate::results::{Norm, Sample};
use crate::score::{Job, Preparer};
use crate::{Error, Result};

/// Scores the item and prints a line for each ending; 1 if it could not be scored.
///
/// # Errors
/// As a whole run's.
pub fn run(context: &str, args: &RunArgs, console: Console) -> Result<u8> {
    if args.shots > 0 {
        return Err(Error::usage("--shots needs items with tasks and variants; give them with --data"));
    }
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
    let opened = args.model.open(console)?;
    let options = settings::score_options(args, &opened.model.spec)?;
    let prompter = Prompter::new(args.delimiter.clone());
    let preparer = Preparer { encoder: &opened.encoder, prompter: &prompter, vocab: opened.model.spec.vocab, options };
    let items = [&item];
    let job = Job::new(&items, &preparer, &opened.model, size(args.token_budget));
    let engine = Engine::new(
        opened.model,
        EngineOptions { threads: size(args.threads), ..EngineOptions::default() },
        &|_, _| (),
    )?;
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
    Ok(u8::from(sample.is_error()))
}

/// A line for each ending, the choice marked.
fn table(item: &Item, sample: &Sample, norm: Norm) -> String {
    let (Some(endings), Some(choice)) = (&sample.endings, &sample.choice) else {
        return format!("error: {}\n", sample.error.as_deref().unwrap_or("not scored"));
    };
    let mut text = format!("  {:>12} {:>12} {:>7}  ending\n", "logprob", format!("per {norm}"), "tokens");
    for (i, (score, ending)) in endings.iter().zip(&item.endings).enumerate() {
        let mark = if choice.get(norm) == Some(i) { '*' } else { ' ' };
        let normed = norm.score(score).unwrap_or(f64::NAN);
        text += &format!("{mark} {:>12.4} {normed:>12.4} {:>7}  {ending}\n", score.logprob, score.tokens);
    }
    text + &format!("* chosen by log-likelihood per {norm}\n")
}
