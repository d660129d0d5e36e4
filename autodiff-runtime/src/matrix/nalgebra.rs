//! Matrices from and into those of the crate `nalgebra`, which lie column by column: copies.

use ::nalgebra::{DMatrix, Dim, RawStorage, Scalar};

use super::Matrix;

/// A copy: there, columns lie one behind the other.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use nalgebra::DMatrix;
///
/// let m = Matrix::from_vec(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// let columns = DMatrix::from(&m);
/// assert_eq!(columns[(0, 2)], m[[0, 2]]);
/// assert_eq!(Matrix::from(columns), m);
/// ```
impl<T: Scalar> From<&Matrix<T>> for DMatrix<T> {
    fn from(matrix: &Matrix<T>) -> Self {
        DMatrix::from_row_slice(matrix.rows, matrix.cols, &matrix.data)
    }
}

/// As of a reference.
impl<T: Scalar> From<Matrix<T>> for DMatrix<T> {
    fn from(matrix: Matrix<T>) -> Self {
        DMatrix::from(&matrix)
    }
}

/// A copy, of owned matrices and views alike, their sizes known or not.
impl<T: Scalar, R: Dim, C: Dim, S: RawStorage<T, R, C>> From<&::nalgebra::Matrix<T, R, C, S>>
    for Matrix<T>
{
    fn from(matrix: &::nalgebra::Matrix<T, R, C, S>) -> Self {
        let (rows, cols) = matrix.shape();
        let entries = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        Matrix {
            rows,
            cols,
            data: entries.map(|at| matrix[at].clone()).collect(),
        }
    }
}

/// As of a reference.
impl<T: Scalar, R: Dim, C: Dim, S: RawStorage<T, R, C>> From<::nalgebra::Matrix<T, R, C, S>>
    for Matrix<T>
{
    fn from(matrix: ::nalgebra::Matrix<T, R, C, S>) -> Self {
        Matrix::from(&matrix)
    }
}

#[cfg(test)]
mod tests {
    use ::nalgebra::{Matrix2x3, RowVector3, Vector3};

    use super::*;

    #[test]
    fn rows_stay_rows() {
        for (rows, cols) in [(2, 3), (1, 1), (0, 2), (2, 0)] {
            let m = Matrix::from_vec(rows, cols, (0..rows * cols).collect());
            let columns = DMatrix::from(&m);
            assert_eq!(columns.shape(), (rows, cols));
            assert_eq!(Matrix::from(columns.transpose()), m.transpose());
            assert_eq!(Matrix::from(columns), m);
        }
        let fixed = Matrix2x3::new(1, 2, 3, 4, 5, 6);
        let expected = Matrix::from_vec(2, 3, alloc::vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(Matrix::from(fixed), expected);
        assert_eq!(Matrix::from(fixed.columns(1, 2)).row(1), [5, 6]);
        assert_eq!(Matrix::from(Vector3::new(1, 2, 3)).rows(), 3);
        assert_eq!(Matrix::from(RowVector3::new(1, 2, 3)).rows(), 1);
    }
}
