//! Problems of the crate `levenberg-marquardt`.

use alloc::borrow::ToOwned;
use core::borrow::{Borrow as _, BorrowMut};

use levenberg_marquardt::LeastSquaresProblem;
use nalgebra::{DMatrix, DVector, Dyn, storage::Owned};

use super::{at, flat};
use crate::objective::FallibleResiduals;
use crate::tangent::Parameters;

/// Residuals, and the point where they are looked at: a problem of the crate `levenberg-marquardt`, and what it makes of it.
///
/// Where they fail, as [`FallibleResiduals`] may, the fit ends, and its report says that the user ended it.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use autodiff_runtime::objective::Residuals;
/// use autodiff_runtime::solvers::Fit;
/// use levenberg_marquardt::LevenbergMarquardt;
///
/// // A function with `#[grad]` is one.
/// struct Product;
/// impl Residuals for Product {
///     type Point = [f64; 2];
///     fn residuals(&self, [x, y]: &[f64; 2]) -> Vec<f64> {
///         vec![x * y - 6.0, x - 2.0]
///     }
///     fn residuals_and_jacobian(&self, at: &[f64; 2]) -> (Vec<f64>, Matrix<f64>) {
///         (self.residuals(at), Matrix::from_vec(2, 2, vec![at[1], at[0], 1.0, 0.0]))
///     }
/// }
///
/// let (fit, report) = LevenbergMarquardt::new().minimize(Fit::of(Product, &[1.0, 1.0]));
/// assert!(report.termination.was_successful());
/// let [x, y] = fit.point();
/// assert!((x - 2.0).abs() < 1e-9 && (y - 3.0).abs() < 1e-9);
/// ```
pub struct Fit<F, P: ToOwned + ?Sized> {
    f: F,
    shape: P::Owned,
    at: DVector<f64>,
}

impl<F, P> Fit<F, P>
where
    F: FallibleResiduals<Point = P>,
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
{
    /// From a point on.
    pub fn of(f: F, start: &P) -> Self {
        Fit {
            f,
            shape: start.to_owned(),
            at: flat(start).into(),
        }
    }

    /// The point that is reached.
    #[must_use]
    pub fn point(&self) -> P::Owned {
        at(self.shape.borrow(), self.at.as_slice())
    }
}

impl<F, P> LeastSquaresProblem<f64, Dyn, Dyn> for Fit<F, P>
where
    F: FallibleResiduals<Point = P>,
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
{
    type ParameterStorage = Owned<f64, Dyn>;
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;

    fn set_params(&mut self, x: &DVector<f64>) {
        self.at.copy_from(x);
    }

    fn params(&self) -> DVector<f64> {
        self.at.clone()
    }

    fn residuals(&self) -> Option<DVector<f64>> {
        let residuals = self.f.try_residuals(self.point().borrow());
        residuals.ok().map(Into::into)
    }

    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let both = self.f.try_residuals_and_jacobian(self.point().borrow());
        both.ok().map(|(_, jacobian)| jacobian.into())
    }
}
