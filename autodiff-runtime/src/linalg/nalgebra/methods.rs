//! The methods of matrices and vectors.

use alloc::vec::Vec;

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{
    Const, DefaultAllocator, Dim, DimMin, Dyn, Matrix, Matrix3, OMatrix, OVector, Storage, U1,
    Vector2, Vector3,
};

use super::determinants::{cofactors, cofactors_along};
use super::{Real, add_multiple, by_entry, dot, outer, over, product, times, tr_product};
use crate::linalg::forms::{
    AddScalar, ColumnOf, ColumnsOf, ComponentDiv, ComponentMul, Cross, Determinant, Diagonal, Dot,
    IntoOwned, Lerp, Magnitude, MagnitudeSquared, Max, MeanAll, MetricDistance, Min, Norm,
    NormSquared, Normalize, Owned, RowOf, RowsOf, Scale, SumAll, TrMul, Trace, Transpose,
    TryInverse, Unscale, Xy, Xyz,
};
use crate::linalg::{Tan, method, row};
use crate::num::{sdiv, zmul};
use crate::tangent::Differentiable;

method! {
    AsView as_view(;);
    RowIter row_iter(;);
    ColumnIter column_iter(;);
    CrossMatrix cross_matrix(;);
    Perp perp(b: B;);
}

