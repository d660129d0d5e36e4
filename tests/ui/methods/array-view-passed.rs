//! A view that a function is given cannot be followed; the array can be lent.

use autodiff::grad;
use ndarray::{Array1, ArrayView1};

#[grad]
fn total(x: ArrayView1<f64>) -> f64 {
    x.sum()
}

#[grad]
fn loss(x: &Array1<f64>) -> f64 {
    let y = x * 2.0;
    total(y.view())
}

fn main() {}
