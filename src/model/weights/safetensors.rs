//! Weights in the safetensors format: one file, or shards that an index maps tensors to.
//!
//! The header is read and checked in full when a file is opened (its length, its JSON, that the tensors' ranges cover
//! the file exactly), so that a truncated or corrupt file is refused before anything is computed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ::safetensors::Dtype;
use ::safetensors::tensor::Metadata;

use super::convert::{Storage, read_elements};
use super::file::PositionalFile;
use super::{TensorSource, checked_range, digest, index, missing_tensor};
use crate::{Error, Result};

/// The largest header that the format allows, in bytes.
const MAX_HEADER: u64 = 100_000_000;

/// One open safetensors file.
#[derive(Debug)]
struct Shard {
    file: PositionalFile,
    /// Where the tensors' data begin.
    data: u64,
    metadata: Metadata,
}

/// Tensors of one safetensors file or of several shards.
#[derive(Debug)]
pub struct Safetensors {
    location: PathBuf,
    shards: Vec<Shard>,
    /// Tensor name to the index of its shard.
    tensors: BTreeMap<String, usize>,
}

impl Safetensors {
    /// Opens one file.
    ///
    /// # Errors
    /// If the file is missing, empty, a Git LFS pointer, truncated or corrupt.
    pub fn open(file: &Path) -> Result<Self> {
        let shard = Shard::open(file)?;
        let tensors = shard.metadata.offset_keys().into_iter().map(|name| (name, 0)).collect();
        Ok(Safetensors { location: file.to_path_buf(), shards: vec![shard], tensors })
    }

    /// Opens the shards that an index file (`model.safetensors.index.json`) names.
    ///
    /// # Errors
    /// If the index is not as it should be, names a file outside its folder, a shard that is missing or a tensor that
    /// its shard lacks; or as [`Safetensors::open`] for a shard.
    pub fn open_index(index: &Path) -> Result<Self> {
        let map = index::read_weight_map(index)?;
        let files = index::shard_paths(index, &map)?;
        let mut shards = Vec::with_capacity(files.len());
        let mut tensors = BTreeMap::new();
        for (at, (_, path)) in files.iter().enumerate() {
            let shard = Shard::open(path)?;
            tensors.extend(shard.metadata.offset_keys().into_iter().map(|name| (name, at)));
            shards.push(shard);
        }
        for (tensor, shard) in &map {
            let at = files.keys().position(|name| name == shard).unwrap_or_default();
            if shards[at].metadata.info(tensor).is_none() {
                return Err(Error::model(
                    index,
                    format!("says that tensor `{tensor}` is in {shard}, which does not hold it; download both again"),
                ));
            }
            tensors.insert(tensor.clone(), at);
        }
        Ok(Safetensors { location: index.to_path_buf(), shards, tensors })
    }

    fn find(&self, name: &str) -> Result<(&Shard, &::safetensors::tensor::TensorInfo)> {
        self.tensors
            .get(name)
            .and_then(|at| self.shards.get(*at))
            .and_then(|shard| Some((shard, shard.metadata.info(name)?)))
            .ok_or_else(|| missing_tensor(&self.location, name, self.tensors.keys().map(String::as_str)))
    }
}

impl TensorSource for Safetensors {
    fn location(&self) -> &Path {
        &self.location
    }

    fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    fn names(&self) -> Vec<String> {
        self.tensors.keys().cloned().collect()
    }

    fn shape(&self, name: &str) -> Result<Vec<usize>> {
        Ok(self.find(name)?.1.shape.clone())
    }

    fn dtype(&self, name: &str) -> Result<String> {
        Ok(self.find(name)?.1.dtype.to_string())
    }

    fn tensor_bytes(&self, name: &str) -> Result<u64> {
        let (start, end) = self.find(name)?.1.data_offsets;
        Ok((end - start) as u64)
    }

