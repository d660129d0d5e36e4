//! Arrays of the crate `ndarray` and views of them: their tangents are owned arrays of the same shape.

mod mapped;
mod methods;
mod operators;

// What generated code names.
pub use ::ndarray::{Array1, Array2, Ix1, Zip};

use ::ndarray::{
    Array, ArrayBase, ArrayView, Axis, Data, DataMut, Dimension, Ix2, LinalgScalar, RawData,
    ScalarOperand, SliceInfo,
};

use super::{constant, constructor, converted, element};
use crate::lengths::Whose;
use crate::num::Numeric;
use crate::slices::{FieldPath, PairVisitor, Slice, SliceError, SliceMut, SlicePair};
use crate::tangent::{Accumulate, Differentiable, Parameters, Shaped, Tangent};

/// The lengths of an array, which its numbers say nothing of.
#[inline]
pub fn lengths<D: ::ndarray::Dimension>(lengths: D) -> D {
    lengths
}

/// What generated code imports.
pub mod scope {
    pub use super::mapped::{FromShapeFn as _, Mapv as _, OnesArray as _, ZerosArray as _};
    pub use super::methods::scope::*;
    pub use super::{
        ColumnsOfArray as _, Dim as _, ElementBy1 as _, ElementBy1Mut as _, ElementBy2 as _,
        ElementBy2Mut as _, EntriesOf as _, FromElement as _, FromVec as _, NDim as _,
        OfEntries as _, RowsOfArray as _,
    };
}

/// The floats of both crates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no float: of matrices and arrays of other elements there are no derivatives; take one for each number of an element",
    label = "neither `f32` nor `f64`"
)]
pub trait Real:
    Numeric + LinalgScalar + ScalarOperand + core::ops::AddAssign + core::ops::Neg<Output = Self>
{
}
#[diagnostic::do_not_recommend]
impl<T> Real for T where
    T: Numeric + LinalgScalar + ScalarOperand + core::ops::AddAssign + core::ops::Neg<Output = T>
{
}

impl<T: Real, S: Data<Elem = T>, D: Dimension> Differentiable for ArrayBase<S, D> {
    type Tangent = Array<T, D>;

    #[inline]
    fn zero_tangent(&self) -> Array<T, D> {
        Array::from_elem(self.raw_dim(), T::zero())
    }

