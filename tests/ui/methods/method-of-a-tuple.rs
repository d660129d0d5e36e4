use autodiff::grad;

trait Floor {
    fn floor(&self) -> f64;
}

impl Floor for (f64, f64) {
    fn floor(&self) -> f64 {
        self.0 * self.1
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let p = (x, x);
    p.floor()
}

fn main() {}
