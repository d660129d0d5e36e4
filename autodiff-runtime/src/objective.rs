//! Functions as solvers take them: a point in, a value and its derivative out.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec, vec::Vec};
use core::convert::Infallible;
use core::marker::PhantomData;

#[cfg(feature = "alloc")]
use crate::matrix::Matrix;
#[cfg(feature = "alloc")]
use crate::num::{self, Numeric};
use crate::tangent::{Differentiable, Parameters};

/// A function with one number as its value, for optimisers.
///
/// A `#[grad]` function of one parameter is one, `f {}`; where it has constants besides, `f::with(…)` is.
///
/// ```
/// use autodiff_runtime::objective::Objective;
/// use autodiff_runtime::tangent::Tangent;
///
/// struct Bowl;
/// impl Objective for Bowl {
///     type Point = [f64];
///     fn value(&self, x: &[f64]) -> f64 {
///         x.iter().map(|x| x * x).sum()
///     }
///     fn value_and_grad(&self, x: &[f64]) -> (f64, Vec<f64>) {
///         (self.value(x), x.iter().map(|x| 2.0 * x).collect())
///     }
/// }
///
/// /// One that knows nothing of what it minimises.
/// fn slope(f: &dyn Objective<Point = [f64]>, x: &[f64]) -> f64 {
///     f.value_and_grad(x).1.norm2().sqrt()
/// }
/// assert_eq!(slope(&Bowl, &[1.5, 2.0]), 5.0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no function that a solver can minimise",
    label = "no `Objective`",
    note = "`f {{}}` is one for a `#[grad]` function of one parameter whose result is a number, and `f::with(…)` for one that has constants besides"
)]
pub trait Objective {
    /// What the function takes.
    type Point: Parameters + ?Sized;

    /// The value at `x`.
    fn value(&self, x: &Self::Point) -> f64;

    /// The value at `x`, and the gradient.
    fn value_and_grad(&self, x: &Self::Point) -> (f64, <Self::Point as Differentiable>::Tangent);
}

/// An objective with second derivatives, for Newton's method and its kin.
///
/// A function with `#[grad(order = 2)]` is one, where it is an [`Objective`].
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use autodiff_runtime::objective::{Hessian, Objective};
///
/// struct Bowl;
/// impl Objective for Bowl {
///     type Point = [f64; 1];
///     fn value(&self, [x]: &[f64; 1]) -> f64 {
///         x * x
///     }
///     fn value_and_grad(&self, [x]: &[f64; 1]) -> (f64, [f64; 1]) {
///         (x * x, [2.0 * x])
///     }
/// }
/// impl Hessian for Bowl {
///     fn value_grad_hessian(&self, [x]: &[f64; 1]) -> (f64, [f64; 1], Matrix<f64>) {
///         (x * x, [2.0 * x], Matrix::from_vec(1, 1, vec![2.0]))
///     }
/// }
/// assert_eq!(Bowl.hessian(&[3.0])[[0, 0]], 2.0);
/// ```
#[cfg(feature = "alloc")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no second derivatives for a solver",
    label = "no `Hessian`",
    note = "write `#[grad(order = 2)]` on the function"
)]
pub trait Hessian: Objective {
    /// The value at `x`, the gradient and the Hessian: a row and a column per scalar of `x`.
    fn value_grad_hessian(
        &self,
        x: &Self::Point,
    ) -> (f64, <Self::Point as Differentiable>::Tangent, Matrix<f64>);

    /// The Hessian at `x`.
    fn hessian(&self, x: &Self::Point) -> Matrix<f64> {
        self.value_grad_hessian(x).2
    }
}

/// A function with several numbers as its value, for least squares and systems of equations.
///
/// A `#[grad]` function of one parameter is one, `f {}`; where it has constants besides, `f::with(…)` is.
/// The numbers stand in the order in which they are written, and so do the columns of the Jacobian.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use autodiff_runtime::objective::Residuals;
///
/// struct Product;
/// impl Residuals for Product {
///     type Point = [f64; 2];
///     fn residuals(&self, [x, y]: &[f64; 2]) -> Vec<f64> {
///         vec![x * y - 6.0]
///     }
///     fn residuals_and_jacobian(&self, at: &[f64; 2]) -> (Vec<f64>, Matrix<f64>) {
///         (self.residuals(at), Matrix::from_vec(1, 2, vec![at[1], at[0]]))
///     }
/// }
/// assert_eq!(Product.residuals_and_jacobian(&[2.0, 4.0]).1.row(0), [4.0, 2.0]);
/// ```
#[cfg(feature = "alloc")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no function of residuals",
    label = "no `Residuals`",
    note = "`f {{}}` is one for a `#[grad]` function of one parameter whose result is an array, a vector or a tuple, and `f::with(…)` for one that has constants besides"
)]
pub trait Residuals {
    /// What the function takes.
    type Point: Parameters + ?Sized;

