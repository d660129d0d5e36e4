use autodiff::{Differentiable, grad};

#[derive(Clone, Copy, Differentiable)]
struct Well {
    depth: f64,
}

trait Potential {
    fn at(&self, x: f64) -> f64;
}

impl Potential for Well {
    fn at(&self, x: f64) -> f64 {
        self.depth * x * x
    }
}

#[grad]
impl Well {
    fn at(&self, x: f64) -> f64 {
        self.depth * x
    }
}

#[grad]
fn f(well: Well, x: f64) -> f64 {
    <Well as Potential>::at(&well, x)
}

fn main() {}
