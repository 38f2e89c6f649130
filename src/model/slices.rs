//! The bridge between tensors and plain slices: CPU kernels read f32 tensors in place and hand back new ones.

use std::ops::Deref;

use candle_core::{CpuStorage, DType, Device, Storage, Tensor};

use crate::{Error, Result};

/// Whether our CPU kernels serve this tensor; everything else goes through tensor operations.
pub fn has_kernels(x: &Tensor) -> bool {
    x.device().is_cpu() && x.dtype() == DType::F32
}

/// The elements of a contiguous f32 tensor on the CPU, borrowed.
pub struct Elements<'a> {
    storage: Box<dyn Deref<Target = Storage> + 'a>,
    from: usize,
    len: usize,
}

impl<'a> Elements<'a> {
    /// Borrows the elements of `x`.
    ///
    /// # Errors
    /// If `x` is not a contiguous f32 tensor on the CPU.
    pub fn of(x: &'a Tensor) -> Result<Self> {
        let (storage, layout) = x.storage_and_layout();
        let range = layout.contiguous_offsets();
        match (&*storage, range) {
            (Storage::Cpu(CpuStorage::F32(_)), Some((from, to))) => {
                Ok(Self { storage: Box::new(storage), from, len: to - from })
            }
            _ => Err(Error::Tensor(candle_core::Error::msg("a contiguous f32 tensor on the CPU was expected"))),
        }
    }
}

impl Deref for Elements<'_> {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        match &**self.storage {
            Storage::Cpu(CpuStorage::F32(v)) => &v[self.from..self.from + self.len],
            _ => &[],
        }
    }
}

/// A CPU tensor of `rows` rows from its elements.
///
/// # Errors
/// If the elements do not divide into that many rows.
pub fn from_rows(elements: Vec<f32>, rows: usize) -> Result<Tensor> {
    let width = elements.len().checked_div(rows).unwrap_or(0);
    Ok(Tensor::from_vec(elements, (rows, width), &Device::Cpu)?)
}
