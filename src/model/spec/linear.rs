//! Names of tensors, and how a weight matrix or a vector is put together from them.

/// Names under which a tensor may be stored; the first that exists is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorName(pub Vec<String>);

impl TensorName {
    /// One name only.
    pub fn new(name: impl Into<String>) -> Self {
        Self(vec![name.into()])
    }
    /// Names of the embedding and of the head: where they are tied, either serves for both, its own name first.
    pub fn tie(embedding: Self, head: Self, tied: bool) -> (Self, Self) {
        if !tied {
            return (embedding, head);
        }
        let both = |a: &Self, b: &Self| Self(a.0.iter().chain(&b.0).cloned().collect());
        (both(&embedding, &head), both(&head, &embedding))
    }
    /// The same name under each of some prefixes.
    pub fn under(prefixes: &[&str], name: &str) -> Self {
        Self(prefixes.iter().map(|p| format!("{p}{name}")).collect())
    }
}

/// A linear layer whose `[out, in]` weight is a stack of parts.
#[derive(Clone, Debug)]
pub struct LinearSpec {
    /// Input width.
    pub inputs: usize,
    /// Parts, top to bottom.
    pub parts: Vec<LinearPart>,
    /// Factor on weight and bias, 1 mostly: a multiplier that the family puts on the layer's output.
    pub scale: f32,
}

impl LinearSpec {
    /// A stack of parts.
    pub fn stack(inputs: usize, parts: Vec<LinearPart>) -> Self {
        Self { inputs, parts, scale: 1.0 }
    }
    /// One part, rows stored as they are used.
    pub fn plain(weight: TensorName, bias: Option<TensorName>, inputs: usize, outputs: usize) -> Self {
        Self::stack(inputs, vec![LinearPart::new(weight, bias, outputs)])
    }
    /// The same with another layout of every part.
    #[must_use]
    pub fn with_layout(mut self, layout: RowLayout) -> Self {
        self.parts.iter_mut().for_each(|p| p.layout = layout);
        self
    }
    /// Output width.
    pub fn outputs(&self) -> usize {
        self.parts.iter().map(|p| p.outputs).sum()
    }
}

/// Some rows of a linear layer: one tensor of the file, or a slice of one.
#[derive(Clone, Debug)]
pub struct LinearPart {
    /// The tensor.
    pub weight: TensorName,
    /// Its bias `[outputs]`, stored in the same row order.
    pub bias: Option<TensorName>,
    /// Number of rows.
    pub outputs: usize,
    /// How the rows are stored.
    pub layout: RowLayout,
    /// Which matrix of a stack the tensor holds, where it holds several (experts).
    pub slice: Option<Slice>,
}

impl LinearPart {
    /// A whole tensor, rows stored as they are used.
    pub fn new(weight: TensorName, bias: Option<TensorName>, outputs: usize) -> Self {
        Self { weight, bias, outputs, layout: RowLayout::OUT_IN, slice: None }
    }
}

/// One of `count` matrices (and bias vectors) stacked in a tensor's first dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Which one.
    pub index: usize,
    /// Of how many.
    pub count: usize,
}

impl Slice {
    /// The shape on disk of tensors of shape `shape`, stacked if there is a slice.
    pub fn stacked(slice: Option<Slice>, shape: &[usize]) -> Vec<usize> {
        slice.iter().map(|s| s.count).chain(shape.iter().copied()).collect()
    }
}

/// How a weight is stored in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLayout {
    /// `[in, out]` (GPT-2's Conv1D) instead of `[out, in]`.
    pub transposed: bool,
    /// The order of the output rows.
    pub order: RowOrder,
}

impl RowLayout {
    /// `[out, in]`, rows in the order of use.
    pub const OUT_IN: Self = Self { transposed: false, order: RowOrder::AsUsed };
    /// `[in, out]`, columns in the order of use.
    pub const IN_OUT: Self = Self { transposed: true, order: RowOrder::AsUsed };
    /// `[out, in]` in another order of rows.
    pub const fn ordered(order: RowOrder) -> Self {
        Self { transposed: false, order }
    }
}

