//! Roots of 1,000 cubics by Newton's method: a loop that ends when it is done, inside one over the data.

use std::hint::black_box;

use autodiff::grad;

use crate::data::Random;
use crate::problem::{Kind, Problem};

const N: usize = 1000;
const TOLERANCE: f64 = 1e-12;
const ROUNDS: usize = 50;

/// The sum of the squared roots of x³ + p x = a, for each a.
#[grad]
fn newton(a: &[f64], p: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        let mut x = a[i];
        let mut f = x * x * x + p * x - a[i];
        let mut rounds = 0;
        while f.abs() > TOLERANCE && rounds < ROUNDS {
            x -= f / (3.0 * x * x + p);
            f = x * x * x + p * x - a[i];
            rounds += 1;
        }
        sum += x * x;
    }
    sum
}

/// All of one root in one round; the rounds of its search are remembered in one array.
fn hand_into(a: &[f64], p: f64, (da, dp): &mut (Vec<f64>, f64)) -> f64 {
    assert_eq!(a.len(), da.len());
    let mut tape = [(0.0, 0.0, 0.0); ROUNDS];
    let mut p_bar = 0.0;
    let mut sum = 0.0;
    for (&a, da) in a.iter().zip(da) {
        let mut x = a;
        let mut f = x * x * x + p * x - a;
        let mut rounds = 0;
        while f.abs() > TOLERANCE && rounds < ROUNDS {
            let slope = 3.0 * x * x + p;
            let step = f / slope;
            tape[rounds] = (x, slope, step);
            x -= step;
            f = x * x * x + p * x - a;
            rounds += 1;
        }
        sum += x * x;
        // The cotangents of x, and of the f that was computed from it.
        let (mut dx, mut df) = (2.0 * x, 0.0);
        let mut a_bar = 0.0;
        for &(before, slope, step) in tape[..rounds].iter().rev() {
            dx += df * (3.0 * x * x + p);
            p_bar += df * x;
            a_bar -= df;
            df = -dx / slope;
            let dslope = -df * step;
            dx += dslope * 6.0 * before;
            p_bar += dslope;
            x = before;
        }
        p_bar += df * x;
        *da += a_bar - df + dx + df * (3.0 * x * x + p);
    }
    *dp += p_bar;
    sum
}

fn hand(a: &[f64], p: f64) -> (f64, (Vec<f64>, f64)) {
    let mut gradient = zeros();
    let value = hand_into(a, p, &mut gradient);
    (value, gradient)
}

/// The problem, with everything that is measured about it.
pub(crate) fn problem() -> Problem {
    let mut point = Random::new(6).vec(N, -4.0, 4.0);
    let a: &'static [f64] = point.clone().leak();
    let p = 1.25;
    point.push(p);
    Problem::new("newton", point, |at| newton(&at[..N], at[N]))
        .primal(move || newton(black_box(a), black_box(p)))
        .returns(Kind::Grad, move || {
            newton::value_and_grad(black_box(a), black_box(p))
        })
        .returns(Kind::Hand, move || hand(black_box(a), black_box(p)))
        .adds(Kind::GradInto, zeros(), move |(da, dp)| {
            newton::grad_into(black_box(a), black_box(p), da, dp)
        })
        .adds(Kind::HandInto, zeros(), move |g| {
            hand_into(black_box(a), black_box(p), g)
        })
}

fn zeros() -> (Vec<f64>, f64) {
    (vec![0.0; N], 0.0)
}
