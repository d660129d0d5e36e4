//! The operators between arrays, and between arrays and numbers.

use ::ndarray::{Array, ArrayBase, Data, DimMax, Dimension, Zip};

use super::{Real, inner};
use crate::linalg::{Tan, binary};
use crate::num::{sdiv, zmul};
use crate::operators::{
    AddAgain, AddAssignAgain, AddAssignRule, AddRule, DivAgain, DivAssignAgain, DivAssignRule,
    DivRule, MulAgain, MulAssignAgain, MulAssignRule, MulRule, NegAgain, NegRule, RemAgain,
    RemAssignAgain, RemAssignRule, RemRule, SubAgain, SubAssignAgain, SubAssignRule, SubRule,
    left_out,
};
use crate::tangent::Tangent;

/// The shape that two arrays are broadcast to.
type Joint<D, E> = <D as DimMax<E>>::Output;

/// The shape that two arrays are broadcast to.
fn joint<D: Dimension + DimMax<E>, E: Dimension>(a: &D, b: &E) -> Joint<D, E> {
    let mut both = <Joint<D, E> as Dimension>::zeros(a.ndim().max(b.ndim()));
    let rank = both.ndim();
    for k in 0..rank {
        // Counted from the last.
        let of = |lengths: &[usize]| {
            lengths
                .len()
                .checked_sub(rank - k)
                .map_or(1, |k| lengths[k])
        };
        let (a, b) = (of(a.slice()), of(b.slice()));
        both[k] = if a == 1 { b } else { a };
    }
    both
}

/// An array of two that are broadcast to one shape, entry by entry.
fn each<T: Real, SA, SB, D: Dimension, E: Dimension, O: Dimension>(
    to: &O,
    a: &ArrayBase<SA, D>,
    b: &ArrayBase<SB, E>,
    f: impl Fn(T, T) -> T,
) -> Array<T, O>
where
    SA: Data<Elem = T>,
    SB: Data<Elem = T>,
{
    let a = a.broadcast(to.clone()).expect("the operator is defined");
    let b = b.broadcast(to.clone()).expect("the operator is defined");
    Zip::from(&a).and(&b).map_collect(|a, b| f(*a, *b))
}

/// A tangent in the shape of the result.
fn spread<T: Real, D: Dimension, O: Dimension>(d: &Array<T, D>, to: &O) -> Array<T, O> {
    let whole = d.broadcast(to.clone()).expect("the operator is defined");
    whole.to_owned()
}

/// What comes back to an operand that was broadcast: summed over the entries that were one.
pub(super) fn folded<T: Real, O: Dimension, D: Dimension>(d: &Array<T, O>, to: &D) -> Array<T, D> {
    let mut sum = Array::from_elem(to.clone(), T::zero());
    let extra = d.ndim() - to.ndim();
    let mut all = sum.view_mut().into_dyn();
    let mut at = alloc::vec![0; to.ndim()];
    for (from, d) in d.view().into_dyn().indexed_iter() {
        for (k, at) in at.iter_mut().enumerate() {
            *at = if to[k] == 1 { 0 } else { from[extra + k] };
        }
        all[&at[..]] += *d;
    }
    sum
}

/// Sums and differences; the second operand is broadcast to the first, or both to one another.
macro_rules! sums {
    ($op:ident $sign:tt $o:ty, [$($w:tt)*], |$a:ident, $b:ident| $shape:expr) => {
        binary!($op [T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>, D: Dimension, E: Dimension] ArrayBase<SA, D>, ArrayBase<SB, E> => Array<T, $o> where [$($w)*];
            keep [D] |a, _| a.raw_dim(), [E] |_, b| b.raw_dim();
            back |to, d| folded(d, to), |to, d| sums!(@ $sign folded(d, to));
            fore |$a, $b, d| spread(d, &$shape), |$a, $b, d| sums!(@ $sign spread(d, &$shape));
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |to, (), _| Array::from_elem(to.clone(), T::zero()), |to, (), _| Array::from_elem(to.clone(), T::zero()));
    };
    (@ + $d:expr) => { $d };
    (@ - $d:expr) => { $d.mapv(|d| -d) };
}

