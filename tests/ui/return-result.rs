use autodiff::grad;

#[grad]
fn f(x: f64) -> Result<f64, String> {
    Ok(x.sqrt())
}

fn main() {}
