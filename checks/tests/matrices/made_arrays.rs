//! Arrays made of lists in a shape, and of chains; what is mapped over them.

use anyhow::Result;
use autodiff::grad;
use ndarray::{Array, Array1, Array2, ShapeError};

use super::judge;

#[grad(order = 2)]
fn in_shape(x: &[f64], n: usize) -> f64 {
    let a = Array2::from_shape_vec((n, 2), x.to_vec()).unwrap();
    let b = Array::from_shape_vec((2, n), x.iter().map(|v| v * v).collect()).expect("it fits");
    a.dot(&b).sum() + a[[0, 1]] * b.sum()
}

#[grad(order = 2)]
fn of_chain(x: &[f64]) -> f64 {
    let a = Array::from_iter(x.iter().map(|v| v.sin()));
    a.dot(&a) + a.sum()
}

#[grad(order = 2)]
fn mapped(a: &Array1<f64>) -> f64 {
    let b = a.map(|x| x.powi(2));
    b.dot(a) + a.map(|&x| x.exp()).sum()
}

#[grad]
fn tried(x: &[f64], n: usize) -> Result<f64, ShapeError> {
    let a = Array2::from_shape_vec((n, 2), x.to_vec())?;
    Ok(a.dot(&a.t()).sum())
}

#[grad]
fn told(x: &[f64], n: usize) -> Result<f64, String> {
    let a = Array2::<f64>::from_shape_vec((n, 2), x.to_vec()).map_err(|e| e.to_string())?;
    Ok(a.dot(&a.t()).sum())
}

#[grad]
fn passed_on(x: &[f64], n: usize) -> Result<f64> {
    let a = Array::from_shape_vec((2, n), x.to_vec())?;
    Ok(a.t().dot(&a).sum())
}

#[test]
fn arrays_of_lists_have_their_derivatives() {
    let x = vec![0.4, -0.8, 1.1, 0.3];
    let in_two = |x: &[f64]| in_shape(x, 2);
    assert_eq!(
        in_two(&x).to_bits(),
        in_shape::value_and_grad(&x, 2).0.to_bits()
    );
    let slope = |x: &[f64]| judge::differences(x, |x| vec![in_two(x)]);
    judge::assert_near("in a shape", &in_shape::grad(&x, 2), &slope(&x), 1e-8);
    let second = judge::differences(&x, |x| in_shape::grad(x, 2));
    judge::assert_near(
        "its second",
        in_shape::hessian(&x, 2).as_slice(),
        &second,
        1e-7,
    );
    check!(of_chain(x of_list));
    let a = Array1::from_vec(x);
    check!(mapped(a by_ref));
}

#[test]
fn a_shape_that_does_not_fit_is_an_error() {
    let x = [0.4, -0.8, 1.1, 0.3];
    // The squares of the sums of columns, and those of rows.
    let (first, second) = (x[0] + x[2], x[1] + x[3]);
    let truth = [first, second, first, second].map(|sum| 2.0 * sum);
    let (first, second) = (x[0] + x[1], x[2] + x[3]);
    let of_rows = [first, first, second, second].map(|sum| 2.0 * sum);
    judge::assert_near("tried", &tried::grad(&x, 2).unwrap(), &truth, 1e-14);
    judge::assert_near("told", &told::grad(&x, 2).unwrap(), &truth, 1e-14);
    let ours = passed_on::grad(&x, 2).unwrap();
    judge::assert_near("passed on", &ours, &of_rows, 1e-14);
    assert_eq!(tried::grad(&x, 3), tried(&x, 3).map(|_| Vec::new()));
    assert!(tried(&x, 3).is_err());
    assert_eq!(told::grad(&x, 3).unwrap_err(), told(&x, 3).unwrap_err());
    assert!(passed_on::grad(&x, 3).is_err());
}
