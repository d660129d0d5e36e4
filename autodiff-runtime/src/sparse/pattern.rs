//! Where a matrix may have entries.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::SparseError;

/// The places of a matrix whose entries may be other than zero, row by row.
///
/// ```
/// use autodiff_runtime::sparse::Pattern;
/// let pattern = Pattern::banded(3, 3, 1, 0);
/// assert_eq!(pattern.row(0), [0]);
/// assert_eq!(pattern.row(2), [1, 2]);
/// assert_eq!(pattern, Pattern::new(3, 3, [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2)]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    columns: usize,
    /// Where each row begins in `indices`, and where the last one ends.
    starts: Vec<usize>,
    /// The columns of the entries, ascending in each row.
    indices: Vec<usize>,
}

impl Pattern {
    /// A pattern with these pairs of a row and a column; a pair may be given twice.
    ///
    /// # Panics
    /// If one of them is outside of `rows` × `columns`; [`Pattern::try_new`] says which.
    #[track_caller]
    pub fn new(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Pattern {
        match Pattern::try_new(rows, columns, entries) {
            Ok(pattern) => pattern,
            Err((row, column)) => {
                panic!(
                    "an entry at ({row}, {column}) is outside of a pattern of {rows} × {columns}"
                )
            }
        }
    }

    /// A pattern with these pairs of a row and a column.
    ///
    /// # Errors
    /// The first pair that is outside of `rows` × `columns`.
    pub fn try_new(
        rows: usize,
        columns: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Pattern, (usize, usize)> {
        let mut all = Vec::new();
        for (row, column) in entries {
            if row >= rows || column >= columns {
                return Err((row, column));
            }
            all.push((row, column));
        }
        all.sort_unstable();
        all.dedup();
        let mut starts = alloc::vec![0; rows + 1];
        for (row, _) in &all {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let indices = all.into_iter().map(|(_, column)| column).collect();
        Ok(Pattern {
            columns,
            starts,
            indices,
        })
    }

    /// The diagonal, so many diagonals below it, and so many above it.
    pub fn banded(rows: usize, columns: usize, below: usize, above: usize) -> Pattern {
        let mut starts = alloc::vec![0];
        let mut indices = Vec::new();
        for row in 0..rows {
            let first = row.saturating_sub(below);
            let end = columns.min(row.saturating_add(above).saturating_add(1));
            indices.extend(first..end);
            starts.push(indices.len());
        }
        Pattern {
            columns,
            starts,
            indices,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many entries there may be.
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The columns of the entries in a row, ascending.
    ///
    /// # Panics
    /// If there is no such row.
    #[track_caller]
    pub fn row(&self, row: usize) -> &[usize] {
        &self.indices[self.starts[row]..self.starts[row + 1]]
    }

    /// Where each row begins in [`Pattern::indices`], and where the last one ends.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The columns of all entries, row by row.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// The pairs of a row and a column, row by row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.rows()).flat_map(|row| self.row(row).iter().map(move |&column| (row, column)))
    }

    /// Whether there may be an entry at that place.
    pub fn contains(&self, row: usize, column: usize) -> bool {
        row < self.rows() && self.row(row).binary_search(&column).is_ok()
    }

    /// Rows for columns.
    #[must_use]
    pub fn transposed(&self) -> Pattern {
        let mut starts = alloc::vec![0; self.columns + 1];
        for &column in &self.indices {
            starts[column + 1] += 1;
        }
        for column in 0..self.columns {
            starts[column + 1] += starts[column];
        }
        let mut next = starts.clone();
        let mut indices = alloc::vec![0; self.indices.len()];
        for (row, column) in self.iter() {
            indices[next[column]] = row;
            next[column] += 1;
        }
        Pattern {
            columns: self.rows(),
            starts,
            indices,
        }
    }

    /// What may be an entry in one of two patterns of the same shape, such as those found at two points.
    ///
    /// # Panics
    /// If their shapes differ; [`Pattern::try_union`] says how.
    #[must_use]
    #[track_caller]
    pub fn union(&self, other: &Pattern) -> Pattern {
        match self.try_union(other) {
            Ok(pattern) => pattern,
            Err(error) => panic!("{error}"),
        }
    }

    /// What may be an entry in one of two patterns, if they are of the same shape.
    ///
    /// # Errors
    /// If their shapes differ.
    ///
    /// ```
    /// use autodiff_runtime::sparse::Pattern;
    /// let error = Pattern::banded(2, 2, 1, 0).try_union(&Pattern::banded(2, 3, 0, 1)).unwrap_err();
    /// assert_eq!(error.to_string(), "the union of a pattern of 2 × 2 and one of 2 × 3");
    /// ```
    pub fn try_union(&self, other: &Pattern) -> Result<Pattern, SparseError> {
        let shapes = [self, other].map(|p| (p.rows(), p.columns()));
        if shapes[0] != shapes[1] {
            return Err(SparseError::Shapes(shapes));
        }
        let mut starts = alloc::vec![0];
        let mut indices = Vec::new();
        for row in 0..self.rows() {
            let both: BTreeSet<usize> = self
                .row(row)
                .iter()
                .chain(other.row(row))
                .copied()
                .collect();
            indices.extend(both);
            starts.push(indices.len());
        }
        Ok(Pattern {
            columns: self.columns,
            starts,
            indices,
        })
    }

    /// Whether each entry has one at the mirrored place, as in Hessians.
    pub fn is_symmetric(&self) -> bool {
        self.rows() == self.columns && *self == self.transposed()
    }
}
