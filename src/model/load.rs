//! Reads the tensors that a spec names and places them on the device in the run's dtype.

use candle_core::{DType, Device, Tensor};

use super::spec::{Slice, TensorName, VectorSpec};
use super::weights::TensorSource;
use crate::{Error, Result};

/// Where tensors come from and where they go.
#[derive(Clone, Copy)]
pub struct Loader<'a> {
    /// The files.
    pub source: &'a dyn TensorSource,
    /// Where tensors are placed.
    pub device: &'a Device,
    /// The dtype that they get.
    pub dtype: DType,
}

impl Loader<'_> {
    /// The first of a tensor's names that the files have.
    ///
    /// # Errors
    /// If they have none of them.
    pub fn resolve<'n>(&self, name: &'n TensorName) -> Result<&'n str> {
        name.0.iter().find(|n| self.source.contains(n)).map(String::as_str).ok_or_else(|| {
            let names: Vec<String> = name.0.iter().map(|n| format!("`{n}`")).collect();
            Error::model(
                self.source.location(),
                format!(
                    "tensor {} is missing; the weights are incomplete or of another architecture",
                    names.join(" or ")
                ),
            )
        })
    }

    /// A tensor's elements as f32, row-major.
    ///
    /// # Errors
    /// If it is missing, has another shape, or cannot be read.
    pub fn read(&self, name: &TensorName, shape: &[usize]) -> Result<Vec<f32>> {
        self.source.read_f32(self.resolve(name)?, shape)
    }

    /// As [`Loader::read`], of one of several such tensors that are stacked in the file.
    ///
    /// # Errors
    /// As [`Loader::read`].
    pub fn read_slice(&self, name: &TensorName, shape: &[usize], slice: Option<Slice>) -> Result<Vec<f32>> {
        match slice {
            None => self.read(name, shape),
            Some(s) => self.read_rows(name, &Slice::stacked(slice, shape), s.index..s.index + 1),
        }
    }

    /// The elements of a vector that may lie in several tensors.
    ///
    /// # Errors
    /// As [`Loader::read`].
    pub fn vector(&self, spec: &VectorSpec) -> Result<Vec<f32>> {
        let parts = spec.0.iter().map(|(name, shape)| self.read(name, shape)).collect::<Result<Vec<_>>>()?;
        Ok(parts.concat())
    }

    /// Some rows of a matrix, as f32 on the CPU.
    ///
    /// # Errors
    /// As [`Loader::read`].
    pub fn read_rows(&self, name: &TensorName, shape: &[usize], rows: std::ops::Range<usize>) -> Result<Vec<f32>> {
        self.source.read_rows_f32(self.resolve(name)?, shape, rows)
    }

    /// Elements to a tensor of the run's dtype on the run's device.
    ///
    /// # Errors
    /// If the device cannot hold it.
    pub fn place(&self, elements: Vec<f32>, shape: &[usize]) -> Result<Tensor> {
        let tensor = Tensor::from_vec(elements, shape, &Device::Cpu)?;
        Ok(tensor.to_dtype(self.dtype)?.to_device(self.device)?)
    }

    /// Reads and places.
    ///
    /// # Errors
    /// As [`Loader::read`] and [`Loader::place`].
    pub fn tensor(&self, name: &TensorName, shape: &[usize]) -> Result<Tensor> {
        self.place(self.read(name, shape)?, shape)
    }
}
