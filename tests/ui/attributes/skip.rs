//! What is left without derivatives stands in a block, and whoever calls it is told that it has none.

use autodiff::{Differentiable, grad};

#[grad(skip)]
fn alone(x: f64) -> f64 {
    x
}

#[derive(Clone, Differentiable)]
struct Table {
    scale: f64,
}

#[grad]
impl Table {
    #[grad(skip)]
    fn at(&self, x: f64) -> f64 {
        self.scale * x
    }

    fn twice(&self, x: f64) -> f64 {
        2.0 * self.at(x)
    }
}

fn main() {}
