//! Derivatives of closures.

use alloc::vec::Vec;

use super::{Tape, Var};
use crate::float::Float;
use crate::matrix::Matrix;

/// The derivative of a closure from a variable to a number, on a tape.
///
/// ```
/// use autodiff_runtime::tape::derivative;
///
/// assert_eq!(derivative(|x| x * x.sin(), 0.5), 0.5_f64.sin() + 0.5 * 0.5_f64.cos());
/// ```
pub fn derivative<T: Float>(f: impl for<'t> FnOnce(Var<'t, T>) -> Var<'t, T>, x: T) -> T {
    let tape = Tape::default();
    let variable = tape.var(x);
    f(variable).backward().wrt(variable)
}

/// The gradient of a closure from variables to a number, on a tape.
///
/// ```
/// use autodiff_runtime::tape::grad;
///
/// let gradient = grad(|x| x[0] * x[1].sin(), &[2.0, 0.0]);
/// assert_eq!(gradient, [0.0, 2.0]);
/// ```
pub fn grad<T: Float>(f: impl for<'t> FnOnce(&[Var<'t, T>]) -> Var<'t, T>, x: &[T]) -> Vec<T> {
    value_and_grad(f, x).1
}

/// The value and the gradient of a closure.
///
/// ```
/// use autodiff_runtime::tape::value_and_grad;
///
/// let point = vec![3.0, 4.0];
/// let (value, gradient) = value_and_grad(|x| x.iter().map(|x| x * x).sum(), &point);
/// assert_eq!((value, gradient), (25.0, vec![6.0, 8.0]));
/// ```
pub fn value_and_grad<T: Float>(
    f: impl for<'t> FnOnce(&[Var<'t, T>]) -> Var<'t, T>,
    x: &[T],
) -> (T, Vec<T>) {
    let tape = Tape::default();
    let variables = tape.vars(x);
    let y = f(&variables);
    (y.value(), y.backward().wrt(&variables))
}

/// The Jacobian of a closure from variables to several numbers: a row for each of them.
///
/// ```
/// use autodiff_runtime::tape::jacobian;
///
/// let j = jacobian(|x| vec![x[0] * x[1], x[0] + 1.0], &[2.0, 3.0]);
/// assert_eq!(j.as_slice(), [3.0, 2.0, 1.0, 0.0]);
/// ```
pub fn jacobian<T: Float>(
    f: impl for<'t> FnOnce(&[Var<'t, T>]) -> Vec<Var<'t, T>>,
    x: &[T],
) -> Matrix<T> {
    let tape = Tape::default();
    let variables = tape.vars(x);
    let results = f(&variables);
    let mut matrix = Matrix::zeros(results.len(), x.len());
    for (row, result) in results.iter().enumerate() {
        let gradient = result.backward().wrt(&variables);
        matrix.row_mut(row).copy_from_slice(&gradient);
    }
    matrix
}

/// The Hessian of a closure from variables to a number.
///
/// ```
/// use autodiff_runtime::tape::hessian;
///
/// let h = hessian(|x| x[0] * x[0] * x[1], &[2.0, 3.0]);
/// assert_eq!(h.as_slice(), [6.0, 4.0, 4.0, 0.0]);
/// ```
pub fn hessian<T: Float>(
    f: impl for<'t> FnOnce(&[Var<'t, T>]) -> Var<'t, T>,
    x: &[T],
) -> Matrix<T> {
    let tape = Tape::default();
    tape.keep_details();
    let variables = tape.vars(x);
    let gradient = f(&variables).backward_recorded().wrt(&variables);
    let mut matrix = Matrix::zeros(x.len(), x.len());
    for (row, entry) in gradient.iter().enumerate() {
        let entries = entry.backward().wrt(&variables);
        matrix.row_mut(row).copy_from_slice(&entries);
    }
    matrix
}
