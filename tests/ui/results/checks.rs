//! What only checks its arguments needs no attribute, and a helper without one is one error in fallible functions as well.

use autodiff::grad;

#[grad]
fn validate(x: f64) -> Result<(), String> {
    if x <= 0.0 {
        return Err(format!("{x} is not positive"));
    }
    Ok(())
}

#[grad]
fn checked(x: f64) -> Result<f64, String> {
    validate(x)?;
    Ok(x * x)
}

fn helper(x: f64) -> Result<f64, String> {
    Ok(x.sin())
}

#[grad]
fn helped(x: f64) -> Result<f64, String> {
    let y = helper(x)?;
    Ok(x * y)
}

fn main() {}
