use autodiff::grad;

trait Doubled {
    fn doubled(&self) -> f64;
}

#[grad]
impl<T: Clone> Doubled for T {
    fn doubled(&self) -> f64 {
        3.0
    }
}

fn main() {}
