//! `impl From` of several types for one type, by value, lent, and generic; `into`.

use autodiff::{Differentiable, Float, grad};

use crate::check::near;

#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Celsius {
    degrees: f64,
}

#[derive(Clone, Copy, Debug, Differentiable)]
pub struct Kelvin {
    degrees: f64,
}

#[grad(order = 2)]
impl From<Kelvin> for Celsius {
    fn from(kelvin: Kelvin) -> Self {
        Celsius {
            degrees: kelvin.degrees * kelvin.degrees - 0.27,
        }
    }
}

#[grad(order = 2)]
impl From<Celsius> for Kelvin {
    fn from(Celsius { degrees }: Celsius) -> Self {
        Self {
            degrees: degrees.sin() + 0.27,
        }
    }
}

#[grad(order = 2)]
impl From<f64> for Celsius {
    fn from(degrees: f64) -> Self {
        Celsius { degrees }
    }
}

#[grad(order = 2)]
impl From<(f64, f64)> for Celsius {
    fn from((a, b): (f64, f64)) -> Self {
        Celsius { degrees: a * b }
    }
}

#[grad(order = 2)]
fn there_and_back(x: f64, y: f64) -> f64 {
    let mut warm = Celsius::from(x);
    for _ in 0..2 {
        let kelvin = Kelvin::from(warm);
        warm = kelvin.into();
        warm.degrees += Celsius::from((x, y * kelvin.degrees)).degrees;
    }
    let cold: Celsius = (x * y).into();
    warm.degrees * cold.degrees
}

#[grad(order = 2)]
fn returned(y: f64) -> Celsius {
    (y, y.cos()).into()
}

#[grad(order = 2)]
fn of_returned(x: f64) -> f64 {
    returned(x * x).degrees * <Celsius as From<f64>>::from(x).degrees
}

#[derive(Clone, Debug, Differentiable)]
pub struct Series<T: Float> {
    terms: Vec<T>,
}

#[grad(order = 2)]
impl<T: Float> From<T> for Series<T> {
    fn from(x: T) -> Self {
        Series {
            terms: vec![x, x * x],
        }
    }
}

#[grad(order = 2)]
impl<T: Float, const N: usize> From<[T; N]> for Series<T> {
    fn from(terms: [T; N]) -> Self {
        Series {
            terms: terms.iter().map(|t| t.sin()).collect(),
        }
    }
}

#[grad(order = 2)]
impl<T: Float> From<Vec<T>> for Series<T> {
    fn from(terms: Vec<T>) -> Self {
        Series { terms }
    }
}

#[grad(order = 2)]
impl<T: Float> From<&[T]> for Series<T> {
    fn from(terms: &[T]) -> Self {
        let mut squares = vec![];
        for &t in terms {
            squares.push(t * t);
        }
        Series { terms: squares }
    }
}

#[grad(order = 2)]
impl<'a, T: Float> From<&'a Series<T>> for Series<T> {
    fn from(other: &'a Series<T>) -> Self {
        Series {
            terms: vec![other.terms[0] * other.terms[1]],
        }
    }
}

#[grad(order = 2)]
fn of_lists(x: f64, xs: &[f64]) -> f64 {
    let one = Series::from(x);
    let sines = Series::from([x, xs[0] * x]);
    let same = Series::from(vec![xs[1], x * xs[0]]);
    let squares = Series::from(xs);
    let product = Series::from(&squares);
    let made: Series<f64> = (x * xs[1]).into();
    one.terms[1] * sines.terms[1] + same.terms[1] * product.terms[0] + made.terms[1]
}

#[grad]
fn generic<T: Float>(x: T) -> T {
    let s = Series::<T>::from(x * x);
    let t = Series::from([x, s.terms[1]]);
    t.terms[1] * s.terms[0]
}

#[test]
fn conversions_have_their_types_derivatives() {
    check!(there_and_back(value x = 0.4, value y = 0.3));
    check_second!(there_and_back(value x = 0.4, value y = 0.3));
    check!(of_returned(value x = 0.8));
    check_second!(of_returned(value x = 0.8));
}

#[test]
fn conversions_of_lists_and_of_what_is_lent() {
    let xs = [0.6, 0.9];
    check!(of_lists(value x = 0.4, shared xs = xs));
    check_second!(of_lists(value x = 0.4, shared xs = xs));
    check!(generic(value x = 0.7));
}

trait Shape {
    fn area(&self) -> f64;
    fn width(&self, k: usize) -> f64;
}

struct Square(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }

    fn width(&self, k: usize) -> f64 {
        self.0 * k as f64
    }
}

/// A constant of a type that has no name.
#[grad(order = 2)]
fn drag(speed: f64, #[constant] shape: &impl Shape) -> f64 {
    0.5 * speed * speed * shape.area() + shape.width(2) * speed.sin()
}

/// A float, or what becomes one.
#[grad(order = 2)]
fn cubed(x: impl Into<f64>, y: f64) -> f64 {
    let x = x.into();
    x * x * x * y
}

#[derive(Clone, Debug, Differentiable)]
struct Spring {
    stiffness: f64,
}

#[grad]
impl Spring {
    fn energy(&self, x: impl Into<f64>, #[constant] shape: &impl Shape) -> f64 {
        let x: f64 = x.into();
        self.stiffness * x * x * shape.area()
    }
}

#[grad]
fn with_spring(k: f64, x: f64, #[constant] shape: &impl Shape) -> f64 {
    Spring { stiffness: k * k }.energy(x, shape) + drag(x, shape) + cubed(x, k)
}

#[test]
fn types_that_have_no_name() {
    let shape = Square(1.5);
    let (x, h) = (0.7, 1e-5);
    let slope = |f: &dyn Fn(f64) -> f64| (f(x + h) - f(x - h)) / (2.0 * h);
    near(&drag::grad(x, &shape), &slope(&|x| drag(x, &shape)), 1e-9);
    near(&drag::jvp(x, &shape, 1.0).1, &drag::grad(x, &shape), 1e-14);
    let (_, curved) = drag::hvp(x, &shape, 1.0);
    near(&curved, &slope(&|x| drag::grad(x, &shape)), 1e-9);
    let (value, (dx, dy)) = cubed::value_and_grad(x, 2.0);
    near(&value, &cubed(x, 2.0), 0.0);
    near(&dx, &(6.0 * x * x), 1e-14);
    near(&dy, &(x * x * x), 1e-14);
    let ((along, _), (curved, _)) = cubed::hvp(x, 2.0, (1.0, 0.0));
    near(&along, &dx, 1e-14);
    near(&curved, &(12.0 * x), 1e-13);
    let (of_float, _) = cubed::grad(0.5_f32, 2.0);
    near(&f64::from(of_float), &1.5, 1e-6);
    let (dk, dx) = with_spring::grad(1.3, x, &shape);
    near(&dk, &slope(&|s| with_spring(1.3 + s - x, x, &shape)), 1e-8);
    near(&dx, &slope(&|x| with_spring(1.3, x, &shape)), 1e-8);
    let (_, along) = with_spring::jvp(1.3, x, &shape, (0.3, -0.7));
    near(&along, &(0.3 * dk - 0.7 * dx), 1e-12);
}
