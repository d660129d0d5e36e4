//! Matrices and vectors of the crate `nalgebra`: their tangents are owned ones of the same shape.

mod angles;
mod changing;
mod constructors;
mod determinants;
mod elements;
mod factors;
mod mapped;
mod methods;
mod operators;
mod parts;
mod points;
mod rotations;

/// What generated code imports.
pub mod scope {
    pub use super::angles::scope::*;
    pub use super::constructors::{
        FromColumnList as _, FromColumns as _, FromColumnsMatrix as _, FromColumnsVector as _,
        FromDiagonal as _, FromDiagonalElement as _, FromDiagonalElementMatrix as _,
        FromElement as _, FromElementMatrix as _, FromElementVector as _, FromFn as _,
        FromFnMatrix as _, FromFnVector as _, FromRowList as _, FromRows as _, FromRowsMatrix as _,
        FromRowsVector as _, FromVec as _, FromVecMatrix as _, FromVecVector as _,
        IdentityMatrix as _, New1 as _, New2 as _, New3 as _, New4 as _, New5 as _, New6 as _,
        New8 as _, New9 as _, New10 as _, New12 as _, New15 as _, New16 as _, New18 as _,
        New20 as _, New24 as _, New25 as _, New30 as _, New36 as _, Repeat as _, RepeatMatrix as _,
        RepeatVector as _, ZerosMatrix as _, ZerosVector as _,
    };
    pub use super::elements::{
        Element as _, ElementMut as _, IsSquare as _, NCols as _, NRows as _, ShapeOf as _,
    };
    pub use super::factors::scope::*;
    pub use super::mapped::{Map as _, ZipMap as _};
    pub use super::methods::scope::*;
    pub use super::parts::{FixedColumns as _, FixedRows as _, FixedView as _};
    pub use super::points::{
        NewPoint2 as _, NewPoint3 as _, NewTranslation2 as _, NewTranslation3 as _,
    };
    pub use super::rotations::scope::*;
    pub use super::rotations::{NewQuaternion as _, QuaternionOfImag as _, QuaternionOfParts as _};
}

// What generated code names.
pub use ::nalgebra::{DMatrix, DVector, SMatrix, SVector};
// What functions of the face are about, which has no dependency of its own.
pub use ::nalgebra::allocator::Allocator;
pub use ::nalgebra::{DefaultAllocator, Dim, DimMin, OMatrix, RealField};

pub use ::nalgebra::clamp;

use crate::lengths::Whose;
use crate::num::Numeric;
use crate::slices::{FieldPath, PairVisitor, Slice, SliceError, SliceMut, SlicePair};
use crate::tangent::{Accumulate, Differentiable, Parameters, Shaped, Tangent};
use ::nalgebra::{Matrix, Scalar, Storage, StorageMut, ViewStorage};

/// The floats of both crates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no float: of matrices and arrays of other elements there are no derivatives; take one for each number of an element",
    label = "neither `f32` nor `f64`"
)]
pub trait Real: Numeric + RealField + Copy {}
#[diagnostic::do_not_recommend]
impl<T: Numeric + RealField + Copy> Real for T {}

impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> Differentiable for Matrix<T, R, C, S>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Tangent = OMatrix<T, R, C>;

    #[inline]
    fn zero_tangent(&self) -> OMatrix<T, R, C> {
        let (r, c) = self.shape_generic();
        OMatrix::from_element_generic(r, c, crate::num::lit(0.0))
    }

    fn write_flat(&self, out: &mut [f64]) {
        for (x, out) in self.iter().zip(&mut out[..self.len()]) {
            *out = crate::num::cast(*x);
        }
    }

    #[track_caller]
    fn check_tangent(&self, part: Whose<'_>, t: &OMatrix<T, R, C>) {
        assert!(
            self.shape() == t.shape(),
            "`{part}` has shape {:?}, but its {} has shape {:?}",
            self.shape(),
            part.given(),
            t.shape()
        );
    }

    fn has_lists() -> bool {
        R::try_to_usize().is_none() || C::try_to_usize().is_none()
    }
}

impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> super::Arranged for Matrix<T, R, C, S> where
    DefaultAllocator: Allocator<R, C>
{
}

impl<T: Real, R: Dim, C: Dim> super::Linear for OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[inline]
    fn __as_tangent(self) -> Self {
        self
    }
}

impl<T: Real, R: Dim, C: Dim, S: StorageMut<T, R, C>> Parameters for Matrix<T, R, C, S>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[track_caller]
    fn move_by(&mut self, scale: f64, t: &OMatrix<T, R, C>) {
        same_shape(self.shape(), t.shape());
        for (x, t) in self.iter_mut().zip(t.iter()) {
            Tangent::add_scaled(x, scale, t);
        }
    }

    fn read_flat(&mut self, flat: &[f64]) {
        let count = self.len();
        for (x, from) in self.iter_mut().zip(&flat[..count]) {
            *x = crate::num::lit(*from);
        }
    }

    fn walk_slices(
        &mut self,
        t: Option<&OMatrix<T, R, C>>,
        path: &FieldPath<'_>,
        f: &mut PairVisitor<'_>,
    ) -> Result<(), SliceError> {
        if let Some(t) = t.filter(|t| t.shape() != self.shape()) {
            let (shape, other) = (self.shape(), t.shape());
            let what = alloc::format!("has shape {shape:?}, but its tangent has shape {other:?}");
            return Err(SliceError::new(path, &what));
        }
        // A view need not be in one piece: the numbers go out and in again.
        let mut numbers: alloc::vec::Vec<T> = self.iter().copied().collect();
        let given = match t {
            None => None,
            Some(t) => T::__as_slice(t.as_slice()),
        };
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

impl<T: Real, R: Dim, C: Dim> Tangent for OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    #[inline]
    fn zero_like(&self) -> Self {
        self.zero_tangent()
    }

    #[inline]
    #[track_caller]
    fn add_scaled(&mut self, s: f64, t: &Self) {
        same_shape(self.shape(), t.shape());
        for (x, t) in self.iter_mut().zip(t.iter()) {
            Tangent::add_scaled(x, s, t);
        }
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
        if let Some(slice) = T::__as_slice_mut(self.as_mut_slice()) {
            f(slice);
        }
    }

    fn visit_slices(&self, f: &mut dyn FnMut(Slice<'_>)) {
        if let Some(slice) = T::__as_slice(self.as_slice()) {
            f(slice);
        }
    }

    fn write_flat(&self, out: &mut [f64]) {
        Differentiable::write_flat(self, out);
    }
}

impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> Shaped for Matrix<T, R, C, S>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Shape = Of<T, R, C>;

    #[inline]
    fn __shape(&self) -> Of<T, R, C> {
        let (r, c) = self.shape_generic();
        Of(r, c, core::marker::PhantomData)
    }
}

/// A view is a reference: what it is a view of is gone when the pullback runs, which has a copy.
macro_rules! views {
    ($($view:ty: $kept:ty, $keep:expr;)*) => {$(
        impl<T: Scalar, R: Dim, C: Dim, RS: Dim, CS: Dim> crate::passed::Argument<'_, $view>
        where
            DefaultAllocator: Allocator<R, C>,
        {
            /// A copy of what it is a view of.
            #[inline]
            #[must_use]
            pub fn to_held(&self) -> OMatrix<T, R, C> {
                self.itself().clone_owned()
            }

            /// The same, for an operator.
            #[inline]
            #[must_use]
            pub fn to_operand(&self) -> OMatrix<T, R, C> {
                self.itself().clone_owned()
            }

            /// The same, for a call.
            #[inline]
            #[must_use]
            pub fn to_kept(&self) -> $kept {
                ($keep)(self.itself().clone_owned())
            }
        }
    )*};
}
views!(
    Matrix<T, R, C, ViewStorage<'_, T, R, C, RS, CS>>: OMatrix<T, R, C>, |kept| kept;
    &Matrix<T, R, C, ViewStorage<'_, T, R, C, RS, CS>>: crate::passed::Kept<OMatrix<T, R, C>>, crate::passed::Kept::of;
);

