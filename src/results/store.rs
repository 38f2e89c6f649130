//! A run's folder while it is written: append-only lines, one writer, resume after a kill at any moment.
//!
//! **The file.** `samples.jsonl` holds the items in the order of the data. A finished item waits in memory for those
//! before it; each line is one write. The kernel has the line when [`Store::append`] returns, so a killed process loses
//! none; a power cut may cost the last lines, which are then computed again (the disk is flushed once, at the end). A half
//! line, left by a kill or a full disk in mid-write, is cut when the folder is next opened.
//!
//! **Failed items** are tried again. Their lines stand in the middle of the file, so the file is cut before the first
//! of them, and the finished lines behind it are *carried*: `samples.carry` gets each with its position (written
//! whole, before anything is cut), and from there they go back into `samples.jsonl` as the items before them are
//! finished. A finished line is thus always in one of the two files. Nothing is cut before the first new line comes.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::attempts::{Attempt, Attempts};
use super::folder::{self, Folder, pretty, read_json, unusable, write_whole};
use super::lines;
use super::manifest::Manifest;
use super::report::Results;
use super::sample::Sample;
use crate::{Error, Result};

/// A run's folder, open for writing by this process alone.
#[derive(Debug)]
pub struct Store {
    folder: Folder,
    _lock: Option<File>,
    manifest: Manifest,
    ids: Vec<String>,
    file: File,
    /// Lines of `samples.jsonl` that stay, and their bytes.
    written: usize,
    length: u64,
    /// Finished lines by position, waiting for one before them.
    held: BTreeMap<usize, Held>,
    /// How many of them are in `samples.carry`, and whether that exists.
    carried: usize,
    carry: bool,
    /// Whether `samples.jsonl` goes on behind `length` with lines that must be carried or cut first.
    unsettled: bool,
    /// Whether this attempt has appended.
    begun: bool,
    /// Whether a write failed; no more are tried.
    broken: bool,
    attempts: Attempts,
    resumed: Resumed,
    notes: Vec<String>,
}

#[derive(Debug)]
struct Held {
    line: Vec<u8>,
    carried: bool,
}

/// What an earlier attempt left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Items that need no work.
    pub kept: usize,
    /// Items that failed and are tried again.
    pub failed: usize,
}

