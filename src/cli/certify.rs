//! `llscore certify`: proves the items of files again, from their text.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::item::read_items;
use crate::logicmark::{Task, Verdict};
use crate::{Error, Result};

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore certify data                                     all files of a folder
  llscore generate chain --seed 7 | llscore certify -      items as they are made

Exit codes: 0 all items of known tasks are proved; 1 an item is false or cannot be checked;
2 bad input, or no item of a known task.";

/// Prove items again from their text: label, hop depth and certificate.
///
/// Names each item that is false or cannot be checked, with the reason, and counts the rest. Items of tasks that llscore
/// does not know are counted and left alone. No model is needed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CertifyArgs {
    /// Item files, or folders: all `.jsonl` files in them and their subfolders. `-` is standard input.
    #[arg(required = true, value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
}

/// Counts for one task of one file.
#[derive(Default)]
struct Tally {
    proved: usize,
    wrong: usize,
    unchecked: usize,
    unknown: usize,
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
    let inputs = files.iter().map(|file| Ok((file, read_items(file)?))).collect::<Result<Vec<_>>>()?;

    let mut rows: Vec<(String, String, Tally)> = Vec::new();
    let mut findings = Vec::new();
    for (file, items) in &inputs {
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        for item in items {
            let tally = tallies.entry(&item.task).or_default();
            let Some(task) = Task::find(&item.task) else {
                tally.unknown += 1;
                continue;
            };
            let (count, word, reason) = match (task.check)(item) {
                Verdict::Proved => {
                    tally.proved += 1;
                    continue;
                }
                Verdict::False(reason) => (&mut tally.wrong, "false", reason),
                Verdict::Unchecked(reason) => (&mut tally.unchecked, "cannot be checked", reason),
            };
            *count += 1;
            findings.push(format!("{}: item `{}`: {word}: {reason}", file.display(), item.id));
        }
        rows.extend(tallies.into_iter().map(|(task, tally)| (file.display().to_string(), task.to_string(), tally)));
    }
    if rows.iter().all(|(_, _, tally)| tally.proved + tally.wrong + tally.unchecked == 0) {
        return Err(Error::data(
            &files[0],
            None,
            format!("no item of a known task to prove; known: {}", Task::names()),
        ));
    }
    match print(&findings, &rows) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            return Err(Error::Write { path: "standard output".into(), source: e });
        }
        _ => {}
    }
    Ok(u8::from(!findings.is_empty()))
}

/// What was found wrong, item by item, then a table of counts.
fn print(findings: &[String], rows: &[(String, String, Tally)]) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for finding in findings {
        writeln!(out, "{finding}")?;
    }
    let width = |of: fn(&(String, String, Tally)) -> &str, head: usize| {
        rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0).max(head)
    };
    let (file, task) = (width(|row| &row.0, 4), width(|row| &row.1, 4));
    writeln!(out, "{:file$}  {:task$}  proved  false  unchecked  unknown task", "file", "task")?;
    for (name, of, t) in rows {
        writeln!(out, "{name:file$}  {of:task$}  {:6}  {:5}  {:9}  {:12}", t.proved, t.wrong, t.unchecked, t.unknown)?;
    }
    out.flush()
}

/// Adds a file, or the `.jsonl` files below a folder in the order of their names. Linked folders are not entered.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
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
