//! Differentiable functions without std. Without the feature `alloc` there is no heap, so nothing here can allocate.
#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;

// Where another crate of the build uses std, its own methods come before those of the trait.
#[allow(unused_imports, reason = "std's methods hide those of the trait")]
use autodiff::Float;
use autodiff::{Differentiable, grad};

/// Of numbers, with elementary functions.
#[grad]
#[must_use]
pub fn wave(x: f64, t: f64) -> f64 {
    (3.0 * x - t).sin() * (-t).exp() + f64::hypot(x, t)
}

/// Of single precision, with a conditional.
#[grad]
#[must_use]
pub fn soft(x: f32, width: f32) -> f32 {
    if x > width {
        x - 0.5 * width
    } else {
        0.5 * x * x / width
    }
}

/// Of arrays, with a sum in a loop.
#[grad]
#[must_use]
pub fn norm<const N: usize>(x: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for x in x {
        sum += x * x;
    }
    sum.sqrt()
}

/// In place.
#[grad]
pub fn rotate(u: &mut [f64; 2], angle: f64) {
    let (sin, cos) = angle.sin_cos();
    let [x, y] = *u;
    u[0] = cos * x - sin * y;
    u[1] = sin * x + cos * y;
}

/// Through other functions.
#[grad]
#[must_use]
pub fn rotated_wave(x: f64, y: f64, angle: f64) -> f64 {
    let mut u = [x, y];
    rotate(&mut u, angle);
    wave(u[0], u[1]) + norm(&u)
}

/// Twice differentiable.
#[grad(order = 2)]
#[must_use]
pub fn bump(x: [f64; 2]) -> f64 {
    (-(x[0] * x[0] + x[1] * x[1])).exp()
}

/// A point of the plane.
#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Point {
    x: f64,
    y: f64,
}

#[grad(order = 2)]
impl Point {
    fn bump(&self, height: f64) -> f64 {
        (-(self.x * self.x + self.y * self.y)).exp() * height
    }
}

/// What is lent has second derivatives as well.
#[grad(order = 2)]
#[must_use]
pub fn bumps(points: &[Point; 2], heights: &[f64; 2]) -> f64 {
    points[0].bump(heights[0]) * points[1].bump(heights[1])
}

/// The derivative of a derivative.
#[grad]
#[must_use]
pub fn slope(x: f64) -> f64 {
    bump::grad([x, 0.5])[1]
}

/// Of any float.
#[grad]
#[must_use]
pub fn gaussian<T: Float>(x: T, width: T) -> T {
    (-(x / width).powi(2)).exp()
}

/// All derivatives that need no heap.
#[must_use]
pub fn derivatives(x: f64, y: f64) -> [f64; 6] {
    let (_, (dx, dy, _)) = rotated_wave::value_and_grad(x, y, 0.5);
    let (_, along) = wave::jvp(x, y, (1.0, 1.0));
    let [gx, _] = norm::grad(&[x, y]);
    let (_, back) = wave::pullback(x, y);
    let mut sums = (0.0, 0.0);
    wave::grad_into(x, y, &mut sums.0, &mut sums.1);
    let mut u_bar = [1.0, 0.0];
    let angle_bar = rotate::vjp(&mut [x, y], 0.5, &mut u_bar);
    [dx + dy, along, gx, back(1.0).0, sums.1, angle_bar]
}

/// Of a slice, with a loop that must remember its rounds.
#[cfg(feature = "alloc")]
#[grad]
#[must_use]
pub fn chain(xs: &[f64]) -> f64 {
    let mut y = 1.0;
    for x in xs {
        y = (x * y).sin();
    }
    y
}

/// A function as solvers take it, with the point where it is lowest along its slope.
#[must_use]
pub fn descended(f: &dyn autodiff::Objective<Point = [f64; 2]>, mut x: [f64; 2]) -> [f64; 2] {
    let (_, gradient) = f.value_and_grad(&x);
    autodiff::Parameters::move_by(&mut x, -0.5, &gradient);
    x
}

/// Uses one.
#[must_use]
pub fn one_step() -> [f64; 2] {
    descended(&norm::with::<2>(), [3.0, 4.0])
}

/// A step of an optimiser, and what it moves.
#[cfg(feature = "alloc")]
pub fn trained(point: &mut Point, adam: &mut autodiff::optim::Adam) {
    let mut gradient = point.bump_grad(1.0).0;
    autodiff::optim::clip_norm(&mut gradient, 1.0);
    adam.step(point, &gradient);
}

/// The derivatives that need a heap.
#[cfg(feature = "alloc")]
#[must_use]
pub fn vectors(xs: &[f64]) -> (alloc::vec::Vec<f64>, autodiff::Matrix<f64>) {
    (chain::grad(xs), wave::jacobian(xs[0], xs[1]))
}
