//! Other arrangements of the same entries.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::{Dims, count, size};
use crate::tensor::error::{Error, Result};
use crate::tensor::forms::{attribute, methods};
use crate::tensor::operation::{Algebra, Keeps, Operation};
#[cfg(test)]
use crate::tensor::testing::shape;
use crate::tensor::views::inverse;

/// The tangent of a linear operation: the operation on the operand's tangent.
macro_rules! linear {
    () => {
        fn push<A: Algebra<T>>(&self, _: &[&A], y: &A, dx: &[Option<&A>]) -> A {
            dx[0].map_or_else(|| y.nothing(), |d| d.then(self.clone()))
        }
    };
}
pub(super) use linear;

/// The axes in another order.
#[derive(Clone)]
pub(crate) struct Permute {
    pub(crate) order: Dims,
}

impl<T: Float> Operation<T> for Permute {
    const NAME: &'static str = "permute";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..x[0].rank()) {
            return Err(Error::new(
                "permute",
                format!(
                    "{:?} is no order of the axes of {:?}",
                    &self.order[..],
                    x[0].shape()
                ),
            ));
        }
        Ok(x[0].permuted(&self.order))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(Permute {
            order: inverse(&self.order),
        }))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        vec![
            (
                Permute {
                    order: [2, 0, 1].into_iter().collect(),
                },
                vec![shape(&[2, 2, 2])],
            ),
            (
                Permute {
                    order: [1, 2, 0].into_iter().collect(),
                },
                vec![shape(&[2, 3, 4])],
            ),
            (Permute { order: Dims::new() }, vec![shape(&[])]),
        ]
    }
}

/// Stretched to a shape.
#[derive(Clone)]
pub(crate) struct BroadcastTo {
    pub(crate) shape: Dims,
}

impl<T: Float> Operation<T> for BroadcastTo {
    const NAME: &'static str = "broadcast_to";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let (from, to) = (x[0].shape(), &self.shape);
        size("broadcast_to", to)?;
        let missing = to.len().checked_sub(from.len());
        let fits =
            missing.is_some_and(|k| from.iter().zip(&to[k..]).all(|(n, m)| *n == 1 || n == m));
        if !fits {
            return Err(Error::new(
                "broadcast_to",
                format!("{from:?} cannot be stretched to {:?}", &to[..]),
            ));
        }
        Ok(x[0].stretched_view(to))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.summed_to(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |shape: &[usize]| BroadcastTo {
            shape: shape.into(),
        };
        vec![
            (to(&[2, 3, 4]), vec![shape(&[3, 1])]),
            (to(&[3]), vec![shape(&[])]),
            (to(&[0]), vec![shape(&[1])]),
        ]
    }
}

/// The same entries row by row in another shape.
#[derive(Clone)]
pub(crate) struct Reshape {
    pub(crate) shape: Dims,
}

impl<T: Float> Operation<T> for Reshape {
    const NAME: &'static str = "reshape";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        size("reshape", &self.shape)?;
        if count(&self.shape) != x[0].len() {
            return Err(Error::shapes(
                "reshape",
                "the shapes have different numbers of entries",
                x[0].shape(),
                &self.shape,
            ));
        }
        Ok(x[0].reshaped(&self.shape))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, x: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.shaped(x[0].lengths()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let to = |shape: &[usize]| Reshape {
            shape: shape.into(),
        };
        vec![
            (to(&[3, 4]), vec![shape(&[2, 6])]),
            (to(&[1, 1]), vec![shape(&[])]),
            (to(&[0, 5]), vec![shape(&[3, 0])]),
        ]
    }
}

methods! {
    /// The same entries row by row in another shape; a view where the entries lie row by row.
    ///
    /// ```
    /// use autodiff_runtime::tensor::Tensor;
    /// let x = Tensor::from([1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.reshape(&[2, 2])[[1, 0]], 3.0);
    /// ```
    reshape(; shape: lent [[usize]]) -> tensor = Reshape { shape: shape.into() };
    /// A view that is stretched to a shape: axes are aligned at the end, and those of length 1 are repeated.
    broadcast_to(; shape: lent [[usize]]) -> tensor = BroadcastTo { shape: shape.into() };
}

#[cfg(test)]
crate::tensor::testing::operations!(Permute BroadcastTo Reshape);