/// Products, entry by entry.
macro_rules! product {
    ($op:ident $o:ty, [$($w:tt)*], |$a:ident, $b:ident| $shape:expr) => {
        binary!($op [T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>, D: Dimension, E: Dimension] ArrayBase<SA, D>, ArrayBase<SB, E> => Array<T, $o> where [$($w)*];
            keep [(D, Array<T, E>)] |a, b| (a.raw_dim(), b.to_owned()), [(E, Array<T, D>)] |a, b| (b.raw_dim(), a.to_owned());
            back |(to, b), d| folded(&each(&d.raw_dim(), d, b, zmul), to), |(to, a), d| folded(&each(&d.raw_dim(), d, a, zmul), to);
            fore |$a, $b, d| each(&$shape, d, $b, zmul), |$a, $b, d| each(&$shape, d, $a, zmul);
            dots [Array<T, E>] |_, _, _, db| db.cloned(), [Array<T, D>] |_, _, da, _| da.cloned();
            again |(to, _), db, d| folded(&each(&d.raw_dim(), d, db, zmul), to), |(to, _), da, d| folded(&each(&d.raw_dim(), d, da, zmul), to));
    };
}

/// Quotients, entry by entry.
macro_rules! quotient {
    ($op:ident $o:ty, [$($w:tt)*], |$a:ident, $b:ident| $shape:expr) => {
        binary!($op [T: Real, SA: Data<Elem = T>, SB: Data<Elem = T>, D: Dimension, E: Dimension] ArrayBase<SA, D>, ArrayBase<SB, E> => Array<T, $o> where [$($w)*];
            keep [(D, Array<T, E>)] |a, b| (a.raw_dim(), b.to_owned()), [(Array<T, D>, Array<T, E>)] |a, b| (a.to_owned(), b.to_owned());
            back |(to, b), d| folded(&each(&d.raw_dim(), d, b, sdiv), to),
            |(a, b), d| {
                let slope = each(&d.raw_dim(), a, b, |a, b| -(a / b));
                folded(&each(&d.raw_dim(), &each(&d.raw_dim(), d, b, sdiv), &slope, zmul), &b.raw_dim())
            };
            fore |$a, $b, d| each(&$shape, d, $b, sdiv),
            |$a, $b, d| {
                let shape = $shape;
                let slope = each(&shape, $a, $b, |a, b| -(a / b));
                each(&shape, &each(&shape, d, $b, sdiv), &slope, zmul)
            };
            dots [Array<T, E>] |_, _, _, db| db.cloned(),
            [(Option<Array<T, D>>, Option<Array<T, E>>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.cloned(), db.cloned()));
            again |(to, b), db, d| {
                let shape = d.raw_dim();
                let slope = each(&shape, &each(&shape, d, b, sdiv), b, |q, b| -sdiv(q, b));
                folded(&each(&shape, &slope, db, zmul), to)
            },
            |(a, b), (da, db), d| {
                let shape = d.raw_dim();
                // The slope of q = d / b, and what a and b add.
                let q = each(&shape, d, b, sdiv);
                let mut sum = Array::from_elem(shape.clone(), T::zero());
                if let Some(da) = da {
                    sum += &each(&shape, &each(&shape, da, b, |da, b| -sdiv(da, b)), &q, zmul);
                }
                if let Some(db) = db {
                    let twice = each(&shape, &each(&shape, db, b, sdiv), &q, |db, q| zmul(db, q) + zmul(db, q));
                    sum += &each(&shape, &twice, &each(&shape, a, b, |a, b| a / b), zmul);
                }
                folded(&sum, &b.raw_dim())
            });
    };
}

/// An operator between arrays, and the one that assigns.
macro_rules! with_assigning {
    ($($kind:ident($($sign:tt)?) $op:ident $assign:ident;)*) => {$(
        $kind!($op $($sign)? Joint<D, E>, [D: DimMax<E>], |a, b| joint(&a.raw_dim(), &b.raw_dim()));
        $kind!($assign $($sign)? D, [], |a, _b| a.raw_dim());
    )*};
}
with_assigning! {
    sums(+) Add AddAssign;
    sums(-) Sub SubAssign;
    product() Mul MulAssign;
    quotient() Div DivAssign;
}

