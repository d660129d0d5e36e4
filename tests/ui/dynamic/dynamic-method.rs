use autodiff::grad;

struct Model;

impl Model {
    #[grad(dynamic)]
    fn same(&self, x: f64) -> f64 {
        x
    }
}

fn main() {}
