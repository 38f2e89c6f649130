//! `llscore import`: data sets of others to items, with all that is wrong with them.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{output, visible};
use crate::import::{Defect, FORMATS, Format, Import, KINDS, Source, find, import};
use crate::item::write_items;
use crate::{Error, Result};

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore import --list                                             formats, and kinds of defects
  llscore import folio folio-validation.jsonl --output items.jsonl  then: llscore run --data items.jsonl
  llscore import logicnli dev_language.json dev_logic.json > items.jsonl
  llscore import csv mine.csv --defects defects.jsonl | llscore run --data -

Exit codes: 0 done, whatever defects were found; 2 nothing read.";

/// Turn data sets of others into items, as JSON Lines.
///
/// Every record gives an item, or a defect that names file, row, field and column, or both: nothing is dropped in silence.
/// The source's record and its formulas are kept in `meta`. Defects and a table of counts go to standard error.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ImportArgs {
    /// The files' format; `--list` shows them.
    #[arg(required_unless_present = "list")]
    format: Option<String>,
    /// Files of that format. `-` is standard input.
    #[arg(required_unless_present = "list", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// File to write, whole or not at all [default: `-`, standard output].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// File for the defects, one JSON object a line; then only their counts are shown.
    #[arg(long, value_name = "FILE")]
    defects: Option<PathBuf>,
    /// The items' task, in place of the one that the format gives.
    #[arg(long, value_name = "NAME", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    task: Option<String>,
    /// Show the formats and the kinds of defects, and stop.
    #[arg(long)]
    list: bool,
}

/// Runs the command; the exit code is 0 where it returns.
///
/// # Errors
/// [`Error::Usage`] for an unknown format, [`Error::Data`] for a file that cannot be read, or where no record of any file
/// gave an item, [`Error::Output`] and [`Error::Write`] for what cannot be written.
pub fn run(args: &ImportArgs) -> Result<u8> {
    if args.list {
        super::print(&list())?;
        return Ok(0);
    }
    let name = args.format.as_deref().unwrap_or_default();
    let to_stdout = |path: &Option<PathBuf>| path.as_ref().is_none_or(|path| path.as_os_str() == "-");
    if args.defects.is_some() && (args.defects == args.output || to_stdout(&args.defects) && to_stdout(&args.output)) {
        return Err(Error::usage(
            "items and defects cannot go to the same place; give `--output` and `--defects` two files",
        ));
    }
    output::spares(&args.files, "--output", args.output.as_deref())?;
    output::spares(&args.files, "--defects", args.defects.as_deref())?;
    let (format, sources) = sources(name, &args.files)?;
    let found = import(format, sources, args.task.as_deref());
    report(&found, args.defects.is_none());
    if let Some(path) = &args.defects {
        output::write(Some(path), |out| write_defects(out, &found.defects))?;
    }
    some_items(&found, name, &args.files)?;
    output::write(args.output.as_deref(), |out| write_items(out, &found.items))?;
    Ok(0)
}

/// The format of this name, and the files. All are read before anything is said about them: one that is missing is exit
/// code 2, whatever the rest holds.
///
/// # Errors
/// [`Error::Usage`] for an unknown format, [`Error::Data`] for a file that cannot be read.
pub(super) fn sources(name: &str, files: &[PathBuf]) -> Result<(&'static dyn Format, Vec<Source>)> {
    let Some(format) = find(name) else {
        let known: Vec<String> = FORMATS.iter().map(|format| format!("`{}`", format.name())).collect();
        return Err(Error::usage(format!("unknown format `{name}`; known: {}", known.join(", "))));
    };
    if files.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        return Err(Error::usage("standard input (`-`) can be read once only"));
    }
    let sources = files.iter().map(|file| Source::read(file)).collect::<Result<Vec<_>>>()?;
    Ok((format, sources))
}

/// # Errors
/// [`Error::Data`] where no record gave an item.
pub(super) fn some_items(found: &Import, name: &str, files: &[PathBuf]) -> Result<()> {
    if !found.items.is_empty() {
        return Ok(());
    }
    let records: usize = found.files.iter().map(|count| count.records).sum();
    let message = match records {
        0 => "holds no records; give a file of this format".to_string(),
        n => format!("none of {n} records could be read as `{name}`; the defects say why"),
    };
    let first = files.first().map_or(Path::new("-"), PathBuf::as_path);
    Err(Error::data(first, None, message))
}

fn write_defects(out: &mut dyn Write, defects: &[Defect]) -> std::io::Result<()> {
    for defect in defects {
        serde_json::to_writer(&mut *out, defect)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The formats, and the kinds of defects.
fn list() -> String {
    let mut text = String::from("Formats:\n");
    for format in FORMATS {
        text.push_str(&format!("  {:10}  {}\n", format.name(), format.about()));
    }
    text.push_str("\nKinds of defects:\n");
    for (kind, meaning) in KINDS {
        text.push_str(&format!("  {kind:24}  {meaning}\n"));
    }
    text
}

/// Writes the defects, if they are wanted one by one, and the counts to standard error. Where nobody listens, nothing is
/// lost but the report.
fn report(found: &Import, one_by_one: bool) {
    let mut text = String::new();
    if one_by_one {
        for defect in &found.defects {
            text.push_str(&visible(&describe(defect)));
            text.push('\n');
        }
    }
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for defect in &found.defects {
        let count = kinds.entry(defect.kind).or_default();
        count.0 += 1;
        count.1 += usize::from(defect.dropped);
    }
    if !kinds.is_empty() {
        text.push_str(&format!("{:24}  defects  of dropped records\n", "kind"));
        for (kind, (count, dropped)) in kinds {
            text.push_str(&format!("{kind:24}  {count:7}  {dropped:18}\n"));
        }
        text.push('\n');
    }
    let width = found.files.iter().map(|count| visible(&count.file).chars().count()).max().unwrap_or(0).max(5);
    text.push_str(&format!("{:width$}  records  items  dropped  defects\n", "file"));
    let mut row = |name: &str, n: [usize; 4]| {
        text.push_str(&format!("{name:width$}  {:7}  {:5}  {:7}  {:7}\n", n[0], n[1], n[2], n[3]));
    };
    let mut total = [0; 4];
    for count in &found.files {
        let counts = [count.records, count.items, count.dropped, count.defects];
        total.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        row(&visible(&count.file), counts);
    }
    if found.files.len() > 1 {
        row("total", total);
    }
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// A defect in one line: `FILE:LINE: row 3, field `label`, column 7: unknown-label: …`.
fn describe(defect: &Defect) -> String {
    let mut text = defect.file.clone();
    if let Some(line) = defect.line {
        text.push_str(&format!(":{line}"));
    }
    let row = defect.row.map(|row| format!("row {row}"));
    let field = defect.field.as_ref().map(|field| format!("field `{field}`"));
    let column = defect.column.map(|column| format!("column {column}"));
    let place: Vec<String> = [row, field, column].into_iter().flatten().collect();
    if !place.is_empty() {
        text.push_str(&format!(": {}", place.join(", ")));
    }
    let dropped = if defect.dropped { " (dropped)" } else { "" };
    format!("{text}: {}: {}{dropped}", defect.kind, defect.message)
}
