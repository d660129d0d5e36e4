//! Constants that are given other values in loops, beside what has derivatives.

use autodiff::grad;
use nalgebra::{DMatrix, Matrix3};
use ndarray::{Array1, Array2};

use super::judge;

#[grad(order = 2)]
fn filtered(x: &Matrix3<f64>, k: f64) -> f64 {
    let mut p = Matrix3::<f64>::identity();
    let f = Matrix3::<f64>::new(0.5, 0.1, 0.2, 0.0, 0.3, 0.1, 0.2, 0.1, 0.4);
    let mut y = k;
    for _ in 0..4 {
        y += y * (x * p).norm();
        p = f * p * f.transpose();
    }
    y * k
}

#[grad(order = 2)]
fn on_the_heap(x: &DMatrix<f64>, k: f64) -> f64 {
    let mut p = DMatrix::<f64>::identity(2, 2);
    let mut y = k;
    for _ in 0..4 {
        y += y * (x * &p).norm() + (&p * x).norm_squared();
        p = &p * 0.5;
        p = p * 0.9;
        p *= 1.1;
    }
    y * k
}

#[grad(order = 2)]
fn entrywise(x: &Array1<f64>, k: f64) -> f64 {
    let mut w = Array1::<f64>::ones(3);
    let mut y = k;
    for i in 0..4 {
        y += y * (x * &w * x).sum() * 0.3 + x.dot(&w) * k;
        if i > 1 {
            w = &w * 0.5;
        } else {
            w *= 0.75;
            w = w + 0.1;
        }
    }
    y * k
}

#[grad(order = 2)]
fn products(x: &Array2<f64>, k: f64) -> f64 {
    let mut w = Array2::<f64>::ones((2, 2)) * 0.3;
    let mut y = k;
    for _ in 0..4 {
        y += y * x.dot(&w).dot(x).sum() + w.dot(x).sum();
        w = w.dot(&w);
        w += 0.2;
    }
    y * k
}

#[test]
fn reassigned_constants() {
    let x = Matrix3::new(0.3, -0.4, 0.8, 0.2, 0.7, -0.5, 0.9, 0.1, -0.6);
    let k = 0.6;
    check!(filtered(x by_ref, k by_value));
    let x = DMatrix::from_row_slice(2, 2, &[0.3, -0.4, 0.8, 0.2]);
    check!(on_the_heap(x by_ref, k by_value));
    let x = Array1::from(vec![0.3, -0.4, 0.8]);
    check!(entrywise(x by_ref, k by_value));
    let x = Array2::from_shape_vec((2, 2), vec![0.3, -0.4, 0.8, 0.2]).unwrap();
    check!(products(x by_ref, k by_value));
}
