use autodiff::grad;

#[grad]
fn f(x: &[f64]) -> f64 {
    x.iter().iter().map(|v| v * v).sum()
}

fn main() {}
