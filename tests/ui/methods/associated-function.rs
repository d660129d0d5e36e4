use autodiff::grad;

struct Model;

impl Model {
    fn eval(x: f64) -> f64 {
        x * x
    }
}

#[grad]
fn f(x: f64) -> f64 {
    Model::eval(x)
}

fn main() {}