/// The shape of a matrix: its numbers of rows and columns, of size zero where the type says them.
#[derive(Clone, Copy, Debug)]
pub struct Of<T, R, C>(R, C, core::marker::PhantomData<T>);

impl<T: Real, R: Dim, C: Dim> crate::tangent::Shape for Of<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Zero = OMatrix<T, R, C>;

    #[inline]
    fn zero(&self) -> OMatrix<T, R, C> {
        OMatrix::from_element_generic(self.0, self.1, crate::num::lit(0.0))
    }
}

impl<T: Real, R: Dim, C: Dim, S, S2> Accumulate<Matrix<T, R, C, S2>> for Matrix<T, R, C, S>
where
    S: StorageMut<T, R, C>,
    S2: Storage<T, R, C>,
{
    #[inline]
    #[track_caller]
    fn __accumulate(&mut self, t: &Matrix<T, R, C, S2>) {
        same_shape(self.shape(), t.shape());
        for (x, t) in self.iter_mut().zip(t.iter()) {
            x.__accumulate(t);
        }
    }
}

/// What is added to one another has as many rows and columns.
#[inline]
#[track_caller]
fn same_shape(ours: (usize, usize), theirs: (usize, usize)) {
    assert!(
        ours == theirs,
        "a matrix of shape {ours:?} and a tangent of shape {theirs:?}"
    );
}

/// `to += s · a`
#[inline]
fn add_multiple<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>>(
    to: &mut OMatrix<T, R, C>,
    s: T,
    a: &Matrix<T, R, C, S>,
) where
    DefaultAllocator: Allocator<R, C>,
{
    for (to, a) in to.iter_mut().zip(a.iter()) {
        *to += crate::num::zmul(s, *a);
    }
}

/// Whether a product of zero and an infinity may be in a sum.
#[inline]
fn is_nan<T: Real>(x: T) -> bool {
    x.partial_cmp(&x).is_none()
}

/// The sum of products of entries, in which zeros absorb what is infinite.
#[inline]
fn dot<T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>>(
    a: &Matrix<T, R, C, SA>,
    b: &Matrix<T, R, C, SB>,
) -> T
where
    DefaultAllocator: Allocator<R, C>,
{
    let sum = a.dot(b);
    if !is_nan(sum) {
        return sum;
    }
    let products = a.iter().zip(b.iter());
    products.fold(T::zero(), |sum, (a, b)| sum + crate::num::zmul(*a, *b))
}

/// `a · b`, in which zeros absorb what is infinite.
#[inline]
fn product<T: Real, R: Dim, K: Dim, C: Dim, SA: Storage<T, R, K>, SB: Storage<T, K, C>>(
    a: &Matrix<T, R, K, SA>,
    b: &Matrix<T, K, C, SB>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    let y = a * b;
    if !y.iter().any(|y| is_nan(*y)) {
        return y;
    }
    let (rows, columns) = y.shape_generic();
    OMatrix::from_fn_generic(rows, columns, |i, j| {
        (0..a.ncols()).fold(T::zero(), |sum, k| {
            sum + crate::num::zmul(a[(i, k)], b[(k, j)])
        })
    })
}

