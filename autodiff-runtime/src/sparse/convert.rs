//! Sparse matrices as those of the crate `sprs`.

use super::SparseMatrix;

/// The same entries in compressed rows.
///
/// ```
/// use autodiff_runtime::sparse::{Pattern, SparseMatrix};
/// let matrix = SparseMatrix::new(Pattern::banded(2, 2, 0, 1), vec![1.0, 2.0, 3.0]);
/// let matrix = sprs::CsMat::from(matrix);
/// assert_eq!(matrix.get(0, 1), Some(&2.0));
/// ```
impl<T: Copy> From<SparseMatrix<T>> for sprs::CsMat<T> {
    fn from(matrix: SparseMatrix<T>) -> sprs::CsMat<T> {
        let shape = (matrix.rows(), matrix.columns());
        let (starts, columns, values) = matrix.into_parts();
        sprs::CsMat::new(shape, starts, columns, values)
    }
}
