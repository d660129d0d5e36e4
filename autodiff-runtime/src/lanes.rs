//! Several tangents at once: one number in each direction.
//!
//! What second derivatives compute of values and first adjoints is the same in every direction; only what has a tangent has lanes.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec::Vec};
use core::ops::{Add, AddAssign, Deref, DerefMut, Div, Mul, Neg, Sub};

use crate::blank::Blank;
use crate::float::Float;
use crate::kernels;
use crate::num::{self, Numeric};
use crate::parts::Ignored;
use crate::tangent::{Accumulate, Differentiable, Scalar, Shape, Shaped, Tangent};
use crate::tuples::for_tuples;

/// A tangent in each of `N` directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<T, const N: usize>(pub(crate) [T; N]);

impl<T: Float, const N: usize> Default for Lanes<T, N> {
    #[inline]
    fn default() -> Self {
        zero()
    }
}

/// Zero in every direction.
#[inline]
#[must_use]
pub fn zero<T: Float, const N: usize>() -> Lanes<T, N> {
    Lanes([T::ZERO; N])
}

impl<T: Float, const N: usize> Lanes<T, N> {
    #[inline]
    pub(crate) fn map<U>(self, f: impl Fn(T) -> U) -> Lanes<U, N> {
        Lanes(self.0.map(f))
    }

    #[inline]
    pub(crate) fn zip(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        Lanes(core::array::from_fn(|k| f(self.0[k], other.0[k])))
    }
}

impl<T: Float, const N: usize> Add for Lanes<T, N> {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

impl<T: Float, const N: usize> AddAssign for Lanes<T, N> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<T: Float, const N: usize> Sub for Lanes<T, N> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
}

impl<T: Float, const N: usize> Neg for Lanes<T, N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

impl<T: Float, const N: usize> Mul<T> for Lanes<T, N> {
    type Output = Self;
    #[inline]
    fn mul(self, other: T) -> Self {
        self.map(|a| a * other)
    }
}

impl<T: Float, const N: usize> Div<T> for Lanes<T, N> {
    type Output = Self;
    #[inline]
    fn div(self, other: T) -> Self {
        self.map(|a| a / other)
    }
}

macro_rules! products {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[inline]
        #[must_use]
        pub fn $name<T: Float, const N: usize>(d: Lanes<T, N>, p: T) -> Lanes<T, N> {
            d.map(|d| kernels::$name(d, p))
        }
    )*};
}
products! {
    /// d · p, and 0 where p = 0.
    select
    /// d · p, and 0 where d = 0.
    smul
    /// d / p, and 0 where d = 0.
    sdiv
    /// d · p, and 0 where d = 0 or p = 0.
    zmul
    /// s · p, and 0 where p = 0.
    absorb
    /// d / p, and 0 where d is 0 or p infinite.
    zdiv
}

/// s · p, and 0 where p = 0, if s may be infinite.
#[inline]
#[must_use]
pub fn select_if<T: Float, const N: usize>(s: Lanes<T, N>, p: T, steep: bool) -> Lanes<T, N> {
    s.map(|s| kernels::select_if(s, p, steep))
}

/// s · p, and 0 where p = 0, if s may be infinite.
#[inline]
#[must_use]
pub fn absorb_if<T: Float, const N: usize>(s: Lanes<T, N>, p: T, steep: bool) -> Lanes<T, N> {
    s.map(|s| kernels::absorb_if(s, p, steep))
}

/// Whether a tangent is anything but zero, in any direction.
#[inline]
#[must_use]
pub fn moves<T: Moves + ?Sized>(tangent: &T) -> bool {
    tangent.moves()
}

/// Tangents in several directions, and lists of them.
pub trait Moves {
    /// Whether it is anything but zero, in any direction.
    fn moves(&self) -> bool;
}

impl<T: Float, const N: usize> Moves for Lanes<T, N> {
    #[inline]
    fn moves(&self) -> bool {
        self.0.iter().any(|d| *d != T::ZERO)
    }
}

impl<T: Moves> Moves for [T] {
    #[inline]
    fn moves(&self) -> bool {
        self.iter().any(Moves::moves)
    }
}

impl<T: Moves, const N: usize> Moves for [T; N] {
    #[inline]
    fn moves(&self) -> bool {
        self[..].moves()
    }
}

