use autodiff::grad;

#[grad]
fn f(x: f64, #[out] y: &[f64]) -> f64 {
    x * y[0]
}

fn main() {}
