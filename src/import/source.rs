//! Outside files as they are named and read.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::item::read_bytes;

/// A file of an outside format, whole.
#[derive(Clone, Debug)]
pub struct Source {
    /// As it was named; `-` for standard input.
    pub name: String,
    /// The file's own name, without folders.
    pub base_name: String,
    /// What ids of its records begin with: the file's stem, with folders before it where another file has the same.
    pub prefix: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

impl Source {
    /// Reads a file; `-` is standard input.
    ///
    /// # Errors
    /// [`crate::Error::Data`] for a missing file or a directory.
    pub fn read(path: &Path) -> Result<Self> {
        Ok(Self::new(path, read_bytes(path)?))
    }

    /// A file of this name with these bytes.
    #[must_use]
    pub fn new(path: &Path, bytes: Vec<u8>) -> Self {
        let of = |part: Option<&std::ffi::OsStr>| part.map(|p| p.to_string_lossy().into_owned());
        let stdin = path.as_os_str() == "-";
        let name = path.display().to_string();
        let pick = |part| if stdin { Some("stdin".to_string()) } else { of(part) };
        Source {
            base_name: pick(path.file_name()).unwrap_or_else(|| name.clone()),
            prefix: pick(path.file_stem()).unwrap_or_else(|| name.clone()),
            name,
            bytes,
        }
    }

    /// The text, without a byte order mark; where it is no UTF-8, the 1-based line and column of the first bad byte.
    pub(super) fn text(&self) -> std::result::Result<&str, (usize, usize)> {
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(e) => {
                let before = String::from_utf8_lossy(self.bytes.get(..e.valid_up_to()).unwrap_or_default());
                Err(position(&before, before.len()))
            }
        }
    }
}

/// 1-based line and column (in characters) of a byte of a text.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    (line, column)
}

/// Where several files share a stem, puts as many of their folders before it as tell them apart.
pub(super) fn tell_apart(sources: &mut [Source]) {
    let parts = |source: &Source| -> Vec<String> {
        let mut parent = PathBuf::from(&source.name);
        parent.pop();
        parent
            .components()
            .filter_map(|c| match c {
                std::path::Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                _ => None,
            })
            .rev()
            .collect()
    };
    let stems: Vec<String> = sources.iter().map(|s| s.prefix.clone()).collect();
    let folders: Vec<Vec<String>> = sources.iter().map(parts).collect();
    let deepest = folders.iter().map(Vec::len).max().unwrap_or(0);
    for depth in 1..=deepest {
        let names: Vec<String> = sources.iter().map(|s| s.prefix.clone()).collect();
        for (i, source) in sources.iter_mut().enumerate() {
            if names.iter().filter(|name| **name == names[i]).count() > 1 {
                let above = folders[i].iter().take(depth).rev().map(String::as_str);
                source.prefix = above.chain([stems[i].as_str()]).collect::<Vec<_>>().join("/");
            }
        }
    }
}
