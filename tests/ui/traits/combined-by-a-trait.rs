use autodiff::{Differentiable, grad};

trait Kernel {
    fn kernel(&self, x: f64) -> f64;
}

#[derive(Differentiable)]
struct Product<K> {
    left: K,
    right: K,
}

#[grad]
impl<K: Kernel> Kernel for Product<K> {
    fn kernel(&self, x: f64) -> f64 {
        self.left.kernel(x) * self.right.kernel(x)
    }
}

fn main() {}
