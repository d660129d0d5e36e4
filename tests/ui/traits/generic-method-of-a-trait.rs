use autodiff::grad;

trait Real: Copy {
    fn sin(self) -> Self;
}

impl Real for f64 {
    fn sin(self) -> Self {
        self.to_radians().sin()
    }
}

#[grad]
fn f<T: Real>(x: T) -> T {
    x.sin()
}

fn main() {
    f::grad(1.0);
}
