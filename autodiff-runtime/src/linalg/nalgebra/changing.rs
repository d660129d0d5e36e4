//! What methods that change their receiver make of it, and methods that give it another shape.

use ::nalgebra::allocator::{Allocator, Reallocator};
use ::nalgebra::{
    DMatrix, DVector, DefaultAllocator, Dim, DimAdd, DimSum, Dyn, Matrix, OMatrix, OVector,
    RowOVector, Storage, U1,
};

use super::{Real, add_multiple, dot, outer, product, times, tr_product};
use crate::linalg::forms::{
    Axpied, ColumnMean, ColumnSum, CopiedFrom, DiagonalFilledWith, FilledWith, Gemmed, Gemved,
    Gered, InsertColumn, InsertRow, LowerFromUpper, Push, RemoveColumn, RemoveRow, RowMean, RowSum,
    UpperFromLower, ViewOf, WithColumn, WithDiagonal, WithRow,
};
use crate::linalg::{Tan, linear, row};

row!(Axpied [T: Real, R: Dim, S: Storage<T, R, U1>] OVector<T, R>, (x: Matrix<T, R, U1, S>), (s: T, t: T) => OVector<T, R>, (), where [DefaultAllocator: Allocator<R>];
|y, x, s, t| { let mut y = y.clone(); y.axpy(*s, x, *t); (y, ()) };
|y, x, s, t, (), dy, dx, ds, dt| times(x, *ds) + times(dx, *s) + times(y, *dt) + times(dy, *t);
|y, x, s, t, (), d, to_y, to_x, to_s, to_t| {
    add_multiple(to_y, *t, d);
    add_multiple(to_x, *s, d);
    *to_s += dot(x, d);
    *to_t += dot(y, d);
};
|_, _, _, _, (), dy, dx, ds, dt, d, to_y, to_x, to_s, to_t| {
    add_multiple(to_y, *dt, d);
    add_multiple(to_x, *ds, d);
    *to_s += dot(dx, d);
    *to_t += dot(dy, d);
});

/// `s · m · x + t · y`, for vectors and for matrices.
macro_rules! products {
    ($($Trait:ident $name:ident [$($g:tt)*] $C:ty where [$($w:tt)*];)*) => {$(
        row!($Trait [T: Real, R: Dim, K: Dim, $($g)* SA: Storage<T, R, K>, SB: Storage<T, K, $C>] OMatrix<T, R, $C>, (m: Matrix<T, R, K, SA>, x: Matrix<T, K, $C, SB>), (s: T, t: T) => OMatrix<T, R, $C>, (), where [DefaultAllocator: Allocator<R, K> + Allocator<R, $C> + Allocator<K, $C> + Allocator<$C, K> $($w)*];
            |y, m, x, s, t| { let mut y = y.clone(); y.$name(*s, m, x, *t); (y, ()) };
            |y, m, x, s, t, (), dy, dm, dx, ds, dt| times(&product(m, x), *ds) + times(&(product(dm, x) + product(m, dx)), *s) + times(y, *dt) + times(dy, *t);
            |y, m, x, s, t, (), d, to_y, to_m, to_x, to_s, to_t| {
                let scaled = times(d, *s);
                add_multiple(to_y, *t, d);
                *to_m += outer(&scaled, x);
                *to_x += tr_product(m, &scaled);
                *to_s += dot(&product(m, x), d);
                *to_t += dot(y, d);
            };
            |_, m, x, s, _, (), dy, dm, dx, ds, dt, d, to_y, to_m, to_x, to_s, to_t| {
                let (scaled, along) = (times(d, *s), times(d, *ds));
                add_multiple(to_y, *dt, d);
                *to_m += outer(&along, x) + outer(&scaled, dx);
                *to_x += tr_product(m, &along) + tr_product(dm, &scaled);
                *to_s += dot(&(product(dm, x) + product(m, dx)), d);
                *to_t += dot(dy, d);
            });
    )*};
}
products! {
    Gemved gemv [] U1 where [];
    Gemmed gemm [C: Dim,] C where [];
}

row!(Gered [T: Real, R: Dim, C: Dim, SA: Storage<T, R, U1>, SB: Storage<T, C, U1>] OMatrix<T, R, C>, (x: Matrix<T, R, U1, SA>, z: Matrix<T, C, U1, SB>), (s: T, t: T) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<R> + Allocator<C> + Allocator<U1, C>];
|y, x, z, s, t| { let mut y = y.clone(); y.ger(*s, x, z, *t); (y, ()) };
|y, x, z, s, t, (), dy, dx, dz, ds, dt| times(&outer(x, z), *ds) + times(&(outer(dx, z) + outer(x, dz)), *s) + times(y, *dt) + times(dy, *t);
|y, x, z, s, t, (), d, to_y, to_x, to_z, to_s, to_t| {
    let scaled = times(d, *s);
    add_multiple(to_y, *t, d);
    *to_x += product(&scaled, z);
    *to_z += tr_product(&scaled, x);
    *to_s += dot(x, &product(d, z));
    *to_t += dot(y, d);
};
|_, x, z, s, _, (), dy, dx, dz, ds, dt, d, to_y, to_x, to_z, to_s, to_t| {
    let (scaled, along) = (times(d, *s), times(d, *ds));
    add_multiple(to_y, *dt, d);
    *to_x += product(&along, z) + product(&scaled, dz);
    *to_z += tr_product(&along, x) + tr_product(&scaled, dx);
    *to_s += dot(dx, &product(d, z)) + dot(x, &product(d, dz));
    *to_t += dot(dy, d);
});