    fn read_rows_f32(&self, name: &str, shape: &[usize], rows: Range<usize>) -> Result<Vec<f32>> {
        let (shard, info) = self.find(name)?;
        let elements = checked_range(shard.file.path(), name, &info.shape, shape, &rows)?;
        let storage = storage_of(shard.file.path(), name, info.dtype)?;
        read_elements(&shard.file, name, shard.data + info.data_offsets.0 as u64, storage, elements)
    }

    fn digest(&self) -> Result<String> {
        let mut hasher = blake3::Hasher::new();
        for shard in &self.shards {
            let ranges = shard.metadata.offset_keys().into_iter().filter_map(|name| {
                let (start, end) = shard.metadata.info(&name)?.data_offsets;
                Some(shard.data + start as u64..shard.data + end as u64)
            });
            digest::add_file(&mut hasher, &shard.file, shard.data, ranges)?;
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    fn total_parameters(&self) -> u64 {
        let count = |(name, at): (&String, &usize)| {
            self.shards[*at].metadata.info(name).map_or(0, |info| info.shape.iter().product::<usize>() as u64)
        };
        self.tensors.iter().map(count).sum()
    }

    fn bytes_on_disk(&self) -> u64 {
        self.shards.iter().map(|shard| shard.file.len()).sum()
    }
}

impl Shard {
    fn open(path: &Path) -> Result<Self> {
        let file = PositionalFile::open(path)?;
        let bad = |message: String| Error::model(path, message);
        if file.len() < 8 {
            return Err(bad(format!(
                "is truncated ({} bytes, less than a header's length); download it again",
                file.len()
            )));
        }
        let mut length = [0; 8];
        file.read_exact_at(&mut length, 0)?;
        let length = u64::from_le_bytes(length);
        if length > MAX_HEADER {
            return Err(bad(format!(
                "is corrupt or not a safetensors file: its header would be {length} bytes long; download it again"
            )));
        }
        let data = 8 + length;
        if data > file.len() {
            return Err(bad(format!(
                "is truncated: its header ends at byte {data}, the file at byte {}; download it again",
                file.len()
            )));
        }
        let mut header = vec![0; length as usize];
        file.read_exact_at(&mut header, 8)?;
        let metadata: Metadata = serde_json::from_slice(&header).map_err(|e| {
            bad(unknown_dtype(&header).unwrap_or_else(|| format!("has a corrupt header ({e}); download it again")))
        })?;
        let end = data + metadata.data_len() as u64;
        if end > file.len() {
            return Err(bad(format!(
                "is truncated: its tensors end at byte {end}, the file at byte {}; download it again",
                file.len()
            )));
        }
        if end < file.len() {
            return Err(bad(format!(
                "is corrupt: {} bytes follow its last tensor, which the header does not know of; download it again",
                file.len() - end
            )));
        }
        Ok(Shard { file, data, metadata })
    }
}

/// The message for a header whose fault is a tensor of a type that the format does not define (yet).
fn unknown_dtype(header: &[u8]) -> Option<String> {
    let header: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(header).ok()?;
    header.iter().filter(|(name, _)| *name != "__metadata__").find_map(|(name, info)| {
        let dtype = info.get("dtype")?;
        match serde_json::from_value::<Dtype>(dtype.clone()) {
            Ok(_) => None,
            Err(_) => Some(format!("tensor `{name}` is of an unknown type {dtype}; {REMEDY}")),
        }
    })
}

/// What to do about a tensor of a type that is not read.
const REMEDY: &str = "use a checkpoint in f32, f16 or bf16 (in transformers: `model.to(torch.bfloat16)`, then \
                      `model.save_pretrained(folder)`)";

fn storage_of(file: &Path, name: &str, dtype: Dtype) -> Result<Storage> {
    match dtype {
        Dtype::F64 => Ok(Storage::F64),
        Dtype::F32 => Ok(Storage::F32),
        Dtype::F16 => Ok(Storage::F16),
        Dtype::BF16 => Ok(Storage::Bf16),
        other => {
            Err(Error::model(file, format!("tensor `{name}` is stored as {other}, which is not supported; {REMEDY}")))
        }
    }
}
