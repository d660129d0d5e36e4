use autodiff::grad;

trait Length {
    fn len(&self) -> f64;
}

impl Length for (f64, f64) {
    fn len(&self) -> f64 {
        self.0.hypot(self.1)
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let p = (x, 2.0);
    p.len() * 2.0
}

fn main() {}
