//! Forms that overwrite what they are given, and objectives with Hessians.

use autodiff::{Differentiable, Hessian, Objective, derivative, grad};

use crate::check::{near, panic_of};

#[grad(order = 2)]
fn energy(x: f64, ys: &[f64], pair: [f64; 2]) -> f64 {
    let mut sum = x * pair[0];
    for (k, y) in ys.iter().enumerate() {
        sum += (x * y + pair[1]).sin() * k as f64;
    }
    sum
}

#[test]
fn gradients_and_hessians_are_written_over_what_was_there() {
    let (x, ys, pair) = (0.3, [0.4, 0.5, -0.6], [0.7, 0.8]);
    let (value, gradient, hessian) = energy::value_grad_hessian(x, &ys, pair);
    let (mut dx, mut dys, mut dpair) = (9.0, [9.0; 3], [9.0; 2]);
    for _ in 0..2 {
        let again = energy::value_and_grad_into(x, &ys, pair, &mut dx, &mut dys, &mut dpair);
        assert_eq!(
            (again, (dx, dys.to_vec(), dpair)),
            (value, gradient.clone())
        );
    }
    let mut into = [9.0; 36];
    energy::hessian_into(x, &ys, pair, &mut into);
    assert_eq!(into, hessian.as_slice());
    let (mut dx, mut dys, mut dpair, mut into) = (9.0, [9.0; 3], [9.0; 2], [9.0; 36]);
    let again =
        energy::value_grad_hessian_into(x, &ys, pair, &mut dx, &mut dys, &mut dpair, &mut into);
    assert_eq!((again, (dx, dys.to_vec(), dpair)), (value, gradient));
    assert_eq!(into, hessian.as_slice());

    let mut short = [9.0; 2];
    panic_of(|| energy::value_and_grad_into(x, &ys, pair, &mut dx, &mut short, &mut dpair));
    assert_eq!((dx == 9.0, short), (false, [9.0; 2]));
    panic_of(|| energy::hessian_into(x, &ys, pair, &mut [0.0; 35]));
}

#[derive(Debug, PartialEq)]
struct TooLarge;

#[grad(order = 2)]
fn bounded(xs: &[f64], k: f64) -> Result<f64, TooLarge> {
    if xs[0] > 1.0 {
        return Err(TooLarge);
    }
    Ok(xs[0] * xs[1] * k)
}

#[test]
fn what_fails_leaves_the_buffers() {
    let (mut dxs, mut dk, mut h) = ([9.0; 2], 9.0, [9.0; 9]);
    let failed = bounded::value_and_grad_into(&[2.0, 3.0], 1.0, &mut dxs, &mut dk);
    assert_eq!((failed, dxs, dk), (Err(TooLarge), [9.0; 2], 9.0));
    let failed = bounded::value_grad_hessian_into(&[2.0, 3.0], 1.0, &mut dxs, &mut dk, &mut h);
    assert_eq!((failed, dxs, h), (Err(TooLarge), [9.0; 2], [9.0; 9]));
    let value = bounded::value_and_grad_into(&[0.5, 3.0], 2.0, &mut dxs, &mut dk);
    assert_eq!((value, dxs, dk), (Ok(3.0), [6.0, 1.0], 1.5));
    assert_eq!(bounded::hessian_into(&[0.5, 3.0], 2.0, &mut h), Ok(()));
    assert_eq!(h, [0.0, 2.0, 3.0, 2.0, 0.0, 0.5, 3.0, 0.5, 0.0]);
}

#[derive(Clone, Differentiable)]
struct Spring {
    stiffness: f64,
    length: f64,
}

#[grad]
impl Spring {
    fn energy(&self, x: f64) -> f64 {
        0.5 * self.stiffness * (x - self.length) * (x - self.length)
    }
}

#[test]
fn methods_overwrite_as_well() {
    let spring = Spring {
        stiffness: 2.0,
        length: 1.0,
    };
    let (mut by, mut dx) = (spring.zero_tangent(), 9.0);
    by.length = 5.0;
    assert_eq!(
        spring.energy_value_and_grad_into(3.0, &mut by, &mut dx),
        4.0
    );
    assert_eq!((by.stiffness, by.length, dx), (2.0, -4.0, 4.0));
}

#[grad(order = 2)]
fn rosenbrock(x: &[f64]) -> f64 {
    let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
    a * a + 100.0 * b * b
}

#[grad(order = 2)]
fn scaled(x: &[f32; 2], #[constant] by: Vec<f32>) -> f32 {
    by[0] * x[0] * x[0] + by[1] * x[0] * x[1]
}

/// Newton's method for two parameters.
fn newton<O: Hessian<Point = [f64]> + ?Sized>(f: &O, x: &mut [f64]) {
    for _ in 0..10 {
        let (_, g, h) = f.value_grad_hessian(x);
        let det = h[[0, 0]] * h[[1, 1]] - h[[0, 1]] * h[[1, 0]];
        x[0] -= (h[[1, 1]] * g[0] - h[[0, 1]] * g[1]) / det;
        x[1] -= (h[[0, 0]] * g[1] - h[[1, 0]] * g[0]) / det;
    }
}

#[test]
fn objectives_have_hessians() {
    let mut x = [-1.2, 1.0];
    newton(&rosenbrock {}, &mut x);
    near(&x, &[1.0, 1.0], 1e-12);
    let mut x = [-1.2, 1.0];
    let boxed: Box<dyn Hessian<Point = [f64]>> = Box::new(rosenbrock::with());
    newton(&*boxed, &mut x);
    near(&x, &[1.0, 1.0], 1e-12);

    let f = scaled::with(vec![3.0, 0.5]);
    let at = [2.0, 4.0];
    assert_eq!(
        (f.value(&at), f.value_and_grad(&at)),
        (16.0, (16.0, [14.0, 1.0]))
    );
    assert_eq!(f.hessian(&at).as_slice(), [6.0, 0.5, 0.5, 0.0]);
}

#[test]
fn closures_of_a_number_have_derivatives() {
    assert_eq!(derivative(|x| x * x * x, 2.0), 12.0);
}
