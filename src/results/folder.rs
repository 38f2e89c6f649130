//! The files of a run's folder, and the two ways of touching them: whole (temporary file, then rename) and by one
//! writer at a time (a lock).

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// Paths of a run's folder.
#[derive(Clone, Debug)]
pub struct Folder {
    dir: PathBuf,
}

impl Folder {
    /// The folder at `dir`, created with its parents where absent.
    ///
    /// # Errors
    /// [`Error::Output`] where it cannot be: a file in the way, no permission, a read-only file system.
    pub fn create(dir: &Path) -> Result<Self> {
        if dir.exists() && !dir.is_dir() {
            return Err(Error::output(dir, "is a file, not a folder; choose another folder with --output"));
        }
        fs::create_dir_all(dir).map_err(|e| unusable(dir, "the output folder cannot be created", &e))?;
        Ok(Folder { dir: dir.to_path_buf() })
    }

    /// The folder itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }
    /// `manifest.json`.
    pub fn manifest(&self) -> PathBuf {
        self.dir.join("manifest.json")
    }
    /// `samples.jsonl`.
    pub fn samples(&self) -> PathBuf {
        self.dir.join("samples.jsonl")
    }
    /// `results.json`.
    pub fn results(&self) -> PathBuf {
        self.dir.join("results.json")
    }
    /// `attempts.json`: seconds and tokens of each attempt.
    pub fn attempts(&self) -> PathBuf {
        self.dir.join("attempts.json")
    }
    /// `samples.carry`: finished lines that wait for a failed item before them to be tried again.
    pub fn carry(&self) -> PathBuf {
        self.dir.join("samples.carry")
    }

    /// Takes the writer's lock, held until the file is dropped. `Err(note)` inside `Ok` where the file system has no
    /// locks, which the user should hear of.
    ///
    /// # Errors
    /// [`Error::Output`] where another process holds it, or the folder cannot be written.
    pub fn lock(&self) -> Result<std::result::Result<File, String>> {
        let path = self.dir.join(".lock");
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|e| unusable(&self.dir, "the output folder cannot be written", &e))?;
        match file.try_lock() {
            Ok(()) => Ok(Ok(file)),
            Err(TryLockError::WouldBlock) => Err(Error::output(
                &self.dir,
                "another run is writing to this folder; wait for it to end or choose another with --output",
            )),
            Err(TryLockError::Error(e)) => Ok(Err(format!(
                "{}: the file system cannot lock ({e}); see to it that no second run writes to this folder",
                self.dir.display()
            ))),
        }
    }

    /// Writes a page to a file and removes it, to find out now whether folder and disk take one.
    ///
    /// # Errors
    /// [`Error::Output`] where they do not.
    pub fn probe(&self) -> Result<()> {
        let path = self.dir.join(".probe");
        let written = fs::write(&path, [b' '; 4096]);
        let removed = remove(&path);
        written.and(removed).map_err(|e| unusable(&self.dir, "the output folder cannot be written", &e))
    }

    /// Removes every file that a run writes, the manifest last. Other files stay.
    ///
    /// # Errors
    /// [`Error::Output`] where one cannot be removed.
    pub fn clear(&self) -> Result<()> {
        for path in [self.results(), self.samples(), self.carry(), self.attempts(), self.manifest()] {
            remove(&path).map_err(|e| unusable(&path, "cannot be overwritten", &e))?;
        }
        Ok(())
    }
}

/// An [`Error::Output`] with the system's reason and the remedy.
pub fn unusable(path: &Path, what: &str, reason: &io::Error) -> Error {
    Error::output(path, format!("{what}: {reason}; choose another folder with --output"))
}

/// Removes a file; fine where there is none.
///
/// # Errors
/// The system's.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Writes a file whole or not at all: to `.<name>.tmp` beside it, flushed to the disk, then renamed.
///
/// # Errors
/// The system's; the temporary file is removed and what stood at `path` before still does.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".{name}.tmp"));
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// A JSON document for people: indented, with a newline at the end.
///
/// # Errors
/// The serialiser's; none in practice.
pub fn pretty(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Reads a JSON file; `None` where there is none.
///
/// # Errors
/// [`Error::Output`] where it cannot be read or is something else.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(unusable(path, "cannot be read", &e)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|e| {
        Error::output(path, format!("was not written by this version: {e}; choose another --output, or --overwrite"))
    })
}
