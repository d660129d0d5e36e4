use std::cell::Cell;

use autodiff::grad;

struct Cache {
    last: Cell<f64>,
}

#[grad]
fn f(#[constant] cache: &Cache, x: f64) -> f64 {
    cache.last.set(x);
    x * x
}

fn main() {}
