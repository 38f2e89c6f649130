//! The header of a GGUF file: its metadata and the table of its tensors, parsed with the place in the file at hand, so
//! that every error can name the key or the tensor.
//!
//! Written from the format's description (versions 2 and 3, and 1 with its 32-bit lengths; little-endian). Lengths are
//! checked against what is left of the file before memory is taken for them.

use std::collections::BTreeMap;

use super::file::PositionalFile;
use crate::{Error, Result};

/// How deep arrays may nest.
const MAX_DEPTH: usize = 4;
/// How many dimensions a tensor may have.
const MAX_DIMENSIONS: u32 = 4;

/// A value of the metadata. Integers and floats of all widths are widened.
#[derive(Clone, Debug, PartialEq)]
pub enum GgufValue {
    /// An unsigned integer.
    Unsigned(u64),
    /// A signed integer.
    Signed(i64),
    /// A float.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of values that are not texts.
    List(Vec<GgufValue>),
}

impl GgufValue {
    /// What the value is, for messages: `an integer`, `a list`, …
    pub fn kind(&self) -> &'static str {
        match self {
            GgufValue::Unsigned(_) | GgufValue::Signed(_) => "an integer",
            GgufValue::Float(_) => "a float",
            GgufValue::Bool(_) => "a truth value",
            GgufValue::Text(_) => "text",
            GgufValue::Texts(_) => "a list of texts",
            GgufValue::List(_) => "a list",
        }
    }

    /// The value as an integer that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            GgufValue::Unsigned(x) => Some(*x),
            GgufValue::Signed(x) => u64::try_from(*x).ok(),
            _ => None,
        }
    }

    /// The value as a float; integers are converted.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            GgufValue::Float(x) => Some(*x),
            GgufValue::Unsigned(x) => Some(*x as f64),
            GgufValue::Signed(x) => Some(*x as f64),
            _ => None,
        }
    }
}

/// A row of the table of tensors.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Row-major, outermost first (the file has the reverse).
    pub(super) shape: Vec<usize>,
    /// GGML's number of the type.
    pub(super) kind: u32,
    /// Where the data begin, from the start of the file.
    pub(super) offset: u64,
}

/// All that comes before the tensors' data.
pub(super) struct Header {
    pub(super) metadata: BTreeMap<String, GgufValue>,
    pub(super) tensors: BTreeMap<String, Entry>,
    /// Where the data of the tensors begin.
    pub(super) data: u64,
}

impl Header {
    /// Parses the header of `file`.
    pub(super) fn read(file: &PositionalFile) -> Result<Header> {
        let mut cursor = Cursor { file, at: 0, buffer: Vec::new(), start: 0, wide: true, place: "the header".into() };
        let magic: [u8; 4] = cursor.bytes()?;
        if &magic != b"GGUF" {
            return Err(cursor.bad(format!("is not a GGUF file (it begins with {magic:?}, not `GGUF`)")));
        }
        let version = cursor.u32()?;
        match version {
            1 => cursor.wide = false,
            2 | 3 => {}
            _ if (1..=3).contains(&version.swap_bytes()) => {
                return Err(cursor.bad("is a big-endian GGUF file, which is not supported; convert the model again"));
            }
            _ => return Err(cursor.bad(format!("is of GGUF version {version}; versions 1 to 3 are supported"))),
        }
        let tensors = cursor.count("tensors")?;
        let keys = cursor.count("metadata keys")?;
        let metadata = cursor.metadata(keys)?;
        let entries = cursor.tensors(tensors)?;
        let alignment = match metadata.get("general.alignment") {
            None => 32,
            Some(value) => value
                .as_u64()
                .filter(|a| a.is_power_of_two() && *a <= 1 << 20)
                .ok_or_else(|| cursor.bad("has an invalid `general.alignment`; the file is corrupt"))?,
        };
        let data = cursor.at.next_multiple_of(alignment);
        let entries = entries
            .into_iter()
            .map(|(name, mut entry)| match data.checked_add(entry.offset) {
                Some(offset) => {
                    entry.offset = offset;
                    Ok((name, entry))
                }
                None => Err(cursor.bad(format!("tensor `{name}` lies beyond any file; the file is corrupt"))),
            })
            .collect::<Result<_>>()?;
        Ok(Header { metadata, tensors: entries, data })
    }
}

/// A buffered place in the file.
struct Cursor<'a> {
    file: &'a PositionalFile,
    at: u64,
    buffer: Vec<u8>,
    /// Where `buffer` begins in the file.
    start: u64,
    /// Lengths take eight bytes (four in version 1).
    wide: bool,
    /// What is being read, for messages.
    place: String,
}

