use autodiff::{Differentiable, Float, grad};

#[derive(Differentiable)]
struct Point<T> {
    x: T,
}

trait Scaled<T> {
    fn scaled(&self, by: T) -> T;
}

#[grad(dynamic)]
impl<T: Float> Scaled<T> for Point<T> {
    fn scaled(&self, by: T) -> T {
        self.x * by
    }
}

fn main() {}