/// In which order the rows of a weight are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// In the order of use.
    AsUsed,
    /// Stored as (group, part, row of the part), used as (part, group, row): q, k and v fused head by head or group by
    /// group, gate and up interleaved.
    Grouped {
        /// Number of groups.
        groups: usize,
        /// Rows of each part in a group; 0 where there are fewer than three parts.
        widths: [usize; 3],
    },
    /// The d rows of each head in pairs (2j, 2j + 1) for interleaved rope, as llama.cpp stores llama's q and k; used as
    /// (j, j + d/2).
    RopePairs {
        /// Number of heads.
        heads: usize,
    },
    /// Stored as (head, [head's first rows | its last `tail` rows]); used with the tail before the rest.
    TailFirst {
        /// Number of heads.
        heads: usize,
        /// Rows that come last in the file and first in use.
        tail: usize,
    },
}

impl RowOrder {
    /// q, k and v of equal width, fused head by head: (head, q|k|v, d).
    pub fn per_head_qkv(heads: usize, head_dim: usize) -> Self {
        Self::Grouped { groups: heads, widths: [head_dim; 3] }
    }
    /// For each row in the order of use, the row of the file; `None` where the two are the same.
    pub fn source_rows(self, rows: usize) -> Option<Vec<usize>> {
        match self {
            RowOrder::AsUsed => None,
            RowOrder::Grouped { groups, widths } => {
                let group: usize = widths.iter().sum();
                let before = [0, widths[0], widths[0] + widths[1]];
                let part =
                    |p: usize| (0..groups).flat_map(move |g| (0..widths[p]).map(move |r| g * group + before[p] + r));
                Some((0..3).flat_map(part).collect())
            }
            RowOrder::RopePairs { heads } => {
                let d = rows / heads;
                Some((0..rows).map(|r| r / d * d + 2 * (r % (d / 2)) + (r % d) / (d / 2)).collect())
            }
            RowOrder::TailFirst { heads, tail } => {
                let d = rows / heads;
                Some((0..rows).map(|r| r / d * d + (r % d + d - tail) % d).collect())
            }
        }
    }
}

/// A vector put together from tensors of given shapes, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorSpec(pub Vec<(TensorName, Vec<usize>)>);

impl VectorSpec {
    /// One tensor of one dimension.
    pub fn new(name: TensorName, len: usize) -> Self {
        Self(vec![(name, vec![len])])
    }
    /// Number of elements.
    pub fn len(&self) -> usize {
        self.0.iter().map(|(_, shape)| shape.iter().product::<usize>()).sum()
    }
    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn per_head_rows_are_gathered_into_three_blocks() {
        // two heads of width 2: file rows q0 q0' k0 k0' v0 v0' q1 q1' k1 …
        let rows = RowOrder::per_head_qkv(2, 2).source_rows(12);
        assert_eq!(rows, Some(vec![0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]));
    }

    #[test]
    fn groups_of_unequal_parts_are_gathered_part_by_part() {
        // two groups of two query rows, one key row and one value row
        let rows = RowOrder::Grouped { groups: 2, widths: [2, 1, 1] }.source_rows(8);
        assert_eq!(rows, Some(vec![0, 1, 4, 5, 2, 6, 3, 7]));
    }

    #[test]
    fn rope_pairs_become_two_halves() {
        let rows = RowOrder::RopePairs { heads: 2 }.source_rows(8);
        assert_eq!(rows, Some(vec![0, 2, 1, 3, 4, 6, 5, 7]));
    }

    #[test]
    fn tails_come_before_the_rest_of_their_head() {
        let rows = RowOrder::TailFirst { heads: 2, tail: 1 }.source_rows(6);
        assert_eq!(rows, Some(vec![2, 0, 1, 5, 3, 4]));
    }
}
