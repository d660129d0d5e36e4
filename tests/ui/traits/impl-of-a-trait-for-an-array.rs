use autodiff::grad;

trait Smooth {
    fn smooth(self) -> f64;
}

#[grad]
impl Smooth for [f64; 2] {
    fn smooth(self) -> f64 {
        self[0] * self[1]
    }
}

fn main() {}
