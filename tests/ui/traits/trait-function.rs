use autodiff::grad;

trait Energy {
    #[grad]
    fn energy(&self, x: f64) -> f64;
}

fn main() {}
