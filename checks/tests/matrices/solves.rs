//! Systems of linear equations, by the functions of `linalg`.

use autodiff::{grad, linalg};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix3x2, Vector3};

use super::judge;

#[grad(order = 2)]
fn of_fixed_size(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    let x = linalg::solve(a, b);
    x.dot(&x) + x.x * b.y
}

#[grad(order = 2)]
fn of_several(a: &Matrix3<f64>, b: &Matrix3x2<f64>) -> f64 {
    let x = linalg::solve(&(a * 2.0), b);
    x.norm_squared() * x[(1, 0)]
}

#[grad(order = 2)]
fn of_any_size(a: &DMatrix<f64>, b: &DVector<f64>) -> f64 {
    let x = linalg::solve(a, b);
    x.norm_squared() + linalg::solve(a, &x).sum()
}

#[grad(order = 2)]
fn of_any_width(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    linalg::solve(a, b).norm_squared()
}

#[grad(order = 2)]
fn symmetric(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    let x = linalg::cholesky_solve(&(a * a.transpose()), b);
    x.dot(b) * x.z
}

#[grad(order = 2)]
fn symmetric_of_any_size(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let x = linalg::cholesky_solve(&(a * a.transpose()), b);
    x.norm_squared()
}

#[grad(order = 2)]
fn tried(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    match linalg::try_solve(a, b) {
        Some(x) => x.norm_squared(),
        None => b.norm_squared() * a[(0, 0)],
    }
}

#[grad(order = 2)]
fn tried_as_symmetric(a: &Matrix3<f64>, b: &Vector3<f64>) -> Option<f64> {
    let x = linalg::try_cholesky_solve(a, b)?;
    Some(x.norm_squared())
}

#[test]
fn solutions_have_the_derivatives_of_differences() {
    let a = Matrix3::new(2.0, 0.3, -0.4, 0.1, 1.7, 0.6, -0.5, 0.2, 1.4);
    let b = Vector3::new(0.7, -1.1, 0.4);
    check!(of_fixed_size(a by_ref, b by_ref));
    check!(symmetric(a by_ref, b by_ref));
    check!(tried(a by_ref, b by_ref));
    let several = Matrix3x2::new(0.7, 0.2, -1.1, 0.5, 0.4, -0.9);
    check!(of_several(a by_ref, several by_ref));
    let (large, right) = (
        DMatrix::from_fn(3, 3, |i, j| a[(i, j)]),
        DVector::from_column_slice(b.as_slice()),
    );
    check!(of_any_size(large by_ref, right by_ref));
    let wide = DMatrix::from_column_slice(3, 2, several.as_slice());
    check!(of_any_width(large by_ref, wide by_ref));
    check!(symmetric_of_any_size(large by_ref, wide by_ref));
}

#[test]
fn singular_matrices_have_no_solution() {
    let (a, b) = (Matrix3::zeros(), Vector3::new(1.0, 2.0, 2.0));
    let (by_a, by_b) = tried::grad(&a, &b);
    assert_eq!(by_a[(0, 0)], 9.0);
    assert_eq!(by_b, Vector3::zeros());
    assert!(tried_as_symmetric::grad(&a, &b).is_none());
    let (by_a, by_b) = tried_as_symmetric::grad(&Matrix3::identity(), &b).unwrap();
    assert_eq!(by_b, b * 2.0);
    assert_eq!(by_a[(2, 2)], -8.0);
    // The lower triangle has all of the gradient.
    assert_eq!((by_a[(1, 0)], by_a[(0, 1)]), (-8.0, 0.0));
}