/// Arrays and numbers: each type of numbers for itself, because `T` alone would be any type.
macro_rules! scaled {
    ($($t:ident)*) => {$(
        scaled!(@sum $t Add +);
        scaled!(@sum $t Sub -);
        scaled!(@sum $t AddAssign +);
        scaled!(@sum $t SubAssign -);
        scaled!(@product $t Mul);
        scaled!(@product $t MulAssign);
        scaled!(@quotient $t Div);
        scaled!(@quotient $t DivAssign);
        scaled!(@remainder $t Rem);
        scaled!(@remainder $t RemAssign);
        binary!(Add [S: Data<Elem = $t>, D: Dimension] $t, ArrayBase<S, D> => Array<$t, D> where [];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| d.sum(), |(), d| d.clone();
            fore |_, b, d| Array::from_elem(b.raw_dim(), *d), |_, _, d| d.clone();
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), _| 0.0, |(), (), d| d.zero_like());
        binary!(Sub [S: Data<Elem = $t>, D: Dimension] $t, ArrayBase<S, D> => Array<$t, D> where [];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| d.sum(), |(), d| -d;
            fore |_, b, d| Array::from_elem(b.raw_dim(), *d), |_, _, d| -d;
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), _| 0.0, |(), (), d| d.zero_like());
        binary!(Mul [S: Data<Elem = $t>, D: Dimension] $t, ArrayBase<S, D> => Array<$t, D> where [];
            keep [Array<$t, D>] |_, b| b.to_owned(), [$t] |a, _| *a;
            back |b, d| inner(b, d), |a, d| d.mapv(|d| zmul(d, *a));
            fore |_, b, d| b.mapv(|b| zmul(b, *d)), |a, _, d| d.mapv(|d| zmul(d, *a));
            dots [Array<$t, D>] |_, _, _, db| db.cloned(), [$t] |_, _, da, _| da.copied();
            again |_, db, d| inner(db, d), |_, da, d| d.mapv(|d| zmul(d, *da)));
        binary!(Div [S: Data<Elem = $t>, D: Dimension] $t, ArrayBase<S, D> => Array<$t, D> where [];
            keep [Array<$t, D>] |_, b| b.to_owned(), [($t, Array<$t, D>)] |a, b| (*a, b.to_owned());
            back |b, d| zipped(b, d, |b, d| sdiv(d, b)).sum(), |(a, b), d| zipped(b, d, |b, d| -zmul(*a / b, sdiv(d, b)));
            fore |_, b, d| b.mapv(|b| sdiv(*d, b)), |a, b, d| zipped(b, d, |b, d| -zmul(*a / b, sdiv(d, b)));
            dots [Array<$t, D>] |_, _, _, db| db.cloned(),
            [(Option<$t>, Option<Array<$t, D>>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.copied(), db.cloned()));
            again |b, db, d| -zipped(&zipped(b, d, |b, d| sdiv(sdiv(d, b), b)), db, zmul).sum(),
            |(a, b), (da, db), d| {
                let scaled = zipped(b, d, |b, d| sdiv(sdiv(d, b), b));
                let mut along = scaled.mapv(|d| da.map_or(0.0, |da| -zmul(d, da)));
                if let Some(db) = db {
                    along += &zipped(&zipped(&scaled, b, |d, b| zmul(2.0 * *a / b, d)), db, zmul);
                }
                along
            });
    )*};
    (@sum $t:ident $op:ident $sign:tt) => {
        binary!($op [S: Data<Elem = $t>, D: Dimension] ArrayBase<S, D>, $t => Array<$t, D> where [];
            keep [()] |_, _| (), [()] |_, _| ();
            back |(), d| d.clone(), |(), d| 0.0 $sign d.sum();
            fore |_, _, d| d.clone(), |a, _, d| Array::from_elem(a.raw_dim(), 0.0 $sign *d);
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), d| d.zero_like(), |(), (), _| 0.0);
    };
    (@product $t:ident $op:ident) => {
        binary!($op [S: Data<Elem = $t>, D: Dimension] ArrayBase<S, D>, $t => Array<$t, D> where [];
            keep [$t] |_, b| *b, [Array<$t, D>] |a, _| a.to_owned();
            back |b, d| d.mapv(|d| zmul(d, *b)), |a, d| inner(a, d);
            fore |_, b, d| d.mapv(|d| zmul(d, *b)), |a, _, d| a.mapv(|a| zmul(a, *d));
            dots [$t] |_, _, _, db| db.copied(), [Array<$t, D>] |_, _, da, _| da.cloned();
            again |_, db, d| d.mapv(|d| zmul(d, *db)), |_, da, d| inner(da, d));
    };
    (@remainder $t:ident $op:ident) => {
        binary!($op [S: Data<Elem = $t>, D: Dimension] ArrayBase<S, D>, $t => Array<$t, D> where [];
            keep [()] |_, _| (), [Array<$t, D>] |a, b| a.mapv(|a| left_out(a, *b, a % *b));
            back |(), d| d.clone(), |left_out, d| inner(left_out, d);
            fore |_, _, d| d.clone(), |a, b, d| a.mapv(|a| zmul(*d, left_out(a, *b, a % *b)));
            dots [()] |_, _, _, _| None, [()] |_, _, _, _| None;
            again |(), (), d| d.zero_like(), |_, (), _| 0.0);
    };
    (@quotient $t:ident $op:ident) => {
        binary!($op [S: Data<Elem = $t>, D: Dimension] ArrayBase<S, D>, $t => Array<$t, D> where [];
            keep [$t] |_, b| *b, [(Array<$t, D>, $t)] |a, b| (a.to_owned(), *b);
            back |b, d| d.mapv(|d| sdiv(d, *b)), |(a, b), d| -dotted(d, a, *b, *b);
            fore |_, b, d| d.mapv(|d| sdiv(d, *b)), |a, b, d| a.mapv(|a| -zmul(a / *b, sdiv(*d, *b)));
            dots [$t] |_, _, _, db| db.copied(),
            [(Option<Array<$t, D>>, Option<$t>)] |_, _, da, db| (da.is_some() || db.is_some()).then(|| (da.cloned(), db.copied()));
            again |b, db, d| d.mapv(|d| -zmul(sdiv(sdiv(d, *b), *b), *db)),
            |(a, b), (da, db), d| {
                let along_a = da.as_ref().map_or(0.0, |da| -dotted(d, da, *b, *b));
                let along_b = db.map_or(0.0, |db| zmul(2.0 * db, sdiv(dotted(d, a, *b, *b), *b)));
                along_a + along_b
            });
    };
}
scaled!(f32 f64);