/// `aᵀ · b`, in which zeros absorb what is infinite.
#[inline]
fn tr_product<T: Real, R: Dim, A: Dim, B: Dim, SA: Storage<T, R, A>, SB: Storage<T, R, B>>(
    a: &Matrix<T, R, A, SA>,
    b: &Matrix<T, R, B, SB>,
) -> OMatrix<T, A, B>
where
    DefaultAllocator: Allocator<A, B>,
{
    let y = a.tr_mul(b);
    if !y.iter().any(|y| is_nan(*y)) {
        return y;
    }
    let (rows, columns) = y.shape_generic();
    OMatrix::from_fn_generic(rows, columns, |i, j| {
        (0..a.nrows()).fold(T::zero(), |sum, k| {
            sum + crate::num::zmul(a[(k, i)], b[(k, j)])
        })
    })
}

/// `d · bᵀ`, in which zeros absorb what is infinite: of a vector `b` the outer product, without its transpose.
#[inline]
fn outer<T: Real, R: Dim, K: Dim, C: Dim, SD: Storage<T, R, C>, SB: Storage<T, K, C>>(
    d: &Matrix<T, R, C, SD>,
    b: &Matrix<T, K, C, SB>,
) -> OMatrix<T, R, K>
where
    DefaultAllocator: Allocator<R, K> + Allocator<C, K>,
{
    if C::try_to_usize() != Some(1) {
        return product(d, &b.transpose());
    }
    let (rows, columns) = (d.shape_generic().0, b.shape_generic().0);
    OMatrix::from_fn_generic(rows, columns, |i, j| crate::num::zmul(d[(i, 0)], b[(j, 0)]))
}

/// Adds `d · bᵀ` in place: of a vector `b` column by column, with the products of zeros and what is infinite left out.
#[inline]
#[track_caller]
fn add_outer<T: Real, R: Dim, K: Dim, C: Dim, SB: Storage<T, K, C>>(
    to: &mut OMatrix<T, R, K>,
    d: &OMatrix<T, R, C>,
    b: &Matrix<T, K, C, SB>,
) where
    DefaultAllocator: Allocator<R, K> + Allocator<R, C> + Allocator<C, K>,
{
    if C::try_to_usize() != Some(1) {
        return to.__accumulate(&outer(d, b));
    }
    same_shape(to.shape(), (d.nrows(), b.nrows()));
    let columns = to.as_mut_slice().chunks_exact_mut(d.nrows().max(1));
    for (to, b) in columns.zip(b.iter()) {
        let entries = to.iter_mut().zip(d.as_slice());
        if is_nan(*b * T::zero()) {
            entries.for_each(|(to, d)| *to += crate::num::zmul(*d, *b));
        } else if *b != T::zero() {
            entries.for_each(|(to, d)| *to += *d * *b);
        }
    }
}

/// A matrix whose entries are made of those of two.
#[inline]
fn by_entry<T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>>(
    a: &Matrix<T, R, C, SA>,
    b: &Matrix<T, R, C, SB>,
    f: impl FnMut(T, T) -> T,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    a.zip_map(b, f)
}

/// Each entry divided by a number; a zero stays one, whatever it is divided by.
#[inline]
fn over<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>>(
    a: &Matrix<T, R, C, S>,
    s: T,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    a.map(|a| crate::num::sdiv(a, s))
}

/// Each entry times a number; the product is zero where one of them is.
#[inline]
fn times<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>>(
    a: &Matrix<T, R, C, S>,
    s: T,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    a.map(|a| crate::num::zmul(a, s))
}

impl<T: Real, const R: usize, const C: usize> crate::fallible::Filled
    for ::nalgebra::SMatrix<T, R, C>
{
    fn __filled() -> Self {
        Self::zeros()
    }
}

impl<T: Real> crate::fallible::Filled for ::nalgebra::DMatrix<T> {
    fn __filled() -> Self {
        Self::zeros(0, 0)
    }
}

impl<T: Real> crate::fallible::Filled for ::nalgebra::DVector<T> {
    fn __filled() -> Self {
        Self::zeros(0)
    }
}

/// What a sum of matrices begins with is known by their type where that has the sizes in it.
impl<T: Real, const R: usize, const C: usize> crate::operators::Accumulated
    for ::nalgebra::SMatrix<T, R, C>
{
}
