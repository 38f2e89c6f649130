//! A file that is read by position, and the checks that every model file gets before it is trusted: that it is there,
//! is a file, is not empty and is not a Git LFS pointer.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// How a Git LFS pointer begins.
const LFS_PREFIX: &[u8] = b"version https://git-lfs";

/// An open file with positional reads, which several threads may make at once.
#[derive(Debug)]
pub(super) struct PositionalFile {
    path: PathBuf,
    len: u64,
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

impl PositionalFile {
    /// Opens `path`, refusing what cannot be weights: a folder, an empty file, a Git LFS pointer.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::model(path, format!("cannot be opened: {e}")))?;
        let about = file.metadata().map_err(|e| Error::model(path, format!("cannot be read: {e}")))?;
        if about.is_dir() {
            return Err(Error::model(path, "is a folder, not a file"));
        }
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        let opened = PositionalFile { path: path.to_path_buf(), len: about.len(), file };
        if opened.len == 0 {
            return Err(Error::model(path, "is empty (0 bytes); download it again"));
        }
        let mut start = [0; LFS_PREFIX.len()];
        let start = &mut start[..(opened.len as usize).min(LFS_PREFIX.len())];
        opened.read_exact_at(start, 0)?;
        if start == LFS_PREFIX {
            return Err(lfs_pointer(path));
        }
        Ok(opened)
    }

    /// The path it was opened by.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its size in bytes, when it was opened.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Fills `buffer` with the bytes at `offset`.
    pub(super) fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        self.read(buffer, offset).map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => {
                Error::model(&self.path, "became shorter while it was read; it is truncated, download it again")
            }
            _ => Error::model(&self.path, format!("cannot be read at byte {offset}: {e}")),
        })
    }

    #[cfg(unix)]
    fn read(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, buffer, offset)
    }

    #[cfg(not(unix))]
    fn read(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<()> {
        use std::io::{Read, Seek, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

/// Fails if the file at `path` is a Git LFS pointer; a file that cannot be read is left to whoever reads it.
///
/// # Errors
/// [`Error::Model`] that says how to fetch the real file.
pub fn refuse_lfs_pointer(path: &Path) -> Result<()> {
    use std::io::Read;
    let mut start = Vec::new();
    if let Ok(file) = File::open(path) {
        // An unreadable file (a folder, say) leaves `start` empty.
        let _ = file.take(LFS_PREFIX.len() as u64).read_to_end(&mut start);
    }
    if start == LFS_PREFIX { Err(lfs_pointer(path)) } else { Ok(()) }
}

fn lfs_pointer(path: &Path) -> Error {
    Error::model(
        path,
        "is a Git LFS pointer, not the file itself; run `git lfs pull` in its folder, or download the file",
    )
}
