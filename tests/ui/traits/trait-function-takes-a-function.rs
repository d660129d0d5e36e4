use autodiff::grad;

#[grad]
trait Rule {
    fn over<F: Fn(f64) -> f64>(&self, f: F) -> f64;
}

fn main() {}
