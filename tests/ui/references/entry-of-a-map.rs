use std::collections::BTreeMap;

use autodiff::grad;

#[grad]
fn f(x: f64, keys: &[usize]) -> f64 {
    let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
    for key in keys {
        sums.entry(*key).and_modify(|sum| *sum += x).or_insert(x);
    }
    sums.values().sum()
}

fn main() {}
