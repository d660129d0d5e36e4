//! Sums and what is made of them.

use alloc::vec;
use alloc::vec::Vec;

use super::moves::linear;
use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Axes, Dims, broadcast};
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::shape;

/// Rows of this length are added one by one, in eight sums; longer ones are halved, so that rounding errors grow with the logarithm of the length.
const PIECE: usize = 256;

/// The sum of a list.
///
/// Source: pairwise summation, Higham, Accuracy and Stability of Numerical Algorithms, section 4.2.
pub(super) fn sum<T: Float>(entries: &[T]) -> T {
    if entries.len() > PIECE {
        let (left, right) = entries.split_at(
            (entries.len() / 2)
                .next_multiple_of(PIECE)
                .min(entries.len() - 1),
        );
        return sum(left) + sum(right);
    }
    let groups = entries.chunks_exact(8);
    let rest = groups.remainder();
    let mut sums = [T::ZERO; 8];
    for group in groups {
        for (sum, x) in sums.iter_mut().zip(group) {
            *sum += *x;
        }
    }
    for (sum, x) in sums.iter_mut().zip(rest) {
        *sum += *x;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// The sum of rows that lie one behind the other, into one row.
fn sum_rows<T: Float>(entries: &[T], number: usize, out: &mut [T]) {
    let length = out.len();
    if number > PIECE {
        let half = number / 2;
        let (left, right) = entries.split_at(half * length);
        sum_rows(left, half, out);
        let mut more = vec![T::ZERO; length];
        sum_rows(right, number - half, &mut more);
        for (to, x) in out.iter_mut().zip(&more) {
            *to += *x;
        }
        return;
    }
    out.fill(T::ZERO);
    if length > 0 {
        for row in entries.chunks_exact(length) {
            for (to, x) in out.iter_mut().zip(row) {
                *to += *x;
            }
        }
    }
}

/// The sum over the axes that are 1 or missing in a shape, which the operand's can be got from by stretching.
pub(super) fn sum_to<T: Float>(x: &Tensor<T>, shape: &[usize]) -> Tensor<T> {
    if x.is_known_zero() {
        return Tensor::zero(shape.into());
    }
    let missing = x.rank() - shape.len();
    let axes: Dims = (0..x.rank())
        .filter(|axis| *axis < missing || shape[axis - missing] == 1 && x.shape()[*axis] != 1)
        .collect();
    // Where the first axes go, whole rows are added as they lie.
    let leading = axes.iter().copied().eq(0..axes.len());
    let entries = match x.dense() {
        Some(entries) if leading && axes.len() < x.rank() => {
            let number = x.shape()[..axes.len()].iter().product();
            let mut out = vec![T::ZERO; crate::tensor::dims::count(&x.shape()[axes.len()..])];
            sum_rows(entries, number, &mut out);
            out
        }
        _ => {
            let rows = x.rows(&axes);
            (0..rows.number).map(|k| sum(rows.row(k))).collect()
        }
    };
    Tensor::of(shape.into(), entries)
}

/// The sum to a shape that can be stretched to the operand's.
#[derive(Clone)]
pub(crate) struct SumTo {
    pub(crate) shape: Dims,
}

impl<T: Float> Operation<T> for SumTo {
    const NAME: &'static str = "sum_to";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        if broadcast("sum_to", x[0].shape(), &self.shape)?.as_slice() != x[0].shape() {
            return Err(Error::shapes(
                "sum_to",
                "the second shape cannot be stretched to the first",
                x[0].shape(),
                &self.shape,
            ));
        }
        Ok(sum_to(x[0], &self.shape))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.stretched_to(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |shape: &[usize]| SumTo {
            shape: shape.into(),
        };
        vec![
            (to(&[3, 1]), vec![shape(&[2, 3, 4])]),
            (to(&[]), vec![shape(&[2, 3])]),
            (to(&[1, 4]), vec![shape(&[0, 4])]),
            (to(&[1]), vec![shape(&[0])]),
        ]
    }
}

/// The sum over axes.
#[derive(Clone)]
pub(crate) struct Sum {
    pub(crate) axes: Axes,
    pub(crate) keep: bool,
}

impl Sum {
    /// The shape with the axes at length 1, and the shape of the result.
    fn shapes<T: Float>(&self, x: &Tensor<T>) -> Result<[Dims; 2]> {
        let axes = self.axes.of("sum", x.rank())?;
        let mut kept: Dims = x.shape().into();
        for axis in &axes {
            kept[*axis] = 1;
        }
        let left = if self.keep {
            kept.clone()
        } else {
            (0..x.rank())
                .filter(|axis| !axes.contains(axis))
                .map(|axis| x.shape()[axis])
                .collect()
        };
        Ok([kept, left])
    }
}

impl<T: Float> Operation<T> for Sum {
    const NAME: &'static str = "sum";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let [kept, left] = self.shapes(x[0])?;
        Ok(sum_to(x[0], &kept).reshaped(&left))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], y: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        let kept = self
            .shapes(x[0].primal())
            .map_or_else(|_| y.lengths().into(), |[kept, _]| kept);
        vec![Some(dy.shaped(&kept).stretched_to(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let over = |axes: &[isize], keep| Sum {
            axes: axes.into(),
            keep,
        };
        vec![
            (over(&[0], false), vec![shape(&[2, 3])]),
            (over(&[-1], true), vec![shape(&[2, 3])]),
            (over(&[2, 0], false), vec![shape(&[2, 3, 4])]),
            (
                Sum {
                    axes: Axes::all(),
                    keep: false,
                },
                vec![shape(&[2, 3])],
            ),
            (
                Sum {
                    axes: Axes::all(),
                    keep: false,
                },
                vec![shape(&[])],
            ),
            (over(&[0], false), vec![shape(&[0, 3])]),
            (over(&[], false), vec![shape(&[2])]),
        ]
    }
}

methods! {
    /// The sum of all entries.
    sum(;) -> scalar = Sum { axes: Axes::all(), keep: false };
    /// The sum over axes, which are dropped.
    sum_axis(; axes: axes) -> tensor = Sum { axes: axes.into(), keep: false };
    /// The sum over axes, which stay with length 1.
    sum_axis_keep(; axes: axes) -> tensor = Sum { axes: axes.into(), keep: true };
}

#[cfg(test)]
crate::tensor::testing::operations!(SumTo Sum);
