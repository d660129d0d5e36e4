//! `Matrix`: a dense matrix, row by row in one vector.

use alloc::{vec, vec::Vec};
use core::fmt::{self, Debug, Display};
use core::ops::{Index, IndexMut};

use crate::float::Float;

#[cfg(feature = "approx")]
mod approx;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "serde")]
mod serde;

/// A dense matrix, row-major: the type of Jacobians and Hessians.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
///
/// let mut m = Matrix::from_vec(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!((m.rows(), m.cols()), (2, 3));
/// assert_eq!(m[[1, 0]], 4.0);
/// m[[1, 0]] = -4.0;
/// assert_eq!(m.row(1), [-4.0, 5.0, 6.0]);
/// assert_eq!(m.transpose().row(0), [1.0, -4.0]);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Matrix<T> {
    rows: usize,
    cols: usize,
    data: Vec<T>,
}

/// Numbers that do not fill a matrix of the wanted shape, given back unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError<T> {
    rows: usize,
    cols: usize,
    /// The numbers.
    pub data: Vec<T>,
}

impl<T> AsRef<[T]> for Matrix<T> {
    /// All elements, row by row.
    fn as_ref(&self) -> &[T] {
        &self.data
    }
}

impl<T> Display for ShapeError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a matrix of {} rows and {} columns cannot be made of {} numbers",
            self.rows,
            self.cols,
            self.data.len()
        )
    }
}

impl<T: Debug> core::error::Error for ShapeError<T> {}

impl<T> Matrix<T> {
    /// The matrix with these numbers, row by row.
    ///
    /// # Panics
    ///
    /// If there are not `rows * cols` of them.
    ///
    /// ```
    /// use autodiff_runtime::matrix::Matrix;
    ///
    /// let m = Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(m.row(1), [3.0, 4.0]);
    /// ```
    #[must_use]
    pub fn from_vec(rows: usize, cols: usize, data: Vec<T>) -> Self {
        Self::try_from_vec(rows, cols, data).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The matrix with these numbers, row by row, if there are `rows * cols` of them.
    ///
    /// # Errors
    ///
    /// Gives the numbers back if there are more or fewer.
    ///
    /// ```
    /// use autodiff_runtime::matrix::Matrix;
    ///
    /// let error = Matrix::try_from_vec(2, 2, vec![1.0, 2.0, 3.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "a matrix of 2 rows and 2 columns cannot be made of 3 numbers");
    /// ```
    pub fn try_from_vec(rows: usize, cols: usize, data: Vec<T>) -> Result<Self, ShapeError<T>> {
        if rows.checked_mul(cols) == Some(data.len()) {
            Ok(Self { rows, cols, data })
        } else {
            Err(ShapeError { rows, cols, data })
        }
    }

    /// The number of rows.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// assert_eq!(Matrix::<f64>::zeros(2, 3).rows(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// assert_eq!(Matrix::<f64>::zeros(2, 3).cols(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Row `i`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// assert_eq!(Matrix::from_vec(2, 2, vec![1, 2, 3, 4]).row(1), [3, 4]);
    /// ```
    #[inline]
    #[must_use]
    pub fn row(&self, i: usize) -> &[T] {
        self.check_row(i);
        &self.data[i * self.cols..][..self.cols]
    }

    /// Row `i`, to be changed.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// let mut m = Matrix::zeros(2, 2);
    /// m.row_mut(0).fill(1.0);
    /// assert_eq!(m.as_slice(), [1.0, 1.0, 0.0, 0.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn row_mut(&mut self, i: usize) -> &mut [T] {
        self.check_row(i);
        &mut self.data[i * self.cols..][..self.cols]
    }

    /// All numbers, row by row.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// assert_eq!(Matrix::<f64>::zeros(1, 2).as_slice(), [0.0, 0.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All numbers, row by row, to be changed.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// let mut m = Matrix::zeros(1, 2);
    /// m.as_mut_slice()[1] = 2.0;
    /// assert_eq!(m[[0, 1]], 2.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The numbers, row by row.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// assert_eq!(Matrix::<f64>::zeros(1, 2).into_vec(), vec![0.0, 0.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The matrix with rows and columns exchanged.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// let m = Matrix::from_vec(1, 2, vec![1, 2]);
    /// assert_eq!(m.transpose(), Matrix::from_vec(2, 1, vec![1, 2]));
    /// ```
    #[must_use]
    pub fn transpose(&self) -> Self
    where
        T: Clone,
    {
        let data = (0..self.cols)
            .flat_map(|j| (0..self.rows).map(move |i| self[[i, j]].clone()))
            .collect();
        Self {
            rows: self.cols,
            cols: self.rows,
            data,
        }
    }

    #[inline]
    fn check_row(&self, i: usize) {
        assert!(
            i < self.rows,
            "row {i} of a matrix of {} rows and {} columns",
            self.rows,
            self.cols
        );
    }

    #[inline]
    fn offset(&self, [i, j]: [usize; 2]) -> usize {
        assert!(
            i < self.rows && j < self.cols,
            "entry [{i}, {j}] of a matrix of {} rows and {} columns",
            self.rows,
            self.cols
        );
        i * self.cols + j
    }
}

