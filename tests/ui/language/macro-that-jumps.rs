//! What a macro may jump to is a loop of the forward sweep alone.

use autodiff::grad;

macro_rules! skip {
    ($condition:expr) => {
        if $condition {
            continue;
        }
    };
}

#[grad]
fn powers(x: f64, y: f64) -> f64 {
    let mut s = x;
    for i in 0..3 {
        skip!(i == 1);
        s *= y;
    }
    s
}

fn main() {
    powers(1.0, 2.0);
}
