//! Matrix products by the `gemm` crate, one thread, on slices: the only `unsafe` code of the project.
//!
//! Why not the tensor library's product: it decides its thread count from the environment and splits one product over
//! threads, while the engine runs blocks of rows in parallel, each through several products in cache.
//!
//! Rows are bit-identical whatever the number of rows. `gemm` takes other paths for a single row or column and for
//! products of at most 256 elements, which are padded here so that they never arise; and how it blocks a reduction longer
//! than 512 depends on the sides of the product and on the caches of the machine, so that longer ones are split here.
#![allow(unsafe_code)]

use gemm::Parallelism;

/// A matrix operand in a slice: element (i, j) is `data[i * row_stride + j * col_stride]`.
#[derive(Clone, Copy)]
pub struct View<'a> {
    data: &'a [f32],
    rows: usize,
    cols: usize,
    row_stride: usize,
    col_stride: usize,
}

impl<'a> View<'a> {
    /// A row-major matrix `[rows, cols]` whose rows start `row_stride` elements apart.
    pub fn new(data: &'a [f32], rows: usize, cols: usize, row_stride: usize) -> Self {
        Self { data, rows, cols, row_stride, col_stride: 1 }
    }
    /// The transposed matrix, without a copy.
    pub fn t(self) -> Self {
        Self {
            data: self.data,
            rows: self.cols,
            cols: self.rows,
            row_stride: self.col_stride,
            col_stride: self.row_stride,
        }
    }
    /// Columns `from..from + len`.
    fn columns(self, from: usize, len: usize) -> Self {
        debug_assert!(from + len <= self.cols);
        Self { data: &self.data[(from * self.col_stride).min(self.data.len())..], cols: len, ..self }
    }
    /// Rows `from..from + len`.
    fn row_range(self, from: usize, len: usize) -> Self {
        self.t().columns(from, len).t()
    }
    /// One past the largest index that an element of the view has.
    fn extent(&self) -> usize {
        if self.rows == 0 || self.cols == 0 {
            return 0;
        }
        (self.rows - 1) * self.row_stride + (self.cols - 1) * self.col_stride + 1
    }
}

/// The most elements that `gemm` computes one by one, as dot products with several partial sums.
const DOT_PRODUCTS: usize = 256;
/// The longest reduction that `gemm` takes in one block on every machine and for every shape.
const ONE_BLOCK: usize = 512;

/// `out[m, n] = a[m, k] · b[k, n]`, or `out += a · b` if `accumulate`; rows of `out` start `out_stride` apart.
///
/// # Panics
/// If shapes disagree or a slice is too short.
pub fn matmul_into(out: &mut [f32], out_stride: usize, accumulate: bool, a: View<'_>, b: View<'_>) {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    assert_eq!(k, b.rows, "inner sizes");
    if m == 0 || n == 0 {
        return;
    }
    assert!(out_stride >= n && out.len() >= (m - 1) * out_stride + n, "output too short");
    let (m2, n2) = padded_sides(m, n);
    if (m2, n2) != (m, n) {
        return padded(out, out_stride, accumulate, a, b, (m2, n2));
    }
    if k <= ONE_BLOCK {
        return raw(out, out_stride, accumulate, a, b);
    }
    for from in (0..k).step_by(ONE_BLOCK) {
        let len = ONE_BLOCK.min(k - from);
        raw(out, out_stride, accumulate || from > 0, a.columns(from, len), b.row_range(from, len));
    }
}

/// Sides with which a product takes the general path.
fn padded_sides(m: usize, n: usize) -> (usize, usize) {
    let n = n.max(2);
    (m.max(2).max(DOT_PRODUCTS / n + 1), n)
}

