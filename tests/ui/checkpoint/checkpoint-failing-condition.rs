use autodiff::grad;

#[grad]
fn log(x: f64) -> Result<f64, String> {
    if x > 0.0 { Ok(x.ln()) } else { Err(format!("no logarithm of {x}")) }
}

#[grad]
fn f(x: f64) -> Result<f64, String> {
    let mut s = x;
    #[checkpoint]
    while log(s)? > 0.1 {
        s = s.sqrt();
    }
    Ok(s)
}

fn main() {}
