//! Elements of matrices, read and written, and what says how many there are.

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{DefaultAllocator, Dim, Matrix, OMatrix, RawStorage, Storage, StorageMut};

use super::Real;
use crate::linalg::{constant, element};

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
