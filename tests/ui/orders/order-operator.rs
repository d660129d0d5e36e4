use std::ops::Mul;

use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Complex {
    re: f64,
    im: f64,
}

#[grad]
impl Mul for Complex {
    type Output = Complex;
    fn mul(self, by: Complex) -> Complex {
        Complex {
            re: self.re * by.re - self.im * by.im,
            im: self.re * by.im + self.im * by.re,
        }
    }
}

#[grad(order = 2)]
fn square(z: &Complex) -> f64 {
    let w = *z * *z;
    w.re
}

fn main() {}
