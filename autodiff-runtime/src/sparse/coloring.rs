//! Which columns share a sweep.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Pattern, SparseError};

/// A pattern with a color for each column; columns of one color are found in one sweep.
///
/// ```
/// use autodiff_runtime::sparse::{Coloring, Pattern};
/// // Three sweeps, however many columns there are.
/// let coloring = Coloring::of_columns(Pattern::banded(1000, 1000, 1, 1));
/// assert_eq!(coloring.colors(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coloring {
    pattern: Arc<Pattern>,
    colors: Vec<usize>,
    count: usize,
    symmetric: bool,
    /// For each color the entries of its columns, by their place among all, and their rows.
    entries: Vec<Vec<(u32, u32)>>,
    /// For each color its columns.
    columns: Vec<Vec<usize>>,
    /// The color of each entry's column.
    of_entries: Vec<u32>,
}

/// What has no color yet.
const NONE: usize = usize::MAX;

impl Coloring {
    /// For Jacobians: no two columns of one color have an entry in the same row.
    ///
    /// Greedy, in the order of the columns and in that of their numbers of entries, whichever takes fewer colors.
    pub fn of_columns(pattern: Pattern) -> Coloring {
        let transposed = pattern.transposed();
        let natural: Vec<usize> = (0..pattern.columns()).collect();
        let mut largest = natural.clone();
        largest.sort_by_key(|&column| core::cmp::Reverse(transposed.row(column).len()));
        let found = [natural, largest].map(|order| columns(&pattern, &transposed, &order));
        let [first, second] = found;
        let (colors, count) = if second.1 < first.1 { second } else { first };
        Coloring::new(pattern, colors, count, false)
    }

    /// For Hessians: a star coloring, in which neighbours have different colors and every path over four vertices has three of them at least,
    /// so that of two entries that mirror each other one is alone in its sweep.
    ///
    /// # Panics
    /// If the pattern is not symmetric; [`Coloring::try_of_symmetric`] says so.
    #[track_caller]
    pub fn of_symmetric(pattern: Pattern) -> Coloring {
        match Coloring::try_of_symmetric(pattern) {
            Ok(coloring) => coloring,
            Err(error) => panic!("{error}"),
        }
    }

    /// For Hessians, if the pattern is symmetric.
    ///
    /// # Errors
    /// If it is not.
    ///
    /// ```
    /// use autodiff_runtime::sparse::{Coloring, Pattern, SparseError};
    /// let error = Coloring::try_of_symmetric(Pattern::banded(3, 3, 1, 0)).unwrap_err();
    /// assert_eq!(error, SparseError::NotSymmetric { rows: 3, columns: 3 });
    /// ```
    pub fn try_of_symmetric(pattern: Pattern) -> Result<Coloring, SparseError> {
        if !pattern.is_symmetric() {
            let (rows, columns) = (pattern.rows(), pattern.columns());
            return Err(SparseError::NotSymmetric { rows, columns });
        }
        let (colors, count) = stars(&pattern);
        Ok(Coloring::new(pattern, colors, count, true))
    }

    fn new(pattern: Pattern, colors: Vec<usize>, count: usize, symmetric: bool) -> Coloring {
        let mut of_columns = alloc::vec![Vec::new(); count];
        for (column, &color) in colors.iter().enumerate() {
            of_columns[color].push(column);
        }
        let mut entries = alloc::vec![Vec::new(); count];
        let mut of_entries = Vec::with_capacity(pattern.len());
        for (at, (row, column)) in pattern.iter().enumerate() {
            entries[colors[column]].push((at as u32, row as u32));
            of_entries.push(colors[column] as u32);
        }
        Coloring {
            pattern: Arc::new(pattern),
            colors,
            count,
            symmetric,
            entries,
            columns: of_columns,
            of_entries,
        }
    }

    /// The pattern, to be shared.
    pub(super) fn shared(&self) -> Arc<Pattern> {
        Arc::clone(&self.pattern)
    }

    /// The columns of a color.
    pub(super) fn columns(&self, color: usize) -> &[usize] {
        &self.columns[color]
    }

    /// The colors of all entries' columns, row by row.
    pub(super) fn of_entries(&self) -> &[u32] {
        &self.of_entries
    }

    /// The entries of a color's columns: the place of each among all, and its row.
    pub(super) fn entries(&self, color: usize) -> &[(u32, u32)] {
        &self.entries[color]
    }

    /// Where entries may be.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// How many colors there are, which is how many sweeps a matrix takes.
    pub fn colors(&self) -> usize {
        self.count
    }

