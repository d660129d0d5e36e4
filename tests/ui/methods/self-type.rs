use autodiff::grad;

struct Model {
    a: f64,
}

impl Model {
    #[grad]
    fn f(model: &Self, x: f64) -> f64 {
        model.a * x
    }
}

fn main() {}
