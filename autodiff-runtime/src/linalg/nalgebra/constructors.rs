//! Functions that make matrices of numbers.

use alloc::vec::Vec;

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{DMatrix, DVector, DefaultAllocator, Dim, OMatrix, OVector, SMatrix, U1};

use super::Real;
use crate::linalg::{constructor, converted};
use crate::tangent::{Differentiable, Tangent};

/// `Vector3::new(x, y, z)`, row by row: a trait for each count of numbers, of which there are matrices of several shapes.
macro_rules! new {
    ($($Trait:ident $Made:ident $count:literal [$($x:ident $at:literal),*] $($rows:literal $columns:literal),*;)*) => {$(
        #[doc = concat!("Matrices of ", stringify!($count), " numbers.")]
        #[allow(clippy::too_many_arguments, reason = "those of nalgebra")]
        pub trait $Made<T> {
            /// That of these numbers.
            fn new($($x: T),*) -> Self;
        }
        new!(@made $Made [$($x),*] $($rows $columns),*);
        constructor!($Trait new [const R: usize, const C: usize] SMatrix<T, R, C> where [Self: $Made<T>] (; $($x: T),*;); |d| { $(*$x += d[($at / C, $at % C)];)* });
    )*};
    (@made $Made:ident [$($x:ident),*]) => {};
    (@made $Made:ident [$($x:ident),*] $rows:literal $columns:literal $(, $more:literal $of:literal)*) => {
        impl<T: Real> $Made<T> for SMatrix<T, $rows, $columns> {
            #[inline]
            fn new($($x: T),*) -> Self {
                SMatrix::<T, $rows, $columns>::new($($x),*)
            }
        }
        new!(@made $Made [$($x),*] $($more $of),*);
    };
}
new! {
    New1 Made1 1 [a 0] 1 1;
    New2 Made2 2 [a 0, b 1] 1 2, 2 1;
    New3 Made3 3 [a 0, b 1, c 2] 1 3, 3 1;
    New4 Made4 4 [a 0, b 1, c 2, d4 3] 1 4, 2 2, 4 1;
    New5 Made5 5 [a 0, b 1, c 2, d4 3, e 4] 1 5, 5 1;
    New6 Made6 6 [a 0, b 1, c 2, d4 3, e 4, f 5] 1 6, 2 3, 3 2, 6 1;
    New8 Made8 8 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7] 2 4, 4 2;
    New9 Made9 9 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8] 3 3;
    New10 Made10 10 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9] 2 5, 5 2;
    New12 Made12 12 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11] 2 6, 3 4, 4 3, 6 2;
    New15 Made15 15 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14] 3 5, 5 3;
    New16 Made16 16 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15] 4 4;
    New18 Made18 18 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15, q 16, r 17] 3 6, 6 3;
    New20 Made20 20 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15, q 16, r 17, s 18, t 19] 4 5, 5 4;
    New24 Made24 24 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15, q 16, r 17, s 18, t 19, u 20, v 21, w 22, x 23] 4 6, 6 4;
    New25 Made25 25 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15, q 16, r 17, s 18, t 19, u 20, v 21, w 22, x 23, y 24] 5 5;
    New30 Made30 30 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15, q 16, r 17, s 18, t 19, u 20, v 21, w 22, x 23, y 24, z 25, a1 26, b1 27, c1 28, e1 29] 5 6, 6 5;
    New36 Made36 36 [a 0, b 1, c 2, d4 3, e 4, f 5, g 6, h 7, i 8, j 9, k 10, l 11, m 12, n 13, o 14, p 15, q 16, r 17, s 18, t 19, u 20, v 21, w 22, x 23, y 24, z 25, a1 26, b1 27, c1 28, e1 29, f1 30, g1 31, h1 32, i1 33, j1 34, k1 35] 6 6;
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

/// Constants, of sizes that may come from a matrix.
macro_rules! constants {
    ($($name:ident $Vector:ident $Matrix:ident;)*) => {$(
        constructor!($Vector $name [] DVector<T> where [] (n: usize; ;); |_| ());
        constructor!($Matrix $name [] DMatrix<T> where [] (rows: usize, columns: usize; ;); |_| ());
    )*};
}
constants! {
    zeros ZerosVector ZerosMatrix;
}
constructor!(IdentityMatrix identity [] DMatrix<T> where [] (rows: usize, columns: usize; ;); |_| ());

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

