use std::collections::HashMap;

use autodiff::grad;

#[grad]
fn f(x: f64, m: &HashMap<u32, f64>) -> f64 {
    m[&1] * x
}

fn main() {}
