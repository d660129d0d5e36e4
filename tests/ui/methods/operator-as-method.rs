use std::ops::{Add, MulAssign};

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Point {
    x: f64,
}

#[grad]
impl Add for Point {
    type Output = Point;
    fn add(self, b: Point) -> Point {
        Point { x: self.x + b.x }
    }
}

#[grad]
impl MulAssign<f64> for Point {
    fn mul_assign(&mut self, k: f64) {
        self.x *= k;
    }
}

#[grad]
fn sum(a: Point, b: Point) -> f64 {
    a.add(b).x
}

#[grad]
fn scaled(mut a: Point, k: f64) -> f64 {
    a.mul_assign(k);
    a.x
}

fn main() {}
