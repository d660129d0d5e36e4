//! The operators between matrices, vectors and numbers.

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{DefaultAllocator, Dim, Matrix, OMatrix, Storage};

use super::{Real, add_outer, dot, outer, over, product, times, tr_product};
use crate::linalg::{Tan, binary};
use crate::operators::{
    AddAgain, AddAssignAgain, AddAssignRule, AddRule, DivAgain, DivAssignAgain, DivAssignRule,
    DivRule, MulAgain, MulAssignAgain, MulAssignRule, MulRule, NegAgain, NegRule, SubAgain,
    SubAssignAgain, SubAssignRule, SubRule,
};
use crate::tangent::{Accumulate, Tangent};

macro_rules! sums {
    ($($op:ident $sign:tt;)*) => {$(
        binary!($op [T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>] Matrix<T, R, C, SA>, Matrix<T, R, C, SB> => OMatrix<T, R, C>
            where [DefaultAllocator: Allocator<R, C>];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| d.clone(), |(), d| sums!(@ $sign d);
            fore |_, _, d| d.clone(), |_, _, d| sums!(@ $sign d);
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), d| d.zero_like(), |(), (), d| d.zero_like();
            add |_, _, d, to| to.__accumulate(d), |_, _, d, to| sums!(@ to $sign d));
    )*};
    (@ + $d:ident) => { $d.clone() };
    (@ - $d:ident) => { -$d };
    (@ $to:ident + $d:ident) => { $to.__accumulate($d) };
    (@ $to:ident - $d:ident) => { $to.zip_apply($d, |to, d| *to -= d) };
}
sums! { Add +; Sub -; AddAssign +; SubAssign -; }

/// A product, whose cotangents are products with the transpose of the other.
macro_rules! product {
    ([$($g:tt)*] $a:ty, $b:ty => $y:ty; $op:ident [$($w:tt)*] $kept_a:ty, $kept_b:ty) => {
        binary!($op [$($g)*] $a, $b => $y where [$($w)*];
            keep [$kept_b] |_, b| b.clone_owned(), [$kept_a] |a, _| a.clone_owned();
            back |b, d| outer(d, b), |a, d| tr_product(a, d);
            fore |_, b, d| product(d, b), |a, _, d| product(a, d);
            dots [$kept_b] |_, _, _, db| db.cloned(), [$kept_a] |_, _, da, _| da.cloned();
            again |_, db, d| outer(d, db), |_, da, d| tr_product(da, d);
            lend |_, b| b, |a, _| a;
            add |_, b, d, to| add_outer(to, d, b), |a, _, d, to| to.__accumulate(&tr_product(a, d)));
    };
}
product!([T: Real, R: Dim, K: Dim, C: Dim, SA: Storage<T, R, K>, SB: Storage<T, K, C>] Matrix<T, R, K, SA>, Matrix<T, K, C, SB> => OMatrix<T, R, C>;
    Mul [DefaultAllocator: Allocator<R, K> + Allocator<K, C> + Allocator<R, C> + Allocator<K, R> + Allocator<C, K>] OMatrix<T, R, K>, OMatrix<T, K, C>);
product!([T: Real, R: Dim, K: Dim, SA: Storage<T, R, K>, SB: Storage<T, K, K>] Matrix<T, R, K, SA>, Matrix<T, K, K, SB> => OMatrix<T, R, K>;
    MulAssign [DefaultAllocator: Allocator<R, K> + Allocator<K, K> + Allocator<K, R>] OMatrix<T, R, K>, OMatrix<T, K, K>);

