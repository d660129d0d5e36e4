//! The partials of a determinant, which are the cofactors, and their own derivatives.

use ::nalgebra::allocator::Allocator;
use ::nalgebra::{DMatrix, DefaultAllocator, Dim, Dyn, Matrix, OMatrix, Storage};

use super::Real;

/// The largest product of the norms of a matrix and its inverse with which the inverse is good for cofactors.
const WELL_CONDITIONED: f64 = 1e4;

/// The matrix of cofactors: of a small matrix, or of one that is nearly singular, by its minors.
pub(super) fn cofactors<T: Real, D: Dim, S: Storage<T, D, D>>(
    a: &Matrix<T, D, D, S>,
) -> OMatrix<T, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    let (n, _) = a.shape_generic();
    let entries: Minor<T> = &|i, j| a[(i, j)];
    let order = n.value();
    if order > 4 {
        let a = DMatrix::from_fn(order, order, |i, j| a[(i, j)]);
        if let Some((inverse, determinant)) = inverse(&a) {
            return OMatrix::from_fn_generic(n, n, |i, j| inverse[(j, i)] * determinant);
        }
    }
    OMatrix::from_fn_generic(n, n, |i, j| {
        sign::<T>(i, j) * determinant(order - 1, &without(entries, i, j))
    })
}

/// The tangent of the matrix of cofactors.
pub(super) fn cofactors_along<T: Real, D: Dim, S: Storage<T, D, D>>(
    a: &Matrix<T, D, D, S>,
    da: &OMatrix<T, D, D>,
) -> OMatrix<T, D, D>
where
    DefaultAllocator: Allocator<D, D>,
{
    let (n, _) = a.shape_generic();
    let order = n.value();
    if order < 2 {
        return OMatrix::from_fn_generic(n, n, |_, _| T::zero());
    }
    if order > 4 {
        let whole = DMatrix::from_fn(order, order, |i, j| a[(i, j)]);
        if let Some((inverse, determinant)) = inverse(&whole) {
            let da = DMatrix::from_fn(order, order, |i, j| da[(i, j)]);
            let step = &inverse * da;
            let tangent = (&inverse * step.trace() - step * &inverse) * determinant;
            return OMatrix::from_fn_generic(n, n, |i, j| tangent[(j, i)]);
        }
    }
    OMatrix::from_fn_generic(n, n, |i, j| {
        let minor = |of: Minor<'_, T>| {
            let of = without(of, i, j);
            DMatrix::from_fn(order - 1, order - 1, of)
        };
        let (a, da) = (minor(&|i, j| a[(i, j)]), minor(&|i, j| da[(i, j)]));
        sign::<T>(i, j) * cofactors::<T, Dyn, _>(&a).dot(&da)
    })
}

/// The entries of a square matrix.
type Minor<'a, T> = &'a dyn Fn(usize, usize) -> T;

/// A matrix without one row and one column.
fn without<T: Real>(of: Minor<'_, T>, row: usize, column: usize) -> impl Fn(usize, usize) -> T {
    move |i, j| of(i + usize::from(i >= row), j + usize::from(j >= column))
}

fn sign<T: Real>(i: usize, j: usize) -> T {
    if (i + j).is_multiple_of(2) {
        T::one()
    } else {
        -T::one()
    }
}

/// A determinant: of a small matrix as a polynomial, so that nothing is allocated.
fn determinant<T: Real>(order: usize, of: Minor<'_, T>) -> T {
    match order {
        0 => T::one(),
        1 => of(0, 0),
        2 => of(0, 0) * of(1, 1) - of(0, 1) * of(1, 0),
        3 => {
            let minor = |j| determinant(2, &without(of, 0, j));
            of(0, 0) * minor(0) - of(0, 1) * minor(1) + of(0, 2) * minor(2)
        }
        _ => DMatrix::from_fn(order, order, of).determinant(),
    }
}

/// The inverse and the determinant of a matrix that is far from singular.
fn inverse<T: Real>(a: &DMatrix<T>) -> Option<(DMatrix<T>, T)> {
    let lu = a.clone().lu();
    let inverse = lu.try_inverse()?;
    let condition: f64 = crate::num::cast(a.norm() * inverse.norm());
    (condition < WELL_CONDITIONED).then(|| (inverse, lu.determinant()))
}
