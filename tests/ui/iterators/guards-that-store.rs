use autodiff::grad;
use std::cell::Cell;

macro_rules! set {
    ($place:expr, $value:expr) => {{
        $place[0] = $value;
        true
    }};
}

#[grad]
fn cell(x: f64, y: f64) -> f64 {
    let kept = Cell::new(1.0);
    match 1 {
        1 if { kept.set(x); true } => kept.get() * y,
        _ => y,
    }
}

#[grad]
fn in_a_macro(x: f64, y: f64) -> f64 {
    let mut v = vec![1.0];
    match v.len() {
        1 if set!(v, x) => v[0] * y,
        _ => y,
    }
}

fn main() {}
