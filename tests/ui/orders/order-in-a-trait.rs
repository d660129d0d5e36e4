use autodiff::grad;

#[grad]
trait Model {
    #[grad(order = 2)]
    fn energy(&self, x: f64) -> f64;
}

fn main() {}
