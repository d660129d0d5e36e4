use std::ops::Mul;

use autodiff::{Differentiable, grad};

macro_rules! scaled {
    ($e:expr) => {
        2.0 * $e
    };
}

#[derive(Clone, Copy, Differentiable)]
struct Angle {
    radians: f64,
}

#[grad]
impl Mul for Angle {
    type Output = Angle;

    fn mul(self, other: Angle) -> Angle {
        Angle {
            radians: scaled!(self.radians * other.radians),
        }
    }
}

#[grad]
fn of_product(a: Angle, b: Angle) -> f64 {
    let product = a * b;
    product.radians
}

fn main() {
    let _ = of_product::grad(Angle { radians: 1.0 }, Angle { radians: 2.0 });
}
