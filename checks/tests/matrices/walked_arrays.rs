//! Chains and loops over arrays of more than one axis.

use autodiff::grad;
use ndarray::{Array, Array1, Array2, ArrayD, ArrayView, ArrayView2, Axis, Dimension, array};
use std::ops::AddAssign as _;

use super::judge;

#[grad(order = 2)]
fn chained(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let squares: f64 = a.iter().zip(b.iter()).map(|(x, y)| (x - y).powi(2)).sum();
    let products: f64 = a.iter().zip(b).map(|(x, y)| x * y).product();
    squares * a.iter().map(|x| x.exp()).sum::<f64>() + products
}

// What is computed of arrays has as many axes.
#[grad(order = 2)]
fn computed(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let difference = a - b;
    let product = a.dot(&b.t());
    let mut sum = (a * b).iter().map(|x| x.sin()).sum::<f64>();
    for x in difference.iter() {
        sum += x * x * x;
    }
    for x in &product {
        sum *= 1.0 + x * x;
    }
    sum
}

#[grad(order = 2)]
fn folded(a: &Array2<f64>, v: &Array1<f64>) -> f64 {
    let all = a.fold(0.0, |sum, &x| sum + x * x);
    let most = a.iter().fold(f64::NEG_INFINITY, |most, &x| most.max(x));
    all * most + v.fold(1.0, |product, x| product * x)
}

#[grad(order = 2)]
fn indexed(a: ArrayView2<f64>, v: &Array1<f64>) -> f64 {
    let mut sum = 0.0;
    for ((i, j), x) in a.indexed_iter() {
        sum += x * x * (1 + i + 3 * j) as f64;
    }
    let weighted: f64 = a
        .indexed_iter()
        .map(|((i, j), &x)| x * v[i] * (j + 1) as f64)
        .sum();
    sum * weighted
        + v.indexed_iter()
            .map(|(i, x)| x.powi(i as i32 + 1))
            .sum::<f64>()
}

#[grad(order = 2)]
fn indexed_of(a: &Array2<f64>, v: &Array1<f64>) -> f64 {
    indexed(a.view(), v)
}

#[grad(order = 2)]
fn lines(a: &Array2<f64>) -> f64 {
    let mut sum = 0.0;
    for row in a.rows() {
        sum += row.sum().powi(2);
    }
    sum + a
        .columns()
        .into_iter()
        .map(|column| column.sum().powi(3))
        .sum::<f64>()
}

#[grad(order = 2)]
fn of_any_rank(a: &ArrayD<f64>) -> f64 {
    a.iter()
        .enumerate()
        .map(|(k, x)| x.powi(2) * k as f64)
        .sum()
}

#[grad(order = 2)]
fn remainders(a: &Array2<f64>, b: f64) -> f64 {
    let mut c = a % b;
    c %= b / 3.0;
    (a % b).mapv(|x| x * x).sum() + c.mapv(|x| x * x * x).sum()
}

// Of any number of axes.
#[grad(order = 2)]
fn softmax<D: Dimension>(x: ArrayView<f64, D>) -> Array<f64, D> {
    let most = x.fold(f64::NAN, |most, &x| x.max(most));
    let e = x.mapv(|x| (x - most).exp());
    let sum = e.sum();
    e / sum
}

#[derive(Clone, Debug, autodiff::Differentiable)]
struct Grid {
    count: usize,
    scale: f64,
}

#[grad(order = 2)]
impl Grid {
    fn filled(&self, a: &Array2<f64>) -> f64 {
        let mut made: Array2<f64> = Array2::zeros((self.count, 3));
        let ones = Array1::ones(self.count);
        for i in 0..self.count {
            for j in 0..a.shape()[1] {
                made[[i, j]] += a[[i, j]] * a[[i, j]] * self.scale;
            }
        }
        let squares = made.map(|x| x * *x);
        ones.dot(&squares.map(|&x| (x * 0.01).sin())).sum()
    }
}

#[grad(order = 2)]
fn filled(a: &Array2<f64>, scale: f64) -> f64 {
    let grid = Grid {
        count: a.shape()[0],
        scale,
    };
    grid.filled(a) + softmax(a.view())[[0, 1]] + softmax(a.row(1))[2]
}

// One number is added to each of a row.
#[grad(order = 2)]
fn shifted(a: &Array2<f64>, v: &Array1<f64>) -> f64 {
    let mut b = a.clone();
    b.row_mut(0).add_assign(&v.slice(ndarray::s![..1]));
    b.row_mut(1).add_assign(&(v * v));
    (&b * &b * &b).sum()
}

#[grad(order = 2)]
fn rosenbrock(x: &[f64]) -> f64 {
    100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)
}

#[grad(order = 2)]
fn lent_as_slices(v: &Array1<f64>, w: &nalgebra::DVector<f64>) -> f64 {
    rosenbrock(v.as_slice().unwrap()) * rosenbrock(w.as_slice()) + v.to_vec()[1]
}

struct Held {
    entries: Array2<f64>,
}

// How many axes a slice has its ranges say, whatever it is a slice of.
#[grad(order = 2)]
fn sliced(a: &Array2<f64>, #[constant] held: &Held) -> f64 {
    let within: f64 = a.slice(ndarray::s![.., 1..]).iter().map(|x| x * x).sum();
    let mut sum = within;
    for (x, y) in a
        .slice(ndarray::s![..;-1, ..2])
        .iter()
        .zip(held.entries.slice(ndarray::s![.., 1..]).iter())
    {
        sum += x * y * x;
    }
    sum * a.slice(ndarray::s![1, ..]).iter().fold(1.0, |p, x| p * x)
}

#[test]
fn elements_are_walked() {
    let a = array![[0.3, -1.2, 0.4], [0.8, 0.5, 2.0]];
    let b = array![[0.7, -0.4, 1.0], [0.1, 0.9, -0.3]];
    let v = array![0.6, -1.1, 0.2];
    check!(chained(a by_ref, b by_ref));
    check!(computed(a by_ref, b by_ref));
    let held = Held {
        entries: array![[0.3, 0.9, -0.4], [1.1, 0.2, 0.6]],
    };
    let of_held = |a: &Array2<f64>| sliced(a, &held);
    let gradient = sliced::grad(&a, &held);
    let numbers = |x: &Array2<f64>| x.iter().copied().collect::<Vec<_>>();
    let again = |x: &[f64]| Array2::from_shape_vec((2, 3), x.to_vec()).unwrap();
    judge::assert_near(
        "sliced",
        &numbers(&gradient),
        &judge::differences(&numbers(&a), |x| vec![of_held(&again(x))]),
        1e-8,
    );
    check!(folded(a by_ref, v by_ref));
    check!(indexed_of(a by_ref, v by_ref));
    check!(lines(a by_ref));
    let cube = a.clone().insert_axis(Axis(1)).into_dyn();
    check!(of_any_rank(cube by_ref));
    let w = nalgebra::DVector::from_vec(vec![0.3, -0.8]);
    check!(lent_as_slices(v by_ref, w by_ref));
    check!(shifted(a by_ref, v by_ref));
    let s = 1.7;
    check!(filled(a by_ref, s by_value));
    check!(remainders(a by_ref, s by_value));
}
