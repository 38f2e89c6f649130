//! An identity of weights that costs a few megabytes of reading, whatever their size: the header of each file (names,
//! types, shapes), its length, and blocks sampled from every tensor. A small file is hashed whole.

use std::ops::Range;

use super::file::PositionalFile;
use crate::Result;

/// A file up to this size is hashed whole.
const WHOLE: u64 = 32 << 20;
/// Bytes of a sampled block.
const BLOCK: u64 = 4096;
/// Blocks sampled from a tensor, the first and the last among them.
const BLOCKS: u64 = 4;

/// Adds one file to a digest. `header` is the size in bytes of all before the tensors' data; `tensors` are the bytes
/// that each tensor takes, in a fixed order.
pub(super) fn add_file(
    hasher: &mut blake3::Hasher,
    file: &PositionalFile,
    header: u64,
    tensors: impl Iterator<Item = Range<u64>>,
) -> Result<()> {
    hasher.update(&file.len().to_le_bytes());
    let mut buffer = Vec::new();
    if file.len() <= WHOLE {
        return add_range(hasher, file, 0..file.len(), &mut buffer);
    }
    add_range(hasher, file, 0..header, &mut buffer)?;
    for range in tensors {
        let len = range.end - range.start;
        if len <= BLOCK * BLOCKS {
            add_range(hasher, file, range, &mut buffer)?;
            continue;
        }
        for k in 0..BLOCKS {
            let start = range.start + ((len - BLOCK) as u128 * k as u128 / (BLOCKS - 1) as u128) as u64;
            add_range(hasher, file, start..start + BLOCK, &mut buffer)?;
        }
    }
    Ok(())
}

fn add_range(
    hasher: &mut blake3::Hasher,
    file: &PositionalFile,
    range: Range<u64>,
    buffer: &mut Vec<u8>,
) -> Result<()> {
    let mut at = range.start;
    while at < range.end {
        buffer.resize((range.end - at).min(1 << 20) as usize, 0);
        file.read_exact_at(buffer, at)?;
        hasher.update(buffer);
        at += buffer.len() as u64;
    }
    Ok(())
}
