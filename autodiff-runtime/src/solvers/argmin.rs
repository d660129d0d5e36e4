//! Problems of the crate `argmin`.

use alloc::{borrow::ToOwned, vec::Vec};
use core::borrow::{Borrow as _, BorrowMut};
use core::marker::PhantomData;

use argmin::core::{CostFunction, Error, Gradient, Hessian, Jacobian, Operator};

use super::{at, flat};
use crate::matrix::Matrix;
use crate::objective::{self, FallibleObjective, FallibleResiduals};
use crate::tangent::{Parameters, Tangent as _};

/// A function as a problem of the crate `argmin`: it has its `CostFunction`, `Gradient` and `Hessian` where it is an [`Objective`](objective::Objective), and `Operator` and `Jacobian` where it is [`Residuals`](objective::Residuals).
///
/// One that may fail, a [`FallibleObjective`] or [`FallibleResiduals`], has these as well, without `Hessian`, and its error ends the run.
///
/// Solvers move all scalars of the point in one vector, of type `V`, and take matrices of type `M`: a `Vec`, and one of rows; [`typed`](Self::typed) chooses others, such as those of `nalgebra`.
///
/// ```
/// use argmin::core::{Executor, State};
/// use argmin::solver::{linesearch::MoreThuenteLineSearch, quasinewton::LBFGS};
/// use autodiff_runtime::objective::Objective;
/// use autodiff_runtime::solvers::Problem;
///
/// // A function with `#[grad]` is one.
/// struct Bowl;
/// impl Objective for Bowl {
///     type Point = [f64];
///     fn value(&self, x: &[f64]) -> f64 {
///         (x[0] - 1.0).powi(2) + 3.0 * x[1] * x[1]
///     }
///     fn value_and_grad(&self, x: &[f64]) -> (f64, Vec<f64>) {
///         (self.value(x), vec![2.0 * (x[0] - 1.0), 6.0 * x[1]])
///     }
/// }
///
/// let problem = Problem::of(Bowl, &[5.0, 5.0]);
/// let start = problem.start();
/// let solver = LBFGS::new(MoreThuenteLineSearch::new(), 5);
/// let run = Executor::new(problem, solver).configure(|state| state.param(start).max_iters(50));
/// let best = run.run().unwrap().state.best_param.unwrap();
/// assert!((best[0] - 1.0).abs() < 1e-6 && best[1].abs() < 1e-6);
/// ```
pub struct Problem<F, P: ToOwned + ?Sized, V = Vec<f64>, M = Vec<Vec<f64>>> {
    f: F,
    start: P::Owned,
    types: PhantomData<fn() -> (V, M)>,
}

impl<F, P: ToOwned + ?Sized> Problem<F, P> {
    /// An objective, from a point on.
    pub fn of(f: F, start: &P) -> Self
    where
        F: FallibleObjective<Point = P>,
    {
        Problem {
            f,
            start: start.to_owned(),
            types: PhantomData,
        }
    }

    /// Residuals, from a point on.
    pub fn of_residuals(f: F, start: &P) -> Self
    where
        F: FallibleResiduals<Point = P>,
    {
        Problem {
            f,
            start: start.to_owned(),
            types: PhantomData,
        }
    }
}

impl<F, P, V, M> Problem<F, P, V, M>
where
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
    V: AsRef<[f64]> + From<Vec<f64>>,
{
    /// The same with another type of vectors and of matrices.
    #[must_use]
    pub fn typed<W, N>(self) -> Problem<F, P, W, N> {
        Problem {
            f: self.f,
            start: self.start,
            types: PhantomData,
        }
    }

    /// The scalars of the point to start from.
    #[must_use]
    pub fn start(&self) -> V {
        flat(self.start.borrow()).into()
    }

    /// The point with these scalars.
    #[must_use]
    pub fn point(&self, scalars: &V) -> P::Owned {
        at(self.start.borrow(), scalars.as_ref())
    }
}

impl<F, P, V, M> CostFunction for Problem<F, P, V, M>
where
    F: FallibleObjective<Point = P, Error: Into<Error>>,
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
    V: AsRef<[f64]> + From<Vec<f64>>,
{
    type Param = V;
    type Output = f64;

    fn cost(&self, x: &V) -> Result<f64, Error> {
        self.f.try_value(self.point(x).borrow()).map_err(Into::into)
    }
}