#[cfg(feature = "alloc")]
impl<T: Moves> Moves for Vec<T> {
    #[inline]
    fn moves(&self) -> bool {
        self[..].moves()
    }
}

/// In another width.
#[inline]
#[must_use]
pub fn cast<T: Float, U: Float, const N: usize>(x: Lanes<T, N>) -> Lanes<U, N> {
    x.map(|x| U::from_f64(x.to_f64()))
}

/// In the width of another number.
#[inline]
#[must_use]
pub fn cast_like<T: Float, U: Float, const N: usize>(x: Lanes<T, N>, _: &U) -> Lanes<U, N> {
    cast(x)
}

impl<T: Float + Blank, const N: usize> Blank for Lanes<T, N> {
    #[inline]
    fn __blank() -> Self {
        zero()
    }
}

impl<T: Float, const N: usize> Accumulate for Lanes<T, N> {
    #[inline]
    fn __accumulate(&mut self, t: &Self) {
        *self += *t;
    }
}

impl<T: Float, const N: usize> Differentiable for Lanes<T, N> {
    type Tangent = Self;
    #[inline]
    fn zero_tangent(&self) -> Self {
        zero()
    }
    fn write_flat(&self, out: &mut [f64]) {
        Tangent::write_flat(self, out);
    }
}

impl<T: Float, const N: usize> Shaped for Lanes<T, N> {
    type Shape = Scalar<Self>;
    #[inline]
    fn __shape(&self) -> Scalar<Self> {
        Scalar::default()
    }
}

/// The lanes one after the other.
impl<T: Float, const N: usize> Tangent for Lanes<T, N> {
    #[inline]
    fn zero_like(&self) -> Self {
        zero()
    }
    fn add_scaled(&mut self, s: f64, t: &Self) {
        *self += *t * T::from_f64(s);
    }
    fn inner(&self, t: &Self) -> f64 {
        let products = self.0.iter().zip(&t.0);
        products.map(|(a, b)| a.to_f64() * b.to_f64()).sum()
    }
    fn scalar_count(&self) -> usize {
        N
    }
    fn for_each_scalar(&mut self, f: &mut dyn FnMut(&mut f64)) {
        for x in &mut self.0 {
            let mut wide = x.to_f64();
            f(&mut wide);
            *x = T::from_f64(wide);
        }
    }
    fn write_flat(&self, out: &mut [f64]) {
        for (x, out) in self.0.iter().zip(out) {
            *out = x.to_f64();
        }
    }
}

/// Something for each direction, by the number of the direction.
#[inline]
pub fn each<T, const N: usize>(f: impl FnMut(usize) -> T) -> [T; N] {
    core::array::from_fn(f)
}

/// What there is for the next direction.
///
/// # Panics
///
/// If there is no other.
#[inline]
pub fn following<T>(given: &mut impl Iterator<Item = T>) -> T {
    given.next().expect("there is one for each direction")
}

/// Something for each direction, made of what there is for it.
#[inline]
pub fn each_of<A, B, const N: usize>(of: [A; N], mut f: impl FnMut(usize, A) -> B) -> [B; N] {
    let mut lane = 0;
    of.map(|one| {
        lane += 1;
        f(lane - 1, one)
    })
}

/// The first parts of what there is in each direction, and the second.
#[inline]
pub fn parted<A, B, const N: usize>(both: [(A, B); N]) -> ([A; N], [B; N]) {
    let mut seconds = each(|_| None);
    let firsts = each_of(both, |lane, (first, second)| {
        seconds[lane] = Some(second);
        first
    });
    (firsts, seconds.map(collected))
}

/// What is lent in each direction, as a function takes it: a list as a slice.
pub trait LentAs<U: ?Sized> {
    /// To be read.
    fn lent_as(&self) -> &U;

    /// To be changed.
    fn lent_as_mut(&mut self) -> &mut U;
}

impl<T: ?Sized> LentAs<T> for T {
    #[inline]
    fn lent_as(&self) -> &T {
        self
    }
    #[inline]
    fn lent_as_mut(&mut self) -> &mut T {
        self
    }
}

