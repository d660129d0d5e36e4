use std::cell::Cell;

use autodiff::grad;

thread_local! {
    static STATE: Cell<f64> = const { Cell::new(0.0) };
}

#[grad]
fn f(x: f64) -> f64 {
    STATE.set(x);
    STATE.get() * 2.0
}

fn main() {}
