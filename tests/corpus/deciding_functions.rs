//! Parameters that are functions of floats and yield integers or truth values: they decide, and have no derivative.

use autodiff::grad;

#[grad(order = 2)]
fn until<F: Fn(f64, usize) -> bool>(x: f64, done: F) -> f64 {
    let (mut y, mut k) = (x, 0);
    while !done(y, k) {
        y = y * y * 0.9 + 0.1 * x;
        k += 1;
    }
    y
}

#[grad]
fn in_a_region(x: f64, y: f64, #[constant] of: fn(f64, f64) -> i32) -> f64 {
    let mut region = 2;
    if x < 10.0 {
        region = of(x, y * y);
    }
    match region {
        0 => x * y,
        1 => x + y * y,
        _ => x,
    }
}

fn region(a: f64, b: f64) -> i32 {
    i32::from(a <= b)
}

#[grad]
fn picked<F: Fn(&[f64]) -> usize>(x: &[f64], pick: F) -> f64 {
    let k = pick(x);
    x[k] * x[k] * x[0]
}

#[test]
fn what_decides_is_called_with_values() {
    let x: f64 = 0.5;
    let twice = |_: f64, k: usize| k == 2;
    // y₁ = 0.9 x² + 0.1 x, y₂ = 0.9 y₁² + 0.1 x
    let y = 0.9 * x * x + 0.1 * x;
    let dy = 1.8 * x + 0.1;
    let (value, d) = until::value_and_grad(x, twice);
    crate::check::near(
        &[value, d],
        &[0.9 * y * y + 0.1 * x, 1.8 * y * dy + 0.1],
        1e-14,
    );
    crate::check::near(&until::jvp(x, twice, 2.0).1, &(2.0 * d), 1e-14);
    let second = 1.8 * dy * dy + 1.8 * y * 1.8;
    crate::check::near(until::hessian(x, twice).as_slice(), &[second][..], 1e-13);
    assert_eq!(in_a_region::grad(3.0, 2.0, region), (1.0, 4.0));
    assert_eq!(in_a_region::grad(3.0, 1.0, region), (1.0, 3.0));
    assert_eq!(in_a_region::grad(30.0, 1.0, region), (1.0, 0.0));
    let last = |x: &[f64]| if x[0] > x[1] { 0 } else { 1 };
    assert_eq!(picked::grad(&[2.0, 3.0], last), [9.0, 12.0]);
}