macro_rules! lent_as {
    ({$($generics:tt)*} $T:ty => $As:ty) => {
        impl<$($generics)*> LentAs<$As> for $T {
            #[inline]
            fn lent_as(&self) -> &$As {
                self
            }
            #[inline]
            fn lent_as_mut(&mut self) -> &mut $As {
                self
            }
        }
    };
}
lent_as!({T, const L: usize} [T; L] => [T]);
#[cfg(feature = "alloc")]
lent_as!({T} Vec<T> => [T]);
#[cfg(feature = "alloc")]
lent_as!({T} Box<T> => T);
#[cfg(feature = "alloc")]
lent_as!({T} Box<[T]> => [T]);
lent_as!({'t, T: 't} T => dyn Ignored + 't);

/// References to what is lent in each direction.
#[inline]
pub fn lent<R: Deref, U: ?Sized, const N: usize>(each: &[R; N]) -> [&U; N]
where
    R::Target: LentAs<U>,
{
    each.each_ref().map(|one| (**one).lent_as())
}

/// A reference of either kind: to what may be changed, a caller does not know which one a method takes.
pub trait LentTo<'a, T: ?Sized> {
    /// Lends it.
    fn lent_to(of: &'a mut T) -> Self;
}

impl<'a, T: LentAs<U> + ?Sized, U: ?Sized> LentTo<'a, T> for &'a U {
    #[inline]
    fn lent_to(of: &'a mut T) -> Self {
        T::lent_as(of)
    }
}

impl<'a, T: LentAs<U> + ?Sized, U: ?Sized> LentTo<'a, T> for &'a mut U {
    #[inline]
    fn lent_to(of: &'a mut T) -> Self {
        T::lent_as_mut(of)
    }
}

/// References to what is lent in each direction, which may be changed.
#[inline]
pub fn lent_mut<'a, R, O, const N: usize>(each: &'a mut [R; N]) -> [O; N]
where
    R: DerefMut<Target: 'a>,
    O: LentTo<'a, R::Target>,
{
    each.each_mut().map(|one| O::lent_to(&mut **one))
}

/// Tangents in one direction each, in lanes.
pub fn side_by_side<T, const N: usize>(each: &[&T; N]) -> T::Wide
where
    T: Widen<N> + Kept<Own = <T as Widen<N>>::Owned> + ?Sized,
{
    let mut wide = each[0].widen();
    for (lane, one) in each.iter().enumerate().skip(1) {
        wide.set_lane(lane, &T::keep(one));
    }
    wide
}

/// The tangents of one argument among those of each direction, in the shape of a zero.
#[inline]
pub fn along<'a, Z, T, All, const N: usize>(
    zero: &Z,
    tangents: &'a [All; N],
    of: impl Fn(&'a All) -> &'a T,
) -> Z::Wide
where
    Z: Widen<N>,
    T: Kept<Own = Z::Owned> + ?Sized + 'a,
{
    let mut wide = zero.widen();
    for (lane, all) in tangents.iter().enumerate() {
        wide.set_lane(lane, &T::keep(of(all)));
    }
    wide
}

/// What is in lanes, direction by direction.
pub fn apart<W: Wide<N> + ?Sized, const N: usize>(wide: &W) -> [W::Narrow; N] {
    each(|lane| wide.lane(lane))
}

/// Writes what is in lanes to the memory of each direction.
pub fn put_apart<T, W, const N: usize>(to: &mut [&mut T; N], wide: &W)
where
    T: Kept + ?Sized,
    W: Wide<N, Narrow = T::Own> + ?Sized,
{
    for (lane, to) in to.iter_mut().enumerate() {
        to.put(wide.lane(lane));
    }
}

/// Numbers with zeros of the sign that sums have.
#[inline]
#[must_use]
pub fn settled<T: Numeric, const N: usize>(numbers: [T; N]) -> [T; N] {
    numbers.map(|x| num::add(x, num::lit(0.0)))
}

/// What there is in the only direction.
#[inline]
pub fn alone<T>([only]: [T; 1]) -> T {
    only
}

/// Makes tangents the directions of scalar `first`, of the one behind it, and so on; `at` is the number of the next scalar.
pub fn point_each<T: Tangent, const N: usize>(tangents: &mut [T; N], first: usize, at: &mut usize) {
    let mut end = *at;
    for (k, tangent) in tangents.iter_mut().enumerate() {
        end = *at;
        tangent.for_each_scalar(&mut |x| {
            if end == first + k {
                *x = 1.0;
            }
            end += 1;
        });
    }
    *at = end;
}

