//! Operands that a parameter lends: nothing of them is copied, and cotangents are added where they belong.

use autodiff::{Differentiable, grad};
use nalgebra::{DMatrix, DVector, Vector3};
use ndarray::Array1;

use super::judge;

/// Each parameter is an operand several times, and a product of its own.
#[grad(order = 2)]
fn several_times(m: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let y = m * x;
    let z = m * &y - x;
    let square = m * m;
    (&square * &z + x).dot(&y) + (x * 2.0).dot(&(x / 3.0))
}

#[grad(order = 2)]
fn applied(m: &DMatrix<f64>, x: &DVector<f64>) -> DVector<f64> {
    m * x + x
}

/// A function that is lent what its caller is.
#[grad(order = 2)]
fn through_calls(m: &DMatrix<f64>, x: &DVector<f64>, rounds: usize) -> f64 {
    let mut y = applied(m, x);
    for _ in 0..rounds {
        y = applied(m, &y) - x * 0.5;
    }
    if y[0] > 0.0 {
        (m * y).norm()
    } else {
        (m * x).dot(x)
    }
}

#[derive(Clone, Differentiable)]
struct Linear {
    #[constant]
    design: DMatrix<f64>,
    prior: DMatrix<f64>,
    offset: DVector<f64>,
}

/// Fields, of which one is a constant.
#[grad(order = 2)]
fn posterior(model: &Linear, x: &DVector<f64>) -> f64 {
    let r = &model.design * x - &model.offset;
    let p = &model.prior * x;
    0.5 * r.norm_squared() + p.dot(&(&model.design * &p))
}

impl Linear {
    #[grad(order = 2)]
    fn energy(&self, x: &DVector<f64>) -> f64 {
        (&self.design * x - &self.offset).norm_squared() + (&self.prior * x).norm_squared()
    }
}

#[grad(order = 2)]
fn constant_matrix(#[constant] m: &DMatrix<f64>, x: &DVector<f64>, y: &DVector<f64>) -> f64 {
    (m * x - y).norm_squared() + (x - y).norm_squared()
}

#[grad]
fn fitted(m: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    (m * x).norm_squared()
}

#[grad(order = 2)]
fn arrays(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let c = a * b - a;
    (&c / b + a).sum() + (a * a * b).sum()
}

/// One matrix times several columns.
#[grad(order = 2)]
fn columns(m: &DMatrix<f64>, k: &DMatrix<f64>) -> f64 {
    (m * k - k).norm_squared()
}

fn matrix(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| {
        ((3 * i + 2 * j) as f64 * 0.7).sin() * 0.5
    })
}

fn vector(count: usize) -> DVector<f64> {
    DVector::from_fn(count, |i, _| (i as f64 * 1.1 + 0.3).cos())
}

