//! Sweeps along the columns of one color, and the entries that come of them.

use alloc::vec::Vec;

use super::{Coloring, Pattern, SparseMatrix};
use crate::float::Float;
use crate::lanes::Lanes;
use crate::num::{self, Numeric};
use crate::slices::{Slice, SliceMut};
use crate::tangent::Tangent;

/// A tangent with 1 at these scalars, which ascend.
fn seed<D: Tangent>(zeros: &D, columns: &[usize]) -> D {
    let (mut seed, mut begin, mut next) = (zeros.clone(), 0, 0);
    seed.for_each_slice(&mut |slice| {
        let end = begin + slice.len();
        let inside = columns[next..].iter().take_while(|column| **column < end);
        let inside = inside.map(|column| column - begin);
        next += match slice {
            SliceMut::F32(xs) => inside.map(|at| xs[at] = 1.0).count(),
            SliceMut::F64(xs) => inside.map(|at| xs[at] = 1.0).count(),
        };
        begin = end;
    });
    seed
}

fn filled<D: Tangent>(zeros: &D, mut entry: impl FnMut(usize) -> f64) -> D {
    let (mut filled, mut column) = (zeros.clone(), 0);
    filled.for_each_scalar(&mut |x| {
        *x = entry(column);
        column += 1;
    });
    filled
}

/// The scalars of a tangent.
fn scalars<O: Tangent>(tangent: &O, out: &mut Vec<f64>) {
    out.clear();
    tangent.visit_slices(&mut |slice| match slice {
        Slice::F32(xs) => out.extend(xs.iter().map(|x| f64::from(*x))),
        Slice::F64(xs) => out.extend_from_slice(xs),
    });
}

/// Refuses a pattern of another shape than the matrix has.
#[track_caller]
fn check(pattern: usize, matrix: usize, [lines, of]: [&str; 2]) {
    assert!(
        pattern == matrix,
        "the pattern has {pattern} {lines}, but the {of} have {matrix} scalars"
    );
}

const COLUMNS: [&str; 2] = ["columns", "parameters"];
const ROWS: [&str; 2] = ["rows", "results"];

/// Entries of a pattern, whose product with a vector a sweep along it gives in debug builds as well.
#[track_caller]
fn checked(
    pattern: &Pattern,
    entry: impl Fn(usize) -> f64,
    sweep: impl FnOnce(&dyn Fn(usize) -> f64, &mut Vec<f64>),
) {
    if !cfg!(debug_assertions) || pattern.columns() == 0 {
        return;
    }
    let mut along = Vec::new();
    sweep(&weight, &mut along);
    for (row, sum) in along.iter().enumerate() {
        let start = pattern.starts()[row];
        let terms = pattern.row(row).iter().enumerate();
        let terms = terms.map(|(at, &column)| entry(start + at) * weight(column));
        let (found, size) = terms.fold((0.0, sum.abs()), |(found, size): (f64, f64), term| {
            (found + term, size + term.abs())
        });
        // In single precision sums are known to some six digits; a missing entry is off by far more.
        let off = (found - sum).abs() > 1e-3 * size;
        assert!(
            !off,
            "row {row} has an entry that the pattern lacks: a sweep along a direction gives {sum}, the entries of the pattern {found}"
        );
    }
}

