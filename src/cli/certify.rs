//! `llscore certify`: proves the items of files again, from their text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::json;

use super::print;
use super::progress::Console;
use super::prove::pool;
use crate::item::{Item, read_items};
use crate::logicmark::certify::{Found, compare_groups, overlap, prove};
use crate::logicmark::{Task, Verdict, release};
use crate::{Error, Result};

/// Items that are not proved and are told of one by one; `--json` tells of all.
const SHOWN: usize = 20;

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore certify data/logicmark-v1                        all files of a folder
  llscore certify items.jsonl --json > verdicts.jsonl      one line for each item
  llscore generate chain --seed 7 | llscore certify -      items as they are made

Exit codes: 0 all items of known tasks are proved; 1 an item is false or cannot be checked;
2 bad input, or no item of a known task.";

/// Prove items again from their text: answer, uniqueness, hop depth and certificate.
///
/// Each item's English is parsed back and solved, and label, endings, depths and certificate are held against what comes
/// out; the certificate is a hint and no more. Variants of a group must agree. Where a folder `train` lies beside the
/// items, no structure may be in both. Items of tasks that llscore does not know are counted and left alone. No model is
/// needed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CertifyArgs {
    /// Item files, or folders: all `.jsonl` files in them and their subfolders. `-` is standard input.
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Print one line of JSON for each item: file, id, verdict and reason.
    #[arg(long)]
    json: bool,
    /// No progress.
    #[arg(long)]
    quiet: bool,
    /// Threads; one a core unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
}

/// A file with its items and what was found of them.
struct Checked {
    file: PathBuf,
    items: Vec<Item>,
    found: Vec<Found>,
}

/// Runs the command; the exit code is 0 or 1 where it returns.
///
/// # Errors
/// [`Error::Data`] for input that cannot be read, a folder without item files, or input without any item of a known task.
pub fn run(args: &CertifyArgs) -> Result<u8> {
    let mut files = Vec::new();
    for path in &args.paths {
        collect(path, &mut files)?;
    }
    // All input is read before anything is said about it: bad input is exit code 2, whatever the rest holds.
    let inputs = files.into_iter().map(|file| Ok((read_items(&file)?, file))).collect::<Result<Vec<_>>>()?;
    let all: usize = inputs.iter().map(|(items, _)| items.len()).sum();
    let pool = pool(args.threads)?;
    let bar = Console::new(args.quiet).counting("proving", all);
    let mut checked: Vec<Checked> = pool.install(|| {
        let prove = |(items, file): (Vec<Item>, PathBuf)| {
            let mut found = prove(&items, &|| bar.inc(1));
            compare_groups(&items, &mut found);
            Checked { file, items, found }
        };
        inputs.into_iter().map(prove).collect()
    });
    pool.install(|| separate(&mut checked));
    bar.finish_and_clear();
    if checked.iter().flat_map(|c| &c.found).all(Option::is_none) {
        return Err(Error::data(
            &checked[0].file,
            None,
            format!("no item of a known task to prove; known: {}", Task::names()),
        ));
    }
    print(&if args.json { lines(&checked) } else { summary(&checked) })?;
    let proved = |found: &Found| matches!(found, None | Some(Verdict::Proved));
    Ok(u8::from(!checked.iter().flat_map(|c| &c.found).all(proved)))
}

/// Items of a file in a folder `train` must share no structure with those of the folder above.
fn separate(checked: &mut [Checked]) {
    let above = |file: &Path| {
        let folder =
            file.parent().filter(|folder| folder.file_name().is_some_and(|name| name == release::TRAIN.folder));
        folder.map(|folder| folder.parent().map(Path::to_path_buf).unwrap_or_default())
    };
    for at in 0..checked.len() {
        let Some(folder) = above(&checked[at].file) else { continue };
        let test: Vec<&Item> =
            checked.iter().filter(|c| c.file.parent() == Some(&folder)).flat_map(|c| &c.items).collect();
        let train: Vec<&Item> = checked[at].items.iter().collect();
        for (item, other) in overlap(&test, &train) {
            let verdict = &mut checked[at].found[item];
            if *verdict == Some(Verdict::Proved) {
                *verdict = Some(Verdict::False(format!("asks the same as `{other}`, which is scored")));
            }
        }
    }
}

