//! Elements of matrices, read and written, and what says how many there are.

use core::ops::{Index, IndexMut};

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{
    ArrayStorage, DefaultAllocator, Dim, Matrix, OMatrix, RawStorage, Storage, StorageMut,
};
use autodiff_rules::field;

use super::Real;
use crate::linalg::{constant, element};
use crate::parts::{At, Field};

/// One index goes through an owned matrix in the order of its iterator.
impl<T, R: Dim, C: Dim, S: RawStorage<T, R, C>> crate::checked::ByIndex for Matrix<T, R, C, S> {}

element!(Element [T: Real, R: Dim, C: Dim] (usize, usize) => T;
    [S: Storage<T, R, C>] [S: StorageMut<T, R, C>] Matrix<T, R, C, S>, OMatrix<T, R, C> where [DefaultAllocator: Allocator<R, C>]);

constant! {
    [T: Real, R: Dim, C: Dim, S: Storage<T, R, C>] Matrix<T, R, C, S> where [DefaultAllocator: Allocator<R, C>];
    NRows nrows -> usize;
    NCols ncols -> usize;
    ShapeOf shape -> (usize, usize);
    IsSquare is_square -> bool;
}

/// The fields that the crate gives vectors and matrices, of tangents whose type cannot be spelled.
macro_rules! fields {
    ($($name:literal $at:expr;)*) => {$(
        impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> Index<Field<{ field($name) }, 0>> for Matrix<T, R, C, S> {
            type Output = T;
            #[inline]
            fn index(&self, _: Field<{ field($name) }, 0>) -> &T {
                &self[$at]
            }
        }
        impl<T: Real, R: Dim, C: Dim, S: StorageMut<T, R, C>> IndexMut<Field<{ field($name) }, 0>> for Matrix<T, R, C, S> {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($name) }, 0>) -> &mut T {
                &mut self[$at]
            }
        }
    )*};
}
fields! {
    "x" 0;
    "y" 1;
    "z" 2;
    "w" 3;
    "a" 4;
    "b" 5;
    "m11" (0, 0);
    "m12" (0, 1);
    "m13" (0, 2);
    "m14" (0, 3);
    "m21" (1, 0);
    "m22" (1, 1);
    "m23" (1, 2);
    "m24" (1, 3);
    "m31" (2, 0);
    "m32" (2, 1);
    "m33" (2, 2);
    "m34" (2, 3);
    "m41" (3, 0);
    "m42" (3, 1);
    "m43" (3, 2);
    "m44" (3, 3);
}

/// What lies in a matrix of fixed size, which its crate shows: `&v.data.0[0]` is an array.
macro_rules! storage {
    ($([$($g:tt)*] $a:ty, $name:literal => $at:tt $out:ty;)*) => {$(
        impl<$($g)*> Index<Field<{ field($name) }, 0>> for $a {
            type Output = $out;
            #[inline]
            fn index(&self, _: Field<{ field($name) }, 0>) -> &$out {
                &self.$at
            }
        }
        impl<$($g)*> IndexMut<Field<{ field($name) }, 0>> for $a {
            #[inline]
            fn index_mut(&mut self, _: Field<{ field($name) }, 0>) -> &mut $out {
                &mut self.$at
            }
        }
    )*};
}
storage! {
    [T, R, C, S] Matrix<T, R, C, S>, "data" => data S;
    [T, const R: usize, const C: usize] ArrayStorage<T, R, C>, "0" => 0 [[T; R]; C];
}

/// An element by one index, of tangents whose type cannot be spelled.
impl<T: Real, R: Dim, C: Dim, S: Storage<T, R, C>> Index<At<usize>> for Matrix<T, R, C, S> {
    type Output = T;
    #[inline]
    #[track_caller]
    fn index(&self, at: At<usize>) -> &T {
        &self[at.0]
    }
}

/// The same, to be written.
impl<T: Real, R: Dim, C: Dim, S: StorageMut<T, R, C>> IndexMut<At<usize>> for Matrix<T, R, C, S> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, at: At<usize>) -> &mut T {
        &mut self[at.0]
    }
}
