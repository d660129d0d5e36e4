use autodiff::grad;

#[grad]
fn all(x: &[Option<f64>]) -> f64 {
    let sum: Option<f64> = x.iter().copied().sum();
    sum.unwrap_or(0.0)
}

fn main() {}
