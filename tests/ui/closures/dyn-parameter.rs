use autodiff::grad;

trait Potential {
    fn energy(&self, r: f64) -> f64;
}

#[grad]
fn f(x: f64, p: &dyn Potential) -> f64 {
    p.energy(x) + x
}

fn main() {}
