use autodiff::grad;

trait Smooth {
    fn smooth(self) -> f64;
}

impl Smooth for f64 {
    fn smooth(self) -> f64 {
        self * self
    }
}

#[grad]
fn f(x: f64) -> f64 {
    <f64 as Smooth>::smooth(x) + x
}

fn main() {}
