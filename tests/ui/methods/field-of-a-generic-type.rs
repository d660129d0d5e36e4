use autodiff::{Differentiable, Float, grad};

#[derive(Differentiable)]
struct Wave<T: Float> {
    k: T,
}

#[grad]
impl<T: Float> Wave<T> {
    fn at(&self, x: T) -> T {
        self.q * x
    }
}

fn main() {}