    /// The values at `x`.
    fn residuals(&self, x: &Self::Point) -> Vec<f64>;

    /// The values at `x`, and the Jacobian: a row per value, and a column per scalar of `x`.
    fn residuals_and_jacobian(&self, x: &Self::Point) -> (Vec<f64>, Matrix<f64>);
}

/// A function with one number as its value, which may fail, for optimisers.
///
/// A `#[grad]` function of one parameter that returns a `Result` is one, `f {}`; where it has constants besides, `f::with(…)` is.
/// Where it returns an `Option`, the error is `()`.
/// Every [`Objective`] is one that never fails.
///
/// ```
/// use autodiff_runtime::objective::FallibleObjective;
/// use autodiff_runtime::tangent::Tangent;
///
/// struct Root;
/// impl FallibleObjective for Root {
///     type Point = f64;
///     type Error = String;
///     fn try_value(&self, x: &f64) -> Result<f64, String> {
///         if *x < 0.0 { Err(format!("{x} is negative")) } else { Ok(x.sqrt()) }
///     }
///     fn try_value_and_grad(&self, x: &f64) -> Result<(f64, f64), String> {
///         self.try_value(x).map(|y| (y, 0.5 / y))
///     }
/// }
///
/// /// One step down, or none from where the function fails.
/// fn step<E>(f: &dyn FallibleObjective<Point = f64, Error = E>, x: f64) -> Result<f64, E> {
///     Ok(x - f.try_value_and_grad(&x)?.1)
/// }
/// assert_eq!(step(&Root, 4.0), Ok(3.75));
/// assert_eq!(step(&Root, -4.0), Err("-4 is negative".to_string()));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no function that a solver can minimise",
    label = "no `FallibleObjective`",
    note = "`f {{}}` is one for a `#[grad]` function of one parameter whose result is a number or a `Result` of one, and `f::with(…)` for one that has constants besides"
)]
pub trait FallibleObjective {
    /// What the function takes.
    type Point: Parameters + ?Sized;

    /// Why there is no value.
    type Error;

    /// The value at `x`.
    ///
    /// # Errors
    /// Where the function fails.
    fn try_value(&self, x: &Self::Point) -> Result<f64, Self::Error>;

    /// The value at `x`, and the gradient.
    ///
    /// # Errors
    /// Where the function fails.
    fn try_value_and_grad(
        &self,
        x: &Self::Point,
    ) -> Result<(f64, <Self::Point as Differentiable>::Tangent), Self::Error>;
}

#[diagnostic::do_not_recommend]
impl<O: Objective + ?Sized> FallibleObjective for O {
    type Point = O::Point;
    type Error = Infallible;

    fn try_value(&self, x: &O::Point) -> Result<f64, Infallible> {
        Ok(self.value(x))
    }

    fn try_value_and_grad(
        &self,
        x: &O::Point,
    ) -> Result<(f64, <O::Point as Differentiable>::Tangent), Infallible> {
        Ok(self.value_and_grad(x))
    }
}

/// A function with several numbers as its value, which may fail, for least squares and systems of equations.
///
/// A `#[grad]` function of one parameter that returns a `Result` of an array, a vector or a tuple is one, `f {}`; where it has constants besides, `f::with(…)` is.
/// Where it returns an `Option`, the error is `()`.
/// [`Residuals`] are such a function that never fails.
///
/// ```
/// use autodiff_runtime::matrix::Matrix;
/// use autodiff_runtime::objective::FallibleResiduals;
///
/// struct Quotient;
/// impl FallibleResiduals for Quotient {
///     type Point = [f64; 2];
///     type Error = &'static str;
///     fn try_residuals(&self, &[x, y]: &[f64; 2]) -> Result<Vec<f64>, &'static str> {
///         if y == 0.0 { Err("division by zero") } else { Ok(vec![x / y]) }
///     }
///     fn try_residuals_and_jacobian(&self, at: &[f64; 2]) -> Result<(Vec<f64>, Matrix<f64>), &'static str> {
///         let jacobian = Matrix::from_vec(1, 2, vec![1.0 / at[1], -at[0] / (at[1] * at[1])]);
///         Ok((self.try_residuals(at)?, jacobian))
///     }
/// }
/// assert_eq!(Quotient.try_residuals_and_jacobian(&[6.0, 2.0]).unwrap().1.row(0), [0.5, -1.5]);
/// assert!(Quotient.try_residuals(&[6.0, 0.0]).is_err());
/// ```
#[cfg(feature = "alloc")]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no function of residuals",
    label = "no `FallibleResiduals`",
    note = "`f {{}}` is one for a `#[grad]` function of one parameter whose result is an array, a vector or a tuple, or a `Result` of one, and `f::with(…)` for one that has constants besides"
)]
pub trait FallibleResiduals {
    /// What the function takes.
    type Point: Parameters + ?Sized;

