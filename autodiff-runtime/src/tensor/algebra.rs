//! The language that rules and formulas of operations are written in.

use super::Tensor;
use super::dims::Dims;
use super::operation::{Algebra, Operation};
use super::ops::{arithmetic, moves, products, reductions};
use crate::float::Float;

/// Operations as methods of anything that has operations.
pub(crate) trait Formulas<T: Float>: Algebra<T> {
    /// The operation on this operand.
    fn then<O: Operation<T>>(&self, operation: O) -> Self {
        Self::apply(&operation, &[self])
    }

    /// The lengths of the axes.
    fn lengths(&self) -> &[usize] {
        self.primal().shape()
    }

    /// Zero, of the same shape.
    fn nothing(&self) -> Self {
        Self::constant(self.primal().outline())
    }

    /// A number, of rank 0.
    fn number(value: f64) -> Self {
        Self::constant(Tensor::scalar(T::from_f64(value)))
    }

    /// a + b.
    fn add(&self, b: &Self) -> Self {
        Self::apply(&arithmetic::Add, &[self, b])
    }

    /// a − b.
    fn sub(&self, b: &Self) -> Self {
        Self::apply(&arithmetic::Sub, &[self, b])
    }

    /// a b.
    fn mul(&self, b: &Self) -> Self {
        Self::apply(&arithmetic::Mul, &[self, b])
    }

    /// d p, and 0 where one of them is, whatever the other: a tangent or cotangent times a slope.
    fn times(&self, p: &Self) -> Self {
        Self::apply(&arithmetic::Times, &[self, p])
    }

    /// d / b, and 0 where d is 0.
    fn over(&self, b: &Self) -> Self {
        Self::apply(&arithmetic::Over, &[self, b])
    }

    /// −a.
    fn neg(&self) -> Self {
        self.then(arithmetic::Neg)
    }

    /// a k for a constant number.
    fn scaled(&self, k: f64) -> Self {
        self.then(arithmetic::Scale(k))
    }

    /// The matrix product of the last two axes, the others stretched to each other, where a zero takes no part whatever it meets.
    fn matmul(&self, b: &Self) -> Self {
        Self::apply(&products::Absorbing, &[self, b])
    }

    /// With the last two axes exchanged.
    fn transposed(&self) -> Self {
        let rank = self.lengths().len();
        let mut order: Dims = (0..rank).collect();
        order.swap(rank - 2, rank - 1);
        self.then(moves::Permute { order })
    }

    /// Stretched to a shape.
    fn stretched_to(&self, shape: &[usize]) -> Self {
        if self.lengths() == shape {
            self.clone()
        } else {
            self.then(moves::BroadcastTo {
                shape: shape.into(),
            })
        }
    }

    /// Summed to a shape that can be stretched to this one.
    fn summed_to(&self, shape: &[usize]) -> Self {
        if self.lengths() == shape {
            self.clone()
        } else {
            self.then(reductions::SumTo {
                shape: shape.into(),
            })
        }
    }

    /// The sum over axes, which stay with length 1.
    fn summed_over(&self, axes: &[usize]) -> Self {
        let mut shape: Dims = self.lengths().into();
        for axis in axes {
            shape[*axis] = 1;
        }
        self.summed_to(&shape)
    }

    /// With the same entries row by row in another shape.
    fn shaped(&self, shape: &[usize]) -> Self {
        if self.lengths() == shape {
            self.clone()
        } else {
            self.then(moves::Reshape {
                shape: shape.into(),
            })
        }
    }
}

impl<T: Float, A: Algebra<T>> Formulas<T> for A {}
