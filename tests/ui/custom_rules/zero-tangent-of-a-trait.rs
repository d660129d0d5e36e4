use autodiff::grad;

trait Number: Copy {
    fn zero_tangent(self) -> Self;
}

impl Number for f64 {
    fn zero_tangent(self) -> f64 {
        2.0 * self
    }
}

#[grad]
fn f<T: Number>(x: T) -> T {
    x.zero_tangent()
}

fn main() {
    f::grad(1.0);
}
