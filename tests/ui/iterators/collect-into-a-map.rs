use std::collections::BTreeMap;

use autodiff::grad;

#[grad]
fn f(xs: &[f64]) -> f64 {
    let m: BTreeMap<usize, f64> = xs.iter().map(|x| x * x).enumerate().collect();
    m[&0]
}

fn main() {}