impl<F, P, V, M> Gradient for Problem<F, P, V, M>
where
    F: FallibleObjective<Point = P, Error: Into<Error>>,
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
    V: AsRef<[f64]> + From<Vec<f64>>,
{
    type Param = V;
    type Gradient = V;

    fn gradient(&self, x: &V) -> Result<V, Error> {
        let both = self.f.try_value_and_grad(self.point(x).borrow());
        let (_, gradient) = both.map_err(Into::into)?;
        Ok(gradient.to_flat().into())
    }
}

impl<F, P, V, M> Hessian for Problem<F, P, V, M>
where
    F: objective::Hessian<Point = P>,
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
    V: AsRef<[f64]> + From<Vec<f64>>,
    M: From<Matrix<f64>>,
{
    type Param = V;
    type Hessian = M;

    fn hessian(&self, x: &V) -> Result<M, Error> {
        Ok(self.f.hessian(self.point(x).borrow()).into())
    }
}

impl<F, P, V, M> Operator for Problem<F, P, V, M>
where
    F: FallibleResiduals<Point = P, Error: Into<Error>>,
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
    V: AsRef<[f64]> + From<Vec<f64>>,
{
    type Param = V;
    type Output = V;

    fn apply(&self, x: &V) -> Result<V, Error> {
        let residuals = self.f.try_residuals(self.point(x).borrow());
        Ok(residuals.map_err(Into::into)?.into())
    }
}

impl<F, P, V, M> Jacobian for Problem<F, P, V, M>
where
    F: FallibleResiduals<Point = P, Error: Into<Error>>,
    P: Parameters + ToOwned<Owned: BorrowMut<P>> + ?Sized,
    V: AsRef<[f64]> + From<Vec<f64>>,
    M: From<Matrix<f64>>,
{
    type Param = V;
    type Jacobian = M;

    fn jacobian(&self, x: &V) -> Result<M, Error> {
        let both = self.f.try_residuals_and_jacobian(self.point(x).borrow());
        let (_, jacobian) = both.map_err(Into::into)?;
        Ok(jacobian.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::Residuals;

    /// `x y - 6` and `x²`.
    struct Both;

    impl Residuals for Both {
        type Point = [f64; 2];
        fn residuals(&self, [x, y]: &[f64; 2]) -> Vec<f64> {
            alloc::vec![x * y - 6.0, x * x]
        }
        fn residuals_and_jacobian(&self, at: &[f64; 2]) -> (Vec<f64>, Matrix<f64>) {
            let [x, y] = *at;
            let jacobian = Matrix::from_vec(2, 2, alloc::vec![y, x, 2.0 * x, 0.0]);
            (self.residuals(at), jacobian)
        }
    }

    #[test]
    fn residuals_are_an_operator_with_a_jacobian() {
        let problem = Problem::of_residuals(Both, &[2.0, 5.0]);
        let x = problem.start();
        assert_eq!(problem.apply(&x).unwrap(), [4.0, 4.0]);
        let rows = problem.jacobian(&x).unwrap();
        assert_eq!(rows, [[5.0, 2.0], [4.0, 0.0]]);
        assert_eq!(problem.point(&x), [2.0, 5.0]);
    }

    /// A root, which negative numbers have not.
    struct Root;

    #[derive(Debug)]
    struct Negative;

    impl core::fmt::Display for Negative {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            f.write_str("negative")
        }
    }

    impl core::error::Error for Negative {}

    impl FallibleObjective for Root {
        type Point = [f64; 1];
        type Error = Negative;
        fn try_value(&self, [x]: &[f64; 1]) -> Result<f64, Negative> {
            if *x < 0.0 {
                Err(Negative)
            } else {
                Ok(x.sqrt())
            }
        }
        fn try_value_and_grad(&self, x: &[f64; 1]) -> Result<(f64, [f64; 1]), Negative> {
            self.try_value(x).map(|y| (y, [0.5 / y]))
        }
    }

    #[test]
    fn errors_of_functions_are_those_of_the_problem() {
        let problem = Problem::of(Root, &[4.0]);
        let x = problem.start();
        assert_eq!(problem.cost(&x).unwrap(), 2.0);
        assert_eq!(problem.gradient(&x).unwrap(), [0.25]);
        let outside = alloc::vec![-4.0];
        assert!(problem.cost(&outside).unwrap_err().is::<Negative>());
        assert!(problem.gradient(&outside).unwrap_err().is::<Negative>());
    }
}
