use autodiff::grad;

trait Float: Copy {
    fn sin(self) -> Self;
}

impl Float for f64 {
    fn sin(self) -> Self {
        self.to_radians().sin()
    }
}

#[grad]
fn f(x: f64) -> f64 {
    Float::sin(x)
}

fn main() {
    f::grad(1.0);
}