/// Writes tangents as columns of a matrix of `cols`, from column `first` on; `row` is the next row.
pub fn write_each<T: Tangent, M: Numeric, const N: usize>(
    tangents: &mut [T; N],
    first: usize,
    row: &mut usize,
    cols: usize,
    matrix: &mut [M],
) {
    let mut end = *row;
    for (column, tangent) in (first..cols).zip(tangents) {
        end = *row;
        tangent.for_each_scalar(&mut |x| {
            matrix[end * cols + column] = num::lit(*x);
            end += 1;
        });
    }
    *row = end;
}

/// How many numbers are in the elements.
pub fn count<T: Tangent>(of: &[T]) -> usize {
    of.iter().map(Tangent::scalar_count).sum()
}

/// Makes every number in the elements zero.
pub fn clear<T: Tangent>(of: &mut [T]) {
    of.iter_mut()
        .for_each(|of| of.for_each_scalar(&mut |x| *x = 0.0));
}

/// A list in memory that the thread has from an earlier one.
#[cfg(feature = "alloc")]
#[derive(Debug)]
pub struct Lent<T: Copy + 'static>(Vec<T>);

#[cfg(feature = "alloc")]
impl<T: Copy + 'static> Lent<T> {
    /// Of these elements.
    pub fn of(items: impl ExactSizeIterator<Item = T>) -> Lent<T> {
        let mut list = crate::kept::take(items.len());
        list.clear();
        list.extend(items);
        Lent(list)
    }
}

#[cfg(feature = "alloc")]
impl<T: Copy + 'static> Deref for Lent<T> {
    type Target = Vec<T>;
    #[inline]
    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

#[cfg(feature = "alloc")]
impl<T: Copy + 'static> DerefMut for Lent<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

#[cfg(feature = "alloc")]
impl<T: Copy + 'static> Drop for Lent<T> {
    fn drop(&mut self) {
        crate::kept::put(core::mem::take(&mut self.0));
    }
}

/// The number of directions, as an argument.
#[derive(Clone, Copy, Debug)]
pub struct Width<const N: usize>;

impl<const N: usize> Width<N> {
    /// Something for each direction, by the number of the direction.
    #[inline]
    pub fn each<T>(self, f: impl FnMut(usize) -> T) -> [T; N] {
        each(f)
    }
}

/// A tangent in `N` directions.
pub trait Wide<const N: usize> {
    /// A tangent in one direction, owned.
    type Narrow;

    /// Makes it the direction of scalar `first`, of the one behind it, and so on; `at` is the number of the next scalar.
    fn point(&mut self, first: usize, at: &mut usize);

    /// Writes the directions as columns of a matrix of `cols`, from column `first` on; `row` is the next row.
    fn write_columns<M: Float>(&self, first: usize, row: &mut usize, cols: usize, matrix: &mut [M]);

    /// The tangent in direction `k`.
    fn lane(&self, k: usize) -> Self::Narrow;

    /// Replaces the tangent in direction `k`.
    fn set_lane(&mut self, k: usize, tangent: &Self::Narrow);

    /// This tangent in direction `k`, zero in the others.
    fn in_lane(k: usize, tangent: &Self::Narrow) -> Self
    where
        Self: Sized;
}

impl<T: Float, const N: usize> Wide<N> for Lanes<T, N> {
    type Narrow = T;

    #[inline]
    fn point(&mut self, first: usize, at: &mut usize) {
        if let Some(lane) = at.checked_sub(first).and_then(|k| self.0.get_mut(k)) {
            *lane = T::ONE;
        }
        *at += 1;
    }

    #[inline]
    fn write_columns<M: Float>(
        &self,
        first: usize,
        row: &mut usize,
        cols: usize,
        matrix: &mut [M],
    ) {
        let end = cols.min(first + N);
        let entries = &mut matrix[*row * cols + first..*row * cols + end];
        for (entry, x) in entries.iter_mut().zip(&self.0) {
            *entry = M::from_f64(x.to_f64());
        }
        *row += 1;
    }

    #[inline]
    fn lane(&self, k: usize) -> T {
        self.0[k]
    }

    #[inline]
    fn set_lane(&mut self, k: usize, tangent: &T) {
        self.0[k] = *tangent;
    }

    #[inline]
    fn in_lane(k: usize, tangent: &T) -> Self {
        let mut wide = zero();
        Wide::set_lane(&mut wide, k, tangent);
        wide
    }
}

impl<const N: usize> Wide<N> for () {
    type Narrow = ();