impl Store {
    /// Opens the folder `dir` for a run over the items `ids`, in the order of the data (ids need not be unique over
    /// several files). Everything that could stop the run from writing is found here, before anything is scored.
    /// `overwrite` removes what an earlier run left.
    ///
    /// # Errors
    /// [`Error::Output`]: the folder cannot be created, written or is being written by another run; it holds a run
    /// under other `scores` (the settings that differ are named), other items, or files that are no run's.
    pub fn open(dir: &Path, manifest: Manifest, ids: Vec<String>, overwrite: bool) -> Result<Self> {
        let folder = Folder::create(dir)?;
        let mut notes = Vec::new();
        let lock = folder.lock()?.map_err(|note| notes.push(note)).ok();
        if overwrite {
            folder.clear()?;
        }
        claim(&folder, &manifest)?;
        let samples = folder.samples();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&samples)
            .map_err(|e| unusable(&samples, "cannot be written", &e))?;
        let kept = lines::read(&file, &samples, &ids)?;
        let carry = folder.carry().exists();
        let mut held = BTreeMap::new();
        if carry {
            let carried = lines::read_carry(&folder.carry(), &ids)?.into_iter().filter(|(i, _)| *i >= kept.prefix);
            held.extend(carried.map(|(i, line)| (i, Held { line, carried: true })));
        }
        let carried = held.len();
        for (position, line) in kept.behind {
            held.entry(position).or_insert(Held { line, carried: false });
        }
        let resumed = Resumed { kept: kept.prefix + held.len(), failed: kept.failed };
        let (attempts, note) = Attempts::load(folder.attempts());
        notes.extend(note);
        let mut store = Store {
            folder,
            _lock: lock,
            manifest,
            ids,
            file,
            written: kept.prefix,
            length: kept.length,
            held,
            carried,
            carry,
            unsettled: true,
            begun: false,
            broken: false,
            attempts,
            resumed,
            notes,
        };
        if kept.failed == 0 || store.finished(store.written) {
            // Nothing behind the prefix but a half line, so there is no reason to wait for a new line.
            store.settle().map_err(|e| unusable(&samples, "cannot be written", &e))?;
        }
        Ok(store)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        self.folder.dir()
    }

    /// What the user should hear of: no locks on this file system, an unreadable record of attempts.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What an earlier attempt left when the folder was opened.
    pub fn resumed(&self) -> Resumed {
        self.resumed
    }

    /// Whether the item at `position` needs no work.
    pub fn finished(&self, position: usize) -> bool {
        position < self.written || self.held.contains_key(&position)
    }

    /// Positions of the items to score, in the order of the data.
    pub fn todo(&self) -> Vec<usize> {
        (self.written..self.ids.len()).filter(|i| !self.held.contains_key(i)).collect()
    }

    /// Writes the sample of the item at `position`, at once or as soon as those before it are there. Order is free.
    ///
    /// # Errors
    /// [`Error::Write`] where a write fails: the lines before stay valid, and nothing more is written.
    /// [`Error::Output`] where `position` is not to be scored or has another id, which is a fault of the caller.
    pub fn append(&mut self, position: usize, sample: &Sample) -> Result<()> {
        if self.ids.get(position) != Some(&sample.id) || self.finished(position) {
            let message = format!("`{}` at position {position} is not an item that is to be scored", sample.id);
            return Err(Error::output(self.folder.samples(), message));
        }
        let path = self.folder.samples();
        if self.broken {
            return Err(Error::Write { path, source: io::Error::other("an earlier write failed") });
        }
        let failed = |path, source| Error::Write { path, source };
        let line = sample.to_line().map_err(|e| failed(path.clone(), e.into()))?;
        if !self.begun {
            self.begin()?;
            self.begun = true;
        }
        if self.unsettled {
            self.settle().map_err(|e| failed(path.clone(), e))?;
        }
        self.held.insert(position, Held { line, carried: false });
        self.drain().map_err(|e| failed(path, e))
    }

    /// Sets what this attempt has cost so far. Kept on disk at most once a second; see [`Store::total`].
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn record(&mut self, attempt: Attempt) -> Result<()> {
        let recorded = self.attempts.record(attempt);
        recorded.map_err(|source| Error::Write { path: self.attempts.path().clone(), source })
    }

    /// The cost of all attempts, this one as last recorded.
    pub fn total(&self) -> Attempt {
        self.attempts.total()
    }

    /// The samples on disk, in the order of the data: all of them once [`Store::todo`] is empty.
    ///
    /// # Errors
    /// [`Error::Output`] where the file cannot be read.
    pub fn samples(&self) -> Result<Vec<Sample>> {
        lines::samples(&self.folder.samples())
    }

    /// The results of a finished run that is repeated: `Some` where no item is to be scored and `results.json` was
    /// written by the same `scores` under the same norm. Otherwise make them from [`Store::samples`].
    ///
    /// # Errors
    /// [`Error::Output`] where `results.json` is something else.
    pub fn completed(&self) -> Result<Option<Results>> {
        if self.written < self.ids.len() {
            return Ok(None);
        }
        let stored: Option<Results> = read_json(&self.folder.results())?;
        Ok(stored.filter(|r| {
            r.manifest.scores == self.manifest.scores && r.manifest.environment.norm == self.manifest.environment.norm
        }))
    }

    /// Ends the run: the samples are flushed to the disk, then `results.json` is written whole.
    ///
    /// # Errors
    /// [`Error::Write`]; [`Error::Output`] where items are missing.
    pub fn finish(&mut self, results: &Results) -> Result<()> {
        let missing = self.ids.len() - self.written;
        if missing > 0 {
            let message = format!("{missing} of {} items are missing", self.ids.len());
            return Err(Error::output(self.folder.samples(), message));
        }
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| Error::Write { path, source }
        };
        self.file.sync_all().map_err(failed(&self.folder.samples()))?;
        self.attempts.save().map_err(failed(&self.folder.attempts()))?;
        let path = self.folder.results();
        pretty(results).and_then(|bytes| write_whole(&path, &bytes)).map_err(failed(&path))
    }

    /// Before the first line of this attempt: results of an earlier one go, and the manifest tells of this one.
    fn begin(&mut self) -> Result<()> {
        let (results, manifest) = (self.folder.results(), self.folder.manifest());
        folder::remove(&results).map_err(|source| Error::Write { path: results, source })?;
        let written = pretty(&self.manifest).and_then(|bytes| write_whole(&manifest, &bytes));
        written.map_err(|source| Error::Write { path: manifest, source })
    }

    /// Makes `samples.jsonl` end at `length`, the finished lines behind it carried first, and takes up what can follow.
    fn settle(&mut self) -> io::Result<()> {
        if self.carried < self.held.len() {
            let mut bytes = Vec::new();
            for (position, held) in &self.held {
                bytes.extend_from_slice(format!("{position}\t").as_bytes());
                bytes.extend_from_slice(&held.line);
            }
            write_whole(&self.folder.carry(), &bytes)?;
            self.carry = true;
            self.carried = self.held.len();
            self.held.values_mut().for_each(|held| held.carried = true);
        }
        // A finished run that is looked at again keeps its time of change.
        if self.file.metadata()?.len() != self.length {
            self.file.set_len(self.length)?;
        }
        self.file.seek(SeekFrom::Start(self.length))?;
        self.unsettled = false;
        self.drain()
    }

    /// Writes the held lines that nothing is missing before.
    fn drain(&mut self) -> io::Result<()> {
        while let Some(held) = self.held.get(&self.written) {
            if let Err(e) = self.file.write_all(&held.line) {
                self.broken = true;
                // Readers of the file should find whole lines; where this fails too, the next opening cuts it.
                let _ = self.file.set_len(self.length);
                return Err(e);
            }
            self.length += held.line.len() as u64;
            self.carried -= usize::from(held.carried);
            self.held.remove(&self.written);
            self.written += 1;
        }
        if self.carry && self.carried == 0 {
            self.file.sync_data()?;
            folder::remove(&self.folder.carry())?;
            self.carry = false;
        }
        Ok(())
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // An attempt that stops early should count in full; where this fails, the last record stands.
        let _ = self.attempts.save();
    }
}

