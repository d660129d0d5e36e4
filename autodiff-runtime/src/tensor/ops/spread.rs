//! How far entries lie apart: distances from the mean, variances.

use alloc::vec;
use alloc::vec::Vec;

use super::reductions::sum_by;
use crate::float::Float;
use crate::tensor::Tensor;
use crate::tensor::algebra::Formulas;
use crate::tensor::dims::Axes;
use crate::tensor::error::Result;
use crate::tensor::operation::{Algebra, Keeps, Operation};
use crate::tensor::storage::anything;
#[cfg(test)]
use crate::tensor::testing::shape;

use super::moves::linear;

/// The mean of a row that is not empty, exact where all its entries are alike: distances from the first one are added.
pub(super) fn mean<T: Float>(row: &[T]) -> T {
    let n = T::from_f64(row.len() as f64);
    row.first()
        .map_or(T::NAN, |first| *first + sum_by(row, |x| x - *first) / n)
}

/// x − mean(x) along axes: a projection, whose derivative is itself.
#[derive(Clone)]
pub(crate) struct Centred {
    pub(crate) axes: Axes,
}

impl<T: Float> Operation<T> for Centred {
    const NAME: &'static str = "var";
    const KEEPS: Keeps = Keeps::Nothing;

    fn value(&self, x: &[&Tensor<T>]) -> Result<Tensor<T>> {
        let rows = x[0].rows(&self.axes.of("var", x[0].rank())?);
        let mut out = anything(x[0].len());
        let length = rows.length.max(1);
        for (out, row) in out
            .chunks_exact_mut(length)
            .zip(rows.entries().chunks_exact(length))
        {
            let mean = mean(row);
            for (out, x) in out.iter_mut().zip(row) {
                *out = *x - mean;
            }
        }
        Ok(rows.back(out))
    }

    linear!();

    fn pull<A: Algebra<T>>(&self, _: &[&A], _: &A, dy: &A, _: &[bool]) -> Vec<Option<A>> {
        vec![Some(dy.then(self.clone()))]
    }

    #[cfg(test)]
    fn points() -> Vec<(Self, Vec<Tensor<T>>)> {
        let along = |axes: &[isize]| Centred { axes: axes.into() };
        vec![
            (along(&[0]), vec![shape(&[3])]),
            (along(&[1]), vec![shape(&[2, 3, 2])]),
            (along(&[2, 0]), vec![shape(&[2, 3, 2])]),
            (along(&[]), vec![shape(&[])]),
            (along(&[0]), vec![shape(&[0, 2])]),
        ]
    }
}

#[cfg(test)]
crate::tensor::testing::operations!(Centred);
