use std::cell::Cell;

use autodiff::grad;

#[grad]
fn f(x: f64, #[constant] next: &Cell<u32>) -> f64 {
    let mut y = x;
    #[checkpoint(every = 2)]
    for _ in 0..7 {
        let boost = next.take();
        y = y.sin() * (1.0 + boost as f64) + x;
    }
    y
}

fn main() {}
