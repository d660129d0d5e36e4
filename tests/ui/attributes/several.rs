use std::cell::Cell;

use autodiff::grad;

#[grad]
fn f(x: f64) -> f64 {
    let bits = x.to_bits();
    let c = Cell::new(x);
    let y = bits as f64 * c.get();
    let mut s = 0.0;
    for i in 0..3 {
        if i == 1 {
            continue;
        }
        s += y;
    }
    let sine = |t: f64| t.sin();
    sine(s) + unsafe { *std::ptr::addr_of!(x) }
}

fn main() {}
