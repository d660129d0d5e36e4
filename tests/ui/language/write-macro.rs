use std::fmt::Write;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut text = String::new();
    let _ = write!(text, "{x}");
    let y: f64 = text.parse().unwrap();
    y * x
}

fn main() {}
