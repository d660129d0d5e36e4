use autodiff::grad;

struct Model;

impl Model {
    fn square(x: f64) -> f64 {
        x * x
    }

    #[grad]
    fn eval(x: f64) -> f64 {
        Self::square(x) + 1.0
    }
}

fn main() {}