    fn write_flat(&self, out: &mut [f64]) {
        for (x, out) in self.iter().zip(&mut out[..self.len()]) {
            *out = crate::num::cast(*x);
        }
    }

    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &Array<T, D>) {
        assert!(
            self.shape() == t.shape(),
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

impl<T: Real, S: Data<Elem = T>, D: Dimension> super::Arranged for ArrayBase<S, D> {}

impl<T: Real, D: Dimension> super::Linear for Array<T, D> {
    #[inline]
    fn __as_tangent(self) -> Self {
        self
    }
}

impl<T: Real, S: DataMut<Elem = T>, D: Dimension> Parameters for ArrayBase<S, D> {
    #[track_caller]
    fn move_by(&mut self, scale: f64, t: &Array<T, D>) {
        same_shape(self.shape(), t.shape());
        self.zip_mut_with(t, |x, t| Tangent::add_scaled(x, scale, t));
    }

    fn read_flat(&mut self, flat: &[f64]) {
        let count = self.len();
        for (x, from) in self.iter_mut().zip(&flat[..count]) {
            *x = crate::num::lit(*from);
        }
    }

    fn walk_slices(
        &mut self,
        t: Option<&Array<T, D>>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        if let Some(t) = t.filter(|t| t.shape() != self.shape()) {
            let (shape, other) = (self.shape(), t.shape());
            let what = alloc::format!("has shape {shape:?}, but its tangent has shape {other:?}");
            return Err(SliceError::new(path, &what));
        }
        // Neither need be in one piece and in order: the numbers go out and in again.
        let mut numbers: alloc::vec::Vec<T> = self.iter().copied().collect();
        let given: Option<alloc::vec::Vec<T>> = t.map(|t| t.iter().copied().collect());
        let given = given.as_ref().and_then(|given| T::__as_slice(given));
        match (T::__as_slice_mut(&mut numbers), given) {
            (Some(SliceMut::F32(x)), None) => f(path, SlicePair::F32(x, None)),
            (Some(SliceMut::F64(x)), None) => f(path, SlicePair::F64(x, None)),
            (Some(SliceMut::F32(x)), Some(Slice::F32(t))) => f(path, SlicePair::F32(x, Some(t))),
            (Some(SliceMut::F64(x)), Some(Slice::F64(t))) => f(path, SlicePair::F64(x, Some(t))),
            _ => unreachable!("both are of the same float"),
        }
        for (x, new) in self.iter_mut().zip(numbers) {
            *x = new;
        }
        Ok(())
    }
}

impl<T: Real, D: Dimension> Tangent for Array<T, D> {
    #[inline]
    fn zero_like(&self) -> Self {
        self.zero_tangent()
    }

    #[track_caller]
    fn add_scaled(&mut self, s: f64, t: &Self) {
        same_shape(self.shape(), t.shape());
        self.zip_mut_with(t, |x, t| Tangent::add_scaled(x, s, t));
    }

    #[track_caller]
    fn inner(&self, t: &Self) -> f64 {
        same_shape(self.shape(), t.shape());
        let products = self.iter().zip(t.iter());
        products.map(|(a, b)| Tangent::inner(a, b)).sum()
    }

    fn scalar_count(&self) -> usize {
        self.len()
    }

    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        self.iter_mut().for_each(|x| x.for_each_scalar(f));
    }

    fn for_each_slice(&mut self, f: &mut dyn FnMut(SliceMut<'_>)) {
        let mut numbers: alloc::vec::Vec<T> = self.iter().copied().collect();
        if let Some(slice) = T::__as_slice_mut(&mut numbers) {
            f(slice);
        }
        for (x, new) in self.iter_mut().zip(numbers) {
            *x = new;
        }
    }

    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        let numbers: alloc::vec::Vec<T> = self.iter().copied().collect();
        if let Some(slice) = T::__as_slice(&numbers) {
            f(slice);
        }
    }

    fn write_flat(&self, out: &mut [f64]) {
        Differentiable::write_flat(self, out);
    }
}

/// A view is a reference: what it is a view of is gone when the pullback runs, which has a copy.
macro_rules! views {
    ($($view:ty: $kept:ty, $keep:expr;)*) => {$(
        impl<T: Clone, D: Dimension> crate::passed::Argument<'_, $view> {
            /// A copy of what it is a view of.
            #[inline]
            #[must_use]
            pub fn to_held(&self) -> Array<T, D> {
                ArrayView::to_owned(self.itself())
            }

            /// The same, for an operator.
            #[inline]
            #[must_use]
            pub fn to_operand(&self) -> Array<T, D> {
                ArrayView::to_owned(self.itself())
            }

            /// The same, for a call.
            #[inline]
            #[must_use]
            pub fn to_kept(&self) -> $kept {
                ($keep)(ArrayView::to_owned(self.itself()))
            }
        }
    )*};
}
views!(
    ArrayView<'_, T, D>: Array<T, D>, |kept| kept;
    &ArrayView<'_, T, D>: crate::passed::Kept<Array<T, D>>, crate::passed::Kept::of;
);

/// The shape of an array.
#[derive(Clone, Debug)]
pub struct Of<T, D>(D, core::marker::PhantomData<T>);

impl<T: Real, D: Dimension> crate::tangent::Shape for Of<T, D> {
    type Zero = Array<T, D>;

    #[inline]
    fn zero(&self) -> Array<T, D> {
        Array::from_elem(self.0.clone(), T::zero())
    }
}

impl<T: Real, S: Data<Elem = T>, D: Dimension> Shaped for ArrayBase<S, D> {
    type Shape = Of<T, D>;

    #[inline]
    fn __shape(&self) -> Of<T, D> {
        Of(self.raw_dim(), core::marker::PhantomData)
    }
}

impl<T: Real, S, S2, D: Dimension> Accumulate<ArrayBase<S2, D>> for ArrayBase<S, D>
where
    S: DataMut<Elem = T>,
    S2: Data<Elem = T>,
{
    #[inline]
    #[track_caller]
    fn __accumulate(&mut self, t: &ArrayBase<S2, D>) {
        same_shape(self.shape(), t.shape());
        self.zip_mut_with(t, Accumulate::__accumulate);
    }
}

/// What is added to one another has the same shape: nothing is broadcast.
#[inline]
#[track_caller]
fn same_shape(ours: &[usize], theirs: &[usize]) {
    assert!(
        ours == theirs,
        "an array of shape {ours:?} and a tangent of shape {theirs:?}"
    );
}

/// Whether a product of zero and an infinity may be in a sum.
fn is_nan<T: Real>(x: T) -> bool {
    let x: f64 = crate::num::cast(x);
    x.is_nan()
}

/// The sum of products of entries, in which zeros absorb what is infinite.
fn inner<T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>, D: Dimension>(
    a: &ArrayBase<SA, D>,
    b: &ArrayBase<SB, D>,
) -> T {
    let products = a.iter().zip(b.iter());
    products.fold(T::zero(), |sum, (a, b)| sum + crate::num::zmul(*a, *b))
}

