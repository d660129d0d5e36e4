use autodiff::grad;

struct Model {
    a: f64,
}

impl Model {
    #[grad]
    fn f(&self, x: f64) -> f64 {
        self.a * x
    }
}

fn main() {}
