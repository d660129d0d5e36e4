//! What does not fit together.

use core::fmt;

/// Why patterns, entries and vectors do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SparseError {
    /// The pattern of a Hessian is not symmetric.
    NotSymmetric {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// There are more or fewer entries than places.
    Entries {
        /// The places of the pattern.
        places: usize,
        /// The entries.
        given: usize,
    },
    /// Two patterns differ in their shapes, which are numbers of rows and of columns.
    Shapes([(usize, usize); 2]),
    /// A vector is not as long as a matrix has columns.
    Product {
        /// The columns of the matrix.
        columns: usize,
        /// The numbers of the vector.
        given: usize,
    },
}

impl fmt::Display for SparseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SparseError::NotSymmetric { rows, columns } => write!(
                out,
                "a pattern of {rows} × {columns} that is not symmetric is none of a Hessian"
            ),
            SparseError::Entries { places, given } => write!(
                out,
                "a pattern of {places} places has no room for {given} entries"
            ),
            SparseError::Shapes([first, second]) => write!(
                out,
                "the union of a pattern of {} × {} and one of {} × {}",
                first.0, first.1, second.0, second.1
            ),
            SparseError::Product { columns, given } => write!(
                out,
                "a matrix of {columns} columns by a vector of {given} numbers"
            ),
        }
    }
}

impl core::error::Error for SparseError {}
