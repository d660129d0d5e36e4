//! Arrays of ndarray: views of the whole, and what runs over parts.

use autodiff::grad;
use ndarray::{Array1, Array2, Axis, array};

use super::judge;

#[grad(order = 2)]
fn viewed(a: &Array1<f64>, m: &Array2<f64>) -> f64 {
    let (v, w) = (a.view(), m.view());
    let y = w.dot(&v);
    y.dot(&y) * v[0]
}

#[grad(order = 2)]
fn rows_of(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for row in m.outer_iter() {
        let y = row.dot(w);
        sum += y * y * row[0];
    }
    sum
}

#[grad(order = 2)]
fn columns_of(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for (k, column) in m.axis_iter(Axis(1)).enumerate() {
        sum += column.dot(&column) * w[k];
    }
    sum
}

#[grad(order = 2)]
fn mapped(m: &Array2<f64>, w: &Array1<f64>) -> f64 {
    m.outer_iter().map(|row| row.dot(w).exp()).sum()
}

#[test]
fn views_and_parts() {
    let (m, w) = (array![[0.3, -1.0], [0.8, 0.2]], array![0.7, -0.4]);
    check!(viewed(w by_ref, m by_ref));
    check!(rows_of(m by_ref, w by_ref));
    check!(columns_of(m by_ref, w by_ref));
    check!(mapped(m by_ref, w by_ref));
}
