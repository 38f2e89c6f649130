//! Our own CPU kernels, on plain `f32` slices: what the tensor library lacks, or does with one thread, or with rounding
//! that depends on the batch.
//!
//! Each picks its instruction set at run time ([`math::vectorized`]); each works on the rows it is given and starts no thread
//! (the engine runs blocks of rows in parallel). *A row's bits depend on that row alone*: no kernel here reduces over
//! rows, and every reduction over columns or keys has a fixed order.

pub mod activation;
pub mod attention;
pub mod conv;
pub mod gate;
pub mod gemm;
pub mod log_softmax;
pub mod math;
pub mod norm;
pub mod rope;
pub mod scan;
