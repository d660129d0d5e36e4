use std::collections::BTreeMap;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let m = BTreeMap::from([(1, x)]);
    m[&1] * 2.0
}

fn main() {}
