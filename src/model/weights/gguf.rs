//! Weights and metadata of a GGUF file. Blocks are dequantised to f32 a tensor (or some rows of one) at a time by
//! candle's own routines; everything that can be checked without reading the data is checked when the file is opened.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use candle_core::quantized::GgmlDType;

use super::convert::{Storage, read_elements};
use super::file::PositionalFile;
pub use super::gguf_header::GgufValue;
use super::gguf_header::{Entry, Header};
use super::{TensorSource, checked_range, digest, missing_tensor};
use crate::{Error, Result};

/// An open GGUF file.
#[derive(Debug)]
pub struct GgufFile {
    file: PositionalFile,
    metadata: BTreeMap<String, GgufValue>,
    tensors: BTreeMap<String, Entry>,
    /// Where the tensors' data begin.
    data: u64,
}

impl GgufFile {
    /// Opens a GGUF file and checks its header: every tensor is of a type that can be read and lies within the file.
    ///
    /// # Errors
    /// If the file is missing, empty, a Git LFS pointer, not a GGUF file, truncated, corrupt, one part of a split
    /// model, or holds a tensor of a type that cannot be read (which is named).
    pub fn open(path: &Path) -> Result<Self> {
        let file = PositionalFile::open(path)?;
        let Header { metadata, tensors, data } = Header::read(&file)?;
        let gguf = GgufFile { file, metadata, tensors, data };
        if let Some(parts) = gguf.meta_u64("split.count")?.filter(|parts| *parts > 1) {
            return Err(gguf.bad(format!(
                "is one of {parts} parts of a split model; join them first (`llama-gguf-split --merge FIRST_PART OUT`)"
            )));
        }
        for (name, entry) in &gguf.tensors {
            let range = gguf.byte_range(name, entry)?;
            if range.end > gguf.file.len() {
                return Err(gguf.bad(format!(
                    "is truncated: tensor `{name}` ends at byte {}, the file at byte {}; download it again",
                    range.end,
                    gguf.file.len()
                )));
            }
        }
        Ok(gguf)
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// All metadata, by key.
    pub fn metadata(&self) -> &BTreeMap<String, GgufValue> {
        &self.metadata
    }

    /// `general.architecture`: `llama`, `qwen2`, …
    ///
    /// # Errors
    /// If the key is missing or not text.
    pub fn architecture(&self) -> Result<&str> {
        self.require_str("general.architecture")
    }

    /// Text under `key`, if the key is there.
    ///
    /// # Errors
    /// If it is not text. (Likewise for the other types below.)
    pub fn meta_str(&self, key: &str) -> Result<Option<&str>> {
        self.typed(key, "text", |value| match value {
            GgufValue::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// An integer that is not negative.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn meta_u64(&self, key: &str) -> Result<Option<u64>> {
        self.typed(key, "an integer that is not negative", GgufValue::as_u64)
    }

    /// A float; an integer is converted.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn meta_f64(&self, key: &str) -> Result<Option<f64>> {
        self.typed(key, "a number", GgufValue::as_f64)
    }

    /// A truth value.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn meta_bool(&self, key: &str) -> Result<Option<bool>> {
        self.typed(key, "a truth value", |value| match value {
            GgufValue::Bool(x) => Some(*x),
            _ => None,
        })
    }

    /// A list of texts.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn meta_strs(&self, key: &str) -> Result<Option<&[String]>> {
        self.typed(key, "a list of texts", |value| match value {
            GgufValue::Texts(texts) => Some(texts.as_slice()),
            GgufValue::List(list) if list.is_empty() => Some(&[][..]),
            _ => None,
        })
    }

