use autodiff::grad;

struct Model;

impl Model {
    #[grad]
    fn eval(x: f64) -> f64 {
        x * x
    }
}

fn main() {}
