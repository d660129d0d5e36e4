//! Jacobians of functions that leave final states in memory which they are lent, from their sweeps.

use crate::matrix::Matrix;
use crate::num::{self, Numeric};
use crate::tangent::Tangent;

/// A tangent with 1 in place of its scalar number `at`, and 0 elsewhere.
pub(crate) fn unit<D: Tangent>(zeros: &D, at: usize) -> D {
    let (mut unit, mut k) = (zeros.clone(), 0);
    unit.for_each_scalar(&mut |x| {
        *x = if k == at { 1.0 } else { 0.0 };
        k += 1;
    });
    unit
}

/// By one forward sweep for each scalar of the parameters: `run` takes their tangents, and yields the value and the tangents of what comes out.
///
/// `None` where reverse mode may be taken, and is cheaper: a reverse sweep costs about three forward ones.
pub fn by_columns<T: Numeric, D: Tangent, V, O: Tangent>(
    zeros: D,
    reverse: bool,
    mut run: impl FnMut(D) -> (V, O),
) -> (V, Option<Matrix<T>>) {
    let columns = zeros.scalar_count();
    let (mut value, mut tangent) = run(unit(&zeros, 0));
    let rows = tangent.scalar_count();
    if reverse && columns > 3 * rows {
        return (value, None);
    }
    let mut matrix = crate::generated::zeros(rows, columns);
    for column in 0..columns {
        if column > 0 {
            (value, tangent) = run(unit(&zeros, column));
        }
        let mut row = 0;
        tangent.for_each_scalar(&mut |x| {
            matrix[[row, column]] = num::lit::<T>(*x);
            row += 1;
        });
    }
    (value, Some(matrix))
}

/// By one reverse sweep for each scalar of what comes out: `run` takes its cotangents, and yields those of the parameters.
pub fn by_rows<T: Numeric, O: Tangent, D: Tangent>(
    zeros: O,
    mut run: impl FnMut(O) -> D,
) -> Matrix<T> {
    let rows = zeros.scalar_count();
    let mut data = alloc::vec::Vec::new();
    for row in 0..rows {
        let mut gradient = run(unit(&zeros, row));
        gradient.for_each_scalar(&mut |x| data.push(num::lit::<T>(*x)));
    }
    let columns = data.len().checked_div(rows).unwrap_or(0);
    Matrix::from_vec(rows, columns, data)
}