/// What says where something is has no derivative.
macro_rules! places {
    ($([$($g:tt)*] $t:ty;)*) => {$(
        impl<$($g)*> Differentiable for $t {
            type Tangent = ();
            fn zero_tangent(&self) {}
            fn write_flat(&self, _: &mut [f64]) {}
        }
        impl<$($g)*> Shaped for $t {
            type Shape = ();
            fn __shape(&self) {}
        }
    )*};
}
places! {
    [] Axis;
    [I, A: Dimension, B: Dimension] SliceInfo<I, A, B>;
}

/// How many axes an array has that is walked by one index.
#[diagnostic::on_unimplemented(
    message = "an array of more than one axis has no elements at 0, 1, …, by which generated code walks; write `a.flatten().iter()`",
    label = "an array of more than one axis"
)]
pub trait OneAxis {}
#[diagnostic::do_not_recommend]
impl OneAxis for Ix1 {}

/// A vector has its elements at 0, 1, …; arrays of more dimensions have not.
impl<S: RawData, D: OneAxis> crate::checked::ByIndex for ArrayBase<S, D> {}

element!(ElementBy1 [T: Real] [usize; 1] => T; [S: Data<Elem = T>] [S: DataMut<Elem = T>] ArrayBase<S, Ix1>, Array<T, Ix1> where []);
element!(ElementBy2 [T: Real] [usize; 2] => T; [S: Data<Elem = T>] [S: DataMut<Elem = T>] ArrayBase<S, Ix2>, Array<T, Ix2> where []);

constant! {
    [T: Real, S: Data<Elem = T>] ArrayBase<S, Ix2> where [];
    RowsOfArray nrows -> usize;
    ColumnsOfArray ncols -> usize;
    Dim dim -> (usize, usize);
}
constant! {
    [T: Real, S: Data<Elem = T>, D: Dimension] ArrayBase<S, D> where [];
    NDim ndim -> usize;
}

/// Lengths and axes have no derivative.
impl<I> crate::numberless::Numberless for ndarray::Dim<I> {}
impl crate::numberless::Numberless for ndarray::Axis {}

constructor!(FromVec from_vec [] Array1<T> where [] (; x: alloc::vec::Vec<T>;); |d| for (x, d) in x.iter_mut().zip(d.iter()) { *x += *d });
constructor!(FromElement from_elem [] Array1<T> where [] (n: usize; x: T;); |d| *x += d.sum());

converted! {
    {} [T] alloc::vec::Vec<T> => Array1<T>, |d| d.into(), |dy| dy.to_vec();
}

/// The numbers 0, 1, …, `n` of them.
#[inline]
#[must_use]
pub fn places<T: Real>(n: usize) -> Array1<T> {
    let mut places = Array1::zeros(n);
    let mut next = T::zero();
    for place in &mut places {
        *place = next;
        next += T::one();
    }
    places
}

/// A matrix of the entries of its rows, one behind the other: what `array!` of lists makes.
pub trait OfEntries<T> {
    /// The matrix.
    fn of_entries(rows: usize, columns: usize, entries: alloc::vec::Vec<T>) -> Self;
}
impl<T> OfEntries<T> for Array<T, Ix2> {
    #[inline]
    fn of_entries(rows: usize, columns: usize, entries: alloc::vec::Vec<T>) -> Self {
        Array::from_shape_vec((rows, columns), entries).expect("as many as rows times columns")
    }
}
constructor!(EntriesOf of_entries [] Array<T, Ix2> where [] (rows: usize, columns: usize; x: alloc::vec::Vec<T>;); |d| for (x, d) in x.iter_mut().zip(d.iter()) { *x += *d });

/// Elements, of tangents whose type cannot be spelled.
macro_rules! by_index {
    ($([$($const:tt)*] $Index:ty => $D:ty;)*) => {$(
        impl<T: Real, S: Data<Elem = T>, $($const)*> core::ops::Index<crate::parts::At<$Index>> for ArrayBase<S, $D> {
            type Output = T;
            #[inline]
            #[track_caller]
            fn index(&self, at: crate::parts::At<$Index>) -> &T {
                &self[at.0]
            }
        }
        impl<T: Real, S: DataMut<Elem = T>, $($const)*> core::ops::IndexMut<crate::parts::At<$Index>> for ArrayBase<S, $D> {
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, at: crate::parts::At<$Index>) -> &mut T {
                &mut self[at.0]
            }
        }
    )*};
}
by_index! {
    [] usize => Ix1;
    [] [usize; 1] => Ix1;
    [] [usize; 2] => Ix2;
    [] (usize, usize) => Ix2;
    [] [usize; 3] => ndarray::Ix3;
    [] (usize, usize, usize) => ndarray::Ix3;
    [const N: usize] [usize; N] => ndarray::IxDyn;
}
