use autodiff::grad;

trait Number: Copy {
    fn into(self) -> Self;
    fn from(x: Self) -> Self;
}

impl Number for f64 {
    fn into(self) -> f64 {
        2.0 * self
    }
    fn from(x: f64) -> f64 {
        2.0 * x
    }
}

#[grad]
fn f<T: Number>(x: T) -> T {
    x.into()
}

#[grad]
fn g<T: Number>(x: T) -> T {
    T::from(x)
}

fn main() {
    f::grad(1.0);
    g::grad(1.0);
}
