use autodiff::{Differentiable, grad};

#[derive(Differentiable)]
struct View<'a> {
    k: &'a [f64],
}

#[grad]
impl<'a> View<'a> {
    fn at(&self, x: f64) -> f64 {
        self.k + x
    }
}

fn main() {}
