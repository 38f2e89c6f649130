//! The library's error type. Every message says what is wrong, where (file, line, field, tensor) and what to do.
//!
//! Two exit codes follow from an error: 2 when nothing was scored, 1 when a run had begun and could not go on
//! ([`Error::exit_code`]).

use std::path::{Path, PathBuf};

/// `std::result::Result` with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong, by the thing that is at fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A flag, or a combination of flags, that cannot be honoured.
    #[error("{0}")]
    Usage(String),
    /// A data file, at a line (1-based) where one is known.
    #[error("{}{}: {message}", file.display(), line.map(|l| format!(":{l}")).unwrap_or_default())]
    Data {
        /// The data file; `-` for standard input.
        file: PathBuf,
        /// 1-based line number.
        line: Option<usize>,
        /// What is wrong and what to do.
        message: String,
    },
    /// A model file: weights, config.json or tokenizer.
    #[error("{}: {message}", file.display())]
    Model {
        /// The file or folder at fault.
        file: PathBuf,
        /// What is wrong (with the key or tensor) and what to do.
        message: String,
    },
    /// The Hub, or its cache.
    #[error("{repo}: {message}")]
    Hub {
        /// Repository id.
        repo: String,
        /// What is wrong and what to do.
        message: String,
    },
    /// An output folder that cannot be used; nothing has been scored.
    #[error("{}: {message}", path.display())]
    Output {
        /// Folder or file.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
    /// A write that failed after scoring had begun (a full disk, say). What had been written stays valid.
    #[error("{}: write failed: {source}; free some space and give the same command again to go on", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The run was interrupted by Ctrl-C; every finished line is on disk.
    #[error("interrupted; the same command goes on from here")]
    Interrupted,
    /// A tensor operation failed. (With `RUST_BACKTRACE` set, the library puts a trace behind its first line.)
    #[error("tensor operation failed: {}", .0.to_string().lines().next().unwrap_or_default())]
    Tensor(#[from] candle_core::Error),
}

impl Error {
    /// A usage error from anything that can be displayed.
    pub fn usage(message: impl Into<String>) -> Self {
        Error::Usage(message.into())
    }
    /// An error in a model file.
    pub fn model(file: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Error::Model { file: file.as_ref().to_path_buf(), message: message.into() }
    }
    /// An error in a data file, at a 1-based line if one is known.
    pub fn data(file: impl AsRef<Path>, line: Option<usize>, message: impl Into<String>) -> Self {
        Error::Data { file: file.as_ref().to_path_buf(), line, message: message.into() }
    }
    /// An output folder or file that cannot be used.
    pub fn output(path: impl AsRef<Path>, message: impl Into<String>) -> Self {
        Error::Output { path: path.as_ref().to_path_buf(), message: message.into() }
    }
    /// The process's exit code for this error: 1 where a run had begun, 130 after Ctrl-C, else 2.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Write { .. } | Error::Tensor(_) => 1,
            Error::Interrupted => 130,
            _ => 2,
        }
    }
}
