//! Speelpenning's product of 1,000 variables: a recurrence through every variable.

use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

const N: usize = 1000;

#[grad]
fn speelpenning(x: &[f64]) -> f64 {
    let mut product = 1.0;
    for i in 0..x.len() {
        product *= x[i];
    }
    product
}

/// The gradient itself is the tape: it holds the product before each factor until the way back.
fn hand(x: &[f64]) -> (f64, Vec<f64>) {
    let mut gradient = vec![0.0; x.len()];
    let mut product = 1.0;
    for (g, factor) in gradient.iter_mut().zip(x) {
        *g = product;
        product *= factor;
    }
    let mut adjoint = 1.0;
    for (g, factor) in gradient.iter_mut().zip(x).rev() {
        *g *= adjoint;
        adjoint *= factor;
    }
    (product, gradient)
}

fn hand_into(x: &[f64], gradient: &mut [f64]) -> f64 {
    assert_eq!(x.len(), gradient.len());
    let mut tape = vec![0.0; x.len()];
    let mut product = 1.0;
    for (before, factor) in tape.iter_mut().zip(x) {
        *before = product;
        product *= factor;
    }
    let mut adjoint = 1.0;
    for ((g, factor), before) in gradient.iter_mut().zip(x).zip(&tape).rev() {
        *g += adjoint * before;
        adjoint *= factor;
    }
    product
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    let x = Random::new(3).vec(N, 0.9, 1.1);
    let point = x.clone();
    let x: &'static [f64] = x.leak();
    Problem::new("speelpenning", point, speelpenning)
        .primal(|| speelpenning(black_box(x)))
        .returns(Kind::Grad, || speelpenning::value_and_grad(black_box(x)))
        .returns(Kind::Hand, || hand(black_box(x)))
        .adds(Kind::GradInto, vec![0.0; N], |g| {
            speelpenning::grad_into(black_box(x), g)
        })
        .adds(Kind::HandInto, vec![0.0; N], |g| hand_into(black_box(x), g))
}
