use std::rc::Rc;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let a = Rc::new(x);
    let b = Rc::clone(&a);
    *b * 2.0
}

fn main() {}
