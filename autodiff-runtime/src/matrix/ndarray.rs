//! Matrices from and into arrays of the crate `ndarray`.

use alloc::vec::Vec;

use ::ndarray::{Array2, ArrayBase, ArrayView2, Data, Ix2};

use super::Matrix;

impl<T> Matrix<T> {
    /// The numbers as a view of the crate `ndarray`: nothing is copied.
    ///
    /// ```
    /// use autodiff_runtime::matrix::Matrix;
    ///
    /// let m = Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, 4.0]);
    /// let view = m.as_ndarray();
    /// assert_eq!(view.column(1).to_vec(), [2.0, 4.0]);
    /// ```
    pub fn as_ndarray(&self) -> ArrayView2<'_, T> {
        ArrayView2::from_shape((self.rows, self.cols), &self.data)
            .unwrap_or_else(|_| unreachable!("a matrix has as many numbers as its shape says"))
    }
}

/// Without a copy.
impl<T> From<Matrix<T>> for Array2<T> {
    fn from(matrix: Matrix<T>) -> Self {
        Array2::from_shape_vec((matrix.rows, matrix.cols), matrix.data)
            .unwrap_or_else(|_| unreachable!("a matrix has as many numbers as its shape says"))
    }
}

/// Without a copy where the array is its own and lies row by row.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use ndarray::{Array2, array};
///
/// let m = Matrix::from(array![[1.0, 2.0], [3.0, 4.0]]);
/// assert_eq!(m.row(1), [3.0, 4.0]);
/// assert_eq!(Array2::from(m), array![[1.0, 2.0], [3.0, 4.0]]);
/// ```
impl<T: Clone> From<Array2<T>> for Matrix<T> {
    fn from(array: Array2<T>) -> Self {
        if !array.is_standard_layout() {
            return Matrix::from(&array);
        }
        let ((rows, cols), length) = (array.dim(), array.len());
        let (mut data, offset) = array.into_raw_vec_and_offset();
        data.drain(..offset.unwrap_or(0));
        data.truncate(length);
        Matrix { rows, cols, data }
    }
}

/// A copy, of arrays and views alike.
impl<T: Clone, S: Data<Elem = T>> From<&ArrayBase<S, Ix2>> for Matrix<T> {
    fn from(array: &ArrayBase<S, Ix2>) -> Self {
        let (rows, cols) = array.dim();
        let data: Vec<T> = array.iter().cloned().collect();
        Matrix { rows, cols, data }
    }
}

#[cfg(test)]
mod tests {
    use ::ndarray::{ShapeBuilder, s};

    use super::*;

    #[test]
    fn rows_stay_rows() {
        for (rows, cols) in [(2, 3), (1, 1), (0, 2), (2, 0)] {
            let m = Matrix::from_vec(rows, cols, (0..rows * cols).collect());
            assert_eq!(Matrix::from(&m.as_ndarray()), m);
            assert_eq!(Matrix::from(&m.as_ndarray().t()), m.transpose());
            assert_eq!(Matrix::from(Array2::from(m.clone())), m);
        }
    }

    #[test]
    fn owned_numbers_are_not_copied() {
        let m = Matrix::from_vec(2, 2, alloc::vec![1, 2, 3, 4]);
        let place = m.as_slice().as_ptr();
        let array = Array2::from(m);
        assert_eq!(array.as_ptr(), place);
        assert_eq!(Matrix::from(array).as_slice().as_ptr(), place);
    }

    #[test]
    fn other_layouts_are_copied() {
        let columns = Array2::from_shape_vec((2, 3).f(), (0..6).collect()).unwrap();
        assert_eq!(Matrix::from(columns).row(0), [0, 2, 4]);
        let rows = Array2::from_shape_vec((3, 2), (0..6).collect()).unwrap();
        let last = rows.clone().slice_move(s![1..2, ..]);
        assert_eq!(Matrix::from(last).as_slice(), [2, 3]);
        let mut flipped = rows;
        flipped.invert_axis(::ndarray::Axis(0));
        assert_eq!(Matrix::from(flipped).row(0), [4, 5]);
    }
}
