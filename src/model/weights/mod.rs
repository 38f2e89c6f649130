//! Tensors by name, as f32, from safetensors files or a GGUF file.
//!
//! Decided here: how bytes on disk become f32 rows, what is checked before they are trusted, and how the weights are
//! identified (their digest). Not decided here: which tensors a model has (`model::arch`) and which files
//! (`model::source`).
//!
//! Files are read by position, never memory-mapped: pages of a mapped file would count as the process's own memory
//! beside the converted copy. Reading a tensor costs its f32 result and a small buffer a thread, nothing else.

mod convert;
mod digest;
mod file;
pub mod gguf;
mod gguf_header;
mod index;
pub mod safetensors;

use std::ops::Range;
use std::path::Path;

use crate::{Error, Result};

pub use file::refuse_lfs_pointer;
pub use gguf::GgufFile;
pub use index::shards_of_index;
pub use safetensors::Safetensors;

/// Tensors by name. Shapes are row-major, outermost first: a linear layer's weight is `[out, in]` in both formats
/// (GPT-2's safetensors store `[in, out]`, which is the reader's to know).
pub trait TensorSource: Send + Sync {
    /// The file (GGUF) or folder (safetensors) that errors name.
    fn location(&self) -> &Path;

    /// Whether there is a tensor of this name.
    fn contains(&self, name: &str) -> bool;

    /// The names of all tensors, sorted.
    fn names(&self) -> Vec<String>;

    /// The tensor's shape.
    ///
    /// # Errors
    /// If there is no such tensor; the message names it and the file.
    fn shape(&self, name: &str) -> Result<Vec<usize>>;

    /// How the tensor is stored: `F32`, `BF16`, `Q4_K`, …
    ///
    /// # Errors
    /// If there is no such tensor.
    fn dtype(&self, name: &str) -> Result<String>;

    /// The bytes that the tensor takes on disk.
    ///
    /// # Errors
    /// If there is no such tensor.
    fn tensor_bytes(&self, name: &str) -> Result<u64>;

    /// Reads rows `rows` (of the first dimension) of a tensor of shape `shape` as f32, row-major.
    ///
    /// # Errors
    /// If the tensor is missing, has another shape (both are named), is of a type that cannot be read, or the file
    /// fails. `rows` must lie within `shape[0]`, and begin and end at a block boundary where the type has blocks.
    fn read_rows_f32(&self, name: &str, shape: &[usize], rows: Range<usize>) -> Result<Vec<f32>>;

    /// Reads a whole tensor of shape `shape` as f32, row-major.
    ///
    /// # Errors
    /// As [`TensorSource::read_rows_f32`].
    fn read_f32(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        self.read_rows_f32(name, shape, 0..shape.first().copied().unwrap_or(1))
    }

    /// An identity of the weights: BLAKE3, in hexadecimal, of the files' headers, their sizes and blocks sampled from
    /// every tensor (small files are read whole). It does not depend on where the files lie, and reads a few
    /// megabytes of a file of any size.
    ///
    /// # Errors
    /// If a file cannot be read.
    fn digest(&self) -> Result<String>;

    /// The number of stored elements, all tensors together.
    fn total_parameters(&self) -> u64;

    /// The size of the files, in bytes.
    fn bytes_on_disk(&self) -> u64;

    /// The type that most elements are stored in.
    fn main_dtype(&self) -> String {
        let mut counts: std::collections::BTreeMap<String, u64> = Default::default();
        for name in self.names() {
            if let (Ok(dtype), Ok(shape)) = (self.dtype(&name), self.shape(&name)) {
                *counts.entry(dtype).or_default() += shape.iter().product::<usize>() as u64;
            }
        }
        counts.into_iter().max_by_key(|(_, n)| *n).map(|(dtype, _)| dtype).unwrap_or_default()
    }
}

/// The elements `start..end` that `rows` of a tensor are, once its shape on disk is known to be the expected one.
fn checked_range(
    file: &Path,
    name: &str,
    actual: &[usize],
    expected: &[usize],
    rows: &Range<usize>,
) -> Result<Range<usize>> {
    if actual != expected {
        return Err(Error::model(
            file,
            format!(
                "tensor `{name}` has shape {actual:?}, but the config implies {expected:?}; the weights and the config \
                 do not belong together"
            ),
        ));
    }
    let (count, row) = match expected.split_first() {
        Some((first, rest)) => (*first, rest.iter().product::<usize>()),
        None => (1, 1),
    };
    if rows.start > rows.end || rows.end > count {
        return Err(Error::model(
            file,
            format!("tensor `{name}` has {count} rows, but rows {}..{} were asked for", rows.start, rows.end),
        ));
    }
    Ok(rows.start * row..rows.end * row)
}

/// The error for a tensor that is not there, with the closest thing that is.
fn missing_tensor<'a>(file: &Path, name: &str, names: impl Iterator<Item = &'a str>) -> Error {
    let last = name.rsplit('.').nth(1).unwrap_or(name);
    let similar = names.filter(|n| n.ends_with(name) || n.rsplit('.').nth(1) == Some(last)).min();
    let hint = similar.map(|n| format!(" (there is `{n}`)")).unwrap_or_default();
    Error::model(
        file,
        format!("tensor `{name}` is missing{hint}; the weights are incomplete or of another architecture"),
    )
}
