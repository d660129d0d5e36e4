use std::cell::Cell;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let c = Cell::new(0.0);
    c.set(x);
    c.get() * 2.0
}

fn main() {}