/// Makes the folder this run's: writes the manifest, or compares it with the one that is there, which is then kept
/// until this attempt adds a line.
fn claim(folder: &Folder, manifest: &Manifest) -> Result<()> {
    let path = folder.manifest();
    folder.probe()?;
    let Some(earlier) = read_json::<Manifest>(&path)? else {
        if folder.samples().exists() {
            let message =
                "there is no manifest.json beside it; choose another folder with --output, or give --overwrite";
            return Err(Error::output(folder.samples(), message));
        }
        let written = pretty(manifest).and_then(|bytes| write_whole(&path, &bytes));
        return written.map_err(|e| unusable(folder.dir(), "the output folder cannot be written", &e));
    };
    let differences = manifest.differences(&earlier)?;
    if differences.is_empty() {
        return Ok(());
    }
    if !has_lines(folder) {
        // An attempt that ended before its first line has left nothing that could be mixed up.
        let replaced = folder::remove(&folder.attempts()).and_then(|()| write_whole(&path, &pretty(manifest)?));
        return replaced.map_err(|e| unusable(folder.dir(), "the output folder cannot be written", &e));
    }
    let message = format!(
        "holds a run under other settings ({}); choose another folder with --output, or give --overwrite",
        differences.join("; ")
    );
    Err(Error::output(folder.dir(), message))
}

/// Whether an attempt has written lines.
fn has_lines(folder: &Folder) -> bool {
    folder.carry().exists() || folder.samples().metadata().is_ok_and(|samples| samples.len() > 0)
}