/// Two arrays of one shape, entry by entry.
fn zipped<T: Real, S: Data<Elem = T>, D: Dimension>(
    a: &ArrayBase<S, D>,
    b: &Array<T, D>,
    f: impl Fn(T, T) -> T,
) -> Array<T, D> {
    Zip::from(a).and(b).map_collect(|a, b| f(*a, *b))
}

/// `d · a / (b · c)`, where the zeros of `d` absorb what is infinite.
fn dotted<T: Real, D: Dimension>(d: &Array<T, D>, a: &Array<T, D>, b: T, c: T) -> T {
    let products = d.iter().zip(a.iter());
    products.fold(T::zero(), |sum, (d, a)| sum + zmul(sdiv(*d, b), *a / c))
}

impl<T: Real, S: Data<Elem = T>, D: Dimension, const L: bool> NegRule<L> for ArrayBase<S, D> {
    type Result = Array<T, D>;
    type Left = ();
    #[inline]
    fn __keep_left(&self) {}
    #[inline]
    fn back_left((): (), dy: &Array<T, D>) -> Array<T, D> {
        dy.mapv(|d| -d)
    }
    #[inline]
    fn __fore_left(&self, da: &Array<T, D>) -> Array<T, D> {
        da.mapv(|d| -d)
    }
}

impl<T: Real, S: Data<Elem = T>, D: Dimension, const L: bool> NegAgain<L> for ArrayBase<S, D> {
    type LeftDot = ();
    #[inline]
    fn __dot_keep_left(&self, _: Option<&Array<T, D>>) {}
    #[inline]
    fn dot_left((): (), _: Option<()>, dy: &Array<T, D>, ddy: Option<&Array<T, D>>) -> Array<T, D> {
        ddy.map_or_else(|| dy.zero_like(), |ddy| ddy.mapv(|d| -d))
    }
}