    /// Why there are no values.
    type Error;

    /// The values at `x`.
    ///
    /// # Errors
    /// Where the function fails.
    fn try_residuals(&self, x: &Self::Point) -> Result<Vec<f64>, Self::Error>;

    /// The values at `x`, and the Jacobian: a row per value, and a column per scalar of `x`.
    ///
    /// # Errors
    /// Where the function fails.
    fn try_residuals_and_jacobian(
        &self,
        x: &Self::Point,
    ) -> Result<(Vec<f64>, Matrix<f64>), Self::Error>;
}

#[cfg(feature = "alloc")]
#[diagnostic::do_not_recommend]
impl<R: Residuals + ?Sized> FallibleResiduals for R {
    type Point = R::Point;
    type Error = Infallible;

    fn try_residuals(&self, x: &R::Point) -> Result<Vec<f64>, Infallible> {
        Ok(self.residuals(x))
    }

    fn try_residuals_and_jacobian(
        &self,
        x: &R::Point,
    ) -> Result<(Vec<f64>, Matrix<f64>), Infallible> {
        Ok(self.residuals_and_jacobian(x))
    }
}

macro_rules! forwarded {
    ($($pointer:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<O: Objective + ?Sized> Objective for $pointer {
            type Point = O::Point;
            fn value(&self, x: &O::Point) -> f64 {
                (**self).value(x)
            }
            fn value_and_grad(&self, x: &O::Point) -> (f64, <O::Point as Differentiable>::Tangent) {
                (**self).value_and_grad(x)
            }
        }
        #[cfg(feature = "alloc")]
        #[diagnostic::do_not_recommend]
        impl<O: Hessian + ?Sized> Hessian for $pointer {
            fn value_grad_hessian(&self, x: &O::Point) -> (f64, <O::Point as Differentiable>::Tangent, Matrix<f64>) {
                (**self).value_grad_hessian(x)
            }
            fn hessian(&self, x: &O::Point) -> Matrix<f64> {
                (**self).hessian(x)
            }
        }
        #[cfg(feature = "alloc")]
        #[diagnostic::do_not_recommend]
        impl<O: Residuals + ?Sized> Residuals for $pointer {
            type Point = O::Point;
            fn residuals(&self, x: &O::Point) -> Vec<f64> {
                (**self).residuals(x)
            }
            fn residuals_and_jacobian(&self, x: &O::Point) -> (Vec<f64>, Matrix<f64>) {
                (**self).residuals_and_jacobian(x)
            }
        }
    )*};
}
forwarded!(&O);
#[cfg(feature = "alloc")]
forwarded!(Box<O>);

/// A function whose constants are bound.
struct Bound<P: ?Sized, F> {
    /// Told whether the derivative is asked for.
    f: F,
    point: PhantomData<fn(&P)>,
}

impl<P, F> Objective for Bound<P, F>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> (f64, Option<P::Tangent>),
{
    type Point = P;

    fn value(&self, x: &P) -> f64 {
        (self.f)(x, false).0
    }

    fn value_and_grad(&self, x: &P) -> (f64, P::Tangent) {
        let (value, gradient) = (self.f)(x, true);
        (value, gradient.unwrap_or_else(|| x.zero_tangent()))
    }
}

#[cfg(feature = "alloc")]
impl<P, F> Residuals for Bound<P, F>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> (Vec<f64>, Matrix<f64>),
{
    type Point = P;

    fn residuals(&self, x: &P) -> Vec<f64> {
        (self.f)(x, false).0
    }

    fn residuals_and_jacobian(&self, x: &P) -> (Vec<f64>, Matrix<f64>) {
        (self.f)(x, true)
    }
}

/// An objective of a function that yields the value, and the gradient where it is asked for.
#[doc(hidden)]
#[inline]
pub fn objective<P, F>(f: F) -> impl Objective<Point = P>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> (f64, Option<P::Tangent>),
{
    Bound {
        f,
        point: PhantomData,
    }
}

/// A function that may fail, whose constants are bound.
struct Tried<P: ?Sized, E, F> {
    /// Told whether the derivative is asked for.
    f: F,
    types: PhantomData<fn(&P) -> E>,
}