/// By a number.
macro_rules! scaled {
    ($($op:ident)*, $($over:ident)*) => {
        $(
            binary!($op [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, T => OMatrix<T, R, C>
                where [DefaultAllocator: Allocator<R, C>];
                keep [T] |_, b| *b, [OMatrix<T, R, C>] |a, _| a.clone_owned();
                back |b, d| times(d, *b), |a, d| dot(a, d);
                fore |_, b, d| times(d, *b), |a, _, d| times(a, *d);
                dots [T] |_, _, _, db| db.copied(), [OMatrix<T, R, C>] |_, _, da, _| da.cloned();
                again |_, db, d| times(d, *db), |_, da, d| dot(da, d);
                lend |_, b| b, |a, _| a);
        )*
        $(
            binary!($over [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, T => OMatrix<T, R, C>
                where [DefaultAllocator: Allocator<R, C>];
                keep [T] |_, b| *b, [(OMatrix<T, R, C>, T)] |a, b| (a.clone_owned(), *b);
                back |b, d| over(d, *b), |(a, b), d| -dotted(d, &over(a, *b), *b);
                fore |_, b, d| over(d, *b), |a, b, d| -times(&over(a, *b), crate::num::sdiv(*d, *b));
                dots [T] |_, _, _, db| db.copied(), [(Option<OMatrix<T, R, C>>, Option<T>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.cloned(), db.copied()));
                again |b, db, d| -times(&over(&over(d, *b), *b), *db),
                |(a, b), (da, db), d| {
                    let along_a = da.as_ref().map_or_else(T::zero, |da| -dotted(d, &over(da, *b), *b));
                    // −a·d / b², by b.
                    let along_b = db.map_or_else(T::zero, |db| crate::num::zmul(db + db, crate::num::sdiv(dotted(d, &over(a, *b), *b), *b)));
                    along_a + along_b
                };
                lend |_, b| b, |a, b| (a, b));
        )*
    };
}
scaled!(Mul MulAssign, Div DivAssign);

/// A number in front: each type of numbers for itself, because an `impl` for `T` would be one for any type.
macro_rules! scaling {
    ($($t:ident)*) => {$(
        binary!(Mul [R: Dim, C: Dim, S: Storage<$t, R, C>] $t, Matrix<$t, R, C, S> => OMatrix<$t, R, C>
            where [DefaultAllocator: Allocator<R, C>];
            keep [OMatrix<$t, R, C>] |_, b| b.clone_owned(), [$t] |a, _| *a;
            back |b, d| dot(b, d), |a, d| times(d, *a);
            fore |_, b, d| times(b, *d), |a, _, d| times(d, *a);
            dots [OMatrix<$t, R, C>] |_, _, _, db| db.cloned(), [$t] |_, _, da, _| da.copied();
            again |_, db, d| dot(db, d), |_, da, d| times(d, *da);
            lend |_, b| b, |a, _| a);
    )*};
}
scaling!(f32 f64);

/// `d · a / b`, where the zeros of `d` absorb what is infinite.
#[inline]
fn dotted<T: Real, R: Dim, C: Dim>(d: &OMatrix<T, R, C>, a: &OMatrix<T, R, C>, b: T) -> T
where
    DefaultAllocator: Allocator<R, C>,
{
    let products = d.iter().zip(a.iter());
    products.fold(T::zero(), |sum, (d, a)| {
        sum + crate::num::zmul(crate::num::sdiv(*d, b), *a)
    })
}

impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>, const L: bool> NegRule<L> for Matrix<T, R, C, S>
where
    DefaultAllocator: Allocator<R, C>,
{
    type Result = OMatrix<T, R, C>;
    type Left = ();
    #[inline]
    fn __keep_left(&self) {}
    #[inline]
    fn back_left((): (), dy: &OMatrix<T, R, C>) -> OMatrix<T, R, C> {
        -dy
    }
    #[inline]
    fn __fore_left(&self, da: &OMatrix<T, R, C>) -> OMatrix<T, R, C> {
        -da
    }
}

impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>, const L: bool> NegAgain<L> for Matrix<T, R, C, S>
where
    DefaultAllocator: Allocator<R, C>,
{
    type LeftDot = ();
    #[inline]
    fn __dot_keep_left(&self, _: Option<&OMatrix<T, R, C>>) {}
    #[inline]
    fn dot_left(
        (): (),
        _: Option<()>,
        dy: &OMatrix<T, R, C>,
        ddy: Option<&OMatrix<T, R, C>>,
    ) -> OMatrix<T, R, C> {
        ddy.map_or_else(|| dy.zero_like(), |ddy| -ddy)
    }
}
