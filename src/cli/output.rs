//! Where a command that makes a file puts it: standard output, or a file that is whole or not there.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Writes what `fill` gives to a file; to standard output where there is none, or it is `-`.
///
/// # Errors
/// [`Error::Output`] for a file that cannot be created, [`Error::Write`] for a write that fails.
pub(super) fn write(path: Option<&Path>, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => write_file(path, fill),
        None => write_stdout(fill),
    }
}

/// Fails where a file to be written is one of those that are read, by whatever path or link.
///
/// # Errors
/// [`Error::Output`] names the file and the flag.
pub(super) fn spares(inputs: &[PathBuf], flag: &str, path: Option<&Path>) -> Result<()> {
    let whole = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(place) = path.filter(|path| path.as_os_str() != "-").and_then(whole) else { return Ok(()) };
    let read = inputs.iter().filter(|input| input.as_os_str() != "-").filter_map(|input| whole(input));
    if read.into_iter().any(|input| input == place) {
        return Err(Error::output(place, format!("is read here and would be overwritten; give `{flag}` another file")));
    }
    Ok(())
}

/// A reader that has seen enough and closed the pipe is no failure.
fn write_stdout(fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match fill(&mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Write { path: "standard output".into(), source: e })
        }
        _ => Ok(()),
    }
}

/// Through a file beside it and a rename, so that the file is never half written. A link is followed; what is no regular
/// file (a device, a pipe) is written into, not replaced.
fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let followed = std::fs::canonicalize(path);
    let path = followed.as_deref().unwrap_or(path);
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        let file = std::fs::OpenOptions::new().write(true).open(path);
        let file = file.map_err(|e| Error::output(path, format!("cannot be written: {e}")))?;
        let mut out = std::io::BufWriter::new(file);
        let written = fill(&mut out).and_then(|()| out.flush());
        return written.map_err(|source| Error::Write { path: path.to_path_buf(), source });
    }
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        return Err(Error::output(path, "is not a file name; give `--output FILE`"));
    };
    let mut beside = name.to_os_string();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(beside);
    let file = std::fs::File::create(&beside)
        .map_err(|e| Error::output(path, format!("cannot be written: {e}; check that its folder exists")))?;
    let mut out = std::io::BufWriter::new(file);
    let written = fill(&mut out).and_then(|()| out.flush()).and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|source| {
        // What is left is of no use; that removing it may fail too adds nothing.
        let _ = std::fs::remove_file(&beside);
        Error::Write { path: path.to_path_buf(), source }
    })
}