/// A small product, computed as part of a larger one whose other rows and columns are zero.
fn padded(out: &mut [f32], out_stride: usize, accumulate: bool, a: View<'_>, b: View<'_>, (m2, n2): (usize, usize)) {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    let copy = |v: View<'_>, rows: usize, cols: usize| {
        let mut data = vec![0f32; rows * cols];
        for i in 0..v.rows {
            for j in 0..v.cols {
                data[i * cols + j] = v.data[i * v.row_stride + j * v.col_stride];
            }
        }
        data
    };
    let wide_a = if m < m2 { copy(a, m2, k) } else { Vec::new() };
    let wide_b = if n < n2 { copy(b.t(), n2, k) } else { Vec::new() };
    let a = if m < m2 { View::new(&wide_a, m2, k, k) } else { a };
    let b = if n < n2 { View::new(&wide_b, n2, k, k).t() } else { b };
    let mut wide = vec![0f32; m2 * n2];
    if accumulate {
        for i in 0..m {
            wide[i * n2..i * n2 + n].copy_from_slice(&out[i * out_stride..i * out_stride + n]);
        }
    }
    matmul_into(&mut wide, n2, accumulate, a, b);
    for i in 0..m {
        out[i * out_stride..i * out_stride + n].copy_from_slice(&wide[i * n2..i * n2 + n]);
    }
}

fn raw(out: &mut [f32], out_stride: usize, accumulate: bool, a: View<'_>, b: View<'_>) {
    let (m, k, n) = (a.rows, a.cols, b.cols);
    assert!(a.extent() <= a.data.len() && b.extent() <= b.data.len(), "operand too short");
    assert!(b.rows == k && m > 0 && out.len() >= (m - 1) * out_stride + n && out_stride >= n);
    // SAFETY: `gemm` reads a[i·rs + j·cs] for i < m, j < k and b likewise for k × n, which the first assertion keeps
    // inside the slices; it writes (and, if `accumulate`, reads) out[i·out_stride + j] for i < m, j < n, inside `out` by
    // the second. `out` is a unique borrow, so it overlaps neither operand. All strides fit isize: they index slices.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            out_stride as isize,
            accumulate,
            a.data.as_ptr(),
            a.col_stride as isize,
            a.row_stride as isize,
            b.data.as_ptr(),
            b.col_stride as isize,
            b.row_stride as isize,
            1f32,
            1f32,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(n: usize, seed: u64) -> Vec<f32> {
        let mut s = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn a_row_has_the_same_bits_alone_and_among_others() {
        for (k, n) in [(8, 5), (8, 1), (64, 64), (576, 40), (700, 64), (1536, 576), (576, 576), (2100, 3), (64, 130)] {
            let w = fill(n * k, 1);
            let x = fill(300 * k, 2);
            let product = |m: usize, from: usize| {
                let mut out = vec![0f32; m * n];
                matmul_into(&mut out, n, false, View::new(&x[from * k..], m, k, k), View::new(&w, n, k, k).t());
                out
            };
            let all = product(300, 0);
            for (from, m) in [(0, 1), (17, 1), (299, 1), (3, 2), (10, 31), (5, 64), (60, 65), (1, 256)] {
                assert_eq!(product(m, from), all[from * n..(from + m) * n], "k={k} n={n} rows {from}+{m}");
            }
        }
    }

    #[test]
    fn agrees_with_the_definition_in_f64() {
        for (m, k, n) in [(1, 7, 9), (5, 3, 1), (2, 600, 33), (70, 64, 65)] {
            let (x, w, start) = (fill(m * k, 3), fill(n * k, 4), fill(m * n, 5));
            let mut out = start.clone();
            matmul_into(&mut out, n, true, View::new(&x, m, k, k), View::new(&w, n, k, k).t());
            for i in 0..m {
                for j in 0..n {
                    let exact: f64 = (0..k).map(|l| f64::from(x[i * k + l]) * f64::from(w[j * k + l])).sum();
                    let got = f64::from(out[i * n + j]) - f64::from(start[i * n + j]);
                    assert!((got - exact).abs() < 1e-5, "{m}x{k}x{n} at {i},{j}: {got} {exact}");
                }
            }
        }
    }
}
