//! `llscore audit`: what the formulas of a data set say of the data set.

use std::path::PathBuf;

use clap::Args;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::json;

use super::prove::{SyntaxArg, limits, pool};
use super::{output, visible};
use crate::audit::{Options, Section, audit, markdown, markdown_sections, sections, wording, wording_sections};
use crate::import::import;
use crate::item::Item;
use crate::{Error, Result};

/// Records of one table that are shown; `--json` and `--report` hold all.
const SHOWN: usize = 12;

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore audit folio folio-validation.jsonl                     what parses, and which labels follow
  llscore audit logiqate Obfus_FOL.csv --report audit.md         rewordings against their bases
  llscore audit folio folio-validation.jsonl --json --evidence   every verdict with models or refutation

Exit codes: 0 done, whatever was found; 2 nothing read, or nothing that carries formulas.";

/// Find out what the formulas of a data set say: what parses, which labels follow, which rewordings are equivalent.
///
/// For formats whose records carry formulas (folio, proverqa, logicnli, logiqate), and for logiqate's series, kinship and
/// direction puzzles, whose wordings are read and solved. Each verdict has evidence that is checked again before it counts.
/// A label agrees if the premises entail the conclusion (true), its negation (false), or neither
/// (unknown); premises that contradict each other bear out no label.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct AuditArgs {
    /// The files' format; `llscore import --list` shows them.
    format: String,
    /// Files of that format. `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print everything as JSON: summary, one record a row, one a pair.
    #[arg(long)]
    json: bool,
    /// Write the whole report to a file, as Markdown.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// With `--json`: the formulas, and models or refutations, of every verdict and comparison.
    #[arg(long, requires = "json")]
    evidence: bool,
    /// How formulas are written; `auto` takes each formula's own symbols.
    #[arg(long, value_enum, default_value = "auto")]
    syntax: SyntaxArg,
    /// Read ⊤ and ⊥ too; FOLIO does not define them, so that a formula with one does not parse.
    #[arg(long)]
    truth_constants: bool,
    /// Seconds for one question.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    timeout: f64,
    /// Unique names: different constants name different things.
    #[arg(long)]
    una: bool,
    /// Threads; one a core unless given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
}

/// Runs the command; the exit code is 0 where it returns.
///
/// # Errors
/// [`Error::Usage`] for an unknown format, [`Error::Data`] for a file that cannot be read or where nothing has formulas,
/// [`Error::Output`] and [`Error::Write`] for what cannot be written.
pub fn run(args: &AuditArgs) -> Result<u8> {
    let options = Options {
        syntax: args.syntax.chosen(),
        truth_constants: args.truth_constants,
        limits: limits(args.timeout, args.una)?,
        evidence: args.evidence,
    };
    output::spares(&args.files, "--report", args.report.as_deref())?;
    let (format, sources) = super::import::sources(&args.format, &args.files)?;
    let found = import(format, sources, None);
    super::import::some_items(&found, format.name(), &args.files)?;
    if wording::readable(&found.items) {
        return wordings(args, format.name(), &found.items);
    }
    let found = pool(args.threads)?.install(|| audit(format.name(), &found, &options));
    let Some(found) = found else {
        let message = format!(
            "no item carries formulas, so that there is nothing to audit; `{}` files may have none, `folio`, `proverqa`, \
             `logicnli` and `logiqate` do",
            format.name()
        );
        return Err(Error::data(&args.files[0], None, message));
    };
    if let Some(path) = &args.report {
        output::write(Some(path), |out| out.write_all(markdown(&found).as_bytes()))?;
    }
    let report_to_stdout = args.report.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if args.json {
        super::print_json(&found)?;
    } else if !report_to_stdout {
        super::print(&short(&sections(&found)))?;
    }
    Ok(0)
}

/// The audit of free-text puzzles: their own wording's answers.
fn wordings(args: &AuditArgs, format: &str, items: &[Item]) -> Result<u8> {
    let rows = pool(args.threads)?.install(|| wording::solve_all(items));
    let figures = wording::figures(&rows);
    let parts = wording_sections(&rows, &figures);
    if let Some(path) = &args.report {
        let text = format!("# Audit: {format}\n{}", markdown_sections(&parts));
        output::write(Some(path), |out| out.write_all(text.as_bytes()))?;
    }
    if args.json {
        super::print_json(&json!({ "schema": "llscore.audit/1", "format": format, "summary": figures, "rows": rows }))?;
    } else if args.report.as_ref().is_none_or(|path| path.as_os_str() != "-") {
        super::print(&short(&parts))?;
    }
    Ok(0)
}

/// A report for a terminal: lists of records are cut.
fn short(parts: &[Section]) -> String {
    parts.iter().map(part).collect::<Vec<_>>().join("\n")
}

fn part(section: &Section) -> String {
    let mut text = format!("{}\n", visible(&section.title));
    for note in &section.notes {
        text.push_str(&format!("  {}\n", visible(note)));
    }
    if section.rows.is_empty() {
        return text;
    }
    let shown = if section.records { SHOWN } else { usize::MAX };
    let rows: Vec<Vec<String>> =
        section.rows.iter().take(shown).map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let numbers: Vec<bool> = (0..section.header.len()).map(|i| rows.iter().all(|row| is_number(&row[i]))).collect();
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(section.header.clone()).add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((2, 0));
        if numbers.get(index) == Some(&true) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    text.extend(table.lines().map(|line| format!("{}\n", line.trim_end())));
    if section.rows.len() > shown {
        text.push_str(&format!("  … and {} more; --json lists all\n", section.rows.len() - shown));
    }
    text
}

fn is_number(cell: &str) -> bool {
    cell.starts_with(|c: char| c.is_ascii_digit()) && cell.chars().all(|c| c.is_ascii_digit() || " .%".contains(c))
}
