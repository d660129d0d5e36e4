//! Operators on bits have no derivative where a type of one's own has them.

use std::ops::BitXor;

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Vector {
    x: f64,
    y: f64,
}

impl BitXor for Vector {
    type Output = f64;
    fn bitxor(self, other: Vector) -> f64 {
        self.x * other.y - self.y * other.x
    }
}

#[grad]
fn made(x: f64) -> Vector {
    Vector { x, y: x * x }
}

#[grad]
fn area(x: f64, y: f64) -> f64 {
    (made(x) ^ made(y)) * x
}

fn main() {
    area(1.0, 2.0);
}
