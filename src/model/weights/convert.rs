//! Stored bytes to f32, in parallel pieces: each thread reads one piece of the file into its own small buffer and
//! converts it straight into its place in the result, so the result is all the memory that a tensor takes.

use candle_core::quantized::GgmlDType;
use candle_core::quantized::ggml_file::qtensor_from_ggml;
use candle_core::{Device, Tensor};
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use half::{bf16, f16};
use rayon::prelude::*;

use super::file::PositionalFile;
use crate::{Error, Result};

/// Elements in a piece: a multiple of every block size, small enough that all threads' buffers stay within a few
/// megabytes, large enough that a read is worth its system call.
const PIECE: usize = 32 * 1024;

/// How elements are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    F64,
    F32,
    F16,
    Bf16,
    /// A GGML block type.
    Blocks(GgmlDType),
}

impl Storage {
    /// Elements in a block; 1 for plain types.
    pub(super) fn block_elements(self) -> usize {
        match self {
            Storage::Blocks(dtype) => dtype.block_size(),
            _ => 1,
        }
    }

    /// Bytes in a block.
    pub(super) fn block_bytes(self) -> usize {
        match self {
            Storage::F64 => 8,
            Storage::F32 => 4,
            Storage::F16 | Storage::Bf16 => 2,
            Storage::Blocks(dtype) => dtype.type_size(),
        }
    }

    /// Converts `bytes` into `out`: whole blocks, and as many elements as `out` has.
    fn convert(self, bytes: &[u8], out: &mut [f32], halves: &mut Vec<u16>) -> Result<()> {
        match self {
            Storage::F64 => {
                for (x, b) in out.iter_mut().zip(bytes.as_chunks::<8>().0) {
                    *x = f64::from_le_bytes(*b) as f32;
                }
            }
            Storage::F32 => {
                for (x, b) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    *x = f32::from_le_bytes(*b);
                }
            }
            Storage::F16 | Storage::Bf16 => {
                halves.clear();
                halves.extend(bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b)));
                if self == Storage::F16 {
                    halves.reinterpret_cast::<f16>().convert_to_f32_slice(out);
                } else {
                    halves.reinterpret_cast::<bf16>().convert_to_f32_slice(out);
                }
            }
            Storage::Blocks(dtype) => {
                let values: Tensor =
                    qtensor_from_ggml(dtype, bytes, vec![out.len()], &Device::Cpu)?.dequantize(&Device::Cpu)?;
                out.copy_from_slice(&values.to_vec1::<f32>()?);
            }
        }
        Ok(())
    }
}

/// Reads elements `start..end` of a tensor whose data begin at byte `data` of the file.
///
/// # Errors
/// If the range does not begin and end at block boundaries, or the file cannot be read.
pub(super) fn read_elements(
    file: &PositionalFile,
    name: &str,
    data: u64,
    storage: Storage,
    elements: std::ops::Range<usize>,
) -> Result<Vec<f32>> {
    let block = storage.block_elements();
    if !elements.start.is_multiple_of(block) || !elements.end.is_multiple_of(block) {
        return Err(Error::model(
            file.path(),
            format!("tensor `{name}`: elements {elements:?} do not fall on blocks of {block}; the file is corrupt"),
        ));
    }
    let bytes_of = |count: usize| count / block * storage.block_bytes();
    let first = data + bytes_of(elements.start) as u64;
    let mut out = vec![0f32; elements.len()];
    out.par_chunks_mut(PIECE).enumerate().try_for_each_init(
        || (Vec::new(), Vec::new()),
        |(bytes, halves), (piece, out)| -> Result<()> {
            bytes.resize(bytes_of(out.len()), 0);
            file.read_exact_at(bytes, first + bytes_of(piece * PIECE) as u64)?;
            storage.convert(bytes, out, halves)
        },
    )?;
    Ok(out)
}
