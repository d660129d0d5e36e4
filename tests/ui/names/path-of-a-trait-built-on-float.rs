use autodiff::grad;

trait Float: num_traits::Float {
    fn sin(self) -> Self {
        self.to_radians()
    }
}

impl Float for f64 {}

#[grad]
fn f(x: f64) -> f64 {
    Float::sin(x)
}

fn main() {
    f::grad(1.0);
}
