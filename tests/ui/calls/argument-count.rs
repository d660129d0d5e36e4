use autodiff::{Differentiable, grad};

#[derive(Clone, Differentiable)]
pub struct Spring {
    k: f64,
}

#[grad]
impl Spring {
    pub fn force(&self, x: f64) -> f64 {
        -self.k * x
    }

    pub fn work(&self, x: f64) -> f64 {
        self.force(x, x) * x
    }
}

#[grad(order = 2)]
pub fn product(x: f64, y: f64) -> f64 {
    x * y
}

#[grad(order = 2)]
pub fn sum(x: f64) -> f64 {
    let mut sum = 0.0;
    for _ in 0..3 {
        sum += product(x);
    }
    sum
}

#[grad]
pub fn applied<F: Fn(f64) -> f64>(f: F, x: f64) -> f64 {
    f(x)
}

#[grad]
pub fn scaled(x: f64, k: f64) -> f64 {
    applied(|t| t * k, x, k)
}

#[grad]
pub fn power(n: usize, x: f64) -> f64 {
    if n == 0 { 1.0 } else { x * power(x) }
}

fn main() {}
