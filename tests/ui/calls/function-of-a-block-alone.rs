use autodiff::grad;

struct Law;

impl Law {
    #[grad]
    fn energy(x: f64) -> f64 {
        x * x
    }
}

fn main() {}
