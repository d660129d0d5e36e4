use autodiff::{Float, grad};

struct Wave<T: Float> {
    k: T,
}

#[grad]
impl<T: Float> Wave<T> {
    fn at(&self, x: T) -> T {
        self.k * x
    }
}

fn main() {}