/// The word for a verdict, and its reason.
fn words(found: &Found) -> (&'static str, Option<&str>) {
    match found {
        None => ("unknown task", None),
        Some(Verdict::Proved) => ("proved", None),
        Some(Verdict::False(reason)) => ("false", Some(reason)),
        Some(Verdict::Unchecked(reason)) => ("unchecked", Some(reason)),
    }
}

/// One line of JSON for each item.
fn lines(checked: &[Checked]) -> String {
    let mut text = String::new();
    for Checked { file, items, found } in checked {
        for (item, found) in items.iter().zip(found) {
            let (verdict, reason) = words(found);
            let mut line = json!({
                "file": file.display().to_string(), "id": item.id, "task": item.task, "variant": item.variant,
                "hops": item.hops, "verdict": verdict,
            });
            if let Some(reason) = reason {
                line["reason"] = reason.into();
            }
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}

/// What was found wrong, item by item, then a table of counts per file, task and variant.
fn summary(checked: &[Checked]) -> String {
    let mut text = String::new();
    let mut findings = 0;
    let mut rows: Vec<(String, String, String, BTreeMap<&str, usize>)> = Vec::new();
    for Checked { file, items, found } in checked {
        let mut tallies: BTreeMap<(&str, &str), BTreeMap<&str, usize>> = BTreeMap::new();
        for (item, found) in items.iter().zip(found) {
            let (verdict, reason) = words(found);
            *tallies.entry((&item.task, &item.variant)).or_default().entry(verdict).or_default() += 1;
            let Some(reason) = reason else { continue };
            findings += 1;
            if findings <= SHOWN {
                let verdict = if verdict == "false" { "false" } else { "cannot be checked" };
                let line = format!("{}: item `{}`: {verdict}: {reason}", file.display(), item.id);
                text.push_str(&format!("{}\n", super::visible(&line)));
            }
        }
        let row = |((task, variant), tally): ((&str, &str), _)| {
            (file.display().to_string(), task.to_string(), variant.to_string(), tally)
        };
        rows.extend(tallies.into_iter().map(row));
    }
    if findings > SHOWN {
        text.push_str(&format!("… and {} more that are not proved; --json lists all\n", findings - SHOWN));
    }
    const KINDS: [&str; 4] = ["proved", "false", "unchecked", "unknown task"];
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["file", "task", "variant"].iter().chain(&KINDS));
    for (file, task, variant, tally) in &rows {
        let counts = KINDS.iter().map(|kind| tally.get(kind).copied().unwrap_or(0).to_string());
        table.add_row([file, task, variant].into_iter().map(|name| super::visible(name)).chain(counts));
    }
    if rows.len() > 1 {
        let total =
            |kind: &&str| rows.iter().map(|row| row.3.get(kind).copied().unwrap_or(0)).sum::<usize>().to_string();
        table.add_row(["all", "", ""].map(String::from).into_iter().chain(KINDS.iter().map(total)));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    text.extend(table.lines().map(|line| format!("{}\n", line.trim_end())));
    text
}

/// Adds a file, or the `.jsonl` files below a folder in the order of their names. Linked folders are not entered.
pub(super) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let before = files.len();
    walk(path, files)?;
    if files.len() == before {
        return Err(Error::data(path, None, "holds no .jsonl file; give a file or folder of items"));
    }
    Ok(())
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let unreadable = |e: std::io::Error| Error::data(folder, None, format!("cannot read the folder: {e}"));
    let mut entries =
        std::fs::read_dir(folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).map_err(unreadable)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(unreadable)?.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "jsonl") && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
