use std::collections::HashMap;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let mut m: HashMap<u32, f64> = HashMap::new();
    m.insert(1, x * x);
    m[&1] + x
}

fn main() {}