    /// The color of a column.
    ///
    /// # Panics
    /// If there is no such column.
    #[track_caller]
    pub fn color(&self, column: usize) -> usize {
        self.colors[column]
    }

    /// Whether it is one for Hessians.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }
}

/// Colors by which columns without a common row may share one.
fn columns(pattern: &Pattern, transposed: &Pattern, order: &[usize]) -> (Vec<usize>, usize) {
    let mut colors = alloc::vec![NONE; pattern.columns()];
    let mut forbidden: Vec<usize> = Vec::new();
    for &column in order {
        for &row in transposed.row(column) {
            for &other in pattern.row(row) {
                if let Some(by) = forbidden.get_mut(colors[other]) {
                    *by = column;
                }
            }
        }
        colors[column] = first_free(&mut forbidden, column);
    }
    (colors, forbidden.len())
}

/// The first color that is not forbidden to a vertex; a new one, if all are.
fn first_free(forbidden: &mut Vec<usize>, vertex: usize) -> usize {
    let free = forbidden.iter().position(|by| *by != vertex);
    free.unwrap_or_else(|| {
        forbidden.push(NONE);
        forbidden.len() - 1
    })
}

/// A star coloring of the graph that has an edge for each entry beside the diagonal.
fn stars(pattern: &Pattern) -> (Vec<usize>, usize) {
    let mut colors = alloc::vec![NONE; pattern.columns()];
    let mut forbidden: Vec<usize> = Vec::new();
    let forbid = |forbidden: &mut Vec<usize>, color: usize, vertex: usize| {
        if let Some(by) = forbidden.get_mut(color) {
            *by = vertex;
        }
    };
    for v in 0..pattern.columns() {
        let near = |of: usize| pattern.row(of).iter().copied().filter(move |w| *w != of);
        for w in near(v) {
            forbid(&mut forbidden, colors[w], v);
            for x in near(w).filter(|x| *x != v && colors[*x] != NONE) {
                // A path v – w – x may have two colors only where it goes on to no third vertex of w's color.
                let goes_on = || near(x).any(|y| y != w && colors[y] == colors[w]);
                if colors[w] == NONE || goes_on() {
                    forbid(&mut forbidden, colors[x], v);
                }
            }
        }
        colors[v] = first_free(&mut forbidden, v);
    }
    (colors, forbidden.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of patterns, the same on every machine.
    fn random(rows: usize, columns: usize, seed: u64) -> Vec<(usize, usize)> {
        let mut state = seed;
        let mut next = move |below: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        (0..2 * columns)
            .map(|_| (next(rows), next(columns)))
            .collect()
    }

    #[test]
    fn columns_of_a_color_share_no_row() {
        for seed in 0..50 {
            let pattern = Pattern::new(17, 23, random(17, 23, seed));
            let coloring = Coloring::of_columns(pattern.clone());
            for row in 0..pattern.rows() {
                let mut seen: Vec<usize> = pattern
                    .row(row)
                    .iter()
                    .map(|&c| coloring.color(c))
                    .collect();
                seen.sort_unstable();
                let all = seen.len();
                seen.dedup();
                assert_eq!(seen.len(), all, "row {row} of {pattern:?}");
            }
            assert!((0..23).all(|c| coloring.color(c) < coloring.colors()));
        }
    }

    #[test]
    fn no_path_of_four_has_two_colors() {
        for seed in 0..50 {
            let half = random(15, 15, seed);
            let all = half.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
            let pattern = Pattern::new(15, 15, all.chain((0..15).map(|k| (k, k))));
            let coloring = Coloring::of_symmetric(pattern.clone());
            let near = |of: usize| pattern.row(of).iter().copied().filter(move |w| *w != of);
            let color = |of: usize| coloring.color(of);
            for a in 0..15 {
                for b in near(a) {
                    assert_ne!(color(a), color(b));
                    for c in near(b).filter(|c| *c != a) {
                        for d in near(c).filter(|d| *d != a && *d != b) {
                            let two = color(a) == color(c) && color(b) == color(d);
                            assert!(!two, "{a} {b} {c} {d} of {pattern:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn an_arrow_has_two_stars() {
        let edges = (1..10).flat_map(|k| [(0, k), (k, 0)]);
        let pattern = Pattern::new(10, 10, edges.chain((0..10).map(|k| (k, k))));
        assert_eq!(Coloring::of_symmetric(pattern.clone()).colors(), 2);
        // Its columns have all of them the first row in common.
        assert_eq!(Coloring::of_columns(pattern).colors(), 10);
    }
}
