//! Matrices of nalgebra and arrays of ndarray as flat lists of `f64`, in the orders in which they are flattened.

use autodiff_runtime::float::Float;
use nalgebra::{Dim, OMatrix, Scalar, allocator::Allocator};
use ndarray::{Array, Dimension};

use crate::flat::Flat;

/// Overwrites numbers with the next of a list.
fn fill<'a, T: Float + 'a>(numbers: impl Iterator<Item = &'a mut T>, from: &mut &[f64]) {
    for x in numbers {
        *x = T::from_f64(from[0]);
        *from = &from[1..];
    }
}

impl<T: Float + Scalar, R: Dim, C: Dim> Flat for OMatrix<T, R, C>
where
    nalgebra::DefaultAllocator: Allocator<R, C>,
{
    fn flatten(&self, out: &mut Vec<f64>) {
        out.extend(self.iter().map(|x| x.to_f64()));
    }

    fn unflatten(&mut self, from: &mut &[f64]) {
        fill(self.iter_mut(), from);
    }
}

impl<T: Float, D: Dimension> Flat for Array<T, D> {
    fn flatten(&self, out: &mut Vec<f64>) {
        out.extend(self.iter().map(|x| x.to_f64()));
    }

    fn unflatten(&mut self, from: &mut &[f64]) {
        fill(self.iter_mut(), from);
    }
}
