//! Dynamic functions that take functions, and those that call them.
#![allow(clippy::all, clippy::pedantic)] // the functions show what people write

use autodiff::{Float, Tape, grad, gradcheck};

mod quadrature {
    #[autodiff::grad(dynamic)]
    pub(super) fn integral<F: Fn(f64) -> f64>(f: F, a: f64, n: usize) -> f64 {
        let mut sum = 0.0;
        for i in 0..n {
            sum += f(a * (i as f64 + 0.5) / n as f64);
        }
        sum * a / n as f64
    }
}
use quadrature::integral;

#[grad(dynamic)]
fn newton(f: &dyn Fn(f64) -> f64, slope: impl Fn(f64) -> f64, mut x: f64) -> f64 {
    while f(x).abs() > 1e-13 {
        x -= f(x) / slope(x);
    }
    x
}

#[grad(dynamic)]
fn twice(f: fn(f64) -> f64, x: f64) -> f64 {
    f(f(x))
}

#[grad(dynamic)]
fn composed(all: Vec<Box<dyn Fn(f64) -> f64>>, x: f64) -> f64 {
    all.iter().fold(x, |x, f| f(x))
}

#[grad(dynamic)]
fn each<F>(xs: &mut [f64], mut f: F)
where
    F: FnMut(f64) -> f64,
{
    for x in xs.iter_mut() {
        *x = f(*x);
    }
}

#[grad(dynamic)]
fn of_any_float<T: Float, F: Fn(T) -> T>(f: &F, x: T) -> T {
    f(x) * T::from_f64(2.0)
}

#[grad(dynamic)]
fn repeated(f: &dyn Fn(f64) -> f64, x: f64, k: u32) -> f64 {
    if k == 0 { x } else { repeated(f, f(x), k - 1) }
}

#[grad]
fn squared(x: f64) -> f64 {
    x * x
}

#[grad(dynamic)]
fn caller(x: f64, y: f64) -> f64 {
    let a = integral(|t| t * x + y, x, 10);
    let b = newton(&|z| z * z - x, |z| 2.0 * z, 1.0);
    let c = twice(squared, x) + twice(|t| t + 1.0, y);
    let d = composed(
        vec![
            Box::new(move |t| t * y),
            Box::new(f64::sin),
            Box::new(squared),
        ],
        x,
    );
    let mut v = vec![x, y];
    let mut sum = 0.0;
    each(&mut v, |t| {
        sum += t;
        t * t * y
    });
    let e = of_any_float(&|t| t * x, y) + repeated(&|t| t * 1.1 + x, y, 3);
    let g = integral(squared, x, 4) + integral(f64::sin, y, 4);
    a + b + c + d + v[0] * v[1] + sum + e + g
}

#[grad]
fn compiled(x: f64) -> f64 {
    caller(x, 0.5) * x
}

#[test]
fn functions_of_variables() {
    let of_two = |x: &[f64]| caller(x[0], x[1]);
    let gradient = |x: &[f64]| {
        let (a, b) = caller::grad(x[0], x[1]);
        vec![a, b]
    };
    let report = gradcheck(of_two, gradient, &[1.3, 0.7]);
    assert!(report.is_ok(), "{report}");
    let report = gradcheck(|x| compiled(x[0]), |x| vec![compiled::grad(x[0])], &[1.3]);
    assert!(report.is_ok(), "{report}");
    let tape = Tape::new();
    let x = tape.var(2.0);
    let y = integral::on_tape(|u| u * x, x, 8);
    assert_eq!((y.value(), y.backward().wrt(x)), (4.0, 6.0));
}