impl<P, E, F> FallibleObjective for Tried<P, E, F>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> Result<(f64, Option<P::Tangent>), E>,
{
    type Point = P;
    type Error = E;

    fn try_value(&self, x: &P) -> Result<f64, E> {
        Ok((self.f)(x, false)?.0)
    }

    fn try_value_and_grad(&self, x: &P) -> Result<(f64, P::Tangent), E> {
        let (value, gradient) = (self.f)(x, true)?;
        Ok((value, gradient.unwrap_or_else(|| x.zero_tangent())))
    }
}

#[cfg(feature = "alloc")]
impl<P, E, F> FallibleResiduals for Tried<P, E, F>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> Result<(Vec<f64>, Matrix<f64>), E>,
{
    type Point = P;
    type Error = E;

    fn try_residuals(&self, x: &P) -> Result<Vec<f64>, E> {
        Ok((self.f)(x, false)?.0)
    }

    fn try_residuals_and_jacobian(&self, x: &P) -> Result<(Vec<f64>, Matrix<f64>), E> {
        (self.f)(x, true)
    }
}

/// An objective of a function that yields the value, and the gradient where it is asked for, or fails.
#[doc(hidden)]
#[inline]
pub fn fallible_objective<P, E, F>(f: F) -> impl FallibleObjective<Point = P, Error = E>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> Result<(f64, Option<P::Tangent>), E>,
{
    Tried {
        f,
        types: PhantomData,
    }
}

/// Residuals of a function that yields the values, and the Jacobian where it is asked for, or fails.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[inline]
pub fn fallible_residuals<P, E, F>(f: F) -> impl FallibleResiduals<Point = P, Error = E>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> Result<(Vec<f64>, Matrix<f64>), E>,
{
    Tried {
        f,
        types: PhantomData,
    }
}

/// An objective whose constants are bound, with second derivatives.
#[cfg(feature = "alloc")]
struct Curved<P: ?Sized, F> {
    /// Told how many derivatives are asked for.
    f: F,
    point: PhantomData<fn(&P)>,
}

#[cfg(feature = "alloc")]
impl<P, F> Objective for Curved<P, F>
where
    P: Parameters + ?Sized,
    F: Fn(&P, u32) -> (f64, Option<P::Tangent>, Option<Matrix<f64>>),
{
    type Point = P;

    fn value(&self, x: &P) -> f64 {
        (self.f)(x, 0).0
    }

    fn value_and_grad(&self, x: &P) -> (f64, P::Tangent) {
        let (value, gradient, _) = (self.f)(x, 1);
        (value, gradient.unwrap_or_else(|| x.zero_tangent()))
    }
}

#[cfg(feature = "alloc")]
impl<P, F> Hessian for Curved<P, F>
where
    P: Parameters + ?Sized,
    F: Fn(&P, u32) -> (f64, Option<P::Tangent>, Option<Matrix<f64>>),
{
    fn value_grad_hessian(&self, x: &P) -> (f64, P::Tangent, Matrix<f64>) {
        let (value, gradient, hessian) = (self.f)(x, 2);
        (
            value,
            gradient.unwrap_or_else(|| x.zero_tangent()),
            hessian.unwrap_or_else(|| Matrix::zeros(0, 0)),
        )
    }
}

/// An objective of a function that yields the value, and the gradient and the Hessian where they are asked for.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[inline]
pub fn curved<P, F>(f: F) -> impl Hessian<Point = P>
where
    P: Parameters + ?Sized,
    F: Fn(&P, u32) -> (f64, Option<P::Tangent>, Option<Matrix<f64>>),
{
    Curved {
        f,
        point: PhantomData,
    }
}

/// Residuals of a function that yields the values, and the Jacobian where it is asked for.
#[cfg(feature = "alloc")]
#[doc(hidden)]
#[inline]
pub fn residuals<P, F>(f: F) -> impl Residuals<Point = P>
where
    P: Parameters + ?Sized,
    F: Fn(&P, bool) -> (Vec<f64>, Matrix<f64>),
{
    Bound {
        f,
        point: PhantomData,
    }
}

/// The scalars of a value.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub fn flat<R: Differentiable + ?Sized>(value: &R) -> Vec<f64> {
    use crate::tangent::Tangent;
    let mut out = vec![0.0; value.zero_tangent().scalar_count()];
    value.write_flat(&mut out);
    out
}

/// The matrix in double precision.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub fn wide<T: Numeric>(matrix: &Matrix<T>) -> Matrix<f64> {
    let elements = matrix.as_slice().iter().map(|x| num::cast(*x));
    Matrix::from_vec(matrix.rows(), matrix.cols(), elements.collect())
}
