use autodiff::grad;

struct Sigmoid;

#[grad]
impl Sigmoid {
    fn value(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    fn value_grad(x: f64) -> f64 {
        Self::value(x) * (1.0 - Self::value(x))
    }
}

fn main() {}
