use std::ops::{AddAssign, Mul};

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct P(f64);

#[grad]
impl Mul<f64> for P {
    type Output = P;
    fn mul(self: P, by: f64) -> P {
        P(self.0 * by)
    }
}

#[grad]
impl AddAssign for P {
    fn add_assign(self: &mut P, other: P) {
        self.0 += other.0;
    }
}

fn main() {}
