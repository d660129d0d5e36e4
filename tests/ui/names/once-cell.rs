use autodiff::grad;
use std::cell::OnceCell;

#[grad]
fn f(x: f64, y: f64) -> f64 {
    let kept = OnceCell::new();
    *kept.get_or_init(|| x * x) * y
}

fn main() {}
