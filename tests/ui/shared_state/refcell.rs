use std::cell::RefCell;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let c = RefCell::new(vec![0.0]);
    c.borrow_mut()[0] = x;
    let y = c.borrow()[0] * 2.0;
    y
}

fn main() {}
