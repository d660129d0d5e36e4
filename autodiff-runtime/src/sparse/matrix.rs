//! Matrices that hold their entries row by row.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Pattern, SparseError};
use crate::float::Float;
use crate::matrix::Matrix;

/// A matrix in compressed rows (CSR): an entry for each place of a [`Pattern`], zero elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix<T = f64> {
    pattern: Arc<Pattern>,
    values: Vec<T>,
}

impl<T: Copy> SparseMatrix<T> {
    /// A matrix with these entries in the order of the pattern.
    ///
    /// # Panics
    /// If there are more or fewer of them than places; [`SparseMatrix::try_new`] says so.
    #[track_caller]
    pub fn new(pattern: Pattern, values: Vec<T>) -> SparseMatrix<T> {
        match SparseMatrix::try_new(pattern, values) {
            Ok(matrix) => matrix,
            Err(error) => panic!("{error}"),
        }
    }

    /// A matrix with these entries, if there are as many as places.
    ///
    /// # Errors
    /// If there are more or fewer.
    ///
    /// ```
    /// use autodiff_runtime::sparse::{Pattern, SparseMatrix};
    /// let error = SparseMatrix::try_new(Pattern::banded(2, 2, 0, 1), vec![1.0, 2.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "a pattern of 3 places has no room for 2 entries");
    /// ```
    pub fn try_new(pattern: Pattern, values: Vec<T>) -> Result<SparseMatrix<T>, SparseError> {
        let (places, given) = (pattern.len(), values.len());
        if places != given {
            return Err(SparseError::Entries { places, given });
        }
        Ok(SparseMatrix::shared(Arc::new(pattern), values))
    }

    /// The same with a pattern that others have as well.
    pub(super) fn shared(pattern: Arc<Pattern>, values: Vec<T>) -> SparseMatrix<T> {
        SparseMatrix { pattern, values }
    }

    /// Where its entries are.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The entries, row by row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.pattern.columns()
    }

    /// The rows, columns and values of all entries, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize, T)> + '_ {
        let places = self.pattern.iter().zip(&self.values);
        places.map(|((row, column), value)| (row, column, *value))
    }

    /// Where rows begin, the columns of the entries, and the entries: what other crates' matrices are made of.
    ///
    /// ```
    /// use autodiff_runtime::sparse::{Pattern, SparseMatrix};
    /// let matrix = SparseMatrix::new(Pattern::banded(2, 2, 0, 1), vec![1.0, 2.0, 3.0]);
    /// assert_eq!(matrix.into_parts(), (vec![0, 2, 3], vec![0, 1, 1], vec![1.0, 2.0, 3.0]));
    /// ```
    pub fn into_parts(self) -> (Vec<usize>, Vec<usize>, Vec<T>) {
        (
            self.pattern.starts().to_vec(),
            self.pattern.indices().to_vec(),
            self.values,
        )
    }
}

impl<T: Float> SparseMatrix<T> {
    /// The entry at that place, zero where there is none.
    pub fn get(&self, row: usize, column: usize) -> T {
        let start = self.pattern.starts()[row];
        let found = self.pattern.row(row).binary_search(&column);
        found.map_or(T::ZERO, |at| self.values[start + at])
    }

    /// The product with a vector: yᵢ = Σⱼ aᵢⱼ xⱼ.
    ///
    /// # Panics
    /// If the vector is not as long as there are columns; [`SparseMatrix::try_product`] says so.
    #[must_use]
    #[track_caller]
    pub fn product(&self, x: &[T]) -> Vec<T> {
        match self.try_product(x) {
            Ok(y) => y,
            Err(error) => panic!("{error}"),
        }
    }

    /// The product with a vector, if that is as long as there are columns.
    ///
    /// # Errors
    /// If it is not.
    ///
    /// ```
    /// use autodiff_runtime::sparse::{Pattern, SparseMatrix};
    /// let matrix = SparseMatrix::new(Pattern::banded(2, 2, 0, 1), vec![1.0, 2.0, 3.0]);
    /// assert_eq!(matrix.try_product(&[1.0, 1.0]), Ok(vec![3.0, 3.0]));
    /// let error = matrix.try_product(&[1.0]).unwrap_err();
    /// assert_eq!(error.to_string(), "a matrix of 2 columns by a vector of 1 numbers");
    /// ```
    pub fn try_product(&self, x: &[T]) -> Result<Vec<T>, SparseError> {
        let (columns, given) = (self.columns(), x.len());
        if columns != given {
            return Err(SparseError::Product { columns, given });
        }
        let mut y = alloc::vec![T::ZERO; self.rows()];
        for (row, column, value) in self.iter() {
            y[row] += value * x[column];
        }
        Ok(y)
    }

    /// The same matrix with its zeros.
    #[must_use]
    pub fn to_dense(&self) -> Matrix<T> {
        let mut dense = crate::generated::zeros(self.rows(), self.columns());
        for (row, column, value) in self.iter() {
            dense[[row, column]] = value;
        }
        dense
    }
}