    #[inline]
    fn point(&mut self, _: usize, _: &mut usize) {}

    #[inline]
    fn write_columns<M: Float>(&self, _: usize, _: &mut usize, _: usize, _: &mut [M]) {}

    #[inline]
    fn lane(&self, _: usize) {}

    #[inline]
    fn set_lane(&mut self, _: usize, (): &()) {}

    #[inline]
    fn in_lane(_: usize, (): &()) {}
}

/// One item after the other.
macro_rules! sequence {
    () => {
        #[inline]
        fn point(&mut self, first: usize, at: &mut usize) {
            self.iter_mut().for_each(|item| item.point(first, at));
        }

        #[inline]
        fn write_columns<M: Float>(
            &self,
            first: usize,
            row: &mut usize,
            cols: usize,
            matrix: &mut [M],
        ) {
            self.iter()
                .for_each(|item| item.write_columns(first, row, cols, matrix));
        }
    };
}

impl<T: Wide<N>, const L: usize, const N: usize> Wide<N> for [T; L] {
    type Narrow = [T::Narrow; L];

    sequence!();

    #[inline]
    fn lane(&self, k: usize) -> Self::Narrow {
        core::array::from_fn(|at| self[at].lane(k))
    }

    #[inline]
    fn set_lane(&mut self, k: usize, tangent: &Self::Narrow) {
        let both = self.iter_mut().zip(tangent);
        both.for_each(|(wide, tangent)| wide.set_lane(k, tangent));
    }

    #[inline]
    fn in_lane(k: usize, tangent: &Self::Narrow) -> Self {
        core::array::from_fn(|at| T::in_lane(k, &tangent[at]))
    }
}

#[cfg(feature = "alloc")]
impl<T: Wide<N>, const N: usize> Wide<N> for [T] {
    type Narrow = Vec<T::Narrow>;

    sequence!();

    #[inline]
    fn lane(&self, k: usize) -> Self::Narrow {
        self.iter().map(|wide| wide.lane(k)).collect()
    }

    #[inline]
    fn set_lane(&mut self, k: usize, tangent: &Self::Narrow) {
        let both = self.iter_mut().zip(tangent);
        both.for_each(|(wide, tangent)| wide.set_lane(k, tangent));
    }
}

#[cfg(feature = "alloc")]
impl<T: Wide<N>, const N: usize> Wide<N> for Vec<T> {
    type Narrow = Vec<T::Narrow>;

    sequence!();

    #[inline]
    fn lane(&self, k: usize) -> Self::Narrow {
        self.as_slice().lane(k)
    }

    #[inline]
    fn set_lane(&mut self, k: usize, tangent: &Self::Narrow) {
        self.as_mut_slice().set_lane(k, tangent);
    }

    #[inline]
    fn in_lane(k: usize, tangent: &Self::Narrow) -> Self {
        tangent.iter().map(|t| T::in_lane(k, t)).collect()
    }
}

impl<T: Wide<N>, const N: usize> Wide<N> for Option<T> {
    type Narrow = Option<T::Narrow>;

    sequence!();

    #[inline]
    fn lane(&self, k: usize) -> Self::Narrow {
        self.as_ref().map(|wide| wide.lane(k))
    }

    #[inline]
    fn set_lane(&mut self, k: usize, tangent: &Self::Narrow) {
        match (&mut *self, tangent) {
            (Some(wide), Some(tangent)) => wide.set_lane(k, tangent),
            _ => *self = Self::in_lane(k, tangent),
        }
    }

    #[inline]
    fn in_lane(k: usize, tangent: &Self::Narrow) -> Self {
        tangent.as_ref().map(|t| T::in_lane(k, t))
    }
}

/// A tangent that there may be several of at once.
pub trait Widen<const N: usize> {
    /// `N` of them.
    type Wide: Wide<N, Narrow = Self::Owned> + Clone;

    /// The tangent itself, owned.
    type Owned;

    /// This one in the first direction, zero in the others.
    fn widen(&self) -> Self::Wide;
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl<const N: usize> Widen<N> for $t {
            type Wide = Lanes<$t, N>;
            type Owned = $t;
            #[inline]
            fn widen(&self) -> Lanes<$t, N> {
                Lanes(core::array::from_fn(|k| if k == 0 { *self } else { 0.0 }))
            }
        }
    )*};
}
floats!(f32 f64);

