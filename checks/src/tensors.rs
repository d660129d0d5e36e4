//! Tensors as flat lists of `f64`.

use autodiff_runtime::float::Float;
use autodiff_runtime::tensor::Tensor;

use crate::flat::Flat;

impl<T: Float> Flat for Tensor<T> {
    fn flatten(&self, out: &mut Vec<f64>) {
        out.extend(self.iter().map(Float::to_f64));
    }

    fn unflatten(&mut self, from: &mut &[f64]) {
        let (own, rest) = from.split_at(self.len());
        let entries = own.iter().map(|x| T::from_f64(*x)).collect();
        *self = Self::from_vec(self.shape(), entries);
        *from = rest;
    }
}
