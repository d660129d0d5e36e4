use autodiff::grad;

trait Rounding: Copy {
    fn round(self) -> Self;
}

impl Rounding for f64 {
    fn round(self) -> Self {
        2.0 * self
    }
}

#[grad]
fn f<T: Rounding + std::ops::Mul<Output = T>>(x: T) -> T {
    x.round() * x
}

fn main() {
    f::grad(1.0);
}
