use autodiff::{Differentiable, grad};

#[derive(Debug, Differentiable)]
struct Twice {
    x: f64,
}

#[grad]
impl Twice {
    fn clone(&self) -> Twice {
        Twice { x: self.x * 2.0 }
    }
}

fn main() {}
