use autodiff::grad;

trait Smooth {
    fn smooth(self) -> f64;
}

#[grad]
impl Smooth for f64 {
    fn smooth(self) -> f64 {
        self * self
    }
}

fn main() {}
