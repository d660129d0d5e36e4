//! Tensors as tangents, and as parameters.

use super::Tensor;
use super::elementwise::{entries, zip};
use super::error::expect;
use crate::element::Element;
use crate::float::Float;
use crate::lengths::Whose;
use crate::parallel::{Work, divide};
use crate::slices::{FieldPath, PairVisitor, Slice, SliceError, SliceMut, SlicePair};
use crate::tangent::{Accumulate, Differentiable, OfTangent, Parameters, Shaped, Tangent};

impl<T: Float> Differentiable for Tensor<T> {
    type Tangent = Tensor<T>;

    fn zero_tangent(&self) -> Tensor<T> {
        self.outline()
    }

    fn write_flat(&self, out: &mut [f64]) {
        for (to, x) in out[..self.len()].iter_mut().zip(self) {
            *to = x.to_f64();
        }
    }

    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &Tensor<T>) {
        assert!(
            self.shape == t.shape,
            "`{part}` has shape {:?}, but its {} has shape {:?}",
            self.shape(),
            part.given(),
            t.shape()
        );
    }

    fn has_lists() -> bool {
        true
    }
}

impl<T: Float> Tensor<T> {
    /// Adds `s · t`, in place.
    #[track_caller]
    pub(super) fn add_multiple(&mut self, s: T, t: &Tensor<T>) {
        T::add_multiple(self, s, t);
    }
}

/// Adds `s · t` to a tensor, in place.
#[track_caller]
pub(crate) fn add_multiple<T: Float>(to: &mut Tensor<T>, s: T, t: &Tensor<T>) {
    assert!(
        to.shape == t.shape,
        "a tensor of shape {:?} and a tangent of shape {:?}",
        to.shape(),
        t.shape()
    );
    if t.is_known_zero() {
        return;
    }
    if to.is_known_zero() {
        *to = if s == T::ONE {
            t.clone()
        } else {
            super::elementwise::map(t, |t| s * t)
        };
        return;
    }
    if let Some(from) = t.dense() {
        let amount = entries(Work::Memory, from.len());
        divide(to.entries_mut(), amount, |some, x| {
            for (x, t) in x.iter_mut().zip(&from[some]) {
                *x += s * *t;
            }
        });
    } else {
        *to = expect(zip("add", to, t, |x, t| x + s * t));
    }
}

impl<T: Float> Parameters for Tensor<T> {
    #[track_caller]
    fn move_by(&mut self, scale: f64, t: &Tensor<T>) {
        self.add_multiple(T::from_f64(scale), t);
    }

    fn read_flat(&mut self, flat: &[f64]) {
        for (x, from) in self.entries_mut().iter_mut().zip(flat) {
            *x = T::from_f64(*from);
        }
    }

    fn walk_slices(
        &mut self,
        t: Option<&Tensor<T>>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        if let Some(t) = t.filter(|t| t.shape != self.shape) {
            let (shape, other) = (self.shape(), t.shape());
            let what = alloc::format!("has shape {shape:?}, but its tangent has shape {other:?}");
            return Err(SliceError::new(path, &what));
        }
        let t = t.filter(|t| !t.is_known_zero()).map(Tensor::contiguous);
        let entries = t.as_ref().and_then(Tensor::dense).and_then(T::__as_slice);
        match (T::__as_slice_mut(self.entries_mut()), entries) {
            (Some(SliceMut::F32(x)), None) => f(path, SlicePair::F32(x, None)),
            (Some(SliceMut::F64(x)), None) => f(path, SlicePair::F64(x, None)),
            (Some(SliceMut::F32(x)), Some(Slice::F32(t))) => f(path, SlicePair::F32(x, Some(t))),
            (Some(SliceMut::F64(x)), Some(Slice::F64(t))) => f(path, SlicePair::F64(x, Some(t))),
            _ => unreachable!("both are of the same float"),
        }
        Ok(())
    }
}

impl<T: Float> Tangent for Tensor<T> {
    fn zero_like(&self) -> Self {
        self.outline()
    }

    #[track_caller]
    fn add_scaled(&mut self, s: f64, t: &Self) {
        self.add_multiple(T::from_f64(s), t);
    }

    fn inner(&self, t: &Self) -> f64 {
        assert!(
            self.shape == t.shape,
            "tensors of shapes {:?} and {:?} have no inner product",
            self.shape(),
            t.shape()
        );
        if self.is_known_zero() || t.is_known_zero() {
            return 0.0;
        }
        self.iter()
            .zip(t)
            .map(|(a, b)| a.to_f64() * b.to_f64())
            .sum()
    }

    fn __taken(&mut self) -> Self {
        let zero = self.outline();
        core::mem::replace(self, zero)
    }

    fn scalar_count(&self) -> usize {
        self.len()
    }

    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        for x in self.entries_mut() {
            let mut wide = x.to_f64();
            f(&mut wide);
            *x = T::from_f64(wide);
        }
    }

    fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
        if let Some(slice) = T::__as_slice_mut(self.entries_mut()) {
            f(slice);
        }
    }

    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        let whole = self.contiguous();
        if let Some(slice) = whole.dense().and_then(T::__as_slice) {
            f(slice);
        }
    }

    fn write_flat(&self, out: &mut [f64]) {
        Differentiable::write_flat(self, out);
    }
}

impl<T: Float> Shaped for Tensor<T> {
    type Shape = OfTangent<Tensor<T>>;

    fn __shape(&self) -> OfTangent<Tensor<T>> {
        OfTangent::new(self)
    }
}

impl<T: Float> Accumulate for Tensor<T> {
    #[track_caller]
    fn __accumulate(&mut self, t: &Tensor<T>) {
        self.add_multiple(T::ONE, t);
    }
}

/// Indices and masks have no derivative.
macro_rules! without_derivative {
    ($($t:ty)*) => {$(
        impl Differentiable for Tensor<$t> {
            type Tangent = ();
            fn zero_tangent(&self) {}
            fn write_flat(&self, _: &mut [f64]) {}
        }
        impl Parameters for Tensor<$t> {
            fn move_by(&mut self, _: f64, (): &()) {}
            fn read_flat(&mut self, _: &[f64]) {}
        }
        impl Shaped for Tensor<$t> {
            type Shape = ();
            fn __shape(&self) {}
        }
    )*};
}
without_derivative!(usize bool);

/// A tensor without entries.
impl<T: Element> Default for Tensor<T> {
    fn default() -> Self {
        Tensor::zero([0].into_iter().collect())
    }
}
