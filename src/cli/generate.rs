//! `llscore generate`: writes the items of a LogicMark task, or the whole benchmark.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output;
use super::progress::Console;
use crate::item::{Item, write_items};
use crate::logicmark::{Spec, Split, TASKS, Task, release};
use crate::{Error, Result};

/// The name that stands for all tasks.
const ALL: &str = "logicmark";

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore generate logicmark --output data/logicmark-v1          the whole benchmark, as it ships
  llscore generate chain --output chain.jsonl                    one file of it
  llscore generate chain --seed 7 --hops 1..2 --items 500        other items, of one or two hops
  llscore generate fol --split train --seed 1 --items 1000       items to train on";

/// Make the items of a LogicMark task, or of all, as JSON Lines.
///
/// Each item carries a certificate, which `llscore certify` proves again from the item's text. The same flags give the
/// same bytes, on any machine. Items of `--split train` share no structure with those of `--split test` from three hops
/// on, and no question below that, whatever the seeds.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{}", tasks()))]
pub struct GenerateArgs {
    /// A task (see below), or `logicmark` for the benchmark as it ships: a folder with a file for each task, and a
    /// folder `train` in it.
    task: String,
    /// Groups for each hop depth, each with one item a variant [default: as many as ship]. A larger N adds groups and
    /// keeps those there were.
    #[arg(long, value_name = "N")]
    items: Option<u32>,
    /// Hop depths: one, as `3`, or from A to B, as `1..8`, both included [default: all that the task has].
    #[arg(long, value_name = "A..B", value_parser = parse_hops)]
    hops: Option<(u32, u32)>,
    /// Seed from which everything follows [default: that of the items that ship].
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The half of all items to draw from [default: test].
    #[arg(long, value_enum, value_name = "SPLIT")]
    split: Option<SplitArg>,
    /// File to write, whole or not at all [default: `-`, standard output]; a folder for `logicmark`.
    #[arg(long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
}

/// `--split`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SplitArg {
    /// Items to be scored.
    Test,
    /// Items for examples and for training.
    Train,
}

/// Items a depth that fit into any memory.
const MOST_ITEMS: u32 = 100_000;

/// The tasks and their variants, for `--help`.
fn tasks() -> String {
    let mut text = String::from("Tasks and variants:");
    for task in TASKS {
        text.push_str(&format!(
            "\n  {}: {}, {} to {} hops\n",
            task.name,
            task.about,
            task.hops.start(),
            task.hops.end()
        ));
        text.extend(task.variants.iter().map(|v| format!("    {:11} {}\n", v.name, v.about)));
    }
    text
}

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
    if args.task == ALL {
        return benchmark(args);
    }
    let task = Task::find(&args.task).ok_or_else(|| {
        Error::usage(format!("unknown task `{}`; known: {}, and `{ALL}` for all", args.task, Task::names()))
    })?;
    let part = match args.split {
        Some(SplitArg::Train) => release::TRAIN,
        _ => release::TEST,
    };
    let items = args.items.unwrap_or(part.items);
    if items > MOST_ITEMS {
        return Err(Error::usage(format!("--items {items}: at most {MOST_ITEMS} groups a depth")));
    }
    let hops = args.hops.map_or(task.hops.clone(), |(low, high)| low..=high);
    let split = if part.split == Split::Train { Split::Train } else { Split::Test };
    let items = task.items(&Spec { items, hops, seed: args.seed.unwrap_or(part.seed), split })?;
    output::write(args.output.as_deref(), |out| write_items(out, &items))?;
    Ok(0)
}

/// The benchmark as it ships: all files of all parts, and their digests.
fn benchmark(args: &GenerateArgs) -> Result<u8> {
    if args.items.is_some() || args.hops.is_some() || args.seed.is_some() || args.split.is_some() {
        return Err(Error::usage(format!(
            "`{}` is fixed: --items, --hops, --seed and --split are for a single task; known: {}",
            release::NAME,
            Task::names()
        )));
    }
    let folder = args.output.as_deref().filter(|path| path.as_os_str() != "-").ok_or_else(|| {
        Error::usage(format!("the benchmark is a folder of files; give `--output DIR`, such as data/{}", release::NAME))
    })?;
    let console = Console::new(false);
    let mut digests = String::new();
    for part in release::PARTS {
        let inside = folder.join(part.folder);
        std::fs::create_dir_all(&inside).map_err(|e| Error::output(&inside, format!("cannot be created: {e}")))?;
        for task in TASKS {
            let items = task.items(&part.spec(task))?;
            let file = part.file(task);
            digests.push_str(&write(folder, &file, &items)?);
            console.note(format!("{}: {} items", file.display(), items.len()));
        }
    }
    output::write(Some(&folder.join("SHA256SUMS")), |out| out.write_all(digests.as_bytes()))?;
    Ok(0)
}

/// Writes a file of items, and gives its line for `sha256sum --check`.
fn write(folder: &Path, file: &Path, items: &[Item]) -> Result<String> {
    use sha2::Digest;
    let mut bytes = Vec::new();
    write_items(&mut bytes, items).map_err(|source| Error::Write { path: file.to_path_buf(), source })?;
    output::write(Some(&folder.join(file)), |out| out.write_all(&bytes))?;
    let digest: String = sha2::Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    // The separator of paths in the list is the same on every system.
    Ok(format!("{digest}  {}\n", file.to_string_lossy().replace('\\', "/")))
}
