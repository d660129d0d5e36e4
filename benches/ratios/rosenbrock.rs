//! The Rosenbrock function of 1,000 variables: a sum over neighbours.

use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

const N: usize = 1000;

#[grad]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        let a = 1.0 - x[i];
        let b = x[i + 1] - x[i] * x[i];
        sum += a * a + 100.0 * b * b;
    }
    sum
}

/// Every entry is written once: the share of the left neighbour is carried in a local.
fn hand(x: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; x.len()];
    let n = x.len() - 1;
    let mut sum = 0.0;
    let mut from_left = -0.0;
    for (pair, g) in x.windows(2).zip(&mut gradient[..n]) {
        let (here, next) = (pair[0], pair[1]);
        let a = 1.0 - here;
        let b = next - here * here;
        sum += a * a + 100.0 * b * b;
        let db = 200.0 * b;
        *g = from_left - 2.0 * a - 2.0 * here * db;
        from_left = db;
    }
    gradient[n] = from_left;
    (sum, gradient)
}

fn hand_into(x: &[f64], gradient: &mut [f64]) -> f64 {
    assert_eq!(x.len(), gradient.len());
    let n = x.len() - 1;
    let mut sum = 0.0;
    let mut from_left = -0.0;
    for (pair, g) in x.windows(2).zip(&mut gradient[..n]) {
        let (here, next) = (pair[0], pair[1]);
        let a = 1.0 - here;
        let b = next - here * here;
        sum += a * a + 100.0 * b * b;
        let db = 200.0 * b;
        *g += from_left - 2.0 * a - 2.0 * here * db;
        from_left = db;
    }
    gradient[n] += from_left;
    sum
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    let x = Random::new(2).vec(N, -1.0, 1.5);
    let point = x.clone();
    let x: &'static [f64] = x.leak();
    Problem::new("rosenbrock", point, rosenbrock)
        .primal(|| rosenbrock(black_box(x)))
        .returns(Kind::Grad, || rosenbrock::value_and_grad(black_box(x)))
        .returns(Kind::Hand, || hand(black_box(x)))
        .adds(Kind::GradInto, vec![0.0; N], |g| {
            rosenbrock::grad_into(black_box(x), g)
        })
        .adds(Kind::HandInto, vec![0.0; N], |g| hand_into(black_box(x), g))
}