    /// A list of integers that are not negative; a single one counts as a list of one.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn meta_u64s(&self, key: &str) -> Result<Option<Vec<u64>>> {
        self.typed(key, "a list of integers that are not negative", |value| match value {
            GgufValue::List(list) => list.iter().map(GgufValue::as_u64).collect(),
            single => Some(vec![single.as_u64()?]),
        })
    }

    /// A list of numbers; a single one counts as a list of one.
    ///
    /// # Errors
    /// If the value is something else.
    pub fn meta_f64s(&self, key: &str) -> Result<Option<Vec<f64>>> {
        self.typed(key, "a list of numbers", |value| match value {
            GgufValue::List(list) => list.iter().map(GgufValue::as_f64).collect(),
            single => Some(vec![single.as_f64()?]),
        })
    }

    /// Text that must be there.
    ///
    /// # Errors
    /// If the key is missing or its value is not text.
    pub fn require_str(&self, key: &str) -> Result<&str> {
        self.meta_str(key)?.ok_or_else(|| self.missing(key))
    }

    /// An integer that must be there.
    ///
    /// # Errors
    /// If the key is missing or its value is not an integer of zero or more.
    pub fn require_u64(&self, key: &str) -> Result<u64> {
        self.meta_u64(key)?.ok_or_else(|| self.missing(key))
    }

    /// A number that must be there.
    ///
    /// # Errors
    /// If the key is missing or its value is not a number.
    pub fn require_f64(&self, key: &str) -> Result<f64> {
        self.meta_f64(key)?.ok_or_else(|| self.missing(key))
    }

    /// A list of texts that must be there.
    ///
    /// # Errors
    /// If the key is missing or its value is not a list of texts.
    pub fn require_strs(&self, key: &str) -> Result<&[String]> {
        self.meta_strs(key)?.ok_or_else(|| self.missing(key))
    }

    fn typed<'a, T>(
        &'a self,
        key: &str,
        expected: &str,
        get: impl FnOnce(&'a GgufValue) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.metadata.get(key) else { return Ok(None) };
        match get(value) {
            Some(x) => Ok(Some(x)),
            None => Err(self.bad(format!("metadata key `{key}` is {}, not {expected}", value.kind()))),
        }
    }

    fn missing(&self, key: &str) -> Error {
        self.bad(format!("metadata key `{key}` is missing; the file is incomplete, convert the model again"))
    }

    fn bad(&self, message: impl Into<String>) -> Error {
        Error::model(self.file.path(), message)
    }

    fn find(&self, name: &str) -> Result<&Entry> {
        self.tensors
            .get(name)
            .ok_or_else(|| missing_tensor(self.file.path(), name, self.tensors.keys().map(String::as_str)))
    }

    fn storage(&self, name: &str, entry: &Entry) -> Result<Storage> {
        storage_of(entry.kind).ok_or_else(|| {
            self.bad(format!(
                "tensor `{name}` is stored as {}, which cannot be read; use another quantisation (Q4_K_M, Q8_0, F16, …) \
                 or the safetensors of the model",
                type_name(entry.kind)
            ))
        })
    }

    /// The bytes of a tensor in the file, whether or not the file is that long.
    fn byte_range(&self, name: &str, entry: &Entry) -> Result<Range<u64>> {
        let storage = self.storage(name, entry)?;
        let row = entry.shape.last().copied().unwrap_or(1);
        if !row.is_multiple_of(storage.block_elements()) {
            return Err(self.bad(format!(
                "tensor `{name}` of shape {:?} cannot be stored as {}, whose blocks hold {} values; the file is corrupt",
                entry.shape,
                type_name(entry.kind),
                storage.block_elements()
            )));
        }
        let elements: usize = entry.shape.iter().product();
        let bytes = elements / storage.block_elements() * storage.block_bytes();
        Ok(entry.offset..entry.offset.saturating_add(bytes as u64))
    }
}

impl TensorSource for GgufFile {
    fn location(&self) -> &Path {
        self.file.path()
    }

    fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    fn names(&self) -> Vec<String> {
        self.tensors.keys().cloned().collect()
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>> {
        Ok(self.find(name)?.shape.clone())
    }

    fn dtype(&self, name: &str) -> Result<String> {
        Ok(type_name(self.find(name)?.kind))
    }

    fn tensor_bytes(&self, name: &str) -> Result<u64> {
        let range = self.byte_range(name, self.find(name)?)?;
        Ok(range.end - range.start)
    }

    fn read_rows_f32(&self, name: &str, shape: &[usize], rows: Range<usize>) -> Result<Vec<f32>> {
        let entry = self.find(name)?;
        // llama.cpp's converter drops dimensions of one.
        let wide = |shape: &[usize]| shape.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>();
        let actual = if wide(&entry.shape) == wide(shape) { shape } else { &entry.shape };
        let elements = checked_range(self.file.path(), name, actual, shape, &rows)?;
        read_elements(&self.file, name, entry.offset, self.storage(name, entry)?, elements)
    }

    fn digest(&self) -> Result<String> {
        let mut hasher = blake3::Hasher::new();
        let ranges =
            self.tensors.iter().map(|(name, entry)| self.byte_range(name, entry)).collect::<Result<Vec<_>>>()?;
        digest::add_file(&mut hasher, &self.file, self.data, ranges.into_iter())?;
        Ok(hasher.finalize().to_hex().to_string())
    }

    fn total_parameters(&self) -> u64 {
        self.tensors.values().map(|entry| entry.shape.iter().product::<usize>() as u64).sum()
    }

    fn bytes_on_disk(&self) -> u64 {
        self.file.len()
    }
}

/// How GGML's type number `kind` is read, if it is: the types that candle dequantises from a file. (Q8_1 and Q8_K exist
/// only for activations.)
fn storage_of(kind: u32) -> Option<Storage> {
    Some(match kind {
        0 => Storage::F32,
        1 => Storage::F16,
        2 => Storage::Blocks(GgmlDType::Q4_0),
        3 => Storage::Blocks(GgmlDType::Q4_1),
        6 => Storage::Blocks(GgmlDType::Q5_0),
        7 => Storage::Blocks(GgmlDType::Q5_1),
        8 => Storage::Blocks(GgmlDType::Q8_0),
        10 => Storage::Blocks(GgmlDType::Q2K),
        11 => Storage::Blocks(GgmlDType::Q3K),
        12 => Storage::Blocks(GgmlDType::Q4K),
        13 => Storage::Blocks(GgmlDType::Q5K),
        14 => Storage::Blocks(GgmlDType::Q6K),
        28 => Storage::F64,
        30 => Storage::Bf16,
        _ => return None,
    })
}

/// The name of GGML's type number `kind`.
fn type_name(kind: u32) -> String {
    const NAMES: &[(u32, &str)] = &[
        (0, "F32"),
        (1, "F16"),
        (2, "Q4_0"),
        (3, "Q4_1"),
        (6, "Q5_0"),
        (7, "Q5_1"),
        (8, "Q8_0"),
        (9, "Q8_1"),
        (10, "Q2_K"),
        (11, "Q3_K"),
        (12, "Q4_K"),
        (13, "Q5_K"),
        (14, "Q6_K"),
        (15, "Q8_K"),
        (16, "IQ2_XXS"),
        (17, "IQ2_XS"),
        (18, "IQ3_XXS"),
        (19, "IQ1_S"),
        (20, "IQ4_NL"),
        (21, "IQ3_S"),
        (22, "IQ2_S"),
        (23, "IQ4_XS"),
        (24, "I8"),
        (25, "I16"),
        (26, "I32"),
        (27, "I64"),
        (28, "F64"),
        (29, "IQ1_M"),
        (30, "BF16"),
        (34, "TQ1_0"),
        (35, "TQ2_0"),
        (39, "MXFP4"),
    ];
    NAMES.iter().find(|(k, _)| *k == kind).map_or_else(|| format!("GGML type {kind}"), |(_, name)| name.to_string())
}
