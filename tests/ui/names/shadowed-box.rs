use std::ops::Deref;

use autodiff::grad;

struct Box(f64);

impl Box {
    fn new(x: f64) -> Box {
        Box(2.0 * x)
    }
}

impl Deref for Box {
    type Target = f64;

    fn deref(&self) -> &f64 {
        &self.0
    }
}

#[grad]
fn f(x: f64) -> f64 {
    let b = Box::new(x);
    *b * x
}

fn main() {}
