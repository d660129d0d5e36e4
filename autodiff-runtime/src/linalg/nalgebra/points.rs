//! Points and translations, whose tangents are vectors.

use core::ops::{Index, IndexMut};

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{
    Const, DefaultAllocator, DimName, Matrix, OPoint, OVector, Point2, Point3, SMatrix, SVector,
    Storage, StorageMut, Translation, Translation2, Translation3, U1,
};
use autodiff_rules::field;

use super::{Of, Real, dot, outer, over, product, times, tr_product};
use crate::lengths::Whose;
use crate::linalg::{Arranged, Linear, Tan, binary, constructor, converted};
use crate::operators::{
    AddAgain, AddAssignAgain, AddAssignRule, AddRule, DivAgain, DivRule, MulAgain, MulRule,
    NegAgain, NegRule, SubAgain, SubAssignAgain, SubAssignRule, SubRule,
};
use crate::parts::Field;
use crate::slices::{FieldPath, PairVisitor, SliceError};
use crate::tangent::{Differentiable, Parameters, Shaped, Tangent};

/// What is a vector of coordinates.
macro_rules! coordinates {
    ($([$($g:tt)*] $a:ty, $coords:ident => $v:ty, $shape:ty where [$($w:tt)*];)*) => {$(
        impl<$($g)*> Differentiable for $a where $($w)* {
            type Tangent = $v;
            #[inline]
            fn zero_tangent(&self) -> $v {
                self.$coords.zero_tangent()
            }
            fn write_flat(&self, out: &mut [f64]) {
                Differentiable::write_flat(&self.$coords, out);
            }
            #[track_caller]
            fn check_tangent(&self, part: Whose<'_>, t: &$v) {
                self.$coords.check_tangent(part, t);
            }
        }
        impl<$($g)*> Arranged for $a where $($w)* {}
        impl<$($g)*> Linear for $a where $($w)* {
            #[inline]
            fn __as_tangent(self) -> $v {
                self.$coords
            }
        }
        impl<$($g)*> Shaped for $a where $($w)* {
            type Shape = $shape;
            #[inline]
            fn __shape(&self) -> $shape {
                self.$coords.__shape()
            }
        }
        impl<$($g)*> Parameters for $a where $($w)* {
            #[track_caller]
            fn move_by(&mut self, scale: f64, t: &$v) {
                self.$coords.move_by(scale, t);
            }
            fn read_flat(&mut self, flat: &[f64]) {
                Parameters::read_flat(&mut self.$coords, flat);
            }
            fn walk_slices(&mut self, t: Option<&$v>, path: &FieldPath<'_>, f: &mut PairVisitor<'_>) -> Result<(), SliceError> {
                self.$coords.walk_slices(t, path, f)
            }
        }
    )*};
}
coordinates! {
    [T: Real, D: DimName] OPoint<T, D>, coords => OVector<T, D>, Of<T, D, U1> where [DefaultAllocator: Allocator<D>];
    [T: Real, const D: usize] Translation<T, D>, vector => SVector<T, D>, Of<T, Const<D>, U1> where [];
}

/// The coordinates, of tangents: a vector is its own.
macro_rules! whole {
    ($($name:literal)*) => {$(
        impl<T: Real, D: ::nalgebra::Dim, S: Storage<T, D>> Index<Field<{ field($name) }, 0>> for Matrix<T, D, U1, S> {
            type Output = Self;
            #[inline]
            fn index(&self, _: Field<{ field($name) }, 0>) -> &Self {
                self
            }
        }
        impl<T: Real, D: ::nalgebra::Dim, S: StorageMut<T, D>> IndexMut<Field<{ field($name) }, 0>> for Matrix<T, D, U1, S> {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($name) }, 0>) -> &mut Self {
                self
            }
        }
    )*};
}
whole!("coords" "vector");

/// Sums and differences of points and vectors.
macro_rules! sums {
    ($($op:ident $sign:tt [$($s:ident)?] $b:ty => $y:ty;)*) => {$(
        binary!($op [T: Real, D: DimName $(, $s: Storage<T, D>)?] OPoint<T, D>, $b => $y where [DefaultAllocator: Allocator<D>];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| d.clone(), |(), d| sums!(@ $sign d);
            fore |_, _, d| d.clone(), |_, _, d| sums!(@ $sign d);
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), d| d.zero_like(), |(), (), d| d.zero_like());
    )*};
    (@ + $d:ident) => { $d.clone() };
    (@ - $d:ident) => { -$d };
}
sums! {
    Sub - [] OPoint<T, D> => OVector<T, D>;
    Sub - [S] Matrix<T, D, U1, S> => OPoint<T, D>;
    Add + [S] Matrix<T, D, U1, S> => OPoint<T, D>;
    SubAssign - [S] Matrix<T, D, U1, S> => OPoint<T, D>;
    AddAssign + [S] Matrix<T, D, U1, S> => OPoint<T, D>;
}