#[test]
fn what_is_lent_has_its_derivatives() {
    let (m, x, y) = (matrix(3, 3), vector(3), vector(3) * 0.7);
    check!(several_times(m by_ref, x by_ref));
    let k = matrix(3, 2);
    check!(columns(m by_ref, k by_ref));
    let model = Linear {
        design: matrix(3, 3) * 1.5,
        prior: m.clone(),
        offset: y.clone(),
    };
    check!(posterior(model by_ref, x by_ref));
    let (a, b) = (Array1::from(vec![0.3, -1.2]), Array1::from(vec![0.8, 1.7]));
    check!(arrays(a by_ref, b by_ref));

    let flat = |x: &DVector<f64>| x.as_slice().to_vec();
    let of = DVector::from_column_slice;
    let truth = judge::differences(&flat(&x), |x| vec![through_calls(&m, &of(x), 3)]);
    let (_, by_x) = through_calls::grad(&m, &x, 3);
    judge::assert_near("through calls", &flat(&by_x), &truth, 1e-8);
    let truth = judge::differences(m.as_slice(), |m| {
        vec![through_calls(&DMatrix::from_column_slice(3, 3, m), &x, 3)]
    });
    let (by_m, _) = through_calls::grad(&m, &x, 3);
    judge::assert_near("through calls", by_m.as_slice(), &truth, 1e-8);

    let truth = judge::differences(&flat(&x), |x| vec![model.energy(&of(x))]);
    let (by_model, by_x) = model.energy_grad(&x);
    judge::assert_near("energy", &flat(&by_x), &truth, 1e-8);
    let truth = judge::differences(model.prior.as_slice(), |prior| {
        let prior = DMatrix::from_column_slice(3, 3, prior);
        let model = Linear {
            prior,
            ..model.clone()
        };
        vec![model.energy(&x)]
    });
    judge::assert_near("energy", by_model.prior.as_slice(), &truth, 1e-8);

    let truth = judge::differences(&flat(&x), |x| vec![constant_matrix(&m, &of(x), &y)]);
    let (by_x, by_y) = constant_matrix::grad(&m, &x, &y);
    judge::assert_near("constant matrix", &flat(&by_x), &truth, 1e-8);
    let truth = judge::differences(&flat(&y), |y| vec![constant_matrix(&m, &x, &of(y))]);
    judge::assert_near("constant matrix", &flat(&by_y), &truth, 1e-8);
    let along = DVector::from_vec(judge::direction(3));
    let (_, second) = constant_matrix::hvp(&m, &x, &y, (&along, &DVector::zeros(3)));
    let twice = (m.transpose() * &m * &along + &along) * 2.0;
    judge::assert_near("constant matrix", &flat(&second.0), &flat(&twice), 1e-12);
}

#[grad(order = 2)]
fn first_row(m: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    let y = m * x;
    y[0]
}

#[test]
fn zeros_absorb_what_is_infinite_where_it_is_added() {
    let m = matrix(2, 3);
    let x = DVector::from_vec(vec![f64::INFINITY, 0.0, 2.0]);
    let (by_m, by_x) = first_row::grad(&m, &x);
    let truth = DMatrix::from_row_slice(2, 3, &[f64::INFINITY, 0.0, 2.0, 0.0, 0.0, 0.0]);
    assert_eq!(by_m, truth);
    assert_eq!(by_x, m.row(0).transpose());
    let mut buffer = (DMatrix::from_element(2, 3, 1.0), DVector::zeros(3));
    first_row::grad_into(&m, &x, &mut buffer.0, &mut buffer.1);
    assert_eq!(buffer.0, truth.add_scalar(1.0));
    // Matrices without rows, and without columns.
    let (by_m, by_x) = fitted::grad(&DMatrix::zeros(0, 2), &vector(2));
    assert_eq!((by_m, by_x), (DMatrix::zeros(0, 2), DVector::zeros(2)));
    let (by_m, by_x) = fitted::grad(&DMatrix::zeros(2, 0), &DVector::zeros(0));
    assert_eq!((by_m, by_x), (DMatrix::zeros(2, 0), DVector::zeros(0)));
}

/// A type around a vector, of which methods lend what lies in it.
#[derive(Clone, Copy, Debug, Differentiable)]
struct Place(Vector3<f64>);

#[grad(order = 2)]
impl Place {
    fn as_array(&self) -> &[f64; 3] {
        &self.0.data.0[0]
    }

    fn as_vector(&self) -> &Vector3<f64> {
        &self.0
    }

    fn height(&self, s: f64) -> f64 {
        self.as_array()[2] * s + self.as_vector().norm() * self.as_array()[0]
    }
}

#[grad(order = 2)]
fn above(a: &Place, b: &Place, s: f64) -> f64 {
    let [x, y, _] = *a.as_array();
    let v: &Vector3<f64> = a.as_vector();
    a.height(s) * b.height(x) + y * b.as_vector().dot(v)
}

#[test]
fn what_lies_in_a_vector_is_lent() {
    let (a, b) = (Vector3::new(0.3, -0.2, 0.4), Vector3::new(-0.5, 0.2, 0.1));
    let (a, b, s) = (Place(a), Place(b), 0.7);
    check!(above(a by_ref, b by_ref, s by_value));
}