impl<const N: usize> Widen<N> for () {
    type Wide = ();
    type Owned = ();
    #[inline]
    fn widen(&self) {}
}

impl<T: Widen<N>, const M: usize, const N: usize> Widen<N> for [T; M] {
    type Wide = [T::Wide; M];
    type Owned = [T::Owned; M];
    #[inline]
    fn widen(&self) -> Self::Wide {
        core::array::from_fn(|k| self[k].widen())
    }
}

#[cfg(feature = "alloc")]
impl<T: Widen<N>, const N: usize> Widen<N> for [T] {
    type Wide = Vec<T::Wide>;
    type Owned = Vec<T::Owned>;
    fn widen(&self) -> Self::Wide {
        self.iter().map(Widen::widen).collect()
    }
}

#[cfg(feature = "alloc")]
impl<T: Widen<N>, const N: usize> Widen<N> for Vec<T> {
    type Wide = Vec<T::Wide>;
    type Owned = Vec<T::Owned>;
    fn widen(&self) -> Self::Wide {
        self.iter().map(Widen::widen).collect()
    }
}

impl<T: Widen<N>, const N: usize> Widen<N> for Option<T> {
    type Wide = Option<T::Wide>;
    type Owned = Option<T::Owned>;
    #[inline]
    fn widen(&self) -> Self::Wide {
        self.as_ref().map(Widen::widen)
    }
}

macro_rules! tuple {
    ($($t:ident $k:tt)+) => {
        impl<$($t: Wide<LANES>,)* const LANES: usize> Wide<LANES> for ($($t,)*) {
            type Narrow = ($($t::Narrow,)*);

            #[inline]
            fn point(&mut self, first: usize, at: &mut usize) {
                $(self.$k.point(first, at);)*
            }

            #[inline]
            fn lane(&self, k: usize) -> Self::Narrow {
                ($(self.$k.lane(k),)*)
            }

            #[inline]
            fn set_lane(&mut self, k: usize, tangent: &Self::Narrow) {
                $(self.$k.set_lane(k, &tangent.$k);)*
            }

            #[inline]
            fn in_lane(k: usize, tangent: &Self::Narrow) -> Self {
                ($($t::in_lane(k, &tangent.$k),)*)
            }

            #[inline]
            fn write_columns<Number: Float>(&self, first: usize, row: &mut usize, cols: usize, matrix: &mut [Number]) {
                $(self.$k.write_columns(first, row, cols, matrix);)*
            }
        }

        impl<$($t: Widen<LANES>,)* const LANES: usize> Widen<LANES> for ($($t,)*) {
            type Wide = ($($t::Wide,)*);
            type Owned = ($($t::Owned,)*);
            #[inline]
            fn widen(&self) -> Self::Wide {
                ($(self.$k.widen(),)*)
            }
        }
    };
}
for_tuples!(tuple);

/// A tangent in the first direction, and zero in the others.
#[inline]
pub fn widen<T: Widen<N> + ?Sized, const N: usize>(tangent: &T) -> T::Wide {
    tangent.widen()
}

/// The tangent in the first direction.
#[inline]
pub fn narrow<T: Widen<N>, const N: usize>(wide: &T::Wide) -> T::Owned {
    wide.lane(0)
}

/// Zeros in the shape of a value, in every direction.
#[inline]
pub fn zero_like<T: Differentiable + ?Sized, const N: usize>(
    x: &T,
) -> <T::Tangent as Widen<N>>::Wide
where
    T::Tangent: Widen<N>,
{
    x.zero_tangent().widen()
}

/// Zeros of a shape, in every direction.
#[inline]
pub fn zero_of<S: Shape, const N: usize>(shape: &S) -> <S::Zero as Widen<N>>::Wide
where
    S::Zero: Widen<N>,
{
    shape.zero().widen()
}

/// Keeps the value of the first of several runs, and puts what they have for tangents side by side.
pub fn collect<T, D: Widen<N, Owned = D>, const N: usize>(
    into: &mut Option<(T, D::Wide)>,
    lane: usize,
    value: T,
    tangent: &D,
) {
    match into {
        Some((_, wide)) => wide.set_lane(lane, tangent),
        None => *into = Some((value, D::Wide::in_lane(lane, tangent))),
    }
}

/// What was collected; there is at least one direction.
pub fn collected<T>(of: Option<T>) -> T {
    of.expect("a sweep has a direction")
}

