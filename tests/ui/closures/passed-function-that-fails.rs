use autodiff::grad;

#[grad]
fn step<F>(f: F, x: f64) -> Result<f64, String>
where
    F: Fn(f64) -> Result<f64, String>,
{
    Ok(x - f(x)? / 2.0)
}

fn main() {}
