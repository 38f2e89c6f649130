//! `llscore baselines`: how far the answers can be had without reasoning.

use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use serde_json::json;

use super::certify::collect;
use super::model::shipped;
use super::progress::Console;
use super::{print, print_json, visible};
use crate::Result;
use crate::baselines::{BASELINES, Cell, evaluate};
use crate::item::{Item, read_items};
use crate::logicmark::release;

/// A corrected p-value below this is said to be above chance.
const LEVEL: f64 = 0.05;

/// Examples for `--help`.
const EXAMPLES: &str = "\
Examples:
  llscore baselines                                        the benchmark that ships
  llscore baselines items.jsonl --train others.jsonl       your own items
  llscore baselines --json > baselines.json                every cell, with intervals and p-values

Exit codes: 0 done; 1 with --strict, if a baseline is above chance; 2 bad input.";

/// Answer items without reasoning: by an ending's length, place, frequency, or words.
///
/// A benchmark of reasoning must leave all of this at chance. The table shows how often each way is right for every task and
/// variant; below it stand the cells (by depth too) where one is right more often than chance allows, by an exact
/// binomial test after Holm's correction at 5 %. Bags of words are learned from training items of the same task.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BaselinesArgs {
    /// Item files, or folders (without what lies in a folder `train` of theirs) [default: what ships].
    #[arg(value_name = "FILE|DIR")]
    paths: Vec<PathBuf>,
    /// Items to learn from: files or folders [default: the folder `train` beside the items, if there is one].
    #[arg(long, value_name = "FILE|DIR")]
    train: Vec<PathBuf>,
    /// Print every cell as JSON.
    #[arg(long)]
    json: bool,
    /// Exit code 1 if a baseline is above chance.
    #[arg(long)]
    strict: bool,
}

/// Runs the command; the exit code is 0 or 1 where it returns.
///
/// # Errors
/// [`crate::Error::Data`] for input that cannot be read.
pub fn run(args: &BaselinesArgs) -> Result<u8> {
    let paths =
        if args.paths.is_empty() { vec![shipped(&format!("data/{}", release::NAME))] } else { args.paths.clone() };
    let mut files = Vec::new();
    for path in &paths {
        let mut found = Vec::new();
        collect(path, &mut found)?;
        // What lies in the training folder of a folder is there to learn from.
        files.extend(found.into_iter().filter(|file| !path.is_dir() || !is_train(file)));
    }
    let mut from = Vec::new();
    for path in &args.train {
        collect(path, &mut from)?;
    }
    if args.train.is_empty() {
        from.extend(files.iter().map(|file| beside(file)).filter(|file| file.is_file()));
    }
    let (items, train) = (read(&files)?, read(&from)?);
    if train.is_empty() {
        Console::new(false)
            .note("no items to learn from, so that `frequent` and bags of words are left out; give --train");
    }
    let cells = evaluate(&items, &train);
    let above = cells.iter().any(|cell| cell.p_holm < LEVEL);
    if args.json {
        print_json(
            &json!({ "schema": "llscore.baselines/1", "items": items.len(), "train": train.len(), "level": LEVEL, "cells": cells }),
        )?;
    } else {
        print(&table(&cells))?;
    }
    Ok(u8::from(args.strict && above))
}

fn is_train(file: &Path) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(|name| name == release::TRAIN.folder)
}

/// The training file that belongs to a file of items.
fn beside(file: &Path) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new("")).join(release::TRAIN.folder);
    file.file_name().map_or(folder.clone(), |name| folder.join(name))
}

fn read(files: &[PathBuf]) -> Result<Vec<Item>> {
    Ok(files.iter().map(|file| read_items(file)).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// One line for each task and variant, then what is above chance.
fn table(cells: &[Cell]) -> String {
    let whole: Vec<&Cell> = cells.iter().filter(|cell| cell.hops.is_none()).collect();
    let names: Vec<&str> =
        BASELINES.iter().map(|b| b.name).filter(|name| whole.iter().any(|c| c.baseline == *name)).collect();
    let mut kinds: Vec<(&str, &str)> = whole.iter().map(|cell| (&cell.task[..], &cell.variant[..])).collect();
    kinds.dedup();
    kinds.sort_unstable();
    kinds.dedup();
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["task", "variant", "n", "chance"].iter().chain(&names));
    for (task, variant) in kinds {
        let of = |name: &str| whole.iter().find(|c| (&c.task[..], &c.variant[..], c.baseline) == (task, variant, name));
        let Some(any) = names.first().and_then(|name| of(name)) else { continue };
        let mut row = vec![visible(task), visible(variant), any.n.to_string(), format!("{:.3}", any.chance)];
        row.extend(names.iter().map(|name| {
            of(name).map_or("-".into(), |c| format!("{:.3}{}", c.acc, if c.p_holm < LEVEL { "*" } else { "" }))
        }));
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 1 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    text.push('\n');
    for baseline in BASELINES.iter().filter(|b| names.contains(&b.name)) {
        text.push_str(&format!("{:10} {}\n", baseline.name, baseline.about));
    }
    for (what, depths) in [("task × variant × depth", true), ("task × variant", false)] {
        text.push('\n');
        text.push_str(&verdict(what, cells.iter().filter(|cell| cell.hops.is_some() == depths)));
    }
    text
}

/// Which cells are above chance, or that none is.
fn verdict<'a>(what: &str, cells: impl Iterator<Item = &'a Cell>) -> String {
    let cells: Vec<&Cell> = cells.collect();
    let above: Vec<&&Cell> = cells.iter().filter(|cell| cell.p_holm < LEVEL).collect();
    let Some(least) = cells.iter().min_by(|a, b| a.p.total_cmp(&b.p)) else { return String::new() };
    let name = |cell: &Cell| {
        let hops = cell.hops.map_or(String::new(), |hops| format!(", {hops} hops"));
        let (low, high) = cell.interval;
        let (task, variant) = (visible(&cell.task), visible(&cell.variant));
        format!(
            "{task}/{variant}{hops}, {}: {:.3} (95 % interval {low:.3} to {high:.3}, chance {:.3}), p = {:.2e}, corrected {:.2e}",
            cell.baseline, cell.acc, cell.chance, cell.p, cell.p_holm
        )
    };
    if above.is_empty() {
        return format!(
            "{what}: none of {} cells is above chance (one-sided exact test, Holm's correction, 5 %).\n  Nearest: {}\n",
            cells.len(),
            name(least)
        );
    }
    let mut text = format!("{what}: {} of {} cells are above chance:\n", above.len(), cells.len());
    text.extend(above.iter().map(|cell| format!("  {}\n", name(cell))));
    text
}