row!(FilledWith [T: Real, R: Dim, C: Dim] OMatrix<T, R, C>, (), (s: T) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, s| (a.map(|_| *s), ());
    |a, _, (), _, ds| a.map(|_| *ds);
    |_, _, (), d, _, to_s| *to_s += d.sum();
    |_, _, (), _, _, _, _, _| ());

row!(CopiedFrom [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] OMatrix<T, R, C>, (b: Matrix<T, R, C, S>), () => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, b| { let mut y = a.clone(); y.copy_from(b); (y, ()) };
    |_, _, (), _, db| db.clone();
    |_, _, (), d, _, to_b| *to_b += d;
    |_, _, (), _, _, _, _, _| ());

row!(WithRow [T: Real, R: Dim, C: Dim, S: Storage<T, U1, C>] OMatrix<T, R, C>, (b: Matrix<T, U1, C, S>), (i: usize) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<U1, C>];
    |a, b, i| { let mut y = a.clone(); y.set_row(*i, b); (y, ()) };
    |_, _, i, (), da, db, ()| { let mut dot = da.clone(); dot.set_row(*i, db); dot };
    |_, _, i, (), d, to_a, to_b, ()| {
        *to_b += d.row(*i);
        let mut rest = d.clone();
        rest.row_mut(*i).fill(T::zero());
        *to_a += rest;
    };
    |_, _, _, (), _, _, (), _, _, _, ()| ());

row!(WithColumn [T: Real, R: Dim, C: Dim, S: Storage<T, R, U1>] OMatrix<T, R, C>, (b: Matrix<T, R, U1, S>), (j: usize) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C> + Allocator<R>];
    |a, b, j| { let mut y = a.clone(); y.set_column(*j, b); (y, ()) };
    |_, _, j, (), da, db, ()| { let mut dot = da.clone(); dot.set_column(*j, db); dot };
    |_, _, j, (), d, to_a, to_b, ()| {
        *to_b += d.column(*j);
        let mut rest = d.clone();
        rest.column_mut(*j).fill(T::zero());
        *to_a += rest;
    };
    |_, _, _, (), _, _, (), _, _, _, ()| ());

row!(WithDiagonal [T: Real, D: Dim, S: Storage<T, D, U1>] OMatrix<T, D, D>, (b: Matrix<T, D, U1, S>), () => OMatrix<T, D, D>, (), where [DefaultAllocator: Allocator<D, D> + Allocator<D>];
    |a, b| { let mut y = a.clone(); for i in 0..y.nrows() { y[(i, i)] = b[i] } (y, ()) };
    |_, _, (), da, db| { let mut dot = da.clone(); for i in 0..dot.nrows() { dot[(i, i)] = db[i] } dot };
    |_, _, (), d, to_a, to_b| {
        let mut rest = d.clone();
        for i in 0..d.nrows() { to_b[i] += d[(i, i)]; rest[(i, i)] = T::zero() }
        *to_a += rest;
    };
    |_, _, (), _, _, _, _, _| ());

row!(DiagonalFilledWith [T: Real, R: Dim, C: Dim] OMatrix<T, R, C>, (), (s: T) => OMatrix<T, R, C>, (), where [DefaultAllocator: Allocator<R, C>];
    |a, s| { let mut y = a.clone(); y.fill_diagonal(*s); (y, ()) };
    |_, _, (), da, ds| { let mut dot = da.clone(); dot.fill_diagonal(*ds); dot };
    |_, _, (), d, to_a, to_s| {
        let mut rest = d.clone();
        rest.fill_diagonal(T::zero());
        *to_a += rest;
        for i in 0..d.nrows().min(d.ncols()) { *to_s += d[(i, i)] }
    };
    |_, _, (), _, _, _, _, _| ());

/// One triangle from the other: what is read twice has the sum of both cotangents, and what is overwritten none.
macro_rules! mirrored {
    ($($Trait:ident $method:ident, |$i:ident, $j:ident| $read:expr;)*) => {
        linear! { $(
            $Trait [T: Real, D: Dim] OMatrix<T, D, D>, () => OMatrix<T, D, D>, where [DefaultAllocator: Allocator<D, D>];
            |a| { let mut y = a.clone(); y.$method(); y };
            |d, to| for $i in 0..d.nrows() {
                for $j in 0..d.ncols() {
                    if $read {
                        to[($i, $j)] += d[($i, $j)];
                        if $i != $j { to[($i, $j)] += d[($j, $i)] }
                    }
                }
            };
        )* }
    };
}
mirrored! {
    LowerFromUpper fill_lower_triangle_with_upper_triangle, |i, j| i <= j;
    UpperFromLower fill_upper_triangle_with_lower_triangle, |i, j| i >= j;
}