/// A direction in which no two sums of entries are the same by chance.
fn weight(column: usize) -> f64 {
    let bits = (column as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    0.5 + (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// The Jacobian by one forward sweep for each color: `run` takes tangents of the parameters, and yields the value and the tangents of what comes out.
///
/// # Panics
/// If the pattern's shape is not the Jacobian's; in debug builds, if the pattern lacks an entry.
#[track_caller]
pub fn by_colors<T: Numeric, D: Tangent, V, O: Tangent>(
    zeros: D,
    coloring: &Coloring,
    mut run: impl FnMut(D) -> (V, O),
) -> SparseMatrix<T> {
    let pattern = coloring.pattern();
    check(pattern.columns(), zeros.scalar_count(), COLUMNS);
    let mut values = alloc::vec![0.0; pattern.len()];
    let mut sums = Vec::new();
    for color in 0..coloring.colors() {
        scalars(&run(seed(&zeros, coloring.columns(color))).1, &mut sums);
        check(pattern.rows(), sums.len(), ROWS);
        for &(at, row) in coloring.entries(color) {
            values[at as usize] = sums[row as usize];
        }
    }
    checked(
        pattern,
        |at| values[at],
        |weight, out| {
            scalars(&run(filled(&zeros, weight)).1, out);
        },
    );
    let values = values.into_iter().map(num::lit).collect();
    SparseMatrix::shared(coloring.shared(), values)
}

/// The same of a function from a list to a list, with two, four or eight colors in a sweep.
///
/// # Panics
/// As [`by_colors`].
#[track_caller]
pub fn by_colors_in_lanes<T: Float>(
    columns: usize,
    coloring: &Coloring,
    mut two: impl FnMut(&[Lanes<T, 2>]) -> Vec<Lanes<T, 2>>,
    mut four: impl FnMut(&[Lanes<T, 4>]) -> Vec<Lanes<T, 4>>,
    mut eight: impl FnMut(&[Lanes<T, 8>]) -> Vec<Lanes<T, 8>>,
) -> SparseMatrix<T> {
    check(coloring.pattern().columns(), columns, COLUMNS);
    let mut values = alloc::vec![T::ZERO; coloring.pattern().len()];
    let mut first = 0;
    while first < coloring.colors() {
        first += match coloring.colors() - first {
            1 | 2 => sweep(coloring, first, &mut two, &mut values),
            3 | 4 => sweep(coloring, first, &mut four, &mut values),
            _ => sweep(coloring, first, &mut eight, &mut values),
        };
    }
    checked(
        coloring.pattern(),
        |at| values[at].to_f64(),
        |weight, out| {
            let along = |column| Lanes::<T, 2>([T::from_f64(weight(column)); 2]);
            let along: Vec<_> = (0..columns).map(along).collect();
            out.extend(two(&along).iter().map(|sum| sum.0[0].to_f64()));
        },
    );
    SparseMatrix::shared(coloring.shared(), values)
}

/// One sweep along `N` colors from `first` on; says how many these are.
#[track_caller]
fn sweep<T: Float, const N: usize>(
    coloring: &Coloring,
    first: usize,
    run: &mut impl FnMut(&[Lanes<T, N>]) -> Vec<Lanes<T, N>>,
    values: &mut [T],
) -> usize {
    let pattern = coloring.pattern();
    let mut along = alloc::vec![Lanes([T::ZERO; N]); pattern.columns()];
    for color in first..coloring.colors().min(first + N) {
        for &column in coloring.columns(color) {
            along[column].0[color - first] = T::ONE;
        }
    }
    let sums = run(&along);
    check(pattern.rows(), sums.len(), ROWS);
    for (sum, ends) in sums.iter().zip(pattern.starts().windows(2)) {
        let row = ends[0]..ends[1];
        for (value, &color) in values[row.clone()]
            .iter_mut()
            .zip(&coloring.of_entries()[row])
        {
            if let Some(x) = sum.0.get((color as usize).wrapping_sub(first)) {
                *value = *x;
            }
        }
    }
    N
}

/// The Hessian by one sweep for each color: `run` takes tangents of the parameters, and yields the Hessian's product with them.
///
/// An entry is read from the sweep of its column, or from that of its row, where it is alone among the entries of its color there.
///
/// # Panics
/// If the pattern's shape is not the Hessian's, or the coloring is none of [`Coloring::of_symmetric`]; in debug builds, if the pattern lacks an entry.
#[track_caller]
pub fn by_symmetric_colors<T: Numeric, D: Tangent>(
    zeros: D,
    coloring: &Coloring,
    mut run: impl FnMut(D) -> D,
) -> SparseMatrix<T> {
    assert!(
        coloring.is_symmetric(),
        "a Hessian takes a coloring by `Coloring::of_symmetric`"
    );
    let pattern = coloring.pattern();
    check(pattern.columns(), zeros.scalar_count(), COLUMNS);
    let products: Vec<Vec<f64>> = (0..coloring.colors())
        .map(|color| {
            let mut column = Vec::new();
            scalars(&run(seed(&zeros, coloring.columns(color))), &mut column);
            column
        })
        .collect();
    // How many entries of each color a row has.
    let mut counts = alloc::vec![0_usize; coloring.colors()];
    let mut values = Vec::with_capacity(pattern.len());
    for row in 0..pattern.rows() {
        let columns = pattern.row(row);
        columns.iter().for_each(|&c| counts[coloring.color(c)] += 1);
        for &column in columns {
            let color = coloring.color(column);
            values.push(if counts[color] == 1 {
                products[color][row]
            } else {
                products[coloring.color(row)][column]
            });
        }
        columns.iter().for_each(|&c| counts[coloring.color(c)] = 0);
    }
    checked(
        pattern,
        |at| values[at],
        |weight, out| {
            scalars(&run(filled(&zeros, weight)), out);
        },
    );
    let values = values.into_iter().map(num::lit).collect();
    SparseMatrix::shared(coloring.shared(), values)
}

/// Where the Jacobian has entries at a point, by one forward sweep for each column.
pub fn probed<D: Tangent, V, O: Tangent>(zeros: D, mut run: impl FnMut(D) -> (V, O)) -> Pattern {
    let columns = zeros.scalar_count();
    let (mut rows, mut found, mut entries) = (0, Vec::new(), Vec::new());
    for column in 0..columns {
        scalars(&run(seed(&zeros, &[column])).1, &mut found);
        rows = found.len();
        let nonzero = found.iter().enumerate().filter(|(_, x)| **x != 0.0);
        entries.extend(nonzero.map(|(row, _)| (row, column)));
    }
    Pattern::new(rows, columns, entries)
}
