use std::cell::Cell;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let c = Cell::new(x);
    c.set(c.get() * 2.0);
    c.get() * x
}

fn main() {}
