//! A linear layer: one type that hides how its weight is stored, and how a [`LinearSpec`] is read from files.

use candle_core::Tensor;

use super::kernels::gemm::{View, matmul_into};
use super::load::Loader;
use super::slices::{Elements, from_rows, has_kernels};
use super::spec::{LinearSpec, RowOrder};
use crate::Result;

/// `x Wᵀ + b`.
#[derive(Clone, Debug)]
pub struct Linear {
    /// `[out, in]`.
    weight: Tensor,
    /// `[out]`.
    bias: Option<Tensor>,
}

impl Linear {
    /// A layer from its weight `[out, in]` and bias `[out]`.
    pub fn new(weight: Tensor, bias: Option<Tensor>) -> Self {
        Self { weight, bias }
    }

    /// Reads the parts of a spec and stacks them.
    ///
    /// # Errors
    /// If a tensor is missing, has another shape, or cannot be read; the message names file and tensor.
    pub fn load(loader: &Loader<'_>, spec: &LinearSpec) -> Result<Self> {
        let biased = spec.parts.iter().any(|p| p.bias.is_some());
        let mut weight = Vec::new();
        let mut bias = Vec::new();
        for part in &spec.parts {
            let rows = if part.layout.transposed {
                let stored = loader.read_slice(&part.weight, &[spec.inputs, part.outputs], part.slice)?;
                transpose(&stored, spec.inputs)
            } else {
                loader.read_slice(&part.weight, &[part.outputs, spec.inputs], part.slice)?
            };
            append_rows(&mut weight, rows, part.layout.order, part.outputs, spec.inputs);
            if biased {
                let values = match &part.bias {
                    Some(name) => loader.read_slice(name, &[part.outputs], part.slice)?,
                    None => vec![0.0; part.outputs],
                };
                append_rows(&mut bias, values, part.layout.order, part.outputs, 1);
            }
        }
        if spec.scale != 1.0 {
            weight.iter_mut().chain(&mut bias).for_each(|w| *w *= spec.scale);
        }
        let outputs = spec.outputs();
        let weight = loader.place(weight, &[outputs, spec.inputs])?;
        let bias = if biased { Some(loader.place(bias, &[outputs])?) } else { None };
        Ok(Self { weight, bias })
    }

    /// `[rows, in]` to `[rows, out]`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward(&self, x: &Tensor) -> Result<Tensor> {
        if has_kernels(x) && OWN_PRODUCT {
            return self.product(x, None);
        }
        let y = x.matmul(&self.weight.t()?)?;
        Ok(match &self.bias {
            Some(b) => y.broadcast_add(b)?,
            None => y,
        })
    }

    /// `residual + forward(x)`.
    ///
    /// # Errors
    /// If a tensor operation fails.
    pub fn forward_onto(&self, residual: &Tensor, x: &Tensor) -> Result<Tensor> {
        if has_kernels(x) && OWN_PRODUCT { self.product(x, Some(residual)) } else { Ok((residual + self.forward(x)?)?) }
    }

    fn product(&self, x: &Tensor, residual: Option<&Tensor>) -> Result<Tensor> {
        let (rows, inputs) = x.dims2()?;
        let outputs = self.weight.dim(0)?;
        let (a, w) = (Elements::of(x)?, Elements::of(&self.weight)?);
        let bias = self.bias.as_ref().map(Elements::of).transpose()?;
        let mut out = match residual {
            Some(r) => Elements::of(r)?.to_vec(),
            None => vec![0f32; rows * outputs],
        };
        if let Some(bias) = &bias {
            for row in out.chunks_exact_mut(outputs) {
                for (o, b) in row.iter_mut().zip(bias.iter()) {
                    *o += b;
                }
            }
        }
        let accumulate = residual.is_some() || bias.is_some();
        matmul_into(
            &mut out,
            outputs,
            accumulate,
            View::new(&a, rows, inputs, inputs),
            View::new(&w, outputs, inputs, inputs).t(),
        );
        from_rows(out, rows)
    }

    /// The weight `[out, in]`.
    pub fn weight(&self) -> &Tensor {
        &self.weight
    }

    /// The bias `[out]`.
    pub fn bias(&self) -> Option<&Tensor> {
        self.bias.as_ref()
    }
}

/// With MKL or Accelerate the tensor library's product calls them; ours is for plain builds.
const OWN_PRODUCT: bool = !cfg!(any(feature = "mkl", feature = "accelerate"));

/// Appends a part's rows of width `width` in the order of use.
fn append_rows(out: &mut Vec<f32>, rows: Vec<f32>, order: RowOrder, count: usize, width: usize) {
    match order.source_rows(count) {
        None if out.is_empty() => *out = rows,
        None => out.extend(rows),
        Some(order) => order.into_iter().for_each(|r| out.extend_from_slice(&rows[r * width..(r + 1) * width])),
    }
}

/// `[rows, cols]` with `rows` given, to `[cols, rows]`.
fn transpose(x: &[f32], rows: usize) -> Vec<f32> {
    let cols = x.len() / rows.max(1);
    let mut out = vec![0f32; x.len()];
    for i in 0..rows {
        for j in 0..cols {
            out[j * rows + i] = x[i * cols + j];
        }
    }
    out
}
