//! Flags that name data, and the items that they select.

use std::path::PathBuf;

use clap::Args;

use super::model::shipped;
use crate::item::{Item, parse_items, read_bytes};
use crate::logicmark::{TASKS, release};
use crate::results::{DataDigest, Selection};
use crate::{Error, Result};

/// Flags that name data.
#[derive(Args, Clone, Debug)]
pub struct DataArgs {
    /// Items as JSON Lines, `-` for standard input; may be repeated [default: LogicMark].
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    data: Vec<PathBuf>,
    /// Only items of this task; may be repeated.
    #[arg(long, value_name = "TASK", help_heading = "Data")]
    task: Vec<String>,
    /// Only items of this variant; may be repeated.
    #[arg(long, value_name = "VARIANT", help_heading = "Data")]
    variant: Vec<String>,
    /// Only the first N of the items chosen so far.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Data")]
    limit: Option<u64>,
    /// Only part I of N, as `2/8` (I from 1), in a folder of its own.
    #[arg(long, value_name = "I/N", value_parser = parse_shard, help_heading = "Data")]
    shard: Option<(usize, usize)>,
}

fn parse_shard(text: &str) -> std::result::Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((i, n)) if (1..=n).contains(&i) => Ok((i, n)),
        _ => Err("give I/N with I from 1 to N, such as `2/8`".to_string()),
    }
}

/// The files of LogicMark that ship.
fn benchmark() -> Vec<PathBuf> {
    let folder = shipped(&format!("data/{}", release::NAME));
    TASKS.iter().map(|task| folder.join(release::TEST.file(task))).collect()
}

/// Items that were read, and which of them are to be scored.
pub struct Data {
    /// The files.
    files: Vec<PathBuf>,
    /// All items of the files.
    pub all: Vec<Item>,
    /// Positions in `all` of those to be scored.
    pub chosen: Vec<usize>,
    /// The files' digests.
    pub digests: Vec<DataDigest>,
    /// How they were chosen, shards aside.
    pub selection: Selection,
    /// `I/N`.
    pub shard: Option<String>,
}

impl DataArgs {
    /// Reads the files and selects.
    ///
    /// # Errors
    /// As [`crate::item::read_items`]; and for a task or variant that no item has.
    pub fn read(&self) -> Result<Data> {
        let files = if self.data.is_empty() { benchmark() } else { self.data.clone() };
        let (mut all, mut digests) = (Vec::new(), Vec::new());
        for file in &files {
            let bytes = read_bytes(file)?;
            let items = parse_items(&bytes[..], file)?;
            let digest = DataDigest::of(file, &bytes, items.len());
            if digests.iter().any(|d: &DataDigest| d.blake3 == digest.blake3) {
                return Err(Error::data(file, None, "is given twice; every item would count double"));
            }
            digests.push(digest);
            all.extend(items);
        }
        known("task", &self.task, all.iter().map(|i| i.task.as_str()))?;
        known("variant", &self.variant, all.iter().map(|i| i.variant.as_str()))?;
        let wanted = |names: &[String], name: &str| names.is_empty() || names.iter().any(|n| n == name);
        let limit = self.limit.map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let mut chosen: Vec<usize> = (0..all.len())
            .filter(|i| wanted(&self.task, &all[*i].task) && wanted(&self.variant, &all[*i].variant))
            .take(limit.unwrap_or(usize::MAX))
            .collect();
        if chosen.is_empty() {
            return Err(Error::usage("no item is of both the task and the variant asked for"));
        }
        if let Some((i, n)) = self.shard {
            chosen = chosen[chosen.len() * (i - 1) / n..chosen.len() * i / n].to_vec();
            if chosen.is_empty() {
                return Err(Error::usage(format!("--shard {i}/{n}: this part holds no items; use fewer parts")));
            }
        }
        Ok(Data {
            files,
            all,
            chosen,
            digests,
            selection: Selection { task: self.task.clone(), variant: self.variant.clone(), limit },
            shard: self.shard.map(|(i, n)| format!("{i}/{n}")),
        })
    }
}

impl Data {
    /// The files of training items that belong to the data: those of the same name in a folder `train` beside them.
    pub fn train_files(&self) -> Vec<PathBuf> {
        let beside = |file: &PathBuf| Some(file.parent()?.join(release::TRAIN.folder).join(file.file_name()?));
        self.files.iter().filter_map(beside).filter(|file| file.is_file()).collect()
    }
}

/// Refuses names that no item has.
fn known<'a>(what: &str, asked: &[String], names: impl Iterator<Item = &'a str>) -> Result<()> {
    let names: std::collections::BTreeSet<&str> = names.collect();
    match asked.iter().find(|a| !names.contains(a.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let list: Vec<&str> = names.into_iter().collect();
            Err(Error::usage(format!(
                "--{what} {unknown}: no item has this {what}; the data have: {}",
                list.join(", ")
            )))
        }
    }
}
