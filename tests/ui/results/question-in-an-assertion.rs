use autodiff::grad;

fn is_allowed(x: f64) -> Result<bool, String> {
    Ok(x > 0.0)
}

#[grad]
fn f(x: f64, n: usize) -> Result<f64, String> {
    debug_assert!(is_allowed(n as f64)?, "{n}");
    Ok(x * x)
}

fn main() {}
