//! `llscore generate`: writes the items of a LogicMark task.

use std::path::PathBuf;

use clap::Args;

use super::output;
use crate::item::write_items;
use crate::logicmark::{Spec, Split, Task};
use crate::{Error, Result};

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore generate chain --output chain.jsonl                    what ships in data/
  llscore generate chain --seed 7 --hops 1..2 --items 500        1000 items of one or two hops
  llscore generate chain --seed 1 --output train.jsonl           other items, to train on";

/// Make the items of a LogicMark task, as JSON Lines.
///
/// Each item carries a certificate, which `llscore certify` proves again from the item's text. The same flags give the
/// same bytes, on any machine.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct GenerateArgs {
    /// The task: `chain`, deduction over an invented ontology, 1 to 8 hops deep.
    task: String,
    /// Items for each hop depth. A larger N adds items and keeps those there were.
    #[arg(long, default_value_t = 100, value_name = "N")]
    items: u32,
    /// Hop depths: one, as `3`, or from A to B, as `1..8`, both included [default: all that the task has].
    #[arg(long, value_name = "A..B", value_parser = parse_hops)]
    hops: Option<(u32, u32)>,
    /// Seed from which everything follows; that of the items in data/ unless given.
    #[arg(long, default_value_t = 2026, value_name = "S")]
    seed: u64,
    /// File to write, whole or not at all [default: `-`, standard output].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Items a depth that fit into any memory.
const MOST_ITEMS: u32 = 100_000;

/// `3` or `1..8`.
fn parse_hops(text: &str) -> std::result::Result<(u32, u32), String> {
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    match (low.trim().parse(), high.trim().parse()) {
        (Ok(low), Ok(high)) => Ok((low, high)),
        _ => Err("give a depth such as `3`, or a range such as `1..8`".to_string()),
    }
}

/// Runs the command; the exit code is 0 where it returns.
///
/// # Errors
/// [`Error::Usage`] for an unknown task or an impossible range, [`Error::Output`] for a file that cannot be created,
/// [`Error::Write`] for a write that fails.
pub fn run(args: &GenerateArgs) -> Result<u8> {
    let task = Task::find(&args.task)
        .ok_or_else(|| Error::usage(format!("unknown task `{}`; known: {}", args.task, Task::names())))?;
    if args.items > MOST_ITEMS {
        return Err(Error::usage(format!("--items {}: at most {MOST_ITEMS} items a depth", args.items)));
    }
    let hops = args.hops.map_or(task.hops.clone(), |(low, high)| low..=high);
    let items = task.items(&Spec { items: args.items, hops, seed: args.seed, split: Split::Test })?;
    output::write(args.output.as_deref(), |out| write_items(out, &items))?;
    Ok(0)
}