row!(AsView [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a| (a.clone_owned(), ());
    |_, (), da| da.clone();
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

// What runs over the rows or columns is a list of copies.
row!(RowIter [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => Vec<OMatrix<T, U1, C>>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<U1, C>];
    |a| (a.row_iter().map(|row| row.clone_owned()).collect(), ());
    |_, (), da| da.row_iter().map(|row| row.clone_owned()).collect();
    |_, (), d, to| for (mut to, d) in to.row_iter_mut().zip(d) { to += d };
    |_, (), _, _, _| ());

row!(ColumnIter [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => Vec<OMatrix<T, R, U1>>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<R, U1>];
    |a| (a.column_iter().map(|column| column.clone_owned()).collect(), ());
    |_, (), da| da.column_iter().map(|column| column.clone_owned()).collect();
    |_, (), d, to| for (mut to, d) in to.column_iter_mut().zip(d) { to += d };
    |_, (), _, _, _| ());

/// The norm and its square, which have two names each.
macro_rules! norms {
    ($($Trait:ident $name:ident, $Square:ident $square:ident;)*) => {$(
        row!($Trait [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => T, T, where [DefaultAllocator: Allocator<R, C>];
        |a| { let n = a.$name(); (n, n) };
        |a, n, da| sdiv(dot(a, da), *n);
        |a, n, d, to| *to += times(&over(a, *n), *d);
        |a, n, da, d, to| *to += slope_along(a, *n, da, *d));

        row!($Square [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => T, (), where [DefaultAllocator: Allocator<R, C>];
            |a| (a.$square(), ());
            |a, (), da| { let t = dot(a, da); t + t };
            |a, (), d, to| add_multiple(to, *d + *d, a);
            |_, (), da, d, to| add_multiple(to, *d + *d, da));
    )*};
}
norms! {
    Norm norm, NormSquared norm_squared;
    Magnitude magnitude, MagnitudeSquared magnitude_squared;
}

/// The tangent of the slope of a norm, `d · a / n`.
#[inline]
pub(super) fn slope_along<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>>(
    a: &Matrix<T, R, C, S>,
    n: T,
    da: &OMatrix<T, R, C>,
    d: T,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    let along = sdiv(dot(a, da), n);
    times(&over(da, n), d) - times(&over(&over(a, n), n), zmul(d, along))
}

row!(MetricDistance [T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>] Matrix<T, R, C, SA>, (b: Matrix<T, R, C, SB>), () => T, (OMatrix<T, R, C>, T), where [DefaultAllocator: Allocator<R, C>];
|a, b| { let n = a.metric_distance(b); (n, (a - b, n)) };
|_, _, (e, n), da, db| sdiv(dot(e, &(da - db)), *n);
|_, _, (e, n), d, to_a, to_b| {
    let slope = times(&over(e, *n), *d);
    *to_a += &slope;
    *to_b -= slope;
};
|_, _, (e, n), da, db, d, to_a, to_b| {
    let slope = slope_along(e, *n, &(da - db), *d);
    *to_a += &slope;
    *to_b -= slope;
});

row!(TrMul [T: Real, R: Dim, A: Dim, B: Dim, SA: Storage<T, R, A>, SB: Storage<T, R, B>] Matrix<T, R, A, SA>, (b: Matrix<T, R, B, SB>), () => OMatrix<T, A, B>, (), where [DefaultAllocator: Allocator<R, A> + Allocator<R, B> + Allocator<A, B> + Allocator<B, A>];
    |a, b| (a.tr_mul(b), ());
    |a, b, (), da, db| tr_product(da, b) + tr_product(a, db);
    |a, b, (), d, to_a, to_b| { *to_a += outer(b, d); *to_b += product(a, d) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a += outer(db, d); *to_b += product(da, d) });

row!(SumAll [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => T, (), where [DefaultAllocator: Allocator<R, C>];
    |a| (a.sum(), ());
    |_, (), da| da.sum();
    |_, (), d, to| to.add_scalar_mut(*d);
    |_, (), _, _, _| ());

row!(MeanAll [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => T, (), where [DefaultAllocator: Allocator<R, C>];
    |a| (a.mean(), ());
    |_, (), da| da.mean();
    |a, (), d, to| to.add_scalar_mut(*d / crate::num::lit(a.len() as f64));
    |_, (), _, _, _| ());

row!(Trace [T: Real, D: Dim, S: Storage<T, D, D>] Matrix<T, D, D, S>, (), () => T, (), where [DefaultAllocator: Allocator<D, D>];
    |a| (a.trace(), ());
    |_, (), da| da.trace();
    |a, (), d, to| for i in 0..a.nrows() { to[(i, i)] += *d };
    |_, (), _, _, _| ());

row!(Transpose [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => OMatrix<T, C, R>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<C, R>];
    |a| (a.transpose(), ());
    |_, (), da| da.transpose();
    |_, (), d, to| *to += d.transpose();
    |_, (), _, _, _| ());

row!(Owned [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a| (a.clone_owned(), ());
    |_, (), da| da.clone();
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

row!(IntoOwned [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a| (a.clone_owned(), ());
    |_, (), da| da.clone();
    |_, (), d, to| *to += d;
    |_, (), _, _, _| ());

row!(Normalize [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => OMatrix<T, R, C>, (OMatrix<T, R, C>, T), where [DefaultAllocator: Allocator<R, C>];
|a| { let (u, n) = (a.normalize(), a.norm()); (u.clone(), (u, n)) };
|_, (u, n), da| (da - u * dot(u, da)) / *n;
|_, (u, n), d, to| *to += (d - u * dot(u, d)) / *n;
|_, (u, n), da, d, to| *to += unit_along(u, *n, da, d));

/// The tangent of the cotangent of what has the direction `u` and the length `n`.
#[inline]
pub(super) fn unit_along<T: Real, R: Dim, C: Dim>(
    u: &OMatrix<T, R, C>,
    n: T,
    da: &OMatrix<T, R, C>,
    d: &OMatrix<T, R, C>,
) -> OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C>,
{
    let (along, of_seed) = (dot(u, da), dot(u, d));
    let du = (da - u * along) / n;
    -(&du * of_seed + u * dot(&du, d) + (d - u * of_seed) * (along / n)) / n
}

row!(Perp [T: Real, SA: Storage<T, Const<2>, U1>, SB: Storage<T, Const<2>, U1>] Matrix<T, Const<2>, U1, SA>, (b: Matrix<T, Const<2>, U1, SB>), () => T, (), where [];
    |a, b| (a.perp(b), ());
    |a, b, (), da, db| da.perp(b) + a.perp(db);
    |a, b, (), d, to_a, to_b| { *to_a -= turned(b, *d); *to_b += turned(a, *d) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a -= turned(db, *d); *to_b += turned(da, *d) });

/// A vector of the plane, turned by a quarter to the left and times a number.
#[inline]
fn turned<T: Real, S: Storage<T, Const<2>, U1>>(
    a: &Matrix<T, Const<2>, U1, S>,
    s: T,
) -> Vector2<T> {
    Vector2::new(-a[1] * s, a[0] * s)
}

row!(CrossMatrix [T: Real, S: Storage<T, Const<3>, U1>] Matrix<T, Const<3>, U1, S>, (), () => Matrix3<T>, (), where [];
    |a| (a.cross_matrix(), ());
    |_, (), da| da.cross_matrix();
    |_, (), d, to| *to += Vector3::new(d[(2, 1)] - d[(1, 2)], d[(0, 2)] - d[(2, 0)], d[(1, 0)] - d[(0, 1)]);
    |_, (), _, _, _| ());

row!(Determinant [T: Real, D: DimMin<D, Output = D>, S: Storage<T, D, D>] Matrix<T, D, D, S>, (), () => T, (), where [DefaultAllocator: Allocator<D, D> + Allocator<D>];
    |a| (a.determinant(), ());
    |a, (), da| dot(&cofactors(a), da);
    |a, (), d, to| add_multiple(to, *d, &cofactors(a));
    |a, (), da, d, to| add_multiple(to, *d, &cofactors_along(a, da)));

row!(TryInverse [T: Real, D: Dim, S: Storage<T, D, D>] Matrix<T, D, D, S>, (), () => Option<OMatrix<T, D, D>>, Option<OMatrix<T, D, D>>, where [DefaultAllocator: Allocator<D, D>];
|a| { let y = a.clone_owned().try_inverse(); (y.clone(), y) };
|_, y, da| y.as_ref().map(|y| -(y * da * y));
|_, y, d, to| if let (Some(y), Some(d)) = (y, d) { *to -= y.tr_mul(d) * y.transpose() };
|_, y, da, d, to| if let (Some(y), Some(d)) = (y, d) {
    let dy = -(y * da * y);
    *to -= dy.tr_mul(d) * y.transpose() + y.tr_mul(d) * dy.transpose();
});

row!(Dot [T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>] Matrix<T, R, C, SA>, (b: Matrix<T, R, C, SB>), () => T, (), where [DefaultAllocator: Allocator<R, C>];
    |a, b| (a.dot(b), ());
    |a, b, (), da, db| dot(da, b) + dot(a, db);
    |a, b, (), d, to_a, to_b| { add_multiple(to_a, *d, b); add_multiple(to_b, *d, a) };
    |_, _, (), da, db, d, to_a, to_b| { add_multiple(to_a, *d, db); add_multiple(to_b, *d, da) });

row!(Cross [T: Real, SA: Storage<T, Const<3>, U1>, SB: Storage<T, Const<3>, U1>] Matrix<T, Const<3>, U1, SA>, (b: Matrix<T, Const<3>, U1, SB>), () => Vector3<T>, (), where [];
    |a, b| (a.cross(b), ());
    |a, b, (), da, db| da.cross(b) + a.cross(db);
    |a, b, (), d, to_a, to_b| { *to_a += b.cross(d); *to_b += d.cross(a) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a += db.cross(d); *to_b += d.cross(da) });

row!(ComponentMul [T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>] Matrix<T, R, C, SA>, (b: Matrix<T, R, C, SB>), () => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, b| (a.component_mul(b), ());
    |a, b, (), da, db| by_entry(da, b, zmul) + by_entry(a, db, zmul);
    |a, b, (), d, to_a, to_b| { *to_a += by_entry(d, b, zmul); *to_b += by_entry(d, a, zmul) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a += by_entry(d, db, zmul); *to_b += by_entry(d, da, zmul) });

row!(ComponentDiv [T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>] Matrix<T, R, C, SA>, (b: Matrix<T, R, C, SB>), () => OMatrix<T, R, C>, OMatrix<T, R, C>, where [DefaultAllocator: Allocator<R, C>];
|a, b| { let y = a.component_div(b); (y.clone(), y) };
|_, b, y, da, db| by_entry(&(da - by_entry(y, db, |y, db| zmul(y, db))), b, |d, b| sdiv(d, b));
|_, b, y, d, to_a, to_b| {
    let q = by_entry(d, b, |d, b| sdiv(d, b));
    *to_b -= by_entry(&q, y, |q, y| zmul(q, y));
    *to_a += q;
};
|_, b, y, da, db, d, to_a, to_b| {
    let q = by_entry(d, b, |d, b| sdiv(d, b));
    // The tangents of q = d / b and of y.
    let dq = -by_entry(&by_entry(&q, b, |q, b| sdiv(q, b)), db, |q, db| zmul(q, db));
    let dy = by_entry(&(da - by_entry(y, db, |y, db| zmul(y, db))), b, |d, b| sdiv(d, b));
    *to_b -= by_entry(&dq, y, |q, y| zmul(q, y)) + by_entry(&q, &dy, |q, y| zmul(q, y));
    *to_a += dq;
});

row!(Lerp [T: Real, R: Dim, SA: Storage<T, R, U1>, SB: Storage<T, R, U1>] Matrix<T, R, U1, SA>, (b: Matrix<T, R, U1, SB>), (s: T) => OVector<T, R>, (), where [DefaultAllocator: Allocator<R>];
|a, b, s| (a.lerp(b, *s), ());
|a, b, s, (), da, db, ds| times(da, T::one() - *s) + times(db, *s) + times(&(b - a), *ds);
|a, b, s, (), d, to_a, to_b, to_s| {
    add_multiple(to_a, T::one() - *s, d);
    add_multiple(to_b, *s, d);
    *to_s += dot(d, b) - dot(d, a);
};
|_, _, _, (), da, db, ds, d, to_a, to_b, to_s| {
    add_multiple(to_a, -*ds, d);
    add_multiple(to_b, *ds, d);
    *to_s += dot(d, db) - dot(d, da);
});

row!(Scale [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (s: T) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, s| (a.scale(*s), ());
    |a, s, (), da, ds| times(da, *s) + times(a, *ds);
    |a, s, (), d, to_a, to_s| { add_multiple(to_a, *s, d); *to_s += dot(a, d) };
    |_, _, (), da, ds, d, to_a, to_s| { add_multiple(to_a, *ds, d); *to_s += dot(da, d) });

row!(Unscale [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (s: T) => OMatrix<T, R, C>, OMatrix<T, R, C>, where [DefaultAllocator: Allocator<R, C>];
|a, s| { let y = a.unscale(*s); (y.clone(), y) };
|_, s, y, da, ds| over(da, *s) - times(y, sdiv(*ds, *s));
|_, s, y, d, to_a, to_s| {
    let q = over(d, *s);
    *to_s -= dot(&q, y);
    *to_a += q;
};
|_, s, y, da, ds, d, to_a, to_s| {
    // The tangents of q = d / s and of y.
    let q = over(d, *s);
    let dq = -times(&q, sdiv(*ds, *s));
    let dy = over(da, *s) - times(y, sdiv(*ds, *s));
    *to_s -= dot(&dq, y) + dot(&q, &dy);
    *to_a += dq;
});

row!(AddScalar [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (s: T) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, s| (a.add_scalar(*s), ());
    |_, _, (), da, ds| da.add_scalar(*ds);
    |_, _, (), d, to_a, to_s| { *to_a += d; *to_s += d.sum() };
    |_, _, (), _, _, _, _, _| ());

row!(RowOf [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (i: usize) => OMatrix<T, U1, C>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<U1, C>];
    |a, i| (a.row(*i).clone_owned(), ());
    |_, i, (), da, ()| da.row(*i).clone_owned();
    |_, i, (), d, to, ()| { let mut row = to.row_mut(*i); row += d };
    |_, _, (), _, (), _, _, ()| ());

row!(ColumnOf [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (i: usize) => OMatrix<T, R, U1>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<R, U1>];
    |a, i| (a.column(*i).clone_owned(), ());
    |_, i, (), da, ()| da.column(*i).clone_owned();
    |_, i, (), d, to, ()| { let mut column = to.column_mut(*i); column += d };
    |_, _, (), _, (), _, _, ()| ());

/// The largest or the smallest entry, which those that are equal share.
macro_rules! extremes {
    ($($Trait:ident $name:ident;)*) => {$(
        row!($Trait [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => T, OMatrix<T, R, C>, where [DefaultAllocator: Allocator<R, C>];
            |a| {
                let y = a.$name();
                let count = a.iter().filter(|a| **a == y).count();
                let share = T::one() / crate::num::lit(count.max(1) as f64);
                (y, a.map(|a| if a == y { share } else { T::zero() }))
            };
            |_, shares, da| dot(shares, da);
            |_, shares, d, to| add_multiple(to, *d, shares);
            |_, _, _, _, _| ());
    )*};
}
extremes! {
    Max max;
    Min min;
}

row!(Diagonal [T: Real, D: Dim, S: Storage<T, D, D>] Matrix<T, D, D, S>, (), () => OVector<T, D>, (), where [DefaultAllocator: Allocator<D, D> + Allocator<D>];
    |a| (OVector::from_fn_generic(a.shape_generic().0, U1, |i, _| a[(i, i)]), ());
    |a, (), da| OVector::from_fn_generic(a.shape_generic().0, U1, |i, _| da[(i, i)]);
    |a, (), d, to| for i in 0..a.nrows() { to[(i, i)] += d[i] };
    |_, (), _, _, _| ());

/// The first coordinates, of vectors of these sizes, as which the crate has them.
macro_rules! first {
    ($($Trait:ident $Vector:ident $at:tt [$($n:literal)*];)*) => {$($(first!(@ $Trait $Vector $at $n);)*)*};
    (@ $Trait:ident $Vector:ident [$($k:literal)*] $n:literal) => {
        row!($Trait [T: Real, S: Storage<T, Const<$n>, U1>] Matrix<T, Const<$n>, U1, S>, (), () => $Vector<T>, (), where [];
            |a| ($Vector::new($(a[$k]),*), ());
            |_, (), da| $Vector::new($(da[$k]),*);
            |_, (), d, to| { $(to[$k] += d[$k];)* };
            |_, (), _, _, _| ());
    };
}
first! {
    Xy Vector2 [0 1] [2 3 4 5 6];
    Xyz Vector3 [0 1 2] [3 4 5 6];
}

row!(RowsOf [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (i: usize, n: usize) => OMatrix<T, Dyn, C>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<Dyn, C>];
    |a, i, n| (a.rows(*i, *n).clone_owned(), ());
    |_, i, n, (), da, (), ()| da.rows(*i, *n).clone_owned();
    |_, i, n, (), d, to, (), ()| { let mut rows = to.rows_mut(*i, *n); rows += d };
    |_, _, _, (), _, (), (), _, _, (), ()| ());

row!(ColumnsOf [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (i: usize, n: usize) => OMatrix<T, R, Dyn>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<R, Dyn>];
    |a, i, n| (a.columns(*i, *n).clone_owned(), ());
    |_, i, n, (), da, (), ()| da.columns(*i, *n).clone_owned();
    |_, i, n, (), d, to, (), ()| { let mut columns = to.columns_mut(*i, *n); columns += d };
    |_, _, _, (), _, (), (), _, _, (), ()| ());