/// Memory that several runs begin with.
pub trait Kept {
    /// A copy of it.
    type Own;

    /// Takes a copy.
    fn keep(&self) -> Self::Own;

    /// Writes one back.
    fn put(&mut self, own: Self::Own);
}

impl<T: Clone> Kept for T {
    type Own = T;
    #[inline]
    fn keep(&self) -> T {
        self.clone()
    }
    #[inline]
    fn put(&mut self, own: T) {
        *self = own;
    }
}

#[cfg(feature = "alloc")]
impl<T: Clone> Kept for [T] {
    type Own = Vec<T>;
    #[inline]
    fn keep(&self) -> Vec<T> {
        self.to_vec()
    }
    #[inline]
    fn put(&mut self, own: Vec<T>) {
        self.clone_from_slice(&own);
    }
}

/// Nothing is ever added to it.
impl Kept for dyn Ignored + '_ {
    type Own = ();
    #[inline]
    fn keep(&self) {}
    #[inline]
    fn put(&mut self, (): ()) {}
}

/// Leaves memory as the last run left its copy.
#[inline]
pub fn put_back<T: Kept + ?Sized>(to: &mut T, last: Option<T::Own>) {
    if let Some(last) = last {
        to.put(last);
    }
}

/// What functions have that lack forward mode in lanes, of which their callers cannot know, or that change nothing that they are lent.
pub trait InOneDirection {
    /// Whether they have it.
    const __IN_LANES: bool = false;

    /// Whether they have it, and change what they are lent.
    const __MUT_IN_LANES: bool = false;

    /// Up to the lengths of which parameters they overwrite each parameter, a bit for each.
    const __OVERWRITES: [u64; 64] = [0; 64];

    /// The form that they have instead, whose pullback puts back what they change.
    #[inline]
    fn __leaving<A, R>(given: A, otherwise: impl FnOnce(A) -> R) -> R {
        otherwise(given)
    }

    /// Never called.
    fn __lanes_jvp<A, D, V, W, const N: usize>(_: Width<N>, _: A, _: D) -> (V, W) {
        unreachable!("it is called where there is one")
    }

    /// Never called.
    fn __lanes_mut_jvp<A, D, const N: usize>(_: Width<N>, _: A, _: D) -> ((), ()) {
        unreachable!("it is called where there is one")
    }
}

impl<F: ?Sized> InOneDirection for F {}

/// Zeros that a function is given in `N` directions, if it has as many.
#[derive(Debug)]
pub struct Zeros<T, const N: usize>(pub T);

impl<T: Widen<N>, const N: usize> Zeros<T, N> {
    /// Zeros in every direction.
    #[inline]
    pub fn widened(&self) -> T::Wide {
        self.0.widen()
    }
}

/// Zeros of a type without lanes.
pub trait NotWidened {
    /// Nothing: what asks for them has one direction.
    #[inline]
    fn widened(&self) {}
}

impl<T, const N: usize> NotWidened for Zeros<T, N> {}

/// By one run for each direction, with the value; `value` is that where there is no direction.
#[inline]
pub fn runs<D, V, O, const N: usize>(
    tangents: [D; N],
    mut run: impl FnMut(D) -> (V, O),
    value: impl FnOnce() -> V,
) -> (V, [O; N]) {
    let mut found = None;
    let tangents = tangents.map(|tangent| {
        let (value, along) = run(tangent);
        found = Some(value);
        along
    });
    (found.unwrap_or_else(value), tangents)
}

/// An argument that each run is given.
#[derive(Debug)]
pub struct Again<'a, T>(pub &'a T);

impl<T: Clone> Again<'_, T> {
    /// A copy of it.
    #[inline]
    #[must_use]
    pub fn again(&self) -> T {
        self.0.clone()
    }
}

/// An argument that cannot be copied, for its type is one of the user's own without `Clone`.
pub trait NotAgain<T> {
    /// There is one direction only, so there is no other run to be given it.
    ///
    /// # Panics
    ///
    /// Where a derivative asks for more.
    fn again(&self) -> T;
}

impl<T> NotAgain<T> for Again<'_, T> {
    fn again(&self) -> T {
        panic!(
            "a derivative that runs a function once for each direction has to copy what it gives away or lends to be changed; derive `Clone` for `{}`",
            core::any::type_name::<T>()
        )
    }
}