impl<T: Float> Matrix<T> {
    /// The matrix of zeros.
    ///
    /// # Panics
    ///
    /// If `rows * cols` is no `usize`.
    ///
    /// ```
    /// # use autodiff_runtime::matrix::Matrix;
    /// assert_eq!(Matrix::zeros(2, 1), Matrix::from_vec(2, 1, vec![0.0, 0.0]));
    /// ```
    #[must_use]
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let count = rows
            .checked_mul(cols)
            .unwrap_or_else(|| panic!("a matrix of {rows} rows and {cols} columns is too large"));
        Self {
            rows,
            cols,
            data: vec![T::ZERO; count],
        }
    }
}

/// The rows.
///
/// ```
/// # use autodiff_runtime::matrix::Matrix;
/// let rows: Vec<Vec<i32>> = Matrix::from_vec(2, 2, vec![1, 2, 3, 4]).into();
/// assert_eq!(rows, [[1, 2], [3, 4]]);
/// ```
impl<T: Clone> From<Matrix<T>> for Vec<Vec<T>> {
    fn from(matrix: Matrix<T>) -> Self {
        (0..matrix.rows).map(|i| matrix.row(i).to_vec()).collect()
    }
}

/// Panics if there is no such entry.
impl<T> Index<[usize; 2]> for Matrix<T> {
    type Output = T;

    #[inline]
    fn index(&self, at: [usize; 2]) -> &T {
        &self.data[self.offset(at)]
    }
}

/// Panics if there is no such entry.
impl<T> IndexMut<[usize; 2]> for Matrix<T> {
    #[inline]
    fn index_mut(&mut self, at: [usize; 2]) -> &mut T {
        let offset = self.offset(at);
        &mut self.data[offset]
    }
}

/// One list per row.
impl<T: Debug> Debug for Matrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries((0..self.rows).map(|i| self.row(i)))
            .finish()
    }
}

/// A table, a line per row, entries right-aligned by column. A precision counts for every entry: `{:.3}`.
impl<T: Display> Display for Matrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = |x: &T| match f.precision() {
            Some(precision) => alloc::format!("{x:.precision$}"),
            None => alloc::format!("{x}"),
        };
        let entries: Vec<_> = self.data.iter().map(entry).collect();
        let width = |j: usize| {
            entries
                .iter()
                .skip(j)
                .step_by(self.cols)
                .map(|entry| entry.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<_> = (0..self.cols).map(width).collect();
        for i in 0..self.rows {
            for (j, width) in widths.iter().enumerate() {
                let gap = if j == 0 { "" } else { "  " };
                write!(f, "{gap}{:>width$}", entries[i * self.cols + j])?;
            }
            if i + 1 < self.rows {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString, vec};

    use super::Matrix;

    #[test]
    fn rows_follow_each_other() {
        let m = Matrix::from_vec(2, 3, vec![1, 2, 3, 4, 5, 6]);
        assert_eq!((m.row(0), m.row(1)), (&[1, 2, 3][..], &[4, 5, 6][..]));
        assert_eq!((m[[0, 2]], m[[1, 0]]), (3, 4));
        assert_eq!(m.clone().into_vec(), m.as_slice());
    }

    #[test]
    fn transposed_twice_is_the_same() {
        let m = Matrix::from_vec(2, 3, vec![1, 2, 3, 4, 5, 6]);
        assert_eq!(
            m.transpose(),
            Matrix::from_vec(3, 2, vec![1, 4, 2, 5, 3, 6])
        );
        assert_eq!(m.transpose().transpose(), m);
    }

    #[test]
    fn rows_and_columns_may_be_none() {
        let m = Matrix::<f64>::zeros(2, 0);
        assert_eq!(
            (m.row(1).len(), m.transpose().rows(), m.to_string().as_str()),
            (0, 0, "\n")
        );
        assert_eq!(Matrix::<f64>::zeros(0, 3).to_string(), "");
    }

    #[test]
    fn only_the_right_count_of_numbers_fits() {
        assert!(Matrix::try_from_vec(2, 2, vec![1, 2, 3, 4]).is_ok());
        let error = Matrix::try_from_vec(2, 2, vec![1, 2, 3]).unwrap_err();
        assert_eq!(error.data, [1, 2, 3]);
        assert_eq!(
            error.to_string(),
            "a matrix of 2 rows and 2 columns cannot be made of 3 numbers"
        );
        assert!(Matrix::<f64>::try_from_vec(usize::MAX, 2, vec![]).is_err());
    }

    #[test]
    fn prints_as_a_table() {
        let m = Matrix::from_vec(2, 2, vec![1.0, -2.5, 10.25, 3.0]);
        assert_eq!(m.to_string(), "    1  -2.5\n10.25     3");
        assert_eq!(format!("{m:.1}"), " 1.0  -2.5\n10.2   3.0");
        assert_eq!(format!("{m:?}"), "[[1.0, -2.5], [10.25, 3.0]]");
    }

    #[cfg(feature = "std")]
    #[test]
    fn panics_name_the_shape() {
        let message = |f: fn() -> f64| {
            *std::panic::catch_unwind(f)
                .unwrap_err()
                .downcast::<alloc::string::String>()
                .unwrap()
        };
        assert_eq!(
            message(|| Matrix::from_vec(2, 2, vec![1.0])[[0, 0]]),
            "a matrix of 2 rows and 2 columns cannot be made of 1 numbers"
        );
        assert_eq!(
            message(|| Matrix::zeros(2, 3)[[2, 0]]),
            "entry [2, 0] of a matrix of 2 rows and 3 columns"
        );
        assert_eq!(
            message(|| Matrix::zeros(2, 3).row(2)[0]),
            "row 2 of a matrix of 2 rows and 3 columns"
        );
    }
}