impl Cursor<'_> {
    fn bad(&self, message: impl Into<String>) -> Error {
        Error::model(self.file.path(), message)
    }

    fn truncated(&self) -> Error {
        self.bad(format!(
            "is truncated or corrupt: {} needs more than the {} bytes of the file; download it again",
            self.place,
            self.file.len()
        ))
    }

    /// The next `n` bytes.
    fn take(&mut self, n: u64) -> Result<&[u8]> {
        if n > self.file.len() - self.at {
            return Err(self.truncated());
        }
        let held = self.start + self.buffer.len() as u64;
        if self.at + n > held {
            let len = n.max(1 << 16).min(self.file.len() - self.at);
            self.buffer.resize(len as usize, 0);
            self.file.read_exact_at(&mut self.buffer, self.at)?;
            self.start = self.at;
        }
        let from = (self.at - self.start) as usize;
        self.at += n;
        Ok(&self.buffer[from..from + n as usize])
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N as u64)?);
        Ok(out)
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn length(&mut self) -> Result<u64> {
        if self.wide { Ok(u64::from_le_bytes(self.bytes()?)) } else { Ok(self.u32()?.into()) }
    }

    /// A number of things that take at least a byte each, so no more than there are bytes left.
    fn count(&mut self, of: &str) -> Result<u64> {
        let count = self.length()?;
        if count > self.file.len() - self.at {
            return Err(self.bad(format!(
                "is truncated or corrupt: {} says {count} {of}, more than the file has bytes; download it again",
                self.place
            )));
        }
        Ok(count)
    }

    fn text(&mut self) -> Result<String> {
        let len = self.count("bytes of text")?;
        // Some writers end texts with zeros, and a token can be any bytes: lossy, as the format's readers are.
        let text = String::from_utf8_lossy(self.take(len)?);
        Ok(text.trim_end_matches('\0').to_string())
    }

    fn metadata(&mut self, keys: u64) -> Result<BTreeMap<String, GgufValue>> {
        let mut metadata = BTreeMap::new();
        for _ in 0..keys {
            self.place = "the next metadata key".into();
            let key = self.text()?;
            self.place = format!("metadata key `{key}`");
            let kind = self.u32()?;
            let value = self.value(kind, 0)?;
            if metadata.insert(key, value).is_some() {
                return Err(self.bad(format!("has {} twice; the file is corrupt", self.place)));
            }
        }
        Ok(metadata)
    }

    fn value(&mut self, kind: u32, depth: usize) -> Result<GgufValue> {
        use GgufValue::{Bool, Float, Signed, Text, Unsigned};
        Ok(match kind {
            0 => Unsigned(u8::from_le_bytes(self.bytes()?).into()),
            1 => Signed(i8::from_le_bytes(self.bytes()?).into()),
            2 => Unsigned(u16::from_le_bytes(self.bytes()?).into()),
            3 => Signed(i16::from_le_bytes(self.bytes()?).into()),
            4 => Unsigned(self.u32()?.into()),
            5 => Signed(i32::from_le_bytes(self.bytes()?).into()),
            6 => Float(f32::from_le_bytes(self.bytes()?).into()),
            7 => Bool(u8::from_le_bytes(self.bytes()?) != 0),
            8 => Text(self.text()?),
            9 => {
                let kind = self.u32()?;
                let count = self.count("elements")?;
                if kind == 8 {
                    return Ok(GgufValue::Texts((0..count).map(|_| self.text()).collect::<Result<_>>()?));
                }
                if depth == MAX_DEPTH {
                    return Err(self.bad(format!("{} nests too deep; the file is corrupt", self.place)));
                }
                GgufValue::List((0..count).map(|_| self.value(kind, depth + 1)).collect::<Result<_>>()?)
            }
            10 => Unsigned(u64::from_le_bytes(self.bytes()?)),
            11 => Signed(i64::from_le_bytes(self.bytes()?)),
            12 => Float(f64::from_le_bytes(self.bytes()?)),
            other => {
                return Err(self.bad(format!("{} is of an unknown type {other}; the file is corrupt", self.place)));
            }
        })
    }

    fn tensors(&mut self, count: u64) -> Result<Vec<(String, Entry)>> {
        let mut tensors = Vec::new();
        for _ in 0..count {
            self.place = "the next tensor's description".into();
            let name = self.text()?;
            self.place = format!("the description of tensor `{name}`");
            let dimensions = self.u32()?;
            if dimensions > MAX_DIMENSIONS {
                return Err(self.bad(format!("tensor `{name}` has {dimensions} dimensions; the file is corrupt")));
            }
            let mut shape = Vec::new();
            for _ in 0..dimensions {
                let size = self.length()?;
                shape.push(usize::try_from(size).unwrap_or(usize::MAX));
            }
            shape.reverse();
            let bits = shape.iter().try_fold(1usize, |n, size| n.checked_mul(*size)).and_then(|n| n.checked_mul(64));
            if bits.is_none() {
                return Err(self.bad(format!("tensor `{name}` has the absurd shape {shape:?}; the file is corrupt")));
            }
            let kind = self.u32()?;
            let offset = u64::from_le_bytes(self.bytes()?);
            tensors.push((name, Entry { shape, kind, offset }));
        }
        Ok(tensors)
    }
}
