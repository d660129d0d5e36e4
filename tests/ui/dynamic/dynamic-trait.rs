use autodiff::grad;

#[grad(dynamic)]
trait Area {
    fn area(&self, x: f64) -> f64;
}

fn main() {}
