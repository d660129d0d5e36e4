//! What sparse matrices go into: those of other crates, by the features of their names.

#[cfg(any(feature = "nalgebra-sparse", feature = "sprs"))]
use super::SparseMatrix;

/// The same entries in compressed rows, for the solvers of that crate.
///
/// ```
/// use autodiff_runtime::sparse::{Pattern, SparseMatrix};
/// let matrix = SparseMatrix::new(Pattern::banded(2, 2, 0, 1), vec![1.0, 2.0, 3.0]);
/// let matrix = sprs::CsMat::from(matrix);
/// assert!(matrix.is_csr());
/// assert_eq!((matrix.get(0, 1), matrix.get(1, 0)), (Some(&2.0), None));
/// ```
#[cfg(feature = "sprs")]
impl<T: Copy> From<SparseMatrix<T>> for sprs::CsMat<T> {
    fn from(matrix: SparseMatrix<T>) -> Self {
        let shape = (matrix.rows(), matrix.columns());
        let (starts, columns, values) = matrix.into_parts();
        sprs::CsMat::new(shape, starts, columns, values)
    }
}

/// The same entries in compressed rows, for the solvers of that crate.
///
/// ```
/// use autodiff_runtime::sparse::{Pattern, SparseMatrix};
/// use nalgebra_sparse::CsrMatrix;
/// let matrix = SparseMatrix::new(Pattern::banded(2, 2, 0, 1), vec![1.0, 2.0, 3.0]);
/// let matrix = CsrMatrix::from(matrix);
/// assert_eq!(matrix.row(0).col_indices(), [0, 1]);
/// assert_eq!(matrix.values(), [1.0, 2.0, 3.0]);
/// ```
#[cfg(feature = "nalgebra-sparse")]
impl<T: Copy> From<SparseMatrix<T>> for nalgebra_sparse::CsrMatrix<T> {
    fn from(matrix: SparseMatrix<T>) -> Self {
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let (starts, indices, values) = matrix.into_parts();
        match Self::try_from_csr_data(rows, columns, starts, indices, values) {
            Ok(matrix) => matrix,
            Err(error) => unreachable!("rows of a pattern ascend: {error}"),
        }
    }
}