linear! {
    RowSum [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, () => RowOVector<T, C>, where [DefaultAllocator: Allocator<R, C> + Allocator<U1, C>];
    |a| a.row_sum(); |d, to| for (mut to, d) in to.column_iter_mut().zip(d.iter()) { to.add_scalar_mut(*d) };
    ColumnSum [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, () => OVector<T, R>, where [DefaultAllocator: Allocator<R, C> + Allocator<R>];
    |a| a.column_sum(); |d, to| for mut to in to.column_iter_mut() { to += d };
    RowMean [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, () => RowOVector<T, C>, where [DefaultAllocator: Allocator<R, C> + Allocator<U1, C>];
    |a| a.row_mean(); |d, to| { let count = crate::num::lit(to.nrows() as f64); for (mut to, d) in to.column_iter_mut().zip(d.iter()) { to.add_scalar_mut(*d / count) } };
    ColumnMean [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, () => OVector<T, R>, where [DefaultAllocator: Allocator<R, C> + Allocator<R>];
    |a| a.column_mean(); |d, to| { let d = d / crate::num::lit::<T>(to.ncols() as f64); for mut to in to.column_iter_mut() { to += &d } };
    ViewOf [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S>, (at: (usize, usize), size: (usize, usize)) => DMatrix<T>, where [DefaultAllocator: Allocator<R, C>];
    |a| a.view(*at, *size).clone_owned(); |d, to| { let mut part = to.view_mut(*at, *size); part += d };
    RemoveRow [T: Real, C: Dim] OMatrix<T, Dyn, C>, (i: usize) => OMatrix<T, Dyn, C>, where [DefaultAllocator: Allocator<Dyn, C> + Reallocator<T, Dyn, C, Dyn, C>];
    |a| a.clone().remove_row(*i); |d, to| for (k, d) in d.row_iter().enumerate() { let mut to = to.row_mut(k + usize::from(k >= *i)); to += d };
    RemoveColumn [T: Real, R: Dim] OMatrix<T, R, Dyn>, (j: usize) => OMatrix<T, R, Dyn>, where [DefaultAllocator: Allocator<R, Dyn> + Reallocator<T, R, Dyn, R, Dyn>];
    |a| a.clone().remove_column(*j); |d, to| for (k, d) in d.column_iter().enumerate() { let mut to = to.column_mut(k + usize::from(k >= *j)); to += d };
}

row!(Push [T: Real, D: DimAdd<U1>, S: Storage<T, D, U1>] Matrix<T, D, U1, S>, (), (s: T) => OVector<T, DimSum<D, U1>>, (), where [DefaultAllocator: Allocator<D> + Allocator<DimSum<D, U1>>];
    |a, s| (a.push(*s), ());
    |_, _, (), da, ds| da.push(*ds);
    |a, _, (), d, to, to_s| { *to += d.rows_generic(0, a.shape_generic().0); *to_s += d[a.nrows()] };
    |_, _, (), _, _, _, _, _| ());

row!(InsertRow [T: Real] DMatrix<T>, (), (i: usize, s: T) => DMatrix<T>, (), where [];
    |a, i, s| (a.clone().insert_row(*i, *s), ());
    |_, i, _, (), da, (), ds| da.clone().insert_row(*i, *ds);
    |_, i, _, (), d, to, (), to_s| { *to_s += d.row(*i).sum(); *to += d.clone().remove_row(*i) };
    |_, _, _, (), _, (), _, _, _, (), _| ());

row!(InsertRow [T: Real] DVector<T>, (), (i: usize, s: T) => DVector<T>, (), where [];
    |a, i, s| (a.clone().insert_row(*i, *s), ());
    |_, i, _, (), da, (), ds| da.clone().insert_row(*i, *ds);
    |_, i, _, (), d, to, (), to_s| { *to_s += d[*i]; *to += d.clone().remove_row(*i) };
    |_, _, _, (), _, (), _, _, _, (), _| ());

row!(InsertColumn [T: Real] DMatrix<T>, (), (j: usize, s: T) => DMatrix<T>, (), where [];
    |a, j, s| (a.clone().insert_column(*j, *s), ());
    |_, j, _, (), da, (), ds| da.clone().insert_column(*j, *ds);
    |_, j, _, (), d, to, (), to_s| { *to_s += d.column(*j).sum(); *to += d.clone().remove_column(*j) };
    |_, _, _, (), _, (), _, _, _, (), _| ());
