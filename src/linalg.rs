//! Systems of linear equations with matrices of `nalgebra`, differentiable by the matrix and by the right-hand side.
//!
//! A right-hand side is a vector or a matrix. In reverse mode the cotangent of the solution is solved for with the transposed matrix, by the factors that are there.
//!
//! ```
//! use autodiff::{grad, linalg};
//! use nalgebra::{Matrix2, Vector2};
//!
//! #[grad(order = 2)]
//! fn compliance(stiffness: &Matrix2<f64>, load: &Vector2<f64>) -> f64 {
//!     load.dot(&linalg::cholesky_solve(stiffness, load))
//! }
//!
//! let (stiffness, load) = (Matrix2::new(4.0, 0.0, 0.0, 1.0), Vector2::new(4.0, 1.0));
//! let (by_stiffness, by_load) = compliance::grad(&stiffness, &load);
//! assert_eq!(by_load, Vector2::new(2.0, 2.0));
//! assert_eq!(by_stiffness, Matrix2::new(-1.0, 0.0, -2.0, -1.0));
//! ```

use autodiff_runtime::linalg::nalgebra::{
    Allocator, DefaultAllocator, Dim, DimMin, OMatrix, RealField,
};

use crate::grad;

/// The solution `x` of `a · x = b`.
///
/// # Panics
///
/// If the matrix is singular; [`try_solve`] says so instead.
#[grad(order = 2)]
#[must_use]
pub fn solve<T: RealField + Copy, #[constant] D: DimMin<D, Output = D>, #[constant] C: Dim>(
    a: &OMatrix<T, D, D>,
    b: &OMatrix<T, D, C>,
) -> OMatrix<T, D, C>
where
    DefaultAllocator: Allocator<D>,
    DefaultAllocator: Allocator<D, D>,
    DefaultAllocator: Allocator<D, C>,
    DefaultAllocator: Allocator<C, D>,
{
    a.clone_owned().lu().solve(b).expect("a regular matrix")
}

/// The solution `x` of `a · x = b`, or `None` where the matrix is singular.
#[grad(order = 2)]
#[must_use]
pub fn try_solve<T: RealField + Copy, #[constant] D: DimMin<D, Output = D>, #[constant] C: Dim>(
    a: &OMatrix<T, D, D>,
    b: &OMatrix<T, D, C>,
) -> Option<OMatrix<T, D, C>>
where
    DefaultAllocator: Allocator<D>,
    DefaultAllocator: Allocator<D, D>,
    DefaultAllocator: Allocator<D, C>,
    DefaultAllocator: Allocator<C, D>,
{
    a.clone_owned().lu().solve(b)
}

/// The solution `x` of `a · x = b` for a symmetric and positive definite matrix, whose lower triangle alone is looked at and so has all of the gradient.
///
/// # Panics
///
/// If the matrix is not positive definite; [`try_cholesky_solve`] says so instead.
#[grad(order = 2)]
#[must_use]
pub fn cholesky_solve<T: RealField + Copy, #[constant] D: Dim, #[constant] C: Dim>(
    a: &OMatrix<T, D, D>,
    b: &OMatrix<T, D, C>,
) -> OMatrix<T, D, C>
where
    DefaultAllocator: Allocator<D, D>,
    DefaultAllocator: Allocator<D, C>,
    DefaultAllocator: Allocator<C, D>,
{
    let factor = a
        .clone_owned()
        .cholesky()
        .expect("a positive definite matrix");
    factor.solve(b)
}

/// The solution `x` of `a · x = b` for a symmetric matrix, or `None` where it is not positive definite; see [`cholesky_solve`].
#[grad(order = 2)]
#[must_use]
pub fn try_cholesky_solve<T: RealField + Copy, #[constant] D: Dim, #[constant] C: Dim>(
    a: &OMatrix<T, D, D>,
    b: &OMatrix<T, D, C>,
) -> Option<OMatrix<T, D, C>>
where
    DefaultAllocator: Allocator<D, D>,
    DefaultAllocator: Allocator<D, C>,
    DefaultAllocator: Allocator<C, D>,
{
    let factor = a.clone_owned().cholesky()?;
    Some(factor.solve(b))
}
