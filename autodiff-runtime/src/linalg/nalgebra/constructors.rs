//! Functions that make matrices of numbers.

use alloc::vec::Vec;

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{
    DMatrix, DVector, DefaultAllocator, Dim, Matrix2, Matrix2x3, Matrix3, Matrix3x2, Matrix4,
    OMatrix, OVector, RowVector2, RowVector3, RowVector4, SMatrix, U1, Vector2, Vector3, Vector4,
    Vector5, Vector6,
};

use super::Real;
use crate::linalg::constructor;
use crate::tangent::{Differentiable, Tangent};

/// `Vector3::new(x, y, z)`, row by row.
macro_rules! new {
    ($($Trait:ident $Type:ident [$($x:ident $at:tt),*];)*) => {$(
        constructor!($Trait new [] $Type<T> where [] (; $($x: T),*;); |d| { $(*$x += d[$at];)* });
    )*};
}
new! {
    NewVector2 Vector2 [a 0, b 1];
    NewVector3 Vector3 [a 0, b 1, c 2];
    NewVector4 Vector4 [a 0, b 1, c 2, d4 3];
    NewVector5 Vector5 [a 0, b 1, c 2, d4 3, e 4];
    NewVector6 Vector6 [a 0, b 1, c 2, d4 3, e 4, f 5];
    NewRowVector2 RowVector2 [a 0, b 1];
    NewRowVector3 RowVector3 [a 0, b 1, c 2];
    NewRowVector4 RowVector4 [a 0, b 1, c 2, d4 3];
    NewMatrix2 Matrix2 [a (0, 0), b (0, 1), c (1, 0), d4 (1, 1)];
    NewMatrix2x3 Matrix2x3 [a (0, 0), b (0, 1), c (0, 2), d4 (1, 0), e (1, 1), f (1, 2)];
    NewMatrix3x2 Matrix3x2 [a (0, 0), b (0, 1), c (1, 0), d4 (1, 1), e (2, 0), f (2, 1)];
    NewMatrix3 Matrix3 [a (0, 0), b (0, 1), c (0, 2), d4 (1, 0), e (1, 1), f (1, 2), g (2, 0), h (2, 1), i (2, 2)];
    NewMatrix4 Matrix4 [a (0, 0), b (0, 1), c (0, 2), d4 (0, 3), e (1, 0), f (1, 1), g (1, 2), h (1, 3), i (2, 0), j (2, 1), k (2, 2), l (2, 3), m (3, 0), n (3, 1), o (3, 2), p (3, 3)];
}

/// A constructor of matrices whose size is in their type, of column vectors of any length, and of matrices of any size, which are given theirs.
macro_rules! of_any_size {
    ($($name:ident $Fixed:ident $Vector:ident $Matrix:ident ($($s:ident: $S:ty),*; $($b:ident: $B:ty),*); |$d:pat_param| $back:expr;)*) => {$(
        constructor!($Fixed $name [const R: usize, const C: usize] SMatrix<T, R, C> where [] (; $($s: $S),*; $($b: $B),*); |$d| $back);
        constructor!($Vector $name [] DVector<T> where [] (n: usize; $($s: $S),*; $($b: $B),*); |$d| $back);
        constructor!($Matrix $name [] DMatrix<T> where [] (rows: usize, columns: usize; $($s: $S),*; $($b: $B),*); |$d| $back);
    )*};
}
of_any_size! {
    from_element FromElement FromElementVector FromElementMatrix (x: T;); |d| *x += d.sum();
    repeat Repeat RepeatVector RepeatMatrix (x: T;); |d| *x += d.sum();
}

/// The numbers of a matrix in a row, column by column.
macro_rules! of_entries {
    ($($name:ident $Fixed:ident $Vector:ident $Matrix:ident ($($s:ident: $S:ty)?; $($b:ident: $B:ty)?); |$d:pat_param| $back:expr;)*) => {$(
        constructor!($Fixed $name [const R: usize, const C: usize] SMatrix<T, R, C> where [] (; $($s: $S)?; $($b: $B)?); |$d| $back);
        constructor!($Vector $name [] DVector<T> where [] (; $($s: $S)?; $($b: $B)?); |$d| $back);
        constructor!($Matrix $name [] DMatrix<T> where [] (rows: usize, columns: usize; $($s: $S)?; $($b: $B)?); |$d| $back);
    )*};
}
of_entries! {
    from_vec FromVec FromVecVector FromVecMatrix (x: Vec<T>;); |d| add(x, d.iter());
    from_column_slice FromColumns FromColumnsVector FromColumnsMatrix (; x: [T]); |d| add(x, d.iter());
    from_row_slice FromRows FromRowsVector FromRowsMatrix (; x: [T]); |d| add(x, (0..d.len()).map(|k| &d[(k / d.ncols(), k % d.ncols())]));
}

/// What a matrix is put together of.
pub trait Parts {
    /// A row.
    type Row;
    /// A column.
    type Column;
}

impl<T: Real, R: Dim, C: Dim> Parts for OMatrix<T, R, C>
where
    DefaultAllocator: Allocator<R, C> + Allocator<U1, C> + Allocator<R>,
{
    type Row = OMatrix<T, U1, C>;
    type Column = OVector<T, R>;
}

constructor!(FromDiagonal: Parts from_diagonal [D: Dim] OMatrix<T, D, D> where [DefaultAllocator: Allocator<D, D> + Allocator<D> + Allocator<U1, D>] (; ; x: Self::Column); |d| *x += d.diagonal());
constructor!(FromColumnList: Parts from_columns [R: Dim, C: Dim] OMatrix<T, R, C> where [DefaultAllocator: Allocator<R, C> + Allocator<R> + Allocator<U1, C>] (; ; x: [Self::Column]); |d| for (x, d) in x.iter_mut().zip(d.column_iter()) { *x += d });
constructor!(FromRowList: Parts from_rows [R: Dim, C: Dim] OMatrix<T, R, C> where [DefaultAllocator: Allocator<R, C> + Allocator<R> + Allocator<U1, C>] (; ; x: [Self::Row]); |d| for (x, d) in x.iter_mut().zip(d.row_iter()) { *x += d });
constructor!(FromDiagonalElement from_diagonal_element [const N: usize] SMatrix<T, N, N> where [] (; x: T;); |d| *x += d.trace());
constructor!(FromDiagonalElementMatrix from_diagonal_element [] DMatrix<T> where [] (rows: usize, columns: usize; x: T;); |d| *x += d.diagonal().sum());

/// Adds to numbers those of a cotangent.
fn add<'d, T: Real>(to: &mut [T], d: impl Iterator<Item = &'d T>) {
    for (to, d) in to.iter_mut().zip(d) {
        *to += *d;
    }
}
