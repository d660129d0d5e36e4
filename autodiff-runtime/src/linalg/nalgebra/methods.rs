//! The methods of matrices and vectors.

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{
    Const, DefaultAllocator, Dim, DimMin, Dyn, Matrix, OMatrix, OVector, Storage, U1, Vector2,
    Vector3,
};

use super::determinants::{cofactors, cofactors_along};
use super::{Real, add_multiple, over, times};
use crate::linalg::forms::{
    AddScalar, ColumnOf, ColumnsOf, ComponentDiv, ComponentMul, Cross, Determinant, Diagonal, Dot,
    Lerp, Max, MeanAll, Min, Norm, NormSquared, Normalize, Owned, RowOf, RowsOf, Scale, SumAll,
    Trace, Transpose, TryInverse, Xy, Xyz,
};
use crate::linalg::{Tan, row};
use crate::num::{sdiv, zmul};

row!(Norm [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => T, T, where [DefaultAllocator: Allocator<R, C>];
|a| { let n = a.norm(); (n, n) };
|a, n, da| sdiv(a.dot(da), *n);
|a, n, d, to| *to += times(&over(a, *n), *d);
|a, n, da, d, to| {
    let along = sdiv(a.dot(da), *n);
    *to += times(&over(da, *n), *d) - times(&over(&over(a, *n), *n), zmul(*d, along));
});

row!(NormSquared [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => T, (), where [DefaultAllocator: Allocator<R, C>];
    |a| (a.norm_squared(), ());
    |a, (), da| { let t = a.dot(da); t + t };
    |a, (), d, to| add_multiple(to, *d + *d, a);
    |_, (), da, d, to| add_multiple(to, *d + *d, da));

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

row!(Normalize [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), () => OMatrix<T, R, C>, (OMatrix<T, R, C>, T), where [DefaultAllocator: Allocator<R, C>];
|a| { let (u, n) = (a.normalize(), a.norm()); (u.clone(), (u, n)) };
|_, (u, n), da| (da - u * u.dot(da)) / *n;
|_, (u, n), d, to| *to += (d - u * u.dot(d)) / *n;
|_, (u, n), da, d, to| {
    let (along, of_seed) = (u.dot(da), u.dot(d));
    let du = (da - u * along) / *n;
    *to -= (&du * of_seed + u * du.dot(d) + (d - u * of_seed) * (along / *n)) / *n;
});

row!(Determinant [T: Real, D: DimMin<D, Output = D>, S: Storage<T, D, D>] Matrix<T, D, D, S>, (), () => T, (), where [DefaultAllocator: Allocator<D, D> + Allocator<D>];
    |a| (a.determinant(), ());
    |a, (), da| cofactors(a).dot(da);
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
    |a, b, (), da, db| da.dot(b) + a.dot(db);
    |a, b, (), d, to_a, to_b| { add_multiple(to_a, *d, b); add_multiple(to_b, *d, a) };
    |_, _, (), da, db, d, to_a, to_b| { add_multiple(to_a, *d, db); add_multiple(to_b, *d, da) });

row!(Cross [T: Real, SA: Storage<T, Const<3>, U1>, SB: Storage<T, Const<3>, U1>] Matrix<T, Const<3>, U1, SA>, (b: Matrix<T, Const<3>, U1, SB>), () => Vector3<T>, (), where [];
    |a, b| (a.cross(b), ());
    |a, b, (), da, db| da.cross(b) + a.cross(db);
    |a, b, (), d, to_a, to_b| { *to_a += b.cross(d); *to_b += d.cross(a) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a += db.cross(d); *to_b += d.cross(da) });

row!(ComponentMul [T: Real, R: Dim, C: Dim, SA: Storage<T, R, C>, SB: Storage<T, R, C>] Matrix<T, R, C, SA>, (b: Matrix<T, R, C, SB>), () => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, b| (a.component_mul(b), ());
    |a, b, (), da, db| da.component_mul(b) + a.component_mul(db);
    |a, b, (), d, to_a, to_b| { *to_a += d.component_mul(b); *to_b += d.component_mul(a) };
    |_, _, (), da, db, d, to_a, to_b| { *to_a += d.component_mul(db); *to_b += d.component_mul(da) });

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

row!(Lerp [T: Real, R: Dim, SA: Storage<T, R, U1>, SB: Storage<T, R, U1>] Matrix<T, R, U1, SA>, (b: Matrix<T, R, U1, SB>), (s: T) => OVector<T, R>, (), where [DefaultAllocator: Allocator<R>];
|a, b, s| (a.lerp(b, *s), ());
|a, b, s, (), da, db, ds| da * (T::one() - *s) + db * *s + (b - a) * *ds;
|a, b, s, (), d, to_a, to_b, to_s| {
    add_multiple(to_a, T::one() - *s, d);
    add_multiple(to_b, *s, d);
    *to_s += d.dot(b) - d.dot(a);
};
|_, _, _, (), da, db, ds, d, to_a, to_b, to_s| {
    add_multiple(to_a, -*ds, d);
    add_multiple(to_b, *ds, d);
    *to_s += d.dot(db) - d.dot(da);
});

row!(Scale [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (), (s: T) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, s| (a.scale(*s), ());
    |a, s, (), da, ds| da * *s + a * *ds;
    |a, s, (), d, to_a, to_s| { add_multiple(to_a, *s, d); *to_s += a.dot(d) };
    |_, _, (), da, ds, d, to_a, to_s| { add_multiple(to_a, *ds, d); *to_s += da.dot(d) });

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
            |_, shares, da| shares.dot(da);
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

/// The first coordinates.
macro_rules! first {
    ($($Trait:ident $Vector:ident [$($k:literal)*];)*) => {$(
        row!($Trait [T: Real, D: Dim, S: Storage<T, D, U1>] Matrix<T, D, U1, S>, (), () => $Vector<T>, (), where [DefaultAllocator: Allocator<D>];
            |a| ($Vector::new($(a[$k]),*), ());
            |_, (), da| $Vector::new($(da[$k]),*);
            |_, (), d, to| { $(to[$k] += d[$k];)* };
            |_, (), _, _, _| ());
    )*};
}
first! {
    Xy Vector2 [0 1];
    Xyz Vector3 [0 1 2];
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