binary!(Mul [T: Real, const R: usize, const K: usize, S: Storage<T, Const<R>, Const<K>>] Matrix<T, Const<R>, Const<K>, S>, OPoint<T, Const<K>> => OPoint<T, Const<R>> where [];
    keep [SVector<T, K>] |_, b| b.coords, [SMatrix<T, R, K>] |a, _| a.clone_owned();
    back |b, d| outer(d, b), |a, d| tr_product(a, d);
    fore |_, b, d| product(d, &b.coords), |a, _, d| product(a, d);
    dots [SVector<T, K>] |_, _, _, db| db.copied(), [SMatrix<T, R, K>] |_, _, da, _| da.copied();
    again |_, db, d| outer(d, db), |_, da, d| tr_product(da, d));

// By a number: each type of numbers for itself, because `T` alone would be any type.
macro_rules! scaled {
    ($($t:ident)*) => {$(
        binary!(Mul [D: DimName] OPoint<$t, D>, $t => OPoint<$t, D> where [DefaultAllocator: Allocator<D>];
            keep [$t] |_, b| *b, [OVector<$t, D>] |a, _| a.coords.clone();
            back |b, d| times(d, *b), |a, d| dot(a, d);
            fore |_, b, d| times(d, *b), |a, _, d| times(&a.coords, *d);
            dots [$t] |_, _, _, db| db.copied(), [OVector<$t, D>] |_, _, da, _| da.cloned();
            again |_, db, d| times(d, *db), |_, da, d| dot(da, d));
        binary!(Mul [D: DimName] $t, OPoint<$t, D> => OPoint<$t, D> where [DefaultAllocator: Allocator<D>];
            keep [OVector<$t, D>] |_, b| b.coords.clone(), [$t] |a, _| *a;
            back |b, d| dot(b, d), |a, d| times(d, *a);
            fore |_, b, d| times(&b.coords, *d), |a, _, d| times(d, *a);
            dots [OVector<$t, D>] |_, _, _, db| db.cloned(), [$t] |_, _, da, _| da.copied();
            again |_, db, d| dot(db, d), |_, da, d| times(d, *da));
        binary!(Div [D: DimName] OPoint<$t, D>, $t => OPoint<$t, D> where [DefaultAllocator: Allocator<D>];
            keep [$t] |_, b| *b, [(OVector<$t, D>, $t)] |a, b| (a.coords.clone(), *b);
            back |b, d| over(d, *b), |(a, b), d| -dot(&over(d, *b), &over(a, *b));
            fore |_, b, d| over(d, *b), |a, b, d| -times(&over(&a.coords, *b), crate::num::sdiv(*d, *b));
            dots [$t] |_, _, _, db| db.copied(), [(Option<OVector<$t, D>>, Option<$t>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.cloned(), db.copied()));
            again |b, db, d| -times(&over(&over(d, *b), *b), *db),
            |(a, b), (da, db), d| {
                let q = over(d, *b);
                let along_a = da.as_ref().map_or(0.0, |da| -dot(&q, &over(da, *b)));
                // −a·d / b², by b.
                let along_b = db.map_or(0.0, |db| crate::num::zmul(2.0 * db, crate::num::sdiv(dot(&q, &over(a, *b)), *b)));
                along_a + along_b
            });
    )*};
}
scaled!(f32 f64);

impl<T: Real, D: DimName, const L: bool> NegRule<L> for OPoint<T, D>
where
    DefaultAllocator: Allocator<D>,
{
    type Result = Self;
    type Left = ();
    #[inline]
    fn __keep_left(&self) {}
    #[inline]
    fn back_left((): (), dy: &OVector<T, D>) -> OVector<T, D> {
        -dy
    }
    #[inline]
    fn __fore_left(&self, da: &OVector<T, D>) -> OVector<T, D> {
        -da
    }
}

impl<T: Real, D: DimName, const L: bool> NegAgain<L> for OPoint<T, D>
where
    DefaultAllocator: Allocator<D>,
{
    type LeftDot = ();
    #[inline]
    fn __dot_keep_left(&self, _: Option<&OVector<T, D>>) {}
    #[inline]
    fn dot_left(
        (): (),
        _: Option<()>,
        dy: &OVector<T, D>,
        ddy: Option<&OVector<T, D>>,
    ) -> OVector<T, D> {
        ddy.map_or_else(|| dy.zero_like(), |ddy| -ddy)
    }
}

impl<T: Real, D: DimName> crate::checked::ByIndex for OPoint<T, D> where
    DefaultAllocator: Allocator<D>
{
}

/// `Point3::new(x, y, z)` and its like.
macro_rules! new {
    ($($Trait:ident $Type:ident [$($x:ident $at:literal),*];)*) => {$(
        constructor!($Trait new [] $Type<T> where [] (; $($x: T),*;); |d| { $(*$x += d[$at];)* });
    )*};
}
new! {
    NewPoint2 Point2 [a 0, b 1];
    NewPoint3 Point3 [a 0, b 1, c 2];
    NewTranslation2 Translation2 [a 0, b 1];
    NewTranslation3 Translation3 [a 0, b 1, c 2];
}

converted! {
    {D: DimName} [T D] OVector<T, D> => OPoint<T, D> where [DefaultAllocator: Allocator<D>], |d| d, |dy| dy;
    {const D: usize} [T D] [T; D] => OPoint<T, Const<D>>, |d| d.into(), |dy| dy.into();
    {const D: usize} [T D] SVector<T, D> => Translation<T, D>, |d| d, |dy| dy;
    {const D: usize} [T D] [T; D] => Translation<T, D>, |d| d.into(), |dy| dy.into();
}
