//! Reading `samples.jsonl` and `samples.carry` back: whole lines are checked against the order of the data, a half
//! line at the end is left out.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::folder::unusable;
use super::sample::Sample;
use crate::{Error, Result};

/// What `samples.jsonl` holds.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Lines before the first failed item, and their bytes.
    pub(super) prefix: usize,
    pub(super) length: u64,
    /// Finished lines behind it, with their positions.
    pub(super) behind: Vec<(usize, Vec<u8>)>,
    /// Failed items.
    pub(super) failed: usize,
}

/// Reads the lines of a run over `ids`.
///
/// # Errors
/// [`Error::Output`] with the line for one that is whole but no sample, or not the item that stands there.
pub(super) fn read(file: &File, path: &Path, ids: &[String]) -> Result<Kept> {
    let mut kept = Kept::default();
    for_each_line(BufReader::new(file), path, |number, line| {
        let position = number - 1;
        let sample: Sample = serde_json::from_slice(&line).map_err(|e| misfit(path, number, &format!("{e}")))?;
        match ids.get(position) {
            Some(id) if *id == sample.id => {}
            Some(id) => return Err(misfit(path, number, &format!("item `{}` where `{id}` should be", sample.id))),
            None => return Err(misfit(path, number, &format!("item `{}`, but the run has {position}", sample.id))),
        }
        if sample.is_error() {
            kept.failed += 1;
        } else if kept.failed > 0 {
            kept.behind.push((position, line));
        } else {
            kept.prefix += 1;
            kept.length += line.len() as u64;
        }
        Ok(())
    })?;
    Ok(kept)
}

/// Reads carried lines: position, tab, line.
///
/// # Errors
/// [`Error::Output`] for a line that is not one of the run's.
pub(super) fn read_carry(path: &Path, ids: &[String]) -> Result<Vec<(usize, Vec<u8>)>> {
    let file = File::open(path).map_err(|e| unusable(path, "cannot be read", &e))?;
    let mut carried = Vec::new();
    for_each_line(BufReader::new(file), path, |number, line| {
        let split = line.iter().position(|b| *b == b'\t');
        let parsed = split.and_then(|tab| {
            let position: usize = std::str::from_utf8(&line[..tab]).ok()?.parse().ok()?;
            let sample: Sample = serde_json::from_slice(&line[tab + 1..]).ok()?;
            (ids.get(position) == Some(&sample.id)).then(|| (position, line[tab + 1..].to_vec()))
        });
        carried.push(parsed.ok_or_else(|| misfit(path, number, "not a line of this run"))?);
        Ok(())
    })?;
    Ok(carried)
}

/// All samples of a file.
///
/// # Errors
/// [`Error::Output`] where it cannot be read or a whole line is no sample.
pub fn samples(path: &Path) -> Result<Vec<Sample>> {
    let file = File::open(path).map_err(|e| unusable(path, "cannot be read", &e))?;
    let mut samples = Vec::new();
    for_each_line(BufReader::new(file), path, |number, line| {
        samples.push(serde_json::from_slice(&line).map_err(|e| misfit(path, number, &format!("{e}")))?);
        Ok(())
    })?;
    Ok(samples)
}

/// Calls `take` with number (from 1) and bytes, newline included, of each whole line.
fn for_each_line(
    mut reader: impl BufRead,
    path: &Path,
    mut take: impl FnMut(usize, Vec<u8>) -> Result<()>,
) -> Result<()> {
    for number in 1.. {
        let mut line = Vec::new();
        reader.read_until(b'\n', &mut line).map_err(|e| unusable(path, "cannot be read", &e))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        take(number, line)?;
    }
    Ok(())
}

fn misfit(path: &Path, line: usize, what: &str) -> Error {
    Error::output(
        path,
        format!("line {line} does not belong to this run: {what}; choose another folder with --output, or --overwrite"),
    )
}