/// `from_fn`: the closure comes with its derivative, as any that a `#[grad]` function is given; what it captures has the cotangent `E`.
macro_rules! from_fn {
    ($($Trait:ident $jvp:ident $fwd:ident $jvp_fwd:ident [$($g:tt)*] $a:ty, ($($n:ident $zero:ident $d:ident),*);)*) => {$(
        /// The function `from_fn`.
        #[allow(clippy::type_complexity, clippy::ignored_unit_patterns, clippy::unused_unit, reason = "the forms that generated code calls")]
        pub trait $Trait<T: Real>: Sized {
            /// The matrix of what a closure returns.
            fn __filled($($n: usize,)* f: impl FnMut(usize, usize) -> T) -> Self;
            /// The entries, column by column.
            fn __entries(&self) -> &[T];
            $(
                /// The zero tangent of a size.
                #[inline]
                fn $zero<X: ?Sized>(_: &X) {}
            )*
            /// The value and its tangent.
            #[inline]
            fn $jvp<F: Fn(usize, usize, (), ()) -> (T, T) + Clone>($($n: usize,)* f: F, $($d: ()),*) -> (Self, Self) {
                let mut dots = Vec::new();
                let y = Self::__filled($($n,)* |i, j| {
                    let (y, dot) = f(i, j, (), ());
                    dots.push(dot);
                    y
                });
                let mut dots = dots.into_iter();
                let dot = Self::__filled($($n,)* |_, _| dots.next().unwrap_or_else(T::zero));
                (y, dot)
            }
            /// The value and its pullback.
            #[inline]
            fn $fwd<F, B, E>($($n: usize,)* f: F) -> (Self, impl FnOnce(Self, &mut E) -> ($(from_fn!(@unit $n),)*) + use<Self, T, F, B, E>)
            where
                F: Fn(usize, usize) -> (T, B) + Clone,
                B: FnOnce(T, &mut E) -> ((), ()),
            {
                let mut backs = Vec::new();
                let y = Self::__filled($($n,)* |i, j| {
                    let (y, back) = f(i, j);
                    backs.push(back);
                    y
                });
                (y, move |seed: Self, env: &mut E| {
                    for (d, back) in seed.__entries().iter().zip(backs) {
                        back(*d, env);
                    }
                    ($(from_fn!(@nothing $n),)*)
                })
            }
            /// The value, its tangent, and the pullback with its tangent.
            #[inline]
            fn $jvp_fwd<F, B, E, D>($($n: usize,)* f: F, $($d: ()),*) -> (Self, Self, impl FnOnce(Self, Self, &mut E, &mut D) -> (($(from_fn!(@unit $n),)*), ($(from_fn!(@unit $n),)*)) + use<Self, T, F, B, E, D>)
            where
                F: Fn(usize, usize, (), ()) -> (T, T, B) + Clone,
                B: FnOnce(T, T, &mut E, &mut D) -> (((), ()), ((), ())),
            {
                let (mut dots, mut backs) = (Vec::new(), Vec::new());
                let y = Self::__filled($($n,)* |i, j| {
                    let (y, dot, back) = f(i, j, (), ());
                    dots.push(dot);
                    backs.push(back);
                    y
                });
                let mut dots = dots.into_iter();
                let dot = Self::__filled($($n,)* |_, _| dots.next().unwrap_or_else(T::zero));
                (y, dot, move |seed: Self, dot_seed: Self, env: &mut E, dot_env: &mut D| {
                    let seeds = seed.__entries().iter().zip(dot_seed.__entries());
                    for ((d, dd), back) in seeds.zip(backs) {
                        back(*d, *dd, env, dot_env);
                    }
                    (($(from_fn!(@nothing $n),)*), ($(from_fn!(@nothing $n),)*))
                })
            }
        }
        impl<T: Real, $($g)*> $Trait<T> for $a {
            #[inline]
            fn __filled($($n: usize,)* f: impl FnMut(usize, usize) -> T) -> Self {
                Self::from_fn($($n,)* f)
            }
            #[inline]
            fn __entries(&self) -> &[T] {
                self.as_slice()
            }
        }
    )*};
    (@unit $n:ident) => { () };
    (@nothing $n:ident) => { () };
}
from_fn! {
    FromFn __jvp_from_fn __fwd_from_fn __jvp_fwd_from_fn [const R: usize, const C: usize] SMatrix<T, R, C>, ();
    FromFnVector __taken_jvp_from_fn __taken_fwd_from_fn __taken_jvp_fwd_from_fn [] DVector<T>, (n __zero_0_from_fn _dn);
    FromFnMatrix __taken_jvp_from_fn __taken_fwd_from_fn __taken_jvp_fwd_from_fn [] DMatrix<T>, (rows __zero_0_from_fn _d_rows, columns __zero_1_from_fn _d_columns);
}

converted! {
    // A view, which derivatives have as what it shows.
    {R: Dim, C: Dim} [T R C] OMatrix<T, R, C> => OMatrix<T, R, C> where [DefaultAllocator: Allocator<R, C>, OMatrix<T, R, C>: Differentiable<Tangent = OMatrix<T, R, C>>], |d| d, |dy| dy;
    {const N: usize} [T N] SMatrix<T, N, 1> => [T; N], |d| d.into(), |dy| dy.into();
    {const R: usize, const C: usize} [T R C] SMatrix<T, R, C> => [[T; R]; C], |d| d.into(), |dy| dy.into();
    {const N: usize} [T N] [T; N] => SMatrix<T, N, 1>, |d| d.into(), |dy| dy.into();
    {const R: usize, const C: usize} [T R C] [[T; R]; C] => SMatrix<T, R, C>, |d| d.into(), |dy| dy.into();
    {} [T] Vec<T> => DVector<T>, |d| d.into(), |dy| dy.as_slice().to_vec();
}

/// A row of each length: of vectors of any length, which one of length one is as well, there is the conversion above.
macro_rules! rows {
    ($($c:literal)*) => {
        converted! { $({} [T] [T; $c] => SMatrix<T, 1, $c>, |d| d.into(), |dy| dy.into();)* }
    };
}
rows! { 2 3 4 5 6 }
