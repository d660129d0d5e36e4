//! Systems that are solved with factors of a matrix.

use autodiff::grad;
use nalgebra::{DMatrix, DVector, Matrix3, Matrix3x2, Vector3};

use super::judge;

#[grad(order = 2)]
fn by_cholesky(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    let x = a.cholesky().unwrap().solve(b);
    x.norm_squared() + x.x * b.y
}

#[grad(order = 2)]
fn by_lu(a: &Matrix3<f64>, b: &Vector3<f64>) -> f64 {
    let x = a.lu().solve(b).unwrap();
    x.norm_squared() + x.x * b.y
}

#[grad(order = 2)]
fn of_any_size(a: &DMatrix<f64>, b: &DVector<f64>, c: &DMatrix<f64>) -> f64 {
    let k = a * a.transpose();
    let Some(factor) = k.cholesky() else {
        return 0.0;
    };
    let x = factor.solve(b);
    let y = factor.solve(c);
    match a.clone().lu().solve(&y) {
        Some(z) => (z.transpose() * x).sum() + factor.ln_determinant(),
        None => 0.0,
    }
}

#[grad(order = 2)]
fn of_factors(a: &Matrix3<f64>, m: &Matrix3x2<f64>) -> f64 {
    let factor = a.cholesky().unwrap();
    let whitened = factor.l() * m;
    let lu = a.lu();
    whitened.norm_squared() * factor.determinant()
        + factor.inverse()[(0, 1)]
        + (lu.try_inverse().unwrap() * m).sum()
        + factor.l()[(2, 1)]
}

/// The logarithm of a normal density.
#[grad(order = 2)]
fn ln_density(x: &DVector<f64>, mean: &DVector<f64>, l: &DMatrix<f64>) -> f64 {
    let factor = (l * l.transpose()).cholesky().expect("definite");
    let d = x - mean;
    -0.5 * (d.dot(&factor.solve(&d)) + factor.ln_determinant())
}

#[grad]
fn solved(a: &Matrix3<f64>, b: &Vector3<f64>) -> Result<Vector3<f64>, String> {
    let factor = a.cholesky().ok_or("not definite")?;
    Ok(factor.solve(b))
}

#[grad]
fn newton(hessian: Matrix3<f64>, slopes: &[Vector3<f64>]) -> f64 {
    let mut step = Vector3::zeros();
    for g in slopes {
        step -= 0.1 * hessian.cholesky().unwrap().solve(g);
    }
    step.norm()
}

#[test]
fn every_row_of_factors_has_its_derivatives() {
    // No symmetric matrix: the crate looks at one triangle.
    let a = Matrix3::new(4.0, 0.1, 0.2, 1.0, 3.0, 0.3, -0.5, 0.7, 2.0);
    let b = Vector3::new(0.3, 0.7, -1.1);
    check!(by_cholesky(a by_ref, b by_ref));
    // Rows change places.
    let turned = Matrix3::new(0.1, 2.0, 0.5, -3.0, 0.3, 0.8, 2.0, -0.7, 1.5);
    check!(by_lu(turned by_ref, b by_ref));
    let k = DMatrix::from_fn(3, 3, |i, j| {
        ((i * 2 + j) as f64 * 0.9).cos() + if i == j { 1.0 } else { 0.0 }
    });
    let d = DVector::from_vec(vec![1.0, 2.0, -0.5]);
    let c = DMatrix::from_fn(3, 2, |i, j| 0.4 * i as f64 - 0.7 * j as f64 + 0.3);
    check!(of_any_size(k by_ref, d by_ref, c by_ref));
    let m = Matrix3x2::new(0.4, -0.3, 1.2, 0.7, 0.9, -0.5);
    check!(of_factors(a by_ref, m by_ref));
    let e = DVector::from_vec(vec![0.4, -2.0, 1.5]);
    check!(ln_density(d by_ref, e by_ref, k by_ref));
    let slopes = vec![b, Vector3::new(1.0, 0.2, 0.4)];
    check!(once newton(a by_value, slopes of_list));
}

#[test]
fn what_is_not_definite_has_no_factor() {
    let (a, b) = (-Matrix3::identity(), Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(solved::vjp(&a, &b, b), Err("not definite".to_owned()));
    let (x, (to_a, to_b)) = solved::vjp(&(a * -4.0), &b, b).unwrap();
    assert_eq!((x, to_b), (b / 4.0, b / 4.0));
    let whole = -b * b.transpose() / 16.0;
    for (i, j) in [(0, 0), (1, 1), (2, 2)] {
        assert!((to_a[(i, j)] - whole[(i, j)]).abs() < 1e-14);
    }
    for (i, j) in [(1, 0), (2, 0), (2, 1)] {
        assert!((to_a[(i, j)] - 2.0 * whole[(i, j)]).abs() < 1e-14);
        assert_eq!(to_a[(j, i)], 0.0);
    }
}
