//! Lengths of axes, and which axes an operation is about.

use alloc::format;
use core::ops::{Range, RangeFull, RangeInclusive};

use smallvec::SmallVec;

use super::error::{Error, Result};

/// One number per axis; on the stack up to six axes.
pub(crate) type Dims = SmallVec<[usize; 6]>;

/// The number of entries of a shape.
///
/// Axes of length 0 make it 0, however large the others are.
pub(crate) fn size(operation: &'static str, shape: &[usize]) -> Result<usize> {
    if shape.contains(&0) {
        return Ok(0);
    }
    shape
        .iter()
        .try_fold(1_usize, |size, n| size.checked_mul(*n))
        .filter(|size| *size <= isize::MAX as usize / 8)
        .ok_or_else(|| {
            Error::new(
                operation,
                format!("the shape {shape:?} has more entries than fit into memory"),
            )
        })
}

/// The number of entries of a shape that a tensor has.
pub(crate) fn count(shape: &[usize]) -> usize {
    if shape.contains(&0) {
        0
    } else {
        shape.iter().product()
    }
}

/// The strides of a dense tensor, row-major.
pub(crate) fn dense_strides(shape: &[usize]) -> Dims {
    let mut strides = Dims::from_elem(1, shape.len());
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis].max(1));
    }
    strides
}

/// The shape of two operands together: axes are aligned at the end, and an axis of length 1 is stretched to the other's.
pub(crate) fn broadcast(operation: &'static str, a: &[usize], b: &[usize]) -> Result<Dims> {
    let rank = a.len().max(b.len());
    let length = |shape: &[usize], axis: usize| {
        (axis + shape.len())
            .checked_sub(rank)
            .map_or(1, |k| shape[k])
    };
    (0..rank)
        .map(|axis| match (length(a, axis), length(b, axis)) {
            (1, n) | (n, 1) => Ok(n),
            (n, m) if n == m => Ok(n),
            (n, m) => Err(Error::new(
                operation,
                format!(
                    "the shapes {a:?} and {b:?} do not go together: axis {axis} has {n} and {m}"
                ),
            )),
        })
        .collect()
}

/// The strides of a tensor that is stretched to a shape: 0 along the axes in which it is repeated.
pub(crate) fn stretched(shape: &[usize], strides: &[usize], to: &[usize]) -> Dims {
    let missing = to.len() - shape.len();
    let mut out = Dims::from_elem(0, to.len());
    for axis in 0..shape.len() {
        if shape[axis] != 1 {
            out[axis + missing] = strides[axis];
        }
    }
    out
}

/// The axis that a possibly negative number means.
pub(crate) fn axis(operation: &'static str, rank: usize, axis: isize) -> Result<usize> {
    let at = if axis < 0 { axis + rank as isize } else { axis };
    usize::try_from(at)
        .ok()
        .filter(|at| *at < rank)
        .ok_or_else(|| {
            Error::new(
                operation,
                format!("axis {axis} of a tensor that has {rank} axes"),
            )
        })
}

/// Which axes an operation is about: a number, several, or a range; negative ones count from the end.
///
/// ```
/// use autodiff_runtime::tensor::Tensor;
///
/// let x = Tensor::<f64>::ones(&[2, 3, 4]);
/// assert_eq!(x.sum_axis(-1).shape(), [2, 3]);
/// assert_eq!(x.sum_axis([0, 2]).shape(), [3]);
/// assert_eq!(x.sum_axis(1..).shape(), [2]);
/// assert_eq!(x.sum_axis([]).shape(), [2, 3, 4]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes(Chosen);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Chosen {
    All,
    From(isize),
    Between(isize, isize, bool),
    Listed(SmallVec<[isize; 6]>),
}

impl Axes {
    /// All axes there are.
    pub(crate) fn all() -> Self {
        Axes(Chosen::All)
    }

    /// The axes of a tensor of this rank, each once, in order.
    pub(crate) fn of(&self, operation: &'static str, rank: usize) -> Result<Dims> {
        let mut axes: Dims = match &self.0 {
            Chosen::All => (0..rank).collect(),
            Chosen::From(first) => (edge(operation, rank, *first)?..rank).collect(),
            Chosen::Between(first, last, inclusive) => {
                let end = if *inclusive {
                    axis(operation, rank, *last)? + 1
                } else {
                    edge(operation, rank, *last)?
                };
                (edge(operation, rank, *first)?..end).collect()
            }
            Chosen::Listed(list) => list
                .iter()
                .map(|k| axis(operation, rank, *k))
                .collect::<Result<_>>()?,
        };
        axes.sort_unstable();
        if let Some((twice, _)) = axes
            .iter()
            .zip(&axes[1.min(axes.len())..])
            .find(|(a, b)| a == b)
        {
            return Err(Error::new(
                operation,
                format!("axis {twice} is named twice"),
            ));
        }
        Ok(axes)
    }
}

/// As [`axis`], for an end of a range, which may be behind the last one.
fn edge(operation: &'static str, rank: usize, at: isize) -> Result<usize> {
    if at == rank as isize {
        Ok(rank)
    } else {
        axis(operation, rank, at)
    }
}

impl From<isize> for Axes {
    fn from(axis: isize) -> Self {
        Axes(Chosen::Listed([axis].into_iter().collect()))
    }
}
impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Self {
        Axes(Chosen::Listed(axes.into_iter().collect()))
    }
}
impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Self {
        Axes(Chosen::Listed(axes.iter().copied().collect()))
    }
}
impl From<Range<isize>> for Axes {
    fn from(axes: Range<isize>) -> Self {
        Axes(Chosen::Between(axes.start, axes.end, false))
    }
}
impl From<RangeInclusive<isize>> for Axes {
    fn from(axes: RangeInclusive<isize>) -> Self {
        Axes(Chosen::Between(*axes.start(), *axes.end(), true))
    }
}
impl From<core::ops::RangeFrom<isize>> for Axes {
    fn from(axes: core::ops::RangeFrom<isize>) -> Self {
        Axes(Chosen::From(axes.start))
    }
}

impl From<RangeFull> for Axes {
    fn from(_: RangeFull) -> Self {
        Axes::all()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn shapes_that_go_together() {
        assert_eq!(
            broadcast("add", &[3, 1], &[2, 1, 4]).unwrap().as_slice(),
            [2, 3, 4]
        );
        assert_eq!(broadcast("add", &[], &[0]).unwrap().as_slice(), [0]);
        assert_eq!(broadcast("add", &[1], &[0]).unwrap().as_slice(), [0]);
        assert_eq!(
            broadcast("add", &[2, 3], &[2]).unwrap_err().to_string(),
            "add: the shapes [2, 3] and [2] do not go together: axis 1 has 3 and 2"
        );
    }

    #[test]
    fn sizes_that_overflow() {
        assert!(size("zeros", &[usize::MAX, 2]).is_err());
        assert_eq!(size("zeros", &[usize::MAX, 0, usize::MAX]).unwrap(), 0);
    }
}
