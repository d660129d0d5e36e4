use autodiff::grad;

trait Number: Copy {
    fn from(x: f64) -> Option<Self>;
}

impl Number for f64 {
    fn from(x: f64) -> Option<Self> {
        Some(2.0 * x)
    }
}

#[grad]
fn f<T: Number + std::ops::Mul<Output = T>>(x: f64, y: T) -> T {
    T::from(x).unwrap() * y
}

fn main() {
    f::grad(1.0, 1.0);
}
